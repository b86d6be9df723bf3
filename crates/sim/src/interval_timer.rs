//! The processors of nodes by the rules of Chrysalis: one interval timer each, and who pays for what (2.6 to 2.8, 3.1).
//!
//! What schedulers and sleeping processes have set for an instant brings an interrupt, whose routine takes time from whoever
//! runs. What it was set for happens when the routine is over, so that a scheduler that ends a slice charges the routine to
//! the process whose slice it was. One routine does all that has come due until it ends.
//!
//! The routine comes before whatever else takes time there: the scheduler has the lowest level.
//!
//! A post from another node does not wait for a routine that is under way.

use windfall_programs::NodeCosts;
use windfall_time::{Instant, Span};

/// The number of the timer's interrupts among what scheduling takes; decisions have 0.
pub(crate) const INTERVAL_TIMER: u16 = 1;

/// The interval timers of a machine.
pub(crate) struct IntervalTimers {
    pub(crate) costs: NodeCosts,
    /// By processor: when the last routine ends, or has ended.
    over: Vec<Option<Instant>>,
}

impl IntervalTimers {
    pub(crate) fn new(costs: NodeCosts, processors: usize) -> IntervalTimers {
        IntervalTimers { costs, over: vec![None; processors] }
    }

    /// Something that was set for `now` on a processor is due: until when it must wait for the interrupt's routine, and
    /// what that takes if it begins now.
    pub(crate) fn interrupts(
        &mut self,
        cpu: usize,
        now: Instant,
    ) -> Option<(Option<Span>, Instant)> {
        let cost = self.costs.timer;
        let over = self.over.get_mut(cpu).filter(|_| !cost.is_zero())?;
        match *over {
            Some(end) if end == now => return None,
            Some(end) if end > now => return Some((None, end)),
            _ => {}
        }
        let end = now.saturating_add(cost);
        *over = Some(end);
        Some((Some(cost), end))
    }
}
