//! Devices of this machine that take time from the running thread: their load, and the kernel's
//! counts of it. Everything is bounded in time, stays on this machine, and ends when it is dropped.

mod counters;
mod disk;
mod stream;

pub(crate) use counters::Counters;
pub(crate) use disk::Reading;
pub(crate) use stream::Stream;

use std::time::Duration;

/// The longest time for which a load runs, even if it is not stopped.
const MOST: Duration = Duration::from_secs(300);
