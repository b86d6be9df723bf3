//! Why threads were late, as text and as JSON: one thread with its misses, or a line for each of several.

mod error;
mod json;
mod marks;
mod one;
mod reading;
mod several;
mod tasks;

pub use error::ExplainError;
pub use json::json;
pub(crate) use one::moment;
pub use reading::Reading;

use reading::keyed;

/// The pattern that asks about the worst of several threads. `None` of a single one.
#[must_use]
pub fn worst(reading: &Reading) -> Option<String> {
    if reading.explanation.threads.len() > 1 { several::worst(reading) } else { None }
}

/// For people, on lines of at most `width` characters where that matters.
#[must_use]
pub fn text(mut reading: Reading, width: Option<usize>) -> String {
    reading.explanation.escape();
    match reading.explanation.threads.len() {
        0 | 1 => one::text(&reading),
        _ => several::text(&reading, width),
    }
}
