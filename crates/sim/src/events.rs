//! The queue of events on the machine. Everything that can happen has one entry, so that changing or cancelling an entry costs as
//! little as making it.
//!
//! Events of one instant are in order of their class, then of their number.

use windfall_hierarchy::heap::Heap;
use windfall_time::Instant;

/// The kinds of events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Due {
    /// A processor's thread has done its work, or an overhead there ends.
    Cpu(u32),
    /// A source of interrupts raises one.
    Interrupt(u32),
}

const CLASSES: u32 = 2;

/// The queue.
pub(crate) struct Events {
    heap: Heap<(Instant, u32)>,
}

impl Events {
    pub(crate) fn new() -> Events {
        Events { heap: Heap::new() }
    }

    /// Makes room for entries about numbers below `count`.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.heap.reserve(count * CLASSES as usize);
    }

    #[inline]
    pub(crate) fn set(&mut self, due: Due, at: Instant) {
        let (slot, class) = slot(due);
        self.heap.set(slot, (at, class << 28 | slot));
    }

    #[inline]
    pub(crate) fn cancel(&mut self, due: Due) {
        self.heap.remove(slot(due).0);
    }

    #[inline]
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|((at, _), _)| at)
    }

    /// Takes the first event that is due at or before `now`.
    #[inline]
    pub(crate) fn pop(&mut self, now: Instant) -> Option<Due> {
        let ((at, _), slot) = self.heap.peek()?;
        if at > now {
            return None;
        }
        self.heap.pop();
        let number = slot / CLASSES;
        Some(if slot % CLASSES == 0 { Due::Cpu(number) } else { Due::Interrupt(number) })
    }
}

#[inline]
const fn slot(due: Due) -> (u32, u32) {
    let (number, class) = match due {
        Due::Cpu(cpu) => (cpu, 0),
        Due::Interrupt(source) => (source, 1),
    };
    (number * CLASSES + class, class)
}
