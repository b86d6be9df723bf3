//! Why a host refuses a request of a thread for itself, or of a process for a thread of others.

use core::fmt;

/// The reason for which a request is refused. Nothing has changed then.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RequestErrorKind {
    /// There are no schedulers where the thread runs.
    NotHere {
        /// The reason.
        why: &'static str,
    },
    /// The thread has not begun, or has ended.
    NotRunning,
    /// A share of zero is requested.
    NoShare,
    /// The share leaves nothing for guaranteed shares.
    ShareTooLarge,
    /// The amount is zero, or more than the period.
    AmountOutsidePeriod,
    /// There is no reservation to end.
    NoReservation,
    /// No scheduler has this name.
    UnknownScheduler(String),
    /// The thread began elsewhere.
    NotBelowHome {
        /// The scheduler to which it wants to move.
        to: String,
        /// The scheduler below which it may move; `None` if that is gone.
        home: Option<String>,
    },
    /// A priority was set by other means below a scheduler that has promised something to others.
    PromisesBelow(String),
    /// Several threads have the name of this one.
    SameName(String),
    /// The run has no scenario by which a guarantee could be judged.
    NoScenario,
    /// It cannot be planned; the first mistake, and what would help.
    Unplanned(String),
    /// It was planned for several threads.
    PlannedForMany,
    /// It would break what others were promised.
    WouldBreak {
        /// The promise.
        guarantee: String,
        /// The thread or scheduler that holds it.
        owner: String,
    },
    /// The process controls no schedulers.
    ControlsNone,
    /// No thread has this name.
    UnknownThread(String),
    /// The thread holds this promise.
    Promised(String),
    /// The scheduler is none of those that the process controls.
    NotControlled {
        /// The scheduler.
        scheduler: String,
        /// The schedulers that it controls.
        family: String,
    },
    /// Another process controls the scheduler.
    ControlledByOther {
        /// The scheduler.
        scheduler: String,
        /// The process.
        process: String,
    },
    /// The host does not know the request.
    UnknownRequest,
    /// A scheduler or the machine refused it, in their words.
    Refused(String),
}

impl fmt::Display for RequestErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotHere { why } => f.write_str(why),
            Self::NotRunning => f.write_str("the thread does not run"),
            Self::NoShare => f.write_str("a share is at least 1"),
            Self::ShareTooLarge => f.write_str("the share is too large beside guaranteed shares"),
            Self::AmountOutsidePeriod => {
                f.write_str("the amount lies above zero and is at most the period")
            }
            Self::NoReservation => f.write_str("it has no reservation"),
            Self::UnknownScheduler(name) => write!(f, "there is no scheduler `{name}`"),
            Self::NotBelowHome { to, home } => {
                let home = home.as_deref().unwrap_or("a scheduler that is gone");
                write!(
                    f,
                    "`{to}` does not lie below `{home}`, where the thread began; reserve there, or have the run's owner move it"
                )
            }
            Self::PromisesBelow(name) => {
                write!(f, "others are promised something below `{name}`; ask by a request")
            }
            Self::SameName(name) => {
                write!(f, "several threads are called `{name}`; give each a name of its own")
            }
            Self::NoScenario => f.write_str("there is no scenario to judge it by"),
            Self::PlannedForMany => f.write_str("it was planned for several threads; report it"),
            Self::WouldBreak { guarantee, owner } => {
                write!(f, "it would break what is granted: {guarantee} of `{owner}`")
            }
            Self::ControlsNone => f.write_str("the process controls no schedulers"),
            Self::UnknownThread(name) => write!(f, "there is no thread `{name}`"),
            Self::Promised(promise) => {
                write!(f, "it is promised `{promise}`, which only the run's owner may change")
            }
            Self::NotControlled { scheduler, family } => write!(
                f,
                "`{scheduler}` is none of the schedulers `{family}` that the process controls"
            ),
            Self::ControlledByOther { scheduler, process } => {
                write!(f, "`{process}` controls `{scheduler}` until it ends; let one process do so")
            }
            Self::UnknownRequest => f.write_str("this host does not know the request"),
            Self::Unplanned(why) | Self::Refused(why) => f.write_str(why),
        }
    }
}
