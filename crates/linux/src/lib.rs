#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! How that is done, and why so: `docs/decisions/0008-linux-host.md`. A run is a [`Plan`] carried out as
//! the simulated machine would, and gives the same kind of outcome.
//!
//! Invariants: what a run changes of a thread or of the machine is in the restore log before it is changed, and is given back
//! whatever ends the run. Who runs is decided by the hierarchy alone.
//!
//! Folders: `supervise` (a run, its event loop, what the kernel's events mean), `threads` (which threads are supervised, and where
//! they come from), `carrier` (the processors follow the hierarchy), `account` (where time goes, and whether promises are kept),
//! `restore` (what was changed is given back), `control` (requests while it runs). Which may know which: `xtask/src/folders.rs`.
//!
//! Read next: `supervise/run.rs`, `supervise/supervisor.rs`, `carrier.rs`, `carrier/fifo.rs`.
//!
//!
//! [`Plan`]: windfall_scenario::Plan
#![forbid(unsafe_code)]

mod account;
mod carrier;
pub mod control;
#[cfg(test)]
#[path = "../../../fuzz/mutate.rs"]
mod mutate;
mod restore;
mod supervise;
mod threads;

pub use restore::{Restored, restore};
pub use supervise::dry_run::dry_run;
pub use supervise::run::run;
pub use supervise::settings::Settings;

/// The stack of a thread of ours, in bytes.
const STACK: usize = 128 * 1024;
