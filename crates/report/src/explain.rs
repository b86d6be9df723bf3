//! Why threads were late, as text and as JSON: one thread with its misses, or a line for each of several.

mod json;
mod marks;
mod one;
mod reading;
mod several;
mod tasks;

pub use json::json;
pub(crate) use one::moment;
pub use one::word;
pub use reading::{Reading, Scope};

use reading::keyed;
use windfall_trace::explain::Pattern;

/// The pattern that asks about the worst of several threads, which were found by the pattern `asked`; `all` as in [`Scope`]. `None` of a single one.
#[must_use]
pub fn worst(reading: &Reading, asked: &Pattern, all: bool) -> Option<String> {
    let explanation = &reading.explanation;
    if explanation.threads.len() > 1 { several::worst(explanation, asked, all) } else { None }
}

/// For people, on lines of at most `width` characters where that matters.
#[must_use]
pub fn text(requested: &Scope, mut reading: Reading, width: Option<usize>) -> String {
    reading.explanation.escape();
    match reading.explanation.threads.len() {
        0 | 1 => one::text(requested, &reading),
        _ => several::text(requested, &reading, width),
    }
}
