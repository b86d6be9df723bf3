//! Why an rt-app file cannot become a scenario.

use super::MOST_WAYS;
use core::fmt;

/// Why an rt-app file that was read cannot become a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RtAppImportError {
    /// Every task is left out, one of them for this reason.
    NoThreads(String),
    /// A task may use processors that do not exist.
    Processors {
        /// Where `cpus` is written.
        line: u32,
        /// The task.
        task: String,
        /// How many processors there are.
        processors: u16,
    },
    /// Tasks may use so many different groups of processors that there would be too many
    /// schedulers.
    TooManyWays {
        /// The place of the task that exceeds the limit.
        line: u32,
        /// The task.
        task: String,
        /// How many groups it may use.
        used: usize,
        /// How many groups there are.
        groups: usize,
    },
}

impl fmt::Display for RtAppImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RtAppImportError::NoThreads(why) => {
                write!(
                    f,
                    "no task of it becomes a thread, which takes an instance that runs: {why}"
                )
            }
            RtAppImportError::Processors { line, task, processors } => write!(
                f,
                "rt-app: line {line}: `cpus` of task `{task}` names others than the {processors} processors \
                 that there are, 0 to {}; have more, with --processors",
                processors.saturating_sub(1)
            ),
            RtAppImportError::TooManyWays { line, task, used, groups } => write!(
                f,
                "rt-app: line {line}: the threads up to task `{task}` may use {used} of the {groups} groups of processors \
                 that `cpus` makes, which takes more than {MOST_WAYS} schedulers' places; give them \
                 `cpus`, too, or fewer instances"
            ),
        }
    }
}

impl std::error::Error for RtAppImportError {}
