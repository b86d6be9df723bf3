//! The costs of a simulated machine.

use crate::interval_timer::IntervalTimers;
use windfall_scenario::model::{Cache, Costs};

/// The costs of a machine.
pub(crate) struct Prices {
    pub(crate) costs: Costs,
    pub(crate) cache: Option<Cache>,
    /// Set if the processors of nodes have costs of their own.
    pub(crate) interval_timers: Option<IntervalTimers>,
}
