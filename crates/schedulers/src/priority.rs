//! Schedulers by static priorities, which are set or derived from periods.

pub(crate) mod fixed_priority;
pub(crate) mod rate_monotonic;

pub use self::fixed_priority::FixedPriority;
pub use self::rate_monotonic::{Order, RateMonotonic};
