//! Recorded machines as records: ftrace text (tracefs, trace-cmd report) and perf script text.
//!
//! [`open`] gives an [`Importer`], an iterator over records in order of time; its [`Report`] says
//! what became of every line. Invariant: each line is in exactly one of the report's counters, so
//! every line that is ignored is counted. Memory grows with the number of threads, not of lines.
//!
//! Order: per-processor buffers are merged by clocks that may differ a little, so lines are held
//! back ([`Importer::window`] of them) and sorted. A line that comes later than that is given the
//! time of the last record and counted as clamped.
//!
//! Loss: whatever the source says is lost becomes [`Event::Lost`](crate::Event::Lost) where it can
//! first have happened. So does a contradiction between two lines of a processor, each of which
//! tells who ran on it: a switch is missing, and everything between them is unknown (where the
//! second lies within the window; else from the second on). No input panics.
//!
//! Limits ([`limits`]) hold before anything is kept: a line with a processor, a name or a thread number that no
//! kernel has is not understood; a text with too many lines, bytes or threads ends early, with an error.
//!
//! Read next: `format.rs` (which texts there are, and what each says of itself), `line.rs` (heads), `args.rs` (what an event of the kernel says), `translate.rs` (what it means).

mod args;
mod aside;
mod error;
mod format;
mod importer;
pub mod limits;
mod line;
mod lines;
mod queue;
mod record;
mod report;
mod threads;
mod translate;
mod zstd;

pub use aside::{Aside, Heading};
pub use error::ImportError;
pub use format::Format;
pub use importer::{Importer, open};
pub use line::Head;
pub use record::{RawEvent, Reading, Task};
pub use report::{Example, Examples, Report};
