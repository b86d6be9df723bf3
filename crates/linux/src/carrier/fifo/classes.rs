//! Classes and affinities of threads that are not ours. They are set in `carrier/` and `restore/`, and nowhere else (a test of
//! `xtask` looks).

use crate::restore::log::Former;
use std::io;
use windfall_observe::fifo_priorities::HELD;
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
