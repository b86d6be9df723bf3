//! Whether threads meet their deadlines, and how much processor time that takes.
//!
//! Each closed form or fast search stands beside its slow definition, and tests compare the two.
//! Units: [`windfall_time::Span`], integer nanoseconds; utilisations are exact rationals. No floats.
//! Absent on purpose: guarantees' rewriting (crate `guarantees`), and running anything.
//! Read next: `task.rs`, then `fixed_priority.rs`, `supply.rs`, `search.rs`.
//!
//! ```
//! use windfall_analysis::local::Policy;
//! use windfall_analysis::{Supply, Task};
//! use windfall_time::Span;
//!
//! let ms = Span::from_millis;
//! let task = Task::implicit(ms(2), ms(10));
//! // Served by a reservation of 2 ms in each period of 5 ms: a gap of at most 6 ms, then 2 ms of work.
//! let supply = Supply::basic(ms(2), ms(5)).expect("it is a reservation");
//! assert_eq!(Policy::EarliestDeadline.response_times(&[task], &supply), [Some(ms(8))]);
//! // 3 ms in 10 ms are less of the processor, and not enough.
//! let longer = Supply::basic(ms(3), ms(10)).expect("it is a reservation");
//! assert!(!Policy::EarliestDeadline.schedulable(&[task], &longer));
//! ```
#![forbid(unsafe_code)]

pub mod edf;
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

pub use resource::Resource;
pub use supply::Supply;
pub use task::Task;
pub use window::{HORIZON, ROUNDS};
