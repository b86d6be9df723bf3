//! Processes that compute the same, so that one of them may be wrong.

use crate::process::Start;
use std::sync::Arc;

/// Processes that compute the same and compare their results. A fault of a processor, or of what else they share, is one of all that run there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redundancy {
    /// How many they are.
    pub replicas: u8,
    /// Replica 0 runs below the scheduler of this name with `-0` behind it, and so on; `None` if all run where processes begin.
    pub on: Option<Arc<str>>,
}

impl Start {
    /// The replicas that it makes, if it makes any.
    #[must_use]
    pub const fn redundancy(&self) -> Option<&Redundancy> {
        self.redundancy.as_ref()
    }
}
