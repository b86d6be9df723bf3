#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Invariants: equal input gives equal bytes on every machine; nothing is fetched, neither now nor
//! by whoever opens the file; what was lost is drawn as unknown, never as calm; text of others stays
//! text (`html.rs`).
//!
//! Absent on purpose: any judgement. Whether a promise was kept is said by the outcome; here it is
//! only shown. Nor does anything here know a terminal or a file: a verb says how wide and where to.
#![forbid(unsafe_code)]

pub mod check;
pub mod compare;
pub mod csv;
pub mod explain;
mod figures;
pub mod html;
mod json;
pub mod page;
pub mod perfetto;
#[cfg(feature = "pictures")]
pub mod picture;
mod promised_share;
mod promises;
mod story;
pub mod terminal;
mod text;

pub use compare::Comparison;
pub use json::json;
pub use story::{Job, Node, Outcome, Row, Story, StoryBuilder};
pub use text::{text, took};

#[cfg(test)]
mod sample;
