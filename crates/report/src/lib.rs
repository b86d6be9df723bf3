#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Invariants: equal input gives equal bytes on every machine; nothing is fetched, neither now nor
//! when the file is opened; lost events are drawn as unknown time, never as idle; text of others stays
//! text (`html.rs`).
//!
//! Absent on purpose: any judgement. Whether a promise was kept is said by the outcome; here it is
//! only shown. Nor does anything here know a terminal or a file: a verb says how wide and where to.
#![forbid(unsafe_code)]

mod admission;
#[cfg(feature = "machine")]
pub mod calibrate;
pub mod catalogue;
pub mod check;
pub mod compare;
pub mod convert;
pub mod csv;
#[cfg(feature = "machine")]
pub mod doctor;
#[cfg(feature = "machine")]
pub mod dry_run;
pub mod explain;
pub mod export;
mod figures;
mod habit;
pub mod html;
pub mod import;
mod json;
#[cfg(feature = "machine")]
pub mod live;
#[cfg(feature = "machine")]
pub mod measure;
pub mod page;
pub mod perfetto;
#[cfg(feature = "pictures")]
pub mod picture;
mod plural;
mod promised_share;
mod promises;
pub mod proposal;
#[cfg(feature = "machine")]
pub mod record;
pub mod reserve;
mod rows;
mod story;
pub mod suggest;
pub mod terminal;
mod text;
mod votes;

pub use compare::Comparison;
pub use json::json;
pub use story::{Job, Node, Outcome, Row, Story, StoryBuilder};
pub use text::{text, took};

#[cfg(test)]
mod sample;
