//! Faults on demand, to try what becomes of them.

use crate::participant::Message;
use crate::{Iteration, ReplicaNumber};

/// What a replica does wrong, in what it sends; its own voter is told the truth but for [`Flip`](Injected::Flip).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Injected {
    /// It panics.
    Crash,
    /// It does nothing any longer, and does not end.
    Hang,
    /// One bit of a value is wrong, everywhere.
    Flip {
        /// Which, from 0; of 64.
        bit: u8,
    },
    /// It says that its value is for another iteration.
    WrongIteration {
        /// How much later.
        by: u64,
    },
    /// It sends so many values for any iterations.
    Babble {
        /// How many.
        values: u32,
    },
    /// It tells each replica another value.
    TwoFaced,
}

/// A fault, and when it comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    pub(crate) replica: ReplicaNumber,
    pub(crate) life: u32,
    pub(crate) from: Iteration,
    pub(crate) until: Iteration,
    pub(crate) fault: Injected,
}

impl Plan {
    pub(crate) fn is_due(&self, replica: ReplicaNumber, life: u32, iteration: Iteration) -> bool {
        self.replica == replica
            && self.life == life
            && (self.from..=self.until).contains(&iteration)
    }
}

/// What is sent to a replica instead.
pub(crate) fn spoilt(
    fault: Injected,
    [iteration, value, skipped]: Message,
    to: ReplicaNumber,
) -> Message {
    match fault {
        Injected::Flip { bit } => [iteration, value ^ (1 << (bit % 64)), skipped],
        Injected::WrongIteration { by } => [iteration.saturating_add(by), value, skipped],
        Injected::TwoFaced => [iteration, value ^ (1 << (to.0 % 64)), skipped],
        Injected::Crash | Injected::Hang | Injected::Babble { .. } => [iteration, value, skipped],
    }
}
