//! The agenda of a host: what is due when. Everything that can be due has one entry, so that changing or cancelling an entry costs
//! as little as making it.
//!
//! Entries of one instant are in order of their class, then of their number: a job is given up before the next is released.

use windfall_hierarchy::heap::Heap;
use windfall_scenario::model::Timer;
use windfall_time::Instant;

/// The kinds of things that can be due.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Due {
    /// A control request is to be carried out.
    Request,
    /// A thread's job is to be given up.
    Deadline(u32),
    /// A thread starts. Starts come before releases, so that all threads that start together have sent their reservations by then.
    Start(u32),
    /// Timers of processes expire.
    Timer,
    /// Posts that arrive at another node.
    Post,
    /// Something arrives at a device.
    Arrival(u32),
    /// A thread's next job is released.
    Release(u32),
    /// A thread's sleep ends.
    Wake(u32),
    /// It is looked at whether promises to a thread that wants notices are kept.
    Look(u32),
}

const CLASSES: u32 = 9;

/// The entries, and the resolution of timers.
pub(crate) struct Agenda {
    heap: Heap<(Instant, u32)>,
    /// Resolution of the schedulers' timers and of sleeps.
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

    /// The instant at which something is due, if it is.
    pub(crate) fn at(&self, due: Due) -> Option<Instant> {
        self.heap.key(slot(due).0).map(|(at, _)| at)
    }

    /// The instant at which the first entry is due.
    #[inline]
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.heap.peek().map(|((at, _), _)| at)
    }

    /// Takes the first entry that is due at or before `now`, with its instant.
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
            5 => Due::Arrival(number),
            6 => Due::Release(number),
            7 => Due::Wake(number),
            _ => Due::Look(number),
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
        Due::Arrival(source) => (source, 5),
        Due::Release(thread) => (thread, 6),
        Due::Wake(thread) => (thread, 7),
        Due::Look(thread) => (thread, 8),
    };
    (number * CLASSES + class, class)
}
