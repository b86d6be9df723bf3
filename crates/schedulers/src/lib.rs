#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! The head of each file says what the scheduler takes from its parent, gives to its children, admits,
//! assumes and costs. Handlers come in the same order in all files, so that two can be read side by
//! side. Parts of a single kind are in a folder below its file. `kinds.rs` lists all kinds.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[macro_use]
mod settings;
pub mod catalogue;
pub mod deadline;
pub mod epoch;
pub mod gang;
pub mod join;
pub mod kinds;
pub mod parameters;
mod parts;
pub mod planned;
pub mod priority;
pub mod reservation;
pub mod share;
pub mod time_sharing;

pub use parts::affinity::Affinity;
pub use parts::budgeted::DEADLINES_AHEAD;
pub use settings::{KindSettings, OfKind};
pub use share::eevdf::needed_share;

/// The setting by which a scheduler reports its deadlines to its parent.
pub const REPORT_DEADLINES: windfall_settings::Setting = settings::shared::REPORT_DEADLINES;
