//! Why something cannot be simulated.

use core::fmt;

/// Why something cannot be simulated.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UnsupportedPlan {
    /// The machine and the hierarchy differ in their processors.
    Processors {
        /// The machine's.
        machine: usize,
        /// The hierarchy's.
        hierarchy: usize,
    },
    /// The speeds have no common measure that fits 64 bits.
    Speeds,
    /// Nobody has said what this program of a real machine does.
    Unknown {
        /// The thread that it is named for.
        thread: String,
    },
}

impl fmt::Display for UnsupportedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnsupportedPlan::Processors { machine, hierarchy } => write!(
                f,
                "the machine has {machine} processors and the hierarchy {hierarchy}; give both the \
                 same number, at least 1"
            ),
            UnsupportedPlan::Speeds => f.write_str(
                "the processors' speeds have no common measure that fits; use fractions with \
                 small denominators, above 0",
            ),
            UnsupportedPlan::Unknown { thread } => write!(
                f,
                "thread `{thread}` is a program of a real machine, and nothing says what it does; say \
                 beside its name what a simulation takes it to do, as `periodic = \"3ms/10ms\"` or \
                 `run = \"spin\"`, or run it on the machine that has it"
            ),
        }
    }
}

impl std::error::Error for UnsupportedPlan {}
