//! Classes and affinities of threads that are not ours. They are set here and in `restore/`, and nowhere else (a test of
//! `xtask` looks).

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
