//! The wakeup-waiting switch of a process (Multics memo), and the futex it blocks on: one word.
//!
//! Invariant: a wake-up leaves the switch set, and only the process clears it, returning from `block`. So no wake-up is lost, and
//! what its sender did before is visible to the thread that returns: each wake-up writes the word, even when it is set.

use crate::atomic::{AtomicU32, Ordering};
use crate::{ExchangeError, Futex, Name};

/// Generation (20 bits), state (2 bits).
#[derive(Debug)]
pub(crate) struct Switch(AtomicU32);

const CLEAR: u32 = 0;
const SET: u32 = 1;
const BLOCKED: u32 = 2;
const GONE: u32 = 3;
const STATE: u32 = 3;

impl Default for Switch {
    fn default() -> Switch {
        Switch(AtomicU32::new(GONE))
    }
}

impl Switch {
    /// A process has moved in; of which generation.
    pub(crate) fn open(&self) -> u32 {
        let word = self.0.fetch_and(!STATE, Ordering::AcqRel); // it was gone
        word >> 2
    }

    /// The process is gone; whether another may come.
    pub(crate) fn close(&self, generation: u32) -> bool {
        let last = generation == Name::LAST;
        let next = if last { generation } else { generation + 1 };
        self.0.swap(next << 2 | GONE, Ordering::AcqRel);
        !last
    }

    /// Whether a process of that generation is there.
    #[inline]
    pub(crate) fn is(&self, generation: u32) -> bool {
        let word = self.0.load(Ordering::Acquire);
        word >> 2 == generation && word & STATE != GONE
    }

    #[inline]
    pub(crate) fn wakeup(&self, generation: u32, futex: &impl Futex) -> Result<(), ExchangeError> {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            if word >> 2 != generation || word & STATE == GONE {
                return Err(ExchangeError::Gone);
            }
            let set = word & !STATE | SET;
            match self.0.compare_exchange_weak(word, set, Ordering::Release, Ordering::Relaxed) {
                Ok(_) if word & STATE == BLOCKED => {
                    futex.wake_one(&self.0);
                    return Ok(());
                }
                Ok(_) => return Ok(()),
                Err(other) => word = other,
            }
        }
    }

    /// Waits until the switch is set, and clears it.
    #[inline]
    pub(crate) fn block(&self, generation: u32, futex: &impl Futex) -> Result<(), ExchangeError> {
        let [clear, set, blocked] = [CLEAR, SET, BLOCKED].map(|state| generation << 2 | state);
        // From clear to blocked and from set to clear is one down and one up: tell them apart first.
        let found = self.0.compare_exchange(clear, blocked, Ordering::Relaxed, Ordering::Relaxed);
        if found.is_ok() {
            loop {
                if !futex.wait(&self.0, blocked) {
                    return Err(ExchangeError::Over);
                }
                if self.0.load(Ordering::Relaxed) == set {
                    break;
                }
            }
        }
        self.0.swap(clear, Ordering::Acquire);
        Ok(())
    }

    pub(crate) const fn futex(&self) -> &AtomicU32 {
        &self.0
    }
}
