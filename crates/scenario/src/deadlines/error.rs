//! Why there is no bound on a thread's response times.

use core::fmt;
use windfall_analysis::global_edf::GlobalError;
use windfall_schedulers::DEADLINES_AHEAD;

/// Why there is no bound on the response times of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BoundError {
    /// The machine's timer ticks, and the analysis is of timers that are precise.
    TickingTimer,
    /// Its sibling of this name has no rate.
    NoRate(String),
    /// Its scheduler has several processors, some of them in part only.
    NotWholeProcessors,
    /// Its scheduler has several processors.
    SeveralProcessors,
    /// It and its siblings may need more than their scheduler is promised.
    TooMuchTogether,
    /// Its scheduler is promised a slower processor, which counts between deadlines that it reports, and it reports none.
    DeadlinesNotReported,
    /// Its scheduler is promised a slower processor, and reports more deadlines at a time than that tells apart.
    ManyDeadlines,
    /// It alone may need more than it is promised.
    TooMuchAlone,
    /// A thread that holds this lock keeps its own rank, so that others run while it is waited for.
    NoProtocol {
        /// The lock.
        lock: String,
    },
    /// Threads take this lock in two orders, and may wait for each other.
    LockCycle {
        /// The lock.
        lock: String,
    },
    /// A thread waits, or continues with other work, while it holds a lock that others use.
    EndlessSection {
        /// The thread.
        thread: String,
        /// The lock.
        lock: String,
    },
    /// Threads share locks on several processors.
    LocksOnSeveral,
    /// No test of global EDF that was tried accepts the threads.
    NoTestAccepts {
        /// How many processors they have.
        processors: u32,
        /// How many tests were tried, and cover the threads.
        tried: usize,
        /// How many do not cover them, because a deadline is beyond its period.
        uncovered: usize,
        /// How many were not, for so many threads.
        left_out: usize,
    },
    /// No test of global EDF that is tried for so many threads covers them.
    NotCovered {
        /// The assumption of the tests that does not hold.
        why: GlobalError,
    },
}

impl fmt::Display for BoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundError::TickingTimer => f.write_str("the machine's timer ticks"),
            BoundError::NoRate(name) => write!(f, "`{name}` beside it has no rate"),
            BoundError::NotWholeProcessors => {
                f.write_str("its scheduler has several processors, not all of them whole")
            }
            BoundError::SeveralProcessors => f.write_str("its scheduler has several processors"),
            BoundError::TooMuchTogether => {
                f.write_str("together they may need more than their scheduler is promised")
            }
            BoundError::DeadlinesNotReported => f.write_str(
                "its scheduler does not report the deadlines by which RESU counts; give it `report-deadlines = true`",
            ),
            BoundError::ManyDeadlines => write!(
                f,
                "below a slower processor up to {} deadlines to come are told apart, and there may be more; divide the threads among schedulers with a part of it each",
                DEADLINES_AHEAD - 1
            ),
            BoundError::TooMuchAlone => f.write_str("it may need more than it is promised"),
            BoundError::NoProtocol { lock } => write!(
                f,
                "the lock `{lock}` has no protocol: others may run for any time while it is waited for"
            ),
            BoundError::LockCycle { lock } => {
                write!(
                    f,
                    "the lock `{lock}` is taken in two orders: threads may wait for each other"
                )
            }
            BoundError::EndlessSection { thread, lock } => write!(
                f,
                "nobody knows how long `{thread}` holds the lock `{lock}`: it waits with it, or does not give it back in the same phase"
            ),
            BoundError::LocksOnSeveral => {
                f.write_str("its scheduler has several processors, and its threads share locks")
            }
            BoundError::NoTestAccepts { processors, tried, uncovered, left_out } => {
                write!(
                    f,
                    "no test of global EDF shows that they fit on {processors} processors: {tried} tried"
                )?;
                if *uncovered > 0 {
                    write!(f, ", {uncovered} do not cover deadlines beyond periods")?;
                }
                if *left_out > 0 {
                    write!(f, ", {left_out} left out for so many threads")?;
                }
                Ok(())
            }
            BoundError::NotCovered { why: GlobalError::DeadlineAbovePeriod(_) } => f.write_str(
                "the tests of global EDF that are tried for so many do not cover deadlines beyond periods",
            ),
            BoundError::NotCovered { why } => {
                write!(f, "the tests of global EDF do not cover them: {why}")
            }
        }
    }
}

impl std::error::Error for BoundError {}
