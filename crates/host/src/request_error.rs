//! Why a control request was refused.

use std::fmt;
use windfall_hierarchy::HierarchyError;
use windfall_programs::ProcessError;

/// A control request that was refused. It has changed nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ControlRequestError {
    /// The request in words: what was to be done to whom.
    pub request: String,
    /// The reason.
    pub why: ControlRequestErrorKind,
}

impl fmt::Display for ControlRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: refused: {}", self.request, self.why)
    }
}

impl std::error::Error for ControlRequestError {}

/// A reason to refuse a control request.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ControlRequestErrorKind {
    /// It is about a program of which no thread runs.
    NoThreadRuns,
    /// The thread that it is about has not begun.
    NotBegun,
    /// The thread that it is about has ended.
    Ended,
    /// It would take this thread from those with which it shares a lock that inherits.
    SharesLock(String),
    /// The hierarchy, or a scheduler in it, refused it.
    Hierarchy(HierarchyError),
    /// The queue refused the datum.
    Queue(ProcessError),
}

impl fmt::Display for ControlRequestErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlRequestErrorKind::NoThreadRuns => f.write_str("no thread of it runs"),
            ControlRequestErrorKind::NotBegun => f.write_str("the thread does not exist yet"),
            ControlRequestErrorKind::Ended => f.write_str("the thread has ended"),
            ControlRequestErrorKind::SharesLock(name) => {
                write!(f, "`{name}` shares a lock that inherits, with threads of its scheduler")
            }
            ControlRequestErrorKind::Hierarchy(why) => why.fmt(f),
            ControlRequestErrorKind::Queue(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for ControlRequestErrorKind {}
