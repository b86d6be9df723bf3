//! How urgent a thread is to the scheduler above it, in the quantity that this scheduler ranks by.
//!
//! Threads that share an inheriting lock are below one scheduler, so their urgencies have one type.

use core::cmp::Reverse;
use windfall_time::{Instant, Span};

/// The rank of a thread while it holds a lock (HLS 4.3.8; Sha, Rajkumar and Lehoczky 1990).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LockProtocol {
    /// Its own rank.
    #[default]
    None,
    /// The highest rank among the threads that wait for it.
    Inherit,
    /// The highest rank among the threads that use it.
    Ceiling,
}

/// The parameter that determines a thread's own urgency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    /// A priority; larger is served first.
    Priority(i32),
    /// A period; the shorter is served first.
    Period(Span),
    /// A relative deadline; the shorter is served first.
    RelativeDeadline(Span),
    /// The deadlines of its jobs, as a time after release; `None`: jobs that are never due.
    Deadline(Option<Span>),
}

/// How urgent a thread is; the larger is served first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Urgency {
    /// As a thread of this priority.
    Priority(i32),
    /// As a thread of this period or relative deadline.
    Length(Reverse<Span>),
    /// As a job with this deadline; [`Instant::MAX`] is never due.
    Due(Reverse<Instant>),
}

impl Rank {
    /// The urgency of a thread whose last job is due at `due`.
    #[must_use]
    pub const fn urgency(self, due: Instant) -> Urgency {
        match self {
            Rank::Priority(priority) => Urgency::Priority(priority),
            Rank::Period(length) | Rank::RelativeDeadline(length) => {
                Urgency::Length(Reverse(length))
            }
            Rank::Deadline(_) => Urgency::Due(Reverse(due)),
        }
    }

    /// The urgency of a thread whose job is released at `now`.
    #[must_use]
    pub fn of_release(self, now: Instant) -> Urgency {
        let due = match self {
            Rank::Deadline(Some(relative)) => now.saturating_add(relative),
            _ => Instant::MAX,
        };
        self.urgency(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_is_served_first_is_the_larger() {
        let ms = Span::from_millis;
        let now = Instant::ZERO + ms(7);
        assert!(Rank::Priority(2).of_release(now) > Rank::Priority(-1).of_release(now));
        assert!(Rank::Period(ms(2)).of_release(now) > Rank::Period(ms(3)).of_release(now));
        let deadline = |relative| Rank::Deadline(relative).of_release(now);
        assert_eq!(deadline(Some(ms(3))), Urgency::Due(Reverse(now + ms(3))));
        assert!(deadline(Some(ms(3))) > deadline(Some(ms(4))));
        assert!(deadline(Some(Span::MAX)) >= deadline(None));
    }
}
