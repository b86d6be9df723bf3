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

/// The source code of a kind's file, if the catalogue is to print it; else empty.
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
