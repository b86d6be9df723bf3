//! An event's place, and what its state word and a ticket say.

use crate::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::pool::Placed;
use crate::{ExchangeError, Name};

/// An event's place.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Block {
    pub(super) state: AtomicU64,
    pub(super) datum: AtomicU64,
    /// Its owner's place.
    pub(super) home: AtomicU32,
    pub(super) link: AtomicU32,
    /// Where it stood last, its owner's affair: node, queue (generation and place), ticket.
    pub(crate) node: AtomicU32,
    pub(crate) queue: AtomicU64,
    pub(crate) ticket: AtomicU64,
    /// The number of its timer, 0 for none; and when that is due, its owner's affair.
    pub(super) timer: AtomicU64,
    pub(super) due: AtomicU64,
}

impl Placed for Block {
    fn link(&self) -> &AtomicU32 {
        &self.link
    }
}

/// The state, in the lowest bits of a state word. Above are how often the event has stood in a queue (24) and its generation (20).
pub(super) mod phase {
    pub(in crate::event) const FREE: u64 = 0;
    pub(in crate::event) const IDLE: u64 = 1;
    /// It was posted, and is on its way to its owner's inbox or in it.
    pub(in crate::event) const CLAIMED: u64 = 2;
    /// Its owner has found it.
    pub(in crate::event) const ARRIVED: u64 = 3;
    pub(in crate::event) const STANDING: u64 = 4;
    /// It is gone, and was on its way.
    pub(in crate::event) const DOOMED: u64 = 5;
}

pub(super) const PHASE: u64 = 7;

pub(super) const TIMES: u32 = 24;

pub(super) const GENERATION: u32 = 3 + TIMES;

pub(super) const fn with(state: u64, phase: u64) -> u64 {
    state & !PHASE | phase
}

#[expect(clippy::cast_possible_truncation, reason = "a generation has 20 bits")]
pub(super) const fn generation(state: u64) -> u32 {
    (state >> GENERATION) as u32
}

/// One of the times that an event stood in a queue: its place and its state word then, but for the phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket(pub(crate) u64);

pub(super) const INDEX: u32 = 64 - 20 - TIMES - 1;

pub(super) const RESET: u64 = 1 << 63;

impl Ticket {
    /// The generation of no event: no event that was reset has it.
    pub(crate) const NONE: Ticket = Ticket(u64::MAX);

    /// The generation of an event that has been reset since.
    pub(crate) const fn reset(self) -> Ticket {
        Ticket(self.0 | RESET)
    }

    /// Whether no waiter uses it any more.
    pub(crate) const fn is_void(self) -> bool {
        self.0 & RESET != 0
    }

    pub(super) const fn new(index: u32, state: u64) -> Ticket {
        Ticket((state >> 3) << INDEX | index as u64)
    }

    pub(super) const fn index(self) -> u32 {
        (self.0 & ((1 << INDEX) - 1)) as u32
    }

    pub(super) const fn state(self) -> u64 {
        ((self.0 & !RESET) >> INDEX) << 3 | phase::STANDING
    }
}

impl Block {
    pub(crate) fn generation(&self) -> u32 {
        generation(self.state.load(Ordering::Relaxed))
    }

    /// Takes the post of an event upon oneself.
    #[inline]
    pub(super) fn claim(&self, named: u32) -> Result<(), ExchangeError> {
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            if generation(state) != named {
                return Err(ExchangeError::Gone);
            }
            match state & PHASE {
                phase::IDLE => {}
                phase::CLAIMED | phase::ARRIVED => return Err(ExchangeError::Posted),
                phase::STANDING => return Err(ExchangeError::Standing),
                _ => return Err(ExchangeError::Gone),
            }
            let claimed = with(state, phase::CLAIMED);
            let (done, lost) = (Ordering::Acquire, Ordering::Relaxed);
            match self.state.compare_exchange_weak(state, claimed, done, lost) {
                Ok(_) => return Ok(()),
                Err(other) => state = other,
            }
        }
    }
}

/// The state of a place that waits for its next object; after the last there is none.
pub(super) const fn next_generation(state: u64) -> u64 {
    if generation(state) == Name::LAST {
        state
    } else {
        (generation(state) as u64 + 1) << GENERATION
    }
}
