#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! The head of each file says what it takes from its parent, gives to its children, admits, assumes
//! and costs. Events stand in the same order in all files, so that two can be read side by side. What only one kind is made of
//! stands in a folder below it. `kinds.rs` lists them all.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

/// The source of a kind's file, where the catalogue is to print it.
macro_rules! source {
    ($file:literal) => {
        if cfg!(feature = "sources") { include_str!($file) } else { "" }
    };
}

pub mod catalogue;
mod deadline;
mod epoch;
mod gang;
mod join;
pub mod kinds;
pub mod parameters;
mod parts;
mod planned;
mod priority;
mod reservation;
mod share;
mod time_sharing;

pub use share::eevdf::needed_share;
