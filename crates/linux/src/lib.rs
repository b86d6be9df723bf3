//! A host of real threads: the hierarchy decides who runs on this machine's processors.
//!
//! How that is done, and why so: `docs/decisions/0008-linux-host.md`. A run is a [`Plan`] carried out as
//! the simulated machine would, and gives the same kind of outcome.
//!
//! [`Plan`]: windfall_scenario::Plan

#[allow(unsafe_code, reason = "system calls; each block says why it is sound")]
mod sys;

mod adopt;
mod audit;
mod away;
mod begin;
mod bpf;
mod calls;
mod child;
mod claim;
mod clerk;
mod conceive;
pub mod control;
mod cpu;
pub mod doctor;
mod dry_run;
mod enlist;
mod fault;
mod follow;
mod freezer;
mod guardian;
mod happen;
mod host;
pub mod image;
mod journal;
mod judging;
mod ledger;
pub mod measure;
mod member;
#[cfg(test)]
#[path = "../../../fuzz/mutate.rs"]
mod mutate;
mod own;
mod proc;
pub mod processes;
mod record;
mod restore;
mod rings;
mod rivals;
pub mod routines;
mod run;
mod rungs;
mod starts;
mod state;
mod stats;
mod supervisor;
mod taker;
mod throttle;
mod trace;
mod tracepoints;
mod wakers;

pub use dry_run::dry_run;
pub use fault::Fault;
pub use record::{Answered, Recorded, Recorder, Wanted};
pub use restore::{Restored, restore};
pub use run::{Settings, run};
