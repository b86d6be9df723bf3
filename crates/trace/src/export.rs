//! What a trace looks like to people: a Perfetto file, a picture, a report in one HTML page.
//!
//! Invariants: equal input gives equal bytes on every machine; nothing is fetched, neither now nor
//! by whoever opens the file; what was lost is drawn as unknown, never as calm.
//!
//! Absent on purpose: any judgement. Whether a promise was kept is said by whoever fills in a
//! [`report::Report`]; here it is only shown.

pub mod perfetto;
pub mod picture;
mod promise;
pub mod report;
mod story;
mod text;

pub use story::{Job, Node, Outcome, Row, Story, StoryBuilder};

#[cfg(test)]
mod sample;
