//! rt-app's workload files as plain data.
//!
//! [`parse`] reads what rt-app reads and what its `workgen` repairs: comments, single quotes, commas
//! too many or too few, keys without a value, keys given twice. All times are spans.
//!
//! Keys given twice: json-c, and so rt-app, keeps the place of the first and the value of the last;
//! `workgen`, and whoever writes `run, sleep, run`, means each in its place. [`Duplicates`] chooses;
//! wherever the two differ a warning says so.
//!
//! Keys that are not known: rt-app ignores them. One that is nearly a known one is refused here with
//! a suggestion, since it was meant to do something; any other becomes a warning.
//!
//! What rt-app or the kernel would refuse is refused here (an empty `cpus`, a nice value of 30), and so
//! is what is too much for anybody (`limits.rs`).
//!
//! [`convert`] makes programs of it; [`import_rtapp`](crate::import_rtapp) a scenario of these.

mod action;
mod convert;
mod json;
mod keys;
mod limits;
mod model;
mod read;
mod scheduling;

pub use convert::{
    Converted, ConvertedThread, EventName, Shared, SharedKind, Unconverted, convert,
};
pub use limits::MOST_BYTES;
pub use model::{
    Action, Duplicates, Event, Global, Phase, Policy, Problem, Reservation, RtApp, RtAppError,
    Scheduling, Task,
};

/// Reads a file's text, keys given twice in order.
///
/// # Errors
/// Everything that stands in the way, each with line and column; a text of more than [`MOST_BYTES`].
pub fn parse(text: &str) -> Result<RtApp, RtAppError> {
    parse_as(text, Duplicates::InOrder)
}

/// Reads a file's text, keys given twice as `duplicates` says.
///
/// # Errors
/// As [`parse`].
pub fn parse_as(text: &str, duplicates: Duplicates) -> Result<RtApp, RtAppError> {
    let mut warnings = Vec::new();
    if u64::try_from(text.len()).is_ok_and(|bytes| bytes > MOST_BYTES) {
        return Err(too_long());
    }
    let file = json::parse(text, &mut warnings)
        .map_err(|problem| RtAppError { problems: vec![problem] })?;
    read::file(&file, duplicates, warnings)
}

/// Why a text that is longer is not read.
#[must_use]
pub fn too_long() -> RtAppError {
    let text = format!("more than {MOST_BYTES} bytes are too many; take tasks or phases out");
    RtAppError { problems: vec![Problem { line: 1, column: 1, text }] }
}

#[cfg(test)]
mod tests;
