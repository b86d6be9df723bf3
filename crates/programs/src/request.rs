//! Requests of a program to the schedulers for its own thread (HLS 4.3.9, 4.4), and unsolicited notices (HLS 4.3.12).
//! Decision 0024.

mod error;

use core::fmt;
use windfall_guarantees::Guarantee;
use windfall_time::Span;

pub use error::RequestErrorKind;

/// A request of a thread for itself. Schedulers are named, because a request may create one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OwnRequest {
    /// Begins or changes a reservation.
    Reserve {
        /// Processor time in each period; above zero, at most `period`.
        amount: Span,
        /// The length of a period.
        period: Span,
        /// The scheduler that is to give it, to which the thread moves; `None` for the one above the thread.
        at: Option<String>,
    },
    /// Requests a guarantee, in the form that the scheduler gives it. Unlike a plain reservation it is a promise, which
    /// the run judges; it is refused if it would break one to others.
    Guarantee {
        /// The guarantee.
        guarantee: Guarantee,
        /// The scheduler that is to give it, to which the thread moves; `None` for the one above the thread.
        at: Option<String>,
    },
    /// Ends the reservation. A thread that moved for it returns to its former scheduler.
    Unreserve,
    /// Sets the thread's share, as a weight relative to its siblings' weights; at least 1.
    Share(u32),
    /// Sets the thread's priority; a larger number is served first.
    Priority(i32),
    /// Moves to a scheduler at or below the one that the thread began at.
    Move(String),
}

impl OwnRequest {
    /// A reservation of so much in every period, from the scheduler above the thread.
    ///
    /// ```
    /// use windfall_programs::OwnRequest;
    /// use windfall_time::Span;
    ///
    /// let request = OwnRequest::reserve(Span::from_millis(3), Span::from_millis(10)).at("res");
    /// assert_eq!(request.to_string(), "reserve 3ms/10ms at `res`");
    /// ```
    #[must_use]
    pub const fn reserve(amount: Span, period: Span) -> OwnRequest {
        OwnRequest::Reserve { amount, period, at: None }
    }

    /// A guarantee from the scheduler above the thread.
    #[must_use]
    pub const fn guarantee(guarantee: Guarantee) -> OwnRequest {
        OwnRequest::Guarantee { guarantee, at: None }
    }

    /// The same reservation or guarantee from the scheduler of that name; other requests stay the same.
    #[must_use]
    pub fn at(self, scheduler: impl Into<String>) -> OwnRequest {
        match self {
            OwnRequest::Reserve { amount, period, .. } => {
                OwnRequest::Reserve { amount, period, at: Some(scheduler.into()) }
            }
            OwnRequest::Guarantee { guarantee, .. } => {
                OwnRequest::Guarantee { guarantee, at: Some(scheduler.into()) }
            }
            other => other,
        }
    }
}

impl fmt::Display for OwnRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OwnRequest::Reserve { amount, period, at: None } => {
                write!(f, "reserve {amount}/{period}")
            }
            OwnRequest::Reserve { amount, period, at: Some(at) } => {
                write!(f, "reserve {amount}/{period} at `{at}`")
            }
            OwnRequest::Guarantee { guarantee, at: None } => write!(f, "guarantee {guarantee}"),
            OwnRequest::Guarantee { guarantee, at: Some(at) } => {
                write!(f, "guarantee {guarantee} at `{at}`")
            }
            OwnRequest::Unreserve => f.write_str("unreserve"),
            OwnRequest::Share(share) => write!(f, "share {share}"),
            OwnRequest::Priority(priority) => write!(f, "priority {priority}"),
            OwnRequest::Move(to) => write!(f, "move to `{to}`"),
        }
    }
}

/// A thread's request was refused, and nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RequestError {
    /// The request.
    pub request: OwnRequest,
    /// The reason.
    pub why: RequestErrorKind,
}

impl RequestError {
    /// The refusal of a request.
    #[must_use]
    pub const fn new(request: OwnRequest, why: RequestErrorKind) -> RequestError {
        RequestError { request, why }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: refused: {}", self.request, self.why)
    }
}

impl core::error::Error for RequestError {}

/// An unsolicited message to a thread about its scheduling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// Another party's request for it was carried out.
    Accepted,
    /// Another party's request for it was refused.
    Refused,
    /// Its budget is used up: it receives no more of its reservation until its next period.
    BudgetUsedUp,
    /// A promise to it is no longer kept.
    PromiseBroken,
    /// Its reservation has ended: it returned it, another party ended it, or its scheduler no longer exists.
    ReservationEnded,
}

impl Notice {
    /// All notices.
    pub const ALL: [Notice; 5] = [
        Notice::Accepted,
        Notice::Refused,
        Notice::BudgetUsedUp,
        Notice::PromiseBroken,
        Notice::ReservationEnded,
    ];

    /// Its name, as the control protocol writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Notice::Accepted => "accepted",
            Notice::Refused => "refused",
            Notice::BudgetUsedUp => "budget-used-up",
            Notice::PromiseBroken => "promise-broken",
            Notice::ReservationEnded => "reservation-ended",
        }
    }

    const fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// A set of notices. A notice that repeats before it is read is in the set once.
///
/// ```
/// use windfall_programs::{Notice, Notices};
///
/// let mut notices = Notices::default();
/// notices.insert(Notice::ReservationEnded);
/// let datum = notices.word(); // as an event carries it
/// assert!(Notices::from_word(datum).contains(Notice::ReservationEnded));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Notices(u64);

impl Notices {
    /// Adds a notice.
    pub const fn insert(&mut self, notice: Notice) {
        self.0 |= notice.bit();
    }

    /// Whether it contains a notice.
    #[must_use]
    pub const fn contains(self, notice: Notice) -> bool {
        self.0 & notice.bit() != 0
    }

    /// Whether it is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The notices in it.
    pub fn iter(self) -> impl Iterator<Item = Notice> {
        Notice::ALL.into_iter().filter(move |notice| self.contains(*notice))
    }

    /// The set as the datum of an event.
    #[must_use]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// The set that a datum encodes. Unknown bits are left out.
    #[must_use]
    pub fn from_word(word: u64) -> Notices {
        let mut notices = Notices::default();
        let known = Notice::ALL.into_iter().filter(|notice| word & notice.bit() != 0);
        known.for_each(|notice| notices.insert(notice));
        notices
    }
}
