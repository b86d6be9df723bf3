//! Classes and affinities of threads that are not ours. They are set here and in `restore/`, and nowhere else (a test of
//! `xtask` looks).

use crate::threads::body::Body;
use std::io;
use windfall_observe::fifo_priorities;
use windfall_os::sched::{Affinity, Attributes, set_fifo};

/// A thread becomes one that is supervised on a processor, and is not granted it.
pub(crate) fn take(tid: i32, cpu: u16) -> io::Result<()> {
    Affinity::one(cpu).give(tid)?;
    Attributes::fifo(fifo_priorities::HELD).give(tid)
}

/// A child that has inherited the priority of a granted thread would keep the next one waiting.
pub(crate) fn hold(tid: i32) {
    let _ = set_fifo(tid, fifo_priorities::HELD); // or it has ended
}

/// A thread is what it was before.
pub(crate) fn give_back(tid: i32, (attributes, affinity): &(Attributes, Affinity)) {
    let _ = attributes.give(tid).and_then(|()| affinity.give(tid)); // or it has ended
}

impl Body {
    /// Moves it to another priority. One that has just ended has none.
    pub(crate) fn set_fifo_priority(&mut self, priority: u32) {
        if self.fifo_priority != priority && set_fifo(self.tid, priority).is_ok() {
            self.fifo_priority = priority;
        }
    }
}
