//! An application's own scheduler, as its processor sees it (section 2.4).

use crate::{Claim, Request, Share, SubmitError, TaskId, TransferError};
use windfall_admission::{AdmitError, WhatIfError};
use windfall_time::{Instant, Span};

/// One scheduling policy of an application, for one processor.
///
/// It orders its own tasks, and claims the processor for one of them at a time. It has no clock: `advance` says what time it is, before
/// any other call about a later moment.
///
/// # The processor promises
/// C1. Time does not go back. A task is named in calls from `submit` until `ended` only.
/// C2. `ran` is called for the task that was claimed, with at most what is left of its bound; more than was claimed, if a timer was late.
///
/// # The scheduler promises
/// S1. In any window from t to d, the work that it claims with deadlines up to d, and that came after t, is at most its share of d - t. The part of its bound that a task does not use
/// may be claimed again; what a task received may not.
/// S2. With a claim comes the same claim again until the processor has run it, or something was submitted or ended, or time has passed.
///
/// ```
/// use std::collections::VecDeque;
/// use windfall_ports::{Claim, Processor, Request, Scheduler, Share, SubmitError, TaskId};
/// use windfall_time::{Instant, Span};
///
/// /// One task after the other, in what the schedulers with shares leave.
/// #[derive(Default)]
/// struct InOrder(VecDeque<(TaskId, Span)>);
///
/// impl Scheduler for InOrder {
///     fn share(&self) -> Option<Share> {
///         None
///     }
///     fn advance(&mut self, _: Instant) {}
///     fn submit(&mut self, task: TaskId, request: &Request) -> Result<(), SubmitError> {
///         self.0.push_back((task, request.work));
///         Ok(())
///     }
///     fn claim(&self) -> Option<Claim> {
///         self.0.front().map(|(task, left)| Claim::new(*task, None, *left))
///     }
///     fn ran(&mut self, task: TaskId, received: Span) {
///         if let Some((_, left)) = self.0.iter_mut().find(|(other, _)| *other == task) {
///             *left = left.saturating_sub(received);
///         }
///     }
///     fn ended(&mut self, task: TaskId) {
///         self.0.retain(|(other, _)| *other != task);
///     }
/// }
///
/// let mut processor = Processor::new(Instant::ZERO, 10);
/// let own = processor.add(InOrder::default())?;
/// let first = processor.submit(own, Request::ranked(Span::from_millis(2), 0))?;
/// let second = processor.submit(own, Request::ranked(Span::from_millis(1), 0))?;
/// assert_eq!(processor.running().map(|running| running.task), Some(first));
/// processor.advance(Instant::ZERO + Span::from_millis(1), Span::from_millis(1))?;
/// processor.done(first)?;
/// assert_eq!(processor.running().map(|running| running.task), Some(second));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Scheduler {
    /// Its share; `None` if it only takes what others leave.
    fn share(&self) -> Option<Share>;

    /// Time has come to this instant.
    fn advance(&mut self, now: Instant);

    /// Takes a task in, or says why not; then nothing has changed.
    ///
    /// # Errors
    /// If it cannot promise what is asked for, or has no use for it.
    fn submit(&mut self, task: TaskId, request: &Request) -> Result<(), SubmitError>;

    /// The task that it would have run; at most all that is left of the task's bound.
    fn claim(&self) -> Option<Claim>;

    /// A task of its own received so much of the processor.
    fn ran(&mut self, task: TaskId, received: Span);

    /// A task of its own has ended, was cancelled, or was interrupted at its bound.
    fn ended(&mut self, task: TaskId);

    /// When its claim changes by itself.
    fn wakes(&self) -> Option<Instant> {
        None
    }

    /// Stolen time is forgotten, because no promised work is left on the processor: a scheduler that is behind its share begins anew.
    fn renew(&mut self) {}

    /// Temporal queries, if it promises that tasks end by their deadlines.
    fn queries(&self) -> Option<&dyn Queries> {
        None
    }

    /// Its laxity, if that can be moved.
    fn laxity(&mut self) -> Option<&mut dyn Laxity> {
        None
    }
}

/// Temporal queries: they change nothing.
///
/// ```
/// use windfall_ports::{EarliestDeadline, Scheduler, Share};
/// use windfall_time::{Instant, Span};
///
/// let (ms, at) = (Span::from_millis, |ms| Instant::ZERO + Span::from_millis(ms));
/// let half = Share::new(ms(1), ms(2)).expect("less than a processor");
/// let scheduler: EarliestDeadline = EarliestDeadline::new(half, Instant::ZERO, 10)?;
/// let queries = scheduler.queries().expect("it promises deadlines");
/// assert_eq!(queries.idle_before(at(10)), ms(5));
/// assert_eq!(queries.earliest_deadline(ms(3)), Ok(Some(at(6))));
/// # Ok::<(), windfall_admission::AdvanceError>(())
/// ```
pub trait Queries {
    /// The most work that would be admitted with this deadline.
    fn idle_before(&self, deadline: Instant) -> Span;

    /// The earliest deadline with which this work would be admitted; `None` if there is none.
    ///
    /// # Errors
    /// For work that can never be admitted.
    fn earliest_deadline(&self, work: Span) -> Result<Option<Instant>, AdmitError>;
}

/// Time that a scheduler may still promise (section 2.5, last paragraph).
///
/// ```
/// use windfall_ports::{EarliestDeadline, Scheduler, Share};
/// use windfall_time::{Instant, Span};
///
/// let (ms, at) = (Span::from_millis, |ms| Instant::ZERO + Span::from_millis(ms));
/// let half = Share::new(ms(1), ms(2)).expect("less than a processor");
/// let new = || EarliestDeadline::new(half, Instant::ZERO, 10);
/// let (mut one, mut other): (EarliestDeadline, EarliestDeadline) = (new()?, new()?);
/// let moved = one.laxity().expect("it has laxity").give(ms(2))?;
/// other.laxity().expect("it has laxity").take(moved);
/// // The one has 2 ms less to promise; the other has them more, once they have come.
/// assert_eq!(one.queries().map(|queries| queries.idle_before(at(10))), Some(ms(3)));
/// assert_eq!(other.queries().map(|queries| queries.idle_before(at(10))), Some(ms(7)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Laxity {
    /// Whether all of these would be admitted, one after the other; no later answer depends on it.
    ///
    /// # Errors
    /// The first that would not.
    fn what_if(&mut self, tasks: &[(Span, Instant)]) -> Result<(), WhatIfError>;

    /// Gives so much of its time away, beginning at once: all that it has promised has so much less laxity.
    ///
    /// # Errors
    /// When it has promised that time itself, or is still receiving some; nothing has changed then.
    fn give(&mut self, work: Span) -> Result<Moved, TransferError>;

    /// Receives what another gives.
    fn take(&mut self, moved: Moved);
}

/// Time that one scheduler gives to another: as much as the giver's share, from an instant on, until the work is complete.
///
/// It is not there all at once: the giver could not have done so much at once either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    share: Share,
    from: Instant,
    work: Span,
}

impl Moved {
    /// Work of a share's time from an instant on.
    #[must_use]
    pub const fn new(share: Share, from: Instant, work: Span) -> Moved {
        Moved { share, from, work }
    }

    /// When all of it has been given.
    #[must_use]
    pub fn until(&self) -> Instant {
        let time = self.share.instant_of(self.work.as_nanos()).saturating_since(Instant::ZERO);
        self.from.saturating_add(time)
    }

    /// The time that the receiver may have promised by a deadline, rounded down.
    pub(crate) fn place(&self, deadline: Instant) -> u64 {
        self.most(self.share.place(self.since(deadline)))
    }

    /// The time that has been given, rounded up.
    pub(crate) fn passed(&self, now: Instant) -> u64 {
        self.most(self.share.passed(self.since(now)))
    }

    pub(crate) const fn work(&self) -> Span {
        self.work
    }

    fn since(&self, at: Instant) -> Instant {
        Instant::ZERO.saturating_add(at.saturating_since(self.from))
    }

    fn most(&self, given: u64) -> u64 {
        given.min(self.work.as_nanos())
    }
}
