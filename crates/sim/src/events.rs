//! What will happen when: one entry for each thing that can have one, so that changing or taking
//! back an entry is as cheap as making it.
//!
//! Things that happen at the same instant happen in order of their class, then of their number:
//! work is done before the next is released, and a switch is decided after both.

use windfall_hierarchy::heap::Heap;
use windfall_time::Instant;

/// What can be due.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Due {
    /// A processor's thread has done its work, or an overhead there ends.
    Cpu(u32),
    /// A source of interrupts strikes.
    Interrupt(u32),
    /// A control request.
    Control,
    /// A thread's job is to be given up.
    Deadline(u32),
    /// A thread begins its life: before anybody is released, so that all who begin together have
    /// asked for their reservations by then.
    Birth(u32),
    /// Timers of processes.
    Timer,
    /// Posts that arrive at another node.
    Letter,
    /// A thread's next job is released.
    Release(u32),
    /// A thread has slept long enough.
    Wake(u32),
}

const CLASSES: u32 = 9;

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

    /// When something is due, if it is.
    pub(crate) fn at(&self, due: Due) -> Option<Instant> {
        self.heap.key(slot(due).0).map(|(at, _)| at)
    }

    #[inline]
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|((at, _), _)| at)
    }

    /// The first thing that is due at or before `now`.
    #[inline]
    pub(crate) fn pop(&mut self, now: Instant) -> Option<Due> {
        let ((at, _), slot) = self.heap.peek()?;
        if at > now {
            return None;
        }
        self.heap.pop();
        let number = slot / CLASSES;
        Some(match slot % CLASSES {
            0 => Due::Cpu(number),
            1 => Due::Interrupt(number),
            2 => Due::Control,
            3 => Due::Deadline(number),
            4 => Due::Birth(number),
            5 => Due::Timer,
            6 => Due::Letter,
            7 => Due::Release(number),
            _ => Due::Wake(number),
        })
    }
}

#[inline]
const fn slot(due: Due) -> (u32, u32) {
    let (number, class) = match due {
        Due::Cpu(cpu) => (cpu, 0),
        Due::Interrupt(source) => (source, 1),
        Due::Control => (0, 2),
        Due::Deadline(thread) => (thread, 3),
        Due::Birth(thread) => (thread, 4),
        Due::Timer => (0, 5),
        Due::Letter => (0, 6),
        Due::Release(thread) => (thread, 7),
        Due::Wake(thread) => (thread, 8),
    };
    (number * CLASSES + class, class)
}
