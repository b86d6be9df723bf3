//! Why a recording cannot be used.

use core::fmt;
use std::sync::Arc;
use windfall_trace::SourceError;
use windfall_trace::import::limits;

/// Why a recording cannot be read, or lacks a thread that a scenario names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file cannot be read.
    Source(Arc<SourceError>),
    /// It names this processor, and no machine has so many.
    Processor(u16),
    /// It holds so many threads, more than a scenario may have.
    TooManyThreads(usize),
    /// No thread is in it.
    NoThreads,
    /// It ends before its first thread, for this reason.
    Cut(String),
    /// It has no thread of that name.
    NoSuchThread {
        /// A name that is nearly that.
        nearest: Option<String>,
        /// How many names it has.
        names: usize,
    },
    /// It has fewer threads of the name than the scenario.
    TooFew {
        /// How many it has.
        found: usize,
        /// How many the scenario has.
        wanted: usize,
    },
    /// It has several threads of the name, and the scenario has one: the numbers of all.
    Several(Vec<u32>),
    /// This name refers to a thread that another entry names, too.
    Shared(String),
    /// This build of the plan has no reader of recordings.
    NotReadHere,
}

impl RecordingError {
    /// Whether it is about the whole file, whichever thread was looked for.
    pub(crate) const fn is_of_the_file(&self) -> bool {
        matches!(
            self,
            RecordingError::Source(_)
                | RecordingError::Processor(_)
                | RecordingError::TooManyThreads(_)
                | RecordingError::NoThreads
                | RecordingError::Cut(_)
                | RecordingError::NotReadHere
        )
    }
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::Source(why) => why.fmt(f),
            RecordingError::Processor(number) => write!(
                f,
                "it names processor {number}; a machine has {} at most",
                limits::PROCESSORS
            ),
            RecordingError::TooManyThreads(count) => write!(
                f,
                "{count} threads are in it; a scenario has {} at most: record one command, or for a shorter time",
                limits::THREADS
            ),
            RecordingError::NoThreads => {
                f.write_str("there is no thread in it; record sched_switch and sched_waking")
            }
            RecordingError::Cut(why) => f.write_str(why),
            RecordingError::NoSuchThread { nearest: Some(nearest), .. } => {
                write!(f, "there is no such thread; did you mean `{nearest}`?")
            }
            RecordingError::NoSuchThread { nearest: None, names } => {
                write!(f, "there is no such thread among the {names} recorded names")
            }
            RecordingError::TooFew { found, wanted } => write!(
                f,
                "the recording has {found} threads of that name, not {wanted}; write `count = {found}`"
            ),
            RecordingError::Several(tids) => {
                let found = tids.len();
                let some: Vec<String> = tids.iter().take(3).map(|tid| format!("#{tid}")).collect();
                write!(
                    f,
                    "the recording has {found} threads of that name; write `count = {found}` for all of them, or \
                     name one by its number ({}, ...)",
                    some.join(", ")
                )
            }
            RecordingError::Shared(name) => {
                write!(f, "`{name}` names a thread that another entry names, too")
            }
            RecordingError::NotReadHere => {
                f.write_str("recordings are not read here; build or simulate with `TraceFiles`")
            }
        }
    }
}

impl std::error::Error for RecordingError {}

impl From<SourceError> for RecordingError {
    fn from(why: SourceError) -> RecordingError {
        RecordingError::Source(Arc::new(why))
    }
}
