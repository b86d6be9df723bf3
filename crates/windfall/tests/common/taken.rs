//! Machines that somebody else supervises at the moment: a test waits for its turn.

use std::process::Output;
use std::time::{Duration, Instant};
use windfall_skips::{Needs, skip};

/// How long others, or the guardian of the run before, may have it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The output of a command that supervises this machine, once nobody else does; `None`, with a message, if that takes too
/// long.
#[track_caller]
pub(crate) fn once_free(mut command: impl FnMut() -> Output) -> Option<Output> {
    let begun = Instant::now();
    loop {
        let output = command();
        if !String::from_utf8_lossy(&output.stderr).contains("another run is under way") {
            return Some(output);
        }
        if begun.elapsed() > PATIENCE {
            skip(Needs::Real, "another run was under way on this machine for a minute");
            return None;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}
