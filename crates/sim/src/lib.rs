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
//! Read next: `simulation.rs` (the loop), `machine.rs` (what a processor does), `cpu.rs` (accounts of its time). The crate
//! `windfall-host` has what is the same on every machine.
//!
//! ```
//! use windfall_scenario::Scenario;
//! use windfall_sim::simulate;
//! use windfall_time::Span;
//!
//! let text = r#"
//! schema = 2
//! length = "1 s"
//! schedulers.res = { scheduler = "rez", parent = "top" }
//! threads.audio  = { parent = "res", guarantee = "RESBH 2ms 5ms", periodic = "2ms/10ms" }
//! threads.greedy = { parent = "res", guarantee = "RESBH 3ms 10ms", run = "spin" }
//! "#;
//! let simulated = simulate(&Scenario::parse("audio.toml", text)?)?;
//! assert!(simulated.holds());
//! assert_eq!(simulated.outcome.threads[0].missed, 0);
//! assert_eq!(simulated.outcome.threads[1].received, Span::from_millis(300));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod cpu;
mod events;
mod interrupt;
mod interval_timer;
mod machine;
mod run;
mod simulate;
mod simulation;
mod thread;
mod unsupported;

pub use run::Sim;
pub use simulate::{Simulated, SimulationError, simulate};
pub use simulation::Simulation;
pub use unsupported::UnsupportedPlan;
