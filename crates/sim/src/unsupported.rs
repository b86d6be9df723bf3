//! The reasons why a plan cannot be simulated.

use core::fmt;

/// The reason why a plan cannot be simulated.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UnsupportedPlan {
    /// The machine and the hierarchy have different numbers of processors, or none.
    Processors {
        /// Number of the machine's processors.
        machine: usize,
        /// Number of the hierarchy's processors.
        hierarchy: usize,
    },
    /// The speeds have no common measure that fits 64 bits, or one is not above 0.
    Speeds,
    /// An external program without a description of what it does.
    Unknown {
        /// Name of its thread.
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
                "thread `{thread}` is an external program, and the scenario does not say what it does; describe it \
                 for the simulation, as by `periodic = \"3ms/10ms\"` or `run = \"spin\"`, or use \
                 `windfall run`"
            ),
        }
    }
}

impl std::error::Error for UnsupportedPlan {}
