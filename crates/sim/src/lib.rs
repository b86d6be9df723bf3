//! A deterministic simulated machine that hosts a hierarchy.
//!
//! Virtual time in nanoseconds; any number of processors, each with its speed; costs of switching
//! and of scheduling; a timer that is precise or ticks; interrupts that steal time; caches that must
//! be filled again. The scheduler that is simulated is the scheduler that runs elsewhere: this crate
//! decides nothing about who runs.
//!
//! Invariants: equal inputs give equal runs; on every processor, at every moment, what threads
//! received, what switching and scheduling cost, what was stolen and what was idle add up to the
//! time that has passed (asserted).
//!
//! Read next: `run.rs` (the loop), `drive.rs` (what a program's action does), `cpu.rs` (where a
//! processor's time goes), `converge.rs` (from desired to actual).
#![forbid(unsafe_code)]

mod control;
mod converge;
mod cpu;
mod drive;
mod events;
mod granted;
mod interrupt;
mod json;
mod judge;
mod ledger;
mod machine;
mod outcome;
mod page;
mod promises;
mod run;
mod stats;
mod sync;
mod thread;
mod tracer;

pub use granted::{grain, promises};
pub use json::json;
pub use judge::{Verdict, judge};
pub use outcome::{CpuOutcome, Failure, NodeOutcome, Outcome, ThreadOutcome};
pub use page::{Group, groups, page};
pub use promises::{Faring, Promise, PromiseVerdict};
pub use run::Sim;
pub use stats::Response;
