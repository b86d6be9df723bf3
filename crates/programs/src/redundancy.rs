//! Processes that compute the same, so that one of them may be wrong.

use crate::process::Start;
use crate::program::Program;
use std::sync::Arc;

/// Processes that compute the same and compare their results. A fault of a processor, or of what else they share, is one of all that run there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redundancy {
    /// How many they are.
    pub replicas: u8,
    /// Replica 0 runs below the scheduler of this name with `-0` behind it, and so on; `None` if all run where processes begin.
    pub on: Option<Arc<str>>,
}

impl Program {
    /// The same program; if it is a process, it says that it makes replicas. The check of a scenario compares their number with that of their processors.
    #[must_use]
    pub fn redundant(self, redundancy: Redundancy) -> Program {
        match self {
            Program::Process(mut start) => {
                start.redundancy = Some(redundancy);
                Program::Process(start)
            }
            other => other,
        }
    }
}

impl Start {
    /// The replicas that it makes, if it makes any.
    #[must_use]
    pub const fn redundancy(&self) -> Option<&Redundancy> {
        self.redundancy.as_ref()
    }
}
