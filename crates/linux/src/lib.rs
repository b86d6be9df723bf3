#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `docs/decisions/0008-linux-host.md` explains the mechanism and its reasons. A run carries out the same plan as the simulated
//! machine and gives the same kind of outcome.
//!
//! Invariants: the restore log records each change of a thread or of the machine before it is made, and every change is undone
//! however the run ends. The hierarchy alone decides who runs.
//!
//! Folders: `supervise` (a run, its event loop, the meaning of kernel events), `threads` (which threads are supervised, and where
//! they come from), `carrier` (makes processors follow the hierarchy), `account` (where time goes, and whether promises are kept),
//! `restore` (undoes all changes), `control` (requests during a run). `xtask/src/folders.rs` says which folder may use which.
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
pub use threads::status::KeptStatus;
pub use windfall_os::process::StopSignals;

/// Stack size, in bytes, of each thread that this process starts.
const STACK: usize = 128 * 1024;
