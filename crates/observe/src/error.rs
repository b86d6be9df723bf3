//! Why nothing is reported by a source of events, or not all that was asked for.

use crate::routines::MAKER;
use core::error::Error;
use core::fmt;

/// Why a source of events does not open, or lacks a report that was requested in addition.
#[derive(Debug)]
#[non_exhaustive]
pub enum ObserveError {
    /// Only BPF programs report it, and events come from perf.
    NeedsBpf,
    /// There is no file that makes threads.
    NoMaker,
    /// This processor's number is beyond those that the programs count.
    BeyondCounters {
        /// The processor.
        cpu: u16,
        /// How many the programs have counters for, from number 0 on.
        counters: usize,
    },
    /// The kernel refuses what the programs need.
    Bpf(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for ObserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObserveError::NeedsBpf => f.write_str("only BPF reports them, and it did not load"),
            ObserveError::NoMaker => {
                write!(f, "no file that makes threads by `{MAKER}` was found")
            }
            ObserveError::BeyondCounters { cpu, counters } => {
                write!(f, "processor {cpu} is beyond {counters}")
            }
            ObserveError::Bpf(why) => f.write_str(&in_words(&**why)),
        }
    }
}

impl Error for ObserveError {}

/// An error, and what it comes from.
pub(crate) fn in_words(error: &dyn Error) -> String {
    let mut why = error.to_string();
    let mut source = error.source();
    while let Some(deeper) = source {
        let deeper_why = deeper.to_string();
        if !why.contains(&deeper_why) {
            why = format!("{why}: {deeper_why}");
        }
        source = deeper.source();
    }
    why
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_any_error_of_the_kernel_and_says_it_as_it_is() {
        let said = |error: ObserveError| error.to_string();
        assert_eq!(said(ObserveError::Bpf("a map is missing".into())), "a map is missing");
        let beyond = ObserveError::BeyondCounters { cpu: 1024, counters: 1024 };
        assert_eq!(said(beyond), "processor 1024 is beyond 1024");
    }
}
