//! Counts of requests by outcome: each is in one place at every moment (decision 0036, 7).
//!
//! Invariants: submitted = passed + malformed + waiting + withdrawn + refused + admitted (stated and estimated), and admitted = running + done + failed + exceeded + cancelled +
//! panicked.

use super::costs::{Bound, ClassCosts, Costs};
use crate::lock::locked;
use crate::pool::Finished;
use crate::{Refused, SubmitError};
use std::sync::{Arc, Mutex, MutexGuard};
use windfall_time::Span;

// Fields: a table of what can become of a request.
/// How often what happened to requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct RequestCounts {
    /// All that came.
    pub submitted: u64,
    /// Without a deadline, and served without admission.
    pub passed: u64,
    /// Refused, since `grpc-timeout` was malformed.
    pub malformed: u64,
    /// Those that wait for an answer of the analysis now.
    pub waiting: u64,
    /// Those whose clients went away before that answer.
    pub withdrawn: u64,
    /// Refused by the pool.
    pub refused: Refused,
    /// Admitted with the bound that the user stated.
    pub stated: u64,
    /// Admitted with a bound that was learnt.
    pub estimated: u64,
    /// Admitted, and not over: they run, wait, or are about to.
    pub running: u64,
    /// Ended within their bound, with a response.
    pub done: u64,
    /// Ended within their bound, with an error of the service.
    pub failed: u64,
    /// Of those done or failed, ended after their deadline: time was stolen.
    pub late: u64,
    /// Exceeded their bound: they were stopped, or ended demoted.
    pub exceeded: u64,
    /// Of these, exceeded a bound that was learnt.
    pub estimates_exceeded: u64,
    /// Their clients went away, or the pool ended.
    pub cancelled: u64,
    /// The service panicked.
    pub panicked: u64,
    /// Classes that were forgotten, since there were too many.
    pub classes_forgotten: u64,
}

impl RequestCounts {
    /// All that were admitted.
    #[must_use]
    pub const fn admitted(&self) -> u64 {
        self.stated + self.estimated
    }
}

/// The answer of a service, and its cost.
#[derive(Debug)]
pub(super) struct Served<T, E> {
    pub(super) answer: Result<T, E>,
    pub(super) used: Span,
}

/// The counts and costs of a layer.
#[derive(Debug)]
pub(super) struct Books(Mutex<(RequestCounts, Costs)>);

impl Books {
    pub(super) fn new(costs: Costs) -> Books {
        Books(Mutex::new((RequestCounts::default(), costs)))
    }

    fn lock(&self) -> MutexGuard<'_, (RequestCounts, Costs)> {
        locked(&self.0)
    }

    pub(super) fn counts(&self) -> RequestCounts {
        let (counts, costs) = &*self.lock();
        RequestCounts { classes_forgotten: costs.forgotten(), ..*counts }
    }

    pub(super) fn classes(&self) -> Vec<ClassCosts> {
        self.lock().1.classes()
    }

    pub(super) fn passed(&self) {
        let (counts, _) = &mut *self.lock();
        counts.submitted += 1;
        counts.passed += 1;
    }

    pub(super) fn malformed(&self) {
        let (counts, _) = &mut *self.lock();
        counts.submitted += 1;
        counts.malformed += 1;
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Submitted,
    Running,
    Over,
}

/// One request, from its submission to its end. It is told of both by different threads, in any order.
#[derive(Debug)]
pub(super) struct Account {
    books: Arc<Books>,
    class: String,
    bound: Bound,
    /// Changed with the books locked.
    stage: Mutex<Stage>,
}

impl Account {
    /// A request is submitted: it asks for the bound of its class.
    pub(super) fn begin(books: Arc<Books>, class: String) -> Account {
        let (counts, costs) = &mut *books.lock();
        counts.submitted += 1;
        counts.waiting += 1;
        let bound = costs.bound(&class);
        Account { books: books.clone(), class, bound, stage: Mutex::new(Stage::Submitted) }
    }

    pub(super) const fn bound(&self) -> Span {
        self.bound.work
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        locked(&self.stage)
    }

    /// The pool has answered.
    pub(super) fn answered<T>(&self, answer: &Result<T, SubmitError>) {
        let (counts, costs) = &mut *self.books.lock();
        match answer {
            Ok(_) => self.admitted(counts, costs),
            Err(error) => {
                counts.waiting -= 1;
                counts.refused.count(error);
                *self.stage() = Stage::Over;
            }
        }
    }

    /// Once; its end may be known before the answer is.
    fn admitted(&self, counts: &mut RequestCounts, costs: &mut Costs) {
        let mut stage = self.stage();
        if *stage != Stage::Submitted {
            return;
        }
        *stage = Stage::Running;
        counts.waiting -= 1;
        counts.running += 1;
        if self.bound.estimated {
            counts.estimated += 1;
            costs.admitted(&self.class);
        } else {
            counts.stated += 1;
        }
    }

    /// Its thread is over.
    pub(super) fn ended<T, E>(&self, finished: &Finished<Served<T, E>>) {
        let (counts, costs) = &mut *self.books.lock();
        self.admitted(counts, costs);
        *self.stage() = Stage::Over;
        counts.running -= 1;
        match finished {
            Finished::Done(served, ended) => {
                let of = if served.answer.is_ok() { &mut counts.done } else { &mut counts.failed };
                *of += 1;
                counts.late += u64::from(!ended.late.is_zero());
                costs.learn(&self.class, served.used);
            }
            Finished::Exceeded(served) => {
                counts.exceeded += 1;
                if self.bound.estimated {
                    counts.estimates_exceeded += 1;
                    costs.exceeded(&self.class);
                }
                // One that was stopped cost at least its bound: an estimate that is too small has to grow.
                let stopped = self.bound.work.saturating_mul(2);
                costs.learn(&self.class, served.as_ref().map_or(stopped, |served| served.used));
            }
            Finished::Cancelled => counts.cancelled += 1,
            Finished::Panicked => counts.panicked += 1,
        }
    }
}

/// Nobody asks any more.
impl Drop for Account {
    fn drop(&mut self) {
        let stage = *self.stage();
        let (counts, _) = &mut *self.books.lock();
        match stage {
            Stage::Submitted => {
                counts.waiting -= 1;
                counts.withdrawn += 1;
            }
            Stage::Running => {
                counts.running -= 1;
                counts.cancelled += 1;
            }
            Stage::Over => {}
        }
    }
}
