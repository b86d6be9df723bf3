//! Values for one receiver that have not been read: a stack that all threads push to and the receiver takes whole.
//!
//! Its head is the futex that the receiver sleeps on, so that one step both pushes and tells whether the receiver
//! sleeps. Taken whole and turned round it is in the order in which it came. A head that was taken and came back
//! does no harm: a push only links to it.

use crate::Futex;
use crate::atomic::{AtomicU32, Ordering};
use crate::pool::{NIL, Placed, Pool};

/// The index of what came last; or nothing, or nothing and the receiver sleeps.
#[derive(Debug)]
pub(crate) struct Inbox(AtomicU32);

const ASLEEP: u32 = NIL - 1;

impl Default for Inbox {
    fn default() -> Inbox {
        Inbox(AtomicU32::new(NIL))
    }
}

impl Inbox {
    /// Puts in what has that place, which is in no list.
    #[inline]
    pub(crate) fn push<T: Placed>(&self, pool: &Pool<T>, index: u32, futex: &impl Futex) {
        let link = pool.at(index).link();
        let mut head = self.0.load(Ordering::Relaxed);
        loop {
            let next = if head == ASLEEP { NIL } else { head };
            link.store(next, Ordering::Relaxed);
            match self.0.compare_exchange_weak(head, index, Ordering::Release, Ordering::Relaxed) {
                Ok(_) if head == ASLEEP => return futex.wake_one(&self.0),
                Ok(_) => return,
                Err(other) => head = other,
            }
        }
    }

    /// The receiver takes all; the one that came first, linked to those that came later.
    #[inline]
    pub(crate) fn take<T: Placed>(&self, pool: &Pool<T>) -> u32 {
        if self.0.load(Ordering::Relaxed) == NIL {
            return NIL;
        }
        let mut newer = self.0.swap(NIL, Ordering::Acquire);
        let mut first = NIL;
        while newer != NIL && newer != ASLEEP {
            let older = pool.at(newer).link().load(Ordering::Relaxed);
            pool.at(newer).link().store(first, Ordering::Relaxed);
            (first, newer) = (newer, older);
        }
        first
    }

    /// The receiver sleeps until there is something; false when waiting is over for all.
    #[inline]
    pub(crate) fn sleep(&self, futex: &impl Futex) -> bool {
        let sleeps = self.0.compare_exchange(NIL, ASLEEP, Ordering::Relaxed, Ordering::Relaxed);
        if sleeps.is_err() {
            return true;
        }
        loop {
            if !futex.wait(&self.0, ASLEEP) {
                return false;
            }
            if self.0.load(Ordering::Relaxed) != ASLEEP {
                return true;
            }
        }
    }

    pub(crate) const fn futex(&self) -> &AtomicU32 {
        &self.0
    }
}
