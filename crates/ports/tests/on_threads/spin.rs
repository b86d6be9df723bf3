//! A task that uses its processor.

use windfall_os::usage;
use windfall_ports::pool::{Checkpoints, StoppedError};
use windfall_time::Span;

/// So much of the processor, with checkpoints.
pub(crate) fn spin(at: &Checkpoints, work: Span) -> Result<(), StoppedError> {
    let until = usage::of_this_thread() + work;
    while usage::of_this_thread() < until {
        at.checkpoint()?;
    }
    Ok(())
}
