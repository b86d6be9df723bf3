//! What a host has to do when: one entry for each thing that can have one, so that changing or taking
//! back an entry is as cheap as making it.
//!
//! Things of the same instant come in order of their class, then of their number: a job is given up before the next
//! is released.

use windfall_hierarchy::heap::Heap;
use windfall_scenario::model::Timer;
use windfall_time::Instant;

/// What can be due.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Due {
    /// A control request.
    Request,
    /// A thread's job is to be given up.
    Deadline(u32),
    /// A thread starts: before anybody is released, so that all who start together have asked for
    /// their reservations by then.
    Start(u32),
    /// Timers of processes.
    Timer,
    /// Posts that arrive at another node.
    Post,
    /// A thread's next job is released.
    Release(u32),
    /// A thread has slept long enough.
    Wake(u32),
}

const CLASSES: u32 = 7;

/// The queue.
pub(crate) struct Agenda {
    heap: Heap<(Instant, u32)>,
    /// How exactly timers of schedulers, and sleeps, are kept.
    pub(crate) resolution: Timer,
}

impl Agenda {
    pub(crate) fn new(resolution: Timer) -> Agenda {
        Agenda { heap: Heap::new(), resolution }
    }

    /// Makes room for entries about threads with numbers below `threads`.
    pub(crate) fn reserve(&mut self, threads: usize) {
        self.heap.reserve(threads.max(1) * CLASSES as usize);
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

    /// When the first thing is due.
    #[inline]
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|((at, _), _)| at)
    }

    /// The first thing that is due at or before `now`, and when it is due.
    #[inline]
    pub(crate) fn pop(&mut self, now: Instant) -> Option<(Instant, Due)> {
        let ((at, _), slot) = self.heap.peek()?;
        if at > now {
            return None;
        }
        self.heap.pop();
        let number = slot / CLASSES;
        let due = match slot % CLASSES {
            0 => Due::Request,
            1 => Due::Deadline(number),
            2 => Due::Start(number),
            3 => Due::Timer,
            4 => Due::Post,
            5 => Due::Release(number),
            _ => Due::Wake(number),
        };
        Some((at, due))
    }
}

#[inline]
const fn slot(due: Due) -> (u32, u32) {
    let (number, class) = match due {
        Due::Request => (0, 0),
        Due::Deadline(thread) => (thread, 1),
        Due::Start(thread) => (thread, 2),
        Due::Timer => (0, 3),
        Due::Post => (0, 4),
        Due::Release(thread) => (thread, 5),
        Due::Wake(thread) => (thread, 6),
    };
    (number * CLASSES + class, class)
}
