#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub use windfall_analysis as analysis;
pub use windfall_guarantees as guarantees;
pub use windfall_hierarchy as hierarchy;
pub use windfall_host as host;
pub use windfall_processes as processes;
pub use windfall_programs as programs;
pub use windfall_scenario as scenario;
pub use windfall_schedulers as schedulers;
pub use windfall_time as time;
pub use windfall_trace as trace;

pub use windfall_guarantees::Guarantee;
pub use windfall_processes::{LinuxError, LinuxErrorKind};
pub use windfall_scenario::outcome::Outcome;
pub use windfall_scenario::{Diagnostics, Scenario};
pub use windfall_schedulers::catalogue::{Catalogue, Kind};
pub use windfall_schedulers::{KindSettings, kinds};
pub use windfall_sim::{
    Sim, Simulated, Simulation, SimulationError, UnsupportedPlan, simulate, simulate_with,
};
pub use windfall_time::{Instant, Ratio, Span};

/// The Rust of the guide's page about the crates, which is run as this crate's own example.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/src/crates.md")]
mod guide {}
