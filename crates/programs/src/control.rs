//! Queries of schedulers and requests for threads of others, as a monitor makes them (Chrysalis 5; decision 0026).
//!
//! A *family* of schedulers is named by one name: `node` stands for `node`, `node-0`, `node-1` and so on. A query shows a family; a process that
//! [controls](crate::Program::controlling) a family may request changes for the threads directly below its schedulers.

use crate::request::RequestErrorKind;
use core::fmt;
use windfall_time::Span;

/// Whether a scheduler belongs to a family.
///
/// ```
/// use windfall_programs::is_of_family;
///
/// assert!(is_of_family("node", "node") && is_of_family("node", "node-12"));
/// assert!(!is_of_family("node", "node-b") && !is_of_family("node", "nodes"));
/// ```
#[must_use]
pub fn is_of_family(family: &str, scheduler: &str) -> bool {
    let numbered = |rest: &str| {
        let digits = rest.strip_prefix('-').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    scheduler.strip_prefix(family).is_some_and(|rest| rest.is_empty() || numbered(rest))
}

/// Figures that a scheduler keeps, by the keys of results and listings: `windfall_ns` and nanoseconds, `epochs` and a count.
pub type ShownFigures = Vec<(String, u64)>;

/// A scheduler, as a query shows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SchedulerView {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The figures that it keeps of itself.
    pub figures: ShownFigures,
    /// The threads directly below it, in the order of their places.
    pub threads: Vec<ThreadView>,
}

impl SchedulerView {
    /// A scheduler of this name and kind with these figures, without threads.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        kind: impl Into<String>,
        figures: ShownFigures,
    ) -> SchedulerView {
        SchedulerView { name: name.into(), kind: kind.into(), figures, threads: Vec::new() }
    }
}

/// A thread, as a query shows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ThreadView {
    /// Its name.
    pub name: String,
    /// Whether no process may request changes for it: it makes the query, or holds a promise of the file.
    pub fixed: bool,
    /// The time that it was ready or running so far.
    pub runnable: Span,
    /// The figures that the scheduler above it keeps of it.
    pub figures: ShownFigures,
}

impl ThreadView {
    /// A thread that may be changed.
    #[must_use]
    pub fn new(name: impl Into<String>, runnable: Span, figures: ShownFigures) -> ThreadView {
        ThreadView { name: name.into(), fixed: false, runnable, figures }
    }

    /// The same thread, which is fixed or not.
    #[must_use]
    pub fn fixed(self, fixed: bool) -> ThreadView {
        ThreadView { fixed, ..self }
    }
}

/// A request of a process for a thread below a scheduler of its family.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ThreadRequest {
    /// The name of the thread.
    pub thread: String,
    /// The change.
    pub change: ThreadChange,
}

/// A request of a process for a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ThreadChange {
    /// A reservation: so much in each period. For an epoch scheduler: a need in each epoch.
    Need {
        /// Above zero, at most the period.
        amount: Span,
        /// The period.
        period: Span,
    },
    /// The length of its time slices.
    Slice(Span),
    /// A move to another scheduler of the family, with the parameters there.
    Move(Destination),
}

/// Where a thread is to move, and its parameters there.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Destination {
    /// The name of the scheduler.
    pub to: String,
    /// The thread's priority there.
    pub priority: i32,
    /// Its reservation there: amount and period; `None`: none.
    pub need: Option<(Span, Span)>,
    /// The length of its time slices there.
    pub slice: Span,
}

impl Destination {
    /// A place below that scheduler.
    #[must_use]
    pub fn new(
        to: impl Into<String>,
        priority: i32,
        need: Option<(Span, Span)>,
        slice: Span,
    ) -> Destination {
        Destination { to: to.into(), priority, need, slice }
    }
}

impl ThreadRequest {
    /// A request for the thread of this name.
    #[must_use]
    pub fn new(thread: impl Into<String>, change: ThreadChange) -> ThreadRequest {
        ThreadRequest { thread: thread.into(), change }
    }

    /// The scheduler that the thread is to move to, if it is to move.
    #[must_use]
    pub fn destination(&self) -> Option<&str> {
        match &self.change {
            ThreadChange::Move(place) => Some(&place.to),
            ThreadChange::Need { .. } | ThreadChange::Slice(_) => None,
        }
    }
}

impl fmt::Display for ThreadRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = &self.thread;
        match &self.change {
            ThreadChange::Need { amount, period } => {
                write!(f, "reserve {amount}/{period} for `{thread}`")
            }
            ThreadChange::Slice(slice) => write!(f, "time slice {slice} for `{thread}`"),
            ThreadChange::Move(place) => write!(f, "move `{thread}` to `{}`", place.to),
        }
    }
}

/// A request for a thread was refused, and nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ThreadRequestError {
    /// The request.
    pub request: ThreadRequest,
    /// The reason.
    pub why: RequestErrorKind,
}

impl ThreadRequestError {
    /// The refusal of a request.
    #[must_use]
    pub const fn new(request: ThreadRequest, why: RequestErrorKind) -> ThreadRequestError {
        ThreadRequestError { request, why }
    }
}

impl fmt::Display for ThreadRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: refused: {}", self.request, self.why)
    }
}

impl core::error::Error for ThreadRequestError {}
