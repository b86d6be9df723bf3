//! Errors, divided by who can act: on a [`HierarchyError`] the caller may ask for less; a [`SchedulerError`] means
//! that a scheduler broke the protocol and is quarantined.

use crate::answer::AnswerError;
use crate::vp::VpState;
use alloc::string::String;
use core::fmt;
use windfall_time::Instant;

/// Why a request was refused. Nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HierarchyError {
    /// A scheduler refuses a message or a child.
    Refused(AnswerError),
    /// The top scheduler has no processor left: as many VPs are registered as there are processors.
    NoProcessor {
        /// Number of processors.
        processors: u16,
    },
    /// The id names a thing that does not exist, or no longer does.
    Stale {
        /// The kind of thing: `thread`, `scheduler`, `processor` or `virtual processor`.
        what: &'static str,
    },
    /// The name is in use.
    NameTaken {
        /// The name.
        name: String,
    },
    /// The thread or virtual processor is in the wrong state for the request.
    WrongState {
        /// The request.
        requested: &'static str,
        /// The state.
        state: VpState,
    },
    /// Time went backwards.
    TimeWentBack {
        /// The time of this call.
        now: Instant,
        /// The time of an earlier call.
        before: Instant,
    },
    /// The default scheduler is the instance or lies below it; change the default first.
    HoldsDefault,
    /// The instance would lie below itself.
    Cycle,
    /// The tree would be deeper than this many levels.
    TooDeep {
        /// The largest allowed number of levels.
        levels: usize,
    },
    /// The scheduler was given no own VP, or the join no parent.
    NoParent,
    /// There is no default scheduler yet.
    NoDefault,
}

impl fmt::Display for HierarchyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HierarchyError::Refused(why) => why.fmt(f),
            HierarchyError::NoProcessor { processors } => write!(
                f,
                "all {processors} processors are taken; register fewer virtual processors at the \
                 top, or put this scheduler below another"
            ),
            HierarchyError::Stale { what } => write!(f, "that {what} no longer exists"),
            HierarchyError::NameTaken { name } => {
                write!(f, "a scheduler named `{name}` exists; choose another name")
            }
            HierarchyError::WrongState { requested, state } => {
                write!(f, "cannot {requested} while its virtual processor is {state:?}")
            }
            HierarchyError::TimeWentBack { now, before } => {
                write!(f, "time went back from {before} to {now}")
            }
            HierarchyError::HoldsDefault => {
                f.write_str("the default scheduler lies at or below it; change the default first")
            }
            HierarchyError::Cycle => f.write_str("a scheduler cannot lie below itself"),
            HierarchyError::TooDeep { levels } => {
                write!(f, "the tree may have at most {levels} levels")
            }
            HierarchyError::NoParent => f.write_str("it needs at least one parent"),
            HierarchyError::NoDefault => f.write_str("no default scheduler is set; set one first"),
        }
    }
}

impl core::error::Error for HierarchyError {}

impl From<AnswerError> for HierarchyError {
    fn from(why: AnswerError) -> HierarchyError {
        HierarchyError::Refused(why)
    }
}

/// The rules that a scheduler can break (HLS 4.3.4; S1 to S5 of [`Scheduler`](crate::Scheduler)).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// S1: neither granted on nor released a processor that it was granted.
    KeptProcessor,
    /// S2: granted a child that has no request pending.
    GrantedWithoutRequest,
    /// S2: granted through an own VP that is not running.
    GrantedWithoutProcessor,
    /// S2: granted a processor that another child holds.
    GrantedTwice,
    /// Figure 4.2: revoked from a child that is not running.
    RevokedIdle,
    /// S3: left a revoked processor with a child.
    KeptRevoked,
    /// S4: requested through an own VP that is not waiting.
    RequestedTwice,
    /// S4: released an own VP that is waiting.
    ReleasedWaiting,
    /// S4: released a processor that a child still holds.
    ReleasedHeld,
    /// S4: took out an own VP that is not waiting, or put back one that is not out.
    RegisteredBusy,
    /// Named a child, own VP or timer that does not exist.
    UnknownName,
    /// S5: more effects in one call than allowed.
    TooManyEffects,
    /// S5: more calls for one event than allowed, so the event would never end.
    Endless,
    /// It panicked.
    Panicked,
    /// Its own `check` failed.
    Inconsistent,
}

impl Rule {
    /// All rules, for tests and documentation.
    pub const ALL: [Rule; 15] = [
        Rule::KeptProcessor,
        Rule::GrantedWithoutRequest,
        Rule::GrantedWithoutProcessor,
        Rule::GrantedTwice,
        Rule::RevokedIdle,
        Rule::KeptRevoked,
        Rule::RequestedTwice,
        Rule::ReleasedWaiting,
        Rule::ReleasedHeld,
        Rule::RegisteredBusy,
        Rule::UnknownName,
        Rule::TooManyEffects,
        Rule::Endless,
        Rule::Panicked,
        Rule::Inconsistent,
    ];

    /// The rule in words, with its number.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Rule::KeptProcessor => "S1: a granted processor must be granted on or released",
            Rule::GrantedWithoutRequest => "S2: only a child with a pending request is granted",
            Rule::GrantedWithoutProcessor => "S2: a grant goes through a running own VP",
            Rule::GrantedTwice => "S2: a processor is granted to one child at a time",
            Rule::RevokedIdle => "figure 4.2: only a running child is revoked",
            Rule::KeptRevoked => "S3: a revoked processor must be revoked from its child",
            Rule::RequestedTwice => "S4: an own VP is requested only while waiting",
            Rule::ReleasedWaiting => "S4: an own VP is released only while ready or running",
            Rule::ReleasedHeld => "S4: revoke the child before releasing its processor",
            Rule::RegisteredBusy => {
                "S4: an own VP is taken out only while waiting, and put back only once"
            }
            Rule::UnknownName => "a child, own VP or timer that does not exist",
            Rule::TooManyEffects => "S5: too many effects in one call",
            Rule::Endless => "S5: too many calls for one event",
            Rule::Panicked => "it panicked",
            Rule::Inconsistent => "its own check failed",
        }
    }
}

/// How a scheduler broke the protocol: the rule, the number it named and its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SchedulerError {
    /// The rule.
    pub rule: Rule,
    /// The number that it named, if any: a child's slot, an own VP or a timer.
    pub at: Option<u32>,
    /// The state of that child or own VP; `None` for a timer.
    pub state: Option<VpState>,
    /// Further detail, such as the invariant that failed.
    pub detail: &'static str,
}

impl fmt::Display for SchedulerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule.text())?;
        if let Some(at) = self.at {
            write!(f, "; vp {at}")?;
        }
        match self.state {
            Some(VpState::Waiting) => f.write_str(" was waiting")?,
            Some(VpState::Ready) => f.write_str(" was ready")?,
            Some(VpState::Running(p)) => write!(f, " was running on processor {}", p.0)?,
            None => {}
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}
