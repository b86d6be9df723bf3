//! Everything that is known of a scenario before it runs: its promises, and whether its threads get the time that they need.

use crate::deadlines::Deadline;
use crate::model::Scenario;
use crate::overload::{Demand, Overload, Underserved};
use crate::promises::Promises;

/// What is known of a scenario before it runs.
#[non_exhaustive]
pub struct Assessment {
    /// Which promises follow.
    pub promises: Promises,
    /// The deadlines of all threads that have any, in the order of the virtual processors.
    pub deadlines: Vec<Deadline>,
    /// Where threads with deadlines require more than there is: the machine, or else each lowest scheduler. Sums that are
    /// too fine to be exact are left out.
    pub overloads: Vec<Overload>,
    /// The threads with deadlines that never receive all that their jobs need, whatever others do. None where requests
    /// change what they receive.
    pub underserved: Vec<Underserved>,
}

impl Assessment {
    /// Whether every promise is granted, no job may be late, and there is time for all of them.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.promises.refused().next().is_none() && self.is_in_time() && self.overloads.is_empty()
    }

    /// Whether no job may be late, and every thread with deadlines may receive all that its jobs need.
    #[must_use]
    pub fn is_in_time(&self) -> bool {
        !self.deadlines.iter().any(Deadline::is_late) && self.underserved.is_empty()
    }
}

impl Scenario {
    /// Proves the promises, bounds response times, and compares the threads' work with what there is. Parts that
    /// [`check`](Scenario::check) would refuse are left out.
    #[must_use]
    pub fn assess(&self) -> Assessment {
        let promises = self.promises();
        let (deadlines, demand) = (promises.deadlines(self), Demand::of(self));
        let overloads = promises.overloads(self, &demand);
        let underserved = promises.underserved(&demand);
        Assessment { promises, deadlines, overloads, underserved }
    }
}
