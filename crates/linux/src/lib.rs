//! A host of real threads: the hierarchy decides who runs on this machine's processors.
//!
//! How that is done, and why so: `docs/decisions/0008-linux-host.md`. A run is a [`Plan`] carried out as
//! the simulated machine would, and gives the same kind of outcome.
//!
//! [`Plan`]: windfall_scenario::Plan
#![forbid(unsafe_code)]

mod add_threads;
mod adopt;
mod apply_event;
mod audit;
mod begin;
mod calls;
mod child;
mod claim;
pub mod control;
mod cpu;
mod dry_run;
mod facts;
mod follow;
mod guardian;
mod host;
mod judging;
mod ledger;
mod member;
#[cfg(test)]
#[path = "../../../fuzz/mutate.rs"]
mod mutate;
mod own;
mod procfs_worker;
mod restore;
mod restore_log;
mod rivals;
mod run;
mod spawn;
mod starts;
mod state;
mod supervisor;
mod throttle;
mod trace;
mod trace_reader;
mod unavailable;

pub use dry_run::dry_run;
pub use restore::{Restored, restore};
pub use run::{Settings, run};
