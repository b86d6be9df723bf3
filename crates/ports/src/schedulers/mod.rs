//! The schedulers of this crate, one a file. They know tasks and time, and neither each other nor the processor.

mod earliest_deadline;
mod ranked;
mod server;
mod time_driven;

pub use earliest_deadline::EarliestDeadline;
pub use ranked::Ranked;
pub use time_driven::{Entry, TableError, TimeDriven};
