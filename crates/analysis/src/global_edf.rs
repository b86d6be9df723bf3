//! Global earliest deadline first: sufficient tests on several processors.
//!
//! No exact test of practical cost is known. Each of these accepts task sets that others refuse. A set that one of them
//! accepts meets every deadline; a set that all refuse may meet them as well. Assumptions:
//! A1 Identical processors of speed 1, always there; what scheduling costs is inside `work`.
//! A2 Tasks are independent; a job runs on one processor at a time and may move at any moment.
//! A3 No release jitter, and no deadline beyond the period: of sets that have either a test says nothing
//!    (but Baker's, which knows deadlines beyond periods).
//! A4 Time passes in nanoseconds; some tests gain one by that.
//!
//! All comparisons are exact.

mod baruah;
mod error;
mod forced_forward;
mod slack;
mod tardiness;
#[cfg(test)]
mod tests;

pub use error::GlobalError;
pub use slack::response_times;
pub use tardiness::late_response_times;

use crate::exact::Sum;
use crate::{Task, exact, window};

/// A sufficient test, by its authors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Test {
    /// Total density at most `m - (m - 1) * greatest density` (Goossens, Funk and Baruah 2003; GFB).
    Density,
    /// The load of an interval that ends with a miss (Baker 2003; BAK).
    Baker,
    /// Work that interferes with a job up to its deadline (Bertogna, Cirinei and Lipari 2005; BCL).
    Interference,
    /// The same, with less of it for each slack found (Bertogna, Cirinei and Lipari 2008; BCLI).
    Slack,
    /// The same, up to the job's end instead of its deadline (Bertogna and Cirinei 2007; RTA).
    Response,
    /// Demand of an interval with few jobs carried in (Baruah 2007; BAR).
    Baruah,
    /// Demand at the speed of a slower processor (Baruah et al. 2010; FF-DBF).
    ForcedForward,
}

impl Test {
    /// Every test, quick ones first.
    pub const ALL: [Test; 7] = [
        Test::Density,
        Test::Interference,
        Test::Slack,
        Test::Response,
        Test::Baker,
        Test::Baruah,
        Test::ForcedForward,
    ];

    /// Whether this test shows that every deadline is met on this number of processors.
    ///
    /// # Errors
    /// Where it does not cover them: [`GlobalError::NoProcessors`], [`GlobalError::OutOfRange`], [`GlobalError::Jitter`], and, but for
    /// Baker's, [`GlobalError::DeadlineAbovePeriod`].
    pub fn accepts(self, tasks: &[Task], processors: u32) -> Result<bool, GlobalError> {
        covered(tasks, processors)?;
        if self != Test::Baker {
            within_periods(tasks)?;
        }
        if tasks.iter().any(|task| task.work > task.deadline) {
            return Ok(false);
        }
        Ok(match self {
            Test::Density => density(tasks, processors),
            Test::Baker => {
                fits(tasks, processors) && tasks.iter().all(|task| baker(tasks, task, processors))
            }
            Test::Interference => (0..tasks.len()).all(|k| interference(tasks, k, processors)),
            Test::Slack => slack::accepts(tasks, processors),
            Test::Response => slack::responses(tasks, processors).is_some(),
            Test::Baruah => baruah::accepts(tasks, processors),
            Test::ForcedForward => forced_forward::accepts(tasks, processors),
        })
    }
}

/// The first test that shows that every deadline is met on this number of processors; `None`, which is the answer
/// and no error, where none does of those that cover the tasks.
///
/// # Errors
/// Where no test covers them: what the first does not.
pub fn accepted_by(tasks: &[Task], processors: u32) -> Result<Option<Test>, GlobalError> {
    let (mut covers, mut first) = (false, None);
    for test in Test::ALL {
        match test.accepts(tasks, processors) {
            Ok(true) => return Ok(Some(test)),
            Ok(false) => covers = true,
            Err(why) => first = first.or(Some(why)),
        }
    }
    first.filter(|_| !covers).map_or(Ok(None), Err)
}

/// Work and the time it has, in nanoseconds; the quotient is a task's density.
fn density_terms(task: &Task) -> (u128, u128) {
    let time = task.deadline.min(task.period).as_nanos();
    (u128::from(task.work.as_nanos()), u128::from(time))
}

fn densest(tasks: &[Task]) -> Option<(u128, u128)> {
    tasks.iter().map(density_terms).max_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)))
}

fn density(tasks: &[Task], processors: u32) -> bool {
    let mut sum = Sum::new();
    for (work, time) in tasks.iter().map(density_terms) {
        sum.add(work, time);
    }
    if let Some((work, time)) = densest(tasks) {
        sum.add(u128::from(processors - 1) * work, time);
    }
    sum.compare_whole(u64::from(processors)).is_le()
}

/// Whether the last of an interval that ends with a job of this task has room for it (Baker 2003,
/// theorem 12), whatever load came before.
fn baker(tasks: &[Task], task: &Task, processors: u32) -> bool {
    let (work, time) = density_terms(task);
    let deadline = u128::from(task.deadline.as_nanos());
    if work > time {
        return false;
    }
    let mut sum = Sum::new();
    for other in tasks {
        let [own, period, due] =
            [other.work, other.period, other.deadline].map(|span| u128::from(span.as_nanos()));
        let mut share = Sum::new();
        share.add(own * (deadline + period).saturating_sub(due), period * deadline);
        // Denser than this task, the other may have run ahead before the interval.
        share.add((own * time).saturating_sub(work * period), time * deadline);
        if share.compare_whole(1).is_ge() {
            sum.add(1, 1);
        } else {
            sum.add_all(&share);
        }
    }
    sum.add(u128::from(processors - 1) * work, time);
    sum.compare_whole(u64::from(processors)).is_le()
}

/// Whether the work of others cannot hold up a job of task `k` until its deadline (BCL, theorem 7).
fn interference(tasks: &[Task], k: usize, processors: u32) -> bool {
    let deadline = tasks[k].deadline.as_nanos();
    let spare = u128::from(deadline - tasks[k].work.as_nanos());
    let (mut sum, mut some_fits) = (0_u128, false);
    for (_, other) in tasks.iter().enumerate().filter(|(index, _)| *index != k) {
        let [own, period, due] = [other.work, other.period, other.deadline].map(|s| s.as_nanos());
        let jobs = deadline.checked_sub(due).map_or(0, |time| time / period + 1);
        let carried = own.min(deadline.saturating_sub(jobs * period));
        let work = u128::from(jobs) * u128::from(own) + u128::from(carried);
        sum += work.min(spare);
        some_fits |= work > 0 && work <= spare;
    }
    let room = u128::from(processors) * spare;
    sum < room || (sum == room && some_fits)
}

/// Whether the assumptions hold that all tests and bounds have.
fn covered(tasks: &[Task], processors: u32) -> Result<(), GlobalError> {
    if processors == 0 {
        return Err(GlobalError::NoProcessors);
    }
    if !window::in_range(tasks) {
        return Err(GlobalError::OutOfRange);
    }
    match tasks.iter().position(|task| !task.jitter.is_zero()) {
        Some(task) => Err(GlobalError::Jitter(task)),
        None => Ok(()),
    }
}

/// Whether no deadline is beyond its period.
fn within_periods(tasks: &[Task]) -> Result<(), GlobalError> {
    match tasks.iter().position(|task| task.deadline > task.period) {
        Some(task) => Err(GlobalError::DeadlineAbovePeriod(task)),
        None => Ok(()),
    }
}

/// Whether the tasks need at most this number of processors, and none more than one.
fn fits(tasks: &[Task], processors: u32) -> bool {
    tasks.iter().all(|task| task.work <= task.period)
        && exact::utilisation(tasks).compare_whole(u64::from(processors)).is_le()
}
