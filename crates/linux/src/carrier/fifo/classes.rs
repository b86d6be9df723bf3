//! Classes and affinities of threads that are not ours. They are set in `carrier/` and `restore/`, and nowhere else (a test of
//! `xtask` looks).

use crate::carrier::Found;
use crate::carrier::fifo::{Fifo, Held};
use crate::restore::log::Former;
use std::io;
use windfall_observe::fifo_priorities::{HELD, OWN};
use windfall_os::sched::{Affinity, Attributes, set_fifo};

/// A thread becomes one that is supervised on a processor, and is not granted it.
pub(super) fn take(tid: i32, cpu: u16) -> io::Result<()> {
    Affinity::one(cpu).give(tid)?;
    Attributes::fifo(HELD).give(tid)
}

/// A child that has inherited the priority of a granted thread would keep the next one waiting.
pub(super) fn hold(tid: i32) {
    let _ = set_fifo(tid, HELD); // or it has ended
}

/// A thread is what it was before.
pub(super) fn give_back(tid: i32, (attributes, affinity): &Former) {
    let _ = attributes.give(tid).and_then(|()| affinity.give(tid)); // or it has ended
}

impl Held {
    /// Moves it to another priority. One that has just ended has none.
    pub(super) fn set_priority(&mut self, priority: u32) {
        if self.priority != priority && set_fifo(self.tid, priority).is_ok() {
            self.priority = priority;
        }
    }

    /// Binds it to a processor, of which this is Linux' number.
    pub(super) fn bind(&mut self, cpu: usize, number: u16) {
        if self.place != Some(cpu) {
            let _ = Affinity::one(number).give(self.tid); // a thread that has just ended has none
            self.place = Some(cpu);
        }
    }

    /// The calling thread is this one: it goes to a processor and to its priority.
    pub(super) fn arrive(&mut self, tid: i32, cpu: usize, number: u16) {
        self.tid = tid;
        if Affinity::one(number).give(0).is_ok() {
            self.place = Some(cpu);
        }
        if set_fifo(0, OWN).is_ok() {
            self.priority = OWN;
        }
    }
}

impl Fifo {
    /// Puts back what a thread, or somebody else, has changed of it.
    pub(super) fn put_right(&mut self, thread: u32) -> io::Result<Found> {
        let held = &mut self.held[thread as usize];
        let attributes = Attributes::of(held.tid)?;
        let mut found = Found::default();
        let fifo = libc::SCHED_FIFO.cast_unsigned();
        if (attributes.policy, attributes.priority) != (fifo, held.priority) {
            found.class = Some(Attributes::fifo(HELD).give(held.tid));
            held.priority = HELD;
        }
        let place = held.place.map(|cpu| Affinity::one(self.cpus[cpu].number));
        let moved = place.filter(|place| Affinity::of(held.tid).is_ok_and(|of| of != *place));
        found.place = moved.map(|place| place.give(held.tid));
        Ok(found)
    }
}
