//! The marks that a thread set itself, one a line.

use super::one::{moment, number};
use windfall_trace::escape::escaped;
use windfall_trace::explain::Marks;

pub(super) fn text(marks: &Marks) -> String {
    if marks.count == 0 {
        return String::new();
    }
    let mut text = format!("it marked {}:\n", number(marks.count, "moment", "moments"));
    for (at, mark) in &marks.first {
        text.push_str(&format!("  {}  {}\n", moment(*at), escaped(mark)));
    }
    match marks.left_out() {
        0 => {}
        more => text.push_str(&format!("  and {more} more\n")),
    }
    text
}
