#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Virtual time in nanoseconds; any number of processors, each with its speed; costs of switching
//! and of scheduling; a timer that is precise or ticks; interrupts that steal time; caches that must
//! be filled again; stations that processors wait for. The scheduler that is simulated is the scheduler that runs elsewhere: this crate
//! decides nothing about who runs.
//!
//! Invariants: equal inputs give equal runs; on every processor, at every moment, what threads
//! received, what switching and scheduling cost, what was stolen and what was idle add up to the
//! time that has passed (asserted).
//!
//! Read next: `simulation.rs` (the loop), `machine.rs` (what a processor does), `cpu.rs` (accounts of its time). The crate
//! `windfall-host` has what is the same on every machine. `law.rs`, a feature, judges random trees of all kinds, and of kinds of one's own.
#![forbid(unsafe_code)]

mod cpu;
mod events;
mod interval_timer;
#[cfg(feature = "trial")]
#[allow(clippy::unwrap_used, reason = "what is drawn is always such")]
pub mod law;
mod machine;
mod overheads;
mod prices;
mod run;
mod simulate;
mod simulation;
mod stations;
mod thread;
mod unsupported;

pub use run::Sim;
pub use simulate::{Simulated, SimulationError, simulate, simulate_with};
pub use simulation::Simulation;
pub use unsupported::UnsupportedPlan;
