//! Sets classes and affinities of external threads. Only `carrier/` and `restore/` may do so (a test of `xtask` checks this).

use std::io;
use windfall_observe::fifo_priorities::HELD;
use windfall_os::sched::{Affinity, Attributes, set_fifo};

/// Makes a thread supervised on a processor, and not granted it.
pub(super) fn take(tid: i32, cpu: u16) -> io::Result<()> {
    Affinity::one(cpu).give(tid)?;
    Attributes::fifo(HELD).give(tid)
}

/// Lowers a child that has inherited the priority of a granted thread, which would delay the next granted one.
pub(super) fn hold(tid: i32) {
    let _ = set_fifo(tid, HELD); // fails if it has ended
}
