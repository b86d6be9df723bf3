#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Each closed form or fast search stands beside its slow definition, and tests compare the two.
//! Units: [`windfall_time::Span`], integer nanoseconds; utilisations are exact rationals. No floats.
//! Absent on purpose: guarantees' rewriting (crate `guarantees`), and running anything.
//! Read next: `task.rs`, then `fixed_priority.rs`, `supply.rs`, `locks.rs`, `search.rs`.
#![forbid(unsafe_code)]

mod amount_error;
pub mod edf;
mod error;
mod exact;
pub mod fifo;
mod fixed_point;
pub mod fixed_priority;
pub mod ghost;
pub mod global_edf;
mod load;
pub mod local;
pub mod local_edf;
pub mod local_fixed_priority;
pub mod locked_edf;
pub mod locks;
pub mod multiframe;
pub mod non_preemptive;
mod resource;
pub mod resource_edf;
pub mod resource_fixed_priority;
pub mod search;
mod supply;
mod supply_guarantee;
mod task;
#[cfg(test)]
mod tests;
pub mod ties;
mod window;

pub use amount_error::AmountError;
pub use error::{
    DemandError, MultiframeError, SupplyError, TieError, ToleranceError, UnboundedError,
};
pub use locks::{LockError, Locks, Protocol, Section};
pub use resource::Resource;
pub use supply::Supply;
pub use task::Task;
pub use window::{HORIZON, ROUNDS};
