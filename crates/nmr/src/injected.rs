//! Faults on demand, to try what becomes of them.

use crate::participant::Message;
use crate::{Iteration, ReplicaNumber};
use windfall_time::Span;

/// A fault of a replica, in the values that it sends; its own voter is told the truth but for [`Flip`](Injected::Flip).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Injected {
    /// It panics.
    Crash,
    /// It does nothing any longer, and does not end.
    Hang,
    /// It takes longer for each value. The others go on without it; one that is silent for as long as a vote is waited for is found to be lagging.
    Slow {
        /// By so much.
        by: Span,
    },
    /// One bit of a value is wrong, everywhere.
    Flip {
        /// Which, from 0: 64 in each word of the value. One beyond the value changes nothing.
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
    /// It serves a wrong state to those that fetch it; its hash is right. Of states that are voted by hash.
    WrongState,
    /// It serves the first half of a state, and no more.
    HalfState,
    /// It serves a state only after the vote that follows.
    LateState,
}

/// A fault, and when it comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    pub(crate) replica: ReplicaNumber,
    /// In the first so many lives.
    pub(crate) lives: u32,
    pub(crate) from: Iteration,
    pub(crate) until: Iteration,
    pub(crate) fault: Injected,
}

impl Plan {
    pub(crate) fn is_due(&self, replica: ReplicaNumber, life: u32, iteration: Iteration) -> bool {
        self.replica == replica
            && life <= self.lives
            && (self.from..=self.until).contains(&iteration)
    }
}

/// The value that is sent to a replica instead.
pub(crate) fn spoilt(fault: Injected, message: Message, to: ReplicaNumber) -> Message {
    let Message { iteration, mut value, skipped } = message;
    match fault {
        Injected::Flip { bit } => value[usize::from(bit / 64)] ^= 1 << (bit % 64),
        Injected::TwoFaced => value[0] ^= 1 << (to.0 % 64),
        Injected::WrongIteration { by } => {
            return Message { iteration: iteration.saturating_add(by), value, skipped };
        }
        _ => {}
    }
    Message { iteration, value, skipped }
}

/// One of the values that a replica babbles.
pub(crate) const fn nonsense(message: Message, place: u64) -> Message {
    let mut value = message.value;
    value[0] ^= place;
    Message { iteration: place.wrapping_mul(0x9e37_79b9_7f4a_7c15), value, skipped: 0 }
}
