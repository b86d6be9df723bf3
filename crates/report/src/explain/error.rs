//! Why a recording does not answer a question.

use super::kind::word;
use core::fmt;
use windfall_scenario::near;
use windfall_trace::escape::escaped;
use windfall_trace::explain::{Explanation, Kind};

/// How many similar names an error lists.
const ALIKE: usize = 5;

/// Why a recording does not answer a question.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ExplainError {
    /// Nothing of it could be read, for this reason.
    Unreadable(String),
    /// No thread is in the recording.
    NoThreads,
    /// No thread of the run has started yet.
    NotStarted,
    /// No thread is meant.
    Nobody {
        /// The pattern that was asked about.
        thread: String,
        /// Names like it, at most five.
        alike: Vec<String>,
        /// How many names there are.
        names: usize,
    },
    /// The thread has fewer misses.
    NoMiss {
        /// The pattern that was asked about.
        thread: String,
        /// Which one, from 1.
        miss: u64,
        /// How many it has.
        misses: u64,
    },
    /// The thread has fewer jobs or bursts.
    NoJob {
        /// The pattern that was asked about.
        thread: String,
        /// Whether it has jobs or bursts.
        kind: Kind,
        /// Which one, from 1.
        job: u64,
        /// How many it has.
        jobs: u64,
    },
    /// One miss or job of several threads was asked for.
    Several {
        /// The pattern that was asked about.
        thread: String,
        /// How many it means.
        threads: usize,
    },
}

impl ExplainError {
    /// No thread is called so: with the names that have `thread` in them, and those that differ by little.
    pub(super) fn nobody(thread: String, explanation: &Explanation) -> ExplainError {
        let people = explanation.people.values();
        let mut names: Vec<&str> = people.map(|person| person.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let part = thread.to_lowercase();
        let holds = |name: &&&str| !part.is_empty() && name.to_lowercase().contains(&part);
        let mut alike: Vec<&str> = names.iter().filter(holds).copied().collect();
        for name in near(&thread, names.iter().copied()) {
            if !alike.contains(&name) {
                alike.push(name);
            }
        }
        let alike = alike.into_iter().take(ALIKE).map(str::to_owned).collect();
        ExplainError::Nobody { alike, names: names.len(), thread }
    }
}

impl fmt::Display for ExplainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExplainError::Unreadable(why) => f.write_str(why),
            ExplainError::NoThreads => {
                f.write_str("there is no thread in it; record sched_switch and sched_waking")
            }
            ExplainError::NotStarted => f.write_str("no thread has started yet; try again later"),
            ExplainError::Nobody { thread, alike, names } if alike.is_empty() => write!(
                f,
                "no thread is called `{thread}`; `--thread '*'` lists the {names} names that it has"
            ),
            ExplainError::Nobody { thread, alike, .. } => {
                let alike: Vec<_> =
                    alike.iter().map(|name| format!("`{}`", escaped(name))).collect();
                let alike = alike.join(" or ");
                write!(f, "no thread is called `{thread}`; did you mean {alike}?")
            }
            ExplainError::NoMiss { thread, miss, misses } => {
                write!(f, "there is no miss {miss}; `{thread}` has {misses}")
            }
            ExplainError::NoJob { thread, kind, job, jobs } => {
                write!(f, "there is no {} {job}; `{thread}` has {jobs}", word(*kind))
            }
            ExplainError::Several { thread, threads } => write!(
                f,
                "`{thread}` means {threads} threads, and `--miss` and `--job` are about one; without \
                 them the threads are listed, and `--thread '#TID'` names one"
            ),
        }
    }
}

impl std::error::Error for ExplainError {}
