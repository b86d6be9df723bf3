//! What can go wrong, by who can act: a [`HierarchyError`] (the caller may ask for less) or a
//! [`SchedulerError`] (a scheduler broke the protocol; it is quarantined).

use crate::answer::AnswerError;
use crate::vp::VpState;
use alloc::string::String;
use core::fmt;
use windfall_time::Instant;

/// Why a request was refused. Nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HierarchyError {
    /// A scheduler does not do what a message asks, or does not take a child.
    Refused(AnswerError),
    /// The top scheduler has no processor left: as many VPs are registered as there are processors.
    NoProcessor {
        /// How many processors there are.
        processors: u16,
    },
    /// The id names nothing that is alive.
    Stale {
        /// `thread` or `scheduler`.
        what: &'static str,
    },
    /// The name is in use.
    NameTaken {
        /// The name.
        name: String,
    },
    /// The thread or virtual processor is in the wrong state for this.
    WrongState {
        /// What was asked.
        asked: &'static str,
        /// The state.
        state: VpState,
    },
    /// Time went backwards.
    TimeWentBack {
        /// The time of this call.
        now: Instant,
        /// The time of an earlier one.
        before: Instant,
    },
    /// The default scheduler lies at or below the instance; change the default first.
    HoldsDefault,
    /// The instance would lie below itself.
    Cycle,
    /// The tree would be deeper than this many levels.
    TooDeep {
        /// The limit.
        levels: usize,
    },
    /// A scheduler needs at least one own VP, a join at least one parent.
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
            HierarchyError::WrongState { asked, state } => {
                write!(f, "cannot {asked} while its virtual processor is {state:?}")
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
pub enum Rule {
    /// S1: a processor that was granted is neither granted on nor released.
    KeptProcessor,
    /// S2: granted a child that has no request pending.
    GrantedWithoutRequest,
    /// S2: granted through an own VP that is not running.
    GrantedWithoutProcessor,
    /// S2: granted a processor that another child holds.
    GrantedTwice,
    /// Figure 4.2: revoked from a child that is not running.
    RevokedIdle,
    /// S3: a processor that was revoked is still with a child.
    KeptRevoked,
    /// S4: requested through an own VP that is not waiting.
    RequestedTwice,
    /// S4: released an own VP that is waiting.
    ReleasedWaiting,
    /// S4: released a processor that a child still holds.
    ReleasedHeld,
    /// Named a child, own VP or timer that does not exist.
    UnknownName,
    /// S5: more effects in one call than allowed.
    TooManyEffects,
    /// S5: more calls for one event than allowed: it goes round in circles.
    Endless,
    /// It panicked.
    Panicked,
    /// Its own `check` failed.
    Inconsistent,
}

impl Rule {
    /// Every rule, for tests and documentation.
    pub const ALL: [Rule; 14] = [
        Rule::KeptProcessor,
        Rule::GrantedWithoutRequest,
        Rule::GrantedWithoutProcessor,
        Rule::GrantedTwice,
        Rule::RevokedIdle,
        Rule::KeptRevoked,
        Rule::RequestedTwice,
        Rule::ReleasedWaiting,
        Rule::ReleasedHeld,
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
            Rule::UnknownName => "a child, own VP or timer that does not exist",
            Rule::TooManyEffects => "S5: too many effects in one call",
            Rule::Endless => "S5: too many calls for one event",
            Rule::Panicked => "it panicked",
            Rule::Inconsistent => "its own check failed",
        }
    }
}

/// How a scheduler broke the protocol: which rule, at whom, in which state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SchedulerError {
    /// The rule.
    pub rule: Rule,
    /// The child's slot, the own VP's or the timer's number that it named, if any.
    pub at: Option<u32>,
    /// The state of that virtual processor, if it is one.
    pub state: Option<VpState>,
    /// What else there is to say: the invariant that failed.
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
