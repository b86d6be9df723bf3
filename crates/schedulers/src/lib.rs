//! Loadable schedulers, one file each.
//!
//! The head of each file says what it takes from its parent, gives to its children, admits, assumes
//! and costs. Events stand in the same order in all files, so that two can be read side by side.
//! `pool.rs` is what those share that keep the best of several ready children running.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod catalogue;
mod edf;
mod own_set;
mod pool;

pub use edf::{Edf, Late};
