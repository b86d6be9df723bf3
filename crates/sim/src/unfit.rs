//! Why a machine cannot be simulated.

use core::fmt;

/// Why a machine cannot be simulated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// The machine and the hierarchy differ in their processors.
    Processors {
        /// The machine's.
        machine: usize,
        /// The hierarchy's.
        hierarchy: usize,
    },
    /// The speeds have no common measure that fits 64 bits.
    Speeds,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Processors { machine, hierarchy } => write!(
                f,
                "the machine has {machine} processors and the hierarchy {hierarchy}; give both the \
                 same number, at least 1"
            ),
            Unfit::Speeds => f.write_str(
                "the processors' speeds have no common measure that fits; use fractions with \
                 small denominators, above 0",
            ),
        }
    }
}

impl std::error::Error for Unfit {}
