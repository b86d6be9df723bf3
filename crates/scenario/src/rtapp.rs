//! rt-app's workload files as plain data.
//!
//! [`parse`] reads the files that rt-app reads, and those that its `workgen` repairs: comments, single quotes,
//! commas too many or too few, keys without a value, keys given twice. All times are spans.
//!
//! Keys given twice: json-c, and so rt-app, keeps the place of the first and the value of the last;
//! `workgen`, like an author who writes `run, sleep, run`, takes each in its place. [`Duplicates`] chooses;
//! wherever the two differ there is a warning.
//!
//! Unknown keys: rt-app ignores them. One that is similar to a known key is refused here with
//! a suggestion, since it is probably a typing error; any other becomes a warning.
//!
//! Values that rt-app or the kernel would refuse are refused here (an empty `cpus`, a nice value of 30), and so
//! are files above the limits (`limits.rs`).
//!
//! [`convert`] makes programs from it; [`import_rtapp`](crate::import_rtapp) makes a scenario from these.

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
    Action, Duplicates, EntryError, Event, Global, Phase, Policy, Reservation, RtApp, RtAppError,
    Scheduling, Task,
};

/// Reads a file's text, keys given twice in order.
///
/// # Errors
/// All problems, each with line and column; a text of more than [`MOST_BYTES`].
pub fn parse(text: &str) -> Result<RtApp, RtAppError> {
    parse_as(text, Duplicates::InOrder)
}

/// Reads a file's text, with repeated keys treated by `duplicates`.
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
    RtAppError { problems: vec![EntryError { line: 1, column: 1, text }] }
}

#[cfg(test)]
mod tests;
