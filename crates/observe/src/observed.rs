//! One observation of a recording.

use crate::kernel_event::KernelEvent;
use windfall_time::Instant;

/// An observation on a processor.
#[derive(Clone, Copy, Debug)]
pub enum Observed {
    /// An event of the kernel.
    Event(Instant, KernelEvent),
    /// Events that did not fit into a ring, this many.
    Lost(u64),
}
