//! A task that uses its processor.

use windfall_os::usage;
use windfall_ports::pool::{Checkpoints, Stopped};
use windfall_time::Span;

/// So much of the processor, with checkpoints.
pub(crate) fn spin(at: &Checkpoints, work: Span) -> Result<(), Stopped> {
    let until = usage::of_this_thread() + work;
    while usage::of_this_thread() < until {
        at.checkpoint()?;
    }
    Ok(())
}
