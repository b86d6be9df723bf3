//! Interval timers of nodes by the rules of Chrysalis: one for each processor, and which process is charged (2.6 to 2.8, 3.1).
//!
//! A timer that a scheduler or a sleeping process has set brings an interrupt, whose routine takes time from the thread that runs.
//! The timer takes effect when the routine is over, so that a scheduler that ends a slice charges the routine to the process
//! whose slice it was. One routine handles everything that becomes due until it ends.
//!
//! The routine comes before any other overhead on the processor: the scheduler has the lowest level.
//!
//! A post from another node does not wait for a routine that is being served.

use windfall_programs::NodeCosts;
use windfall_time::{Instant, Span};

/// Number of the timer's interrupts among the scheduling overheads; decisions have 0.
pub(crate) const INTERVAL_TIMER: u16 = 1;

/// The interval timers of a machine.
pub(crate) struct IntervalTimers {
    pub(crate) costs: NodeCosts,
    /// By processor: when the last routine ends or ended.
    over: Vec<Option<Instant>>,
}

impl IntervalTimers {
    pub(crate) fn new(costs: NodeCosts, processors: usize) -> IntervalTimers {
        IntervalTimers { costs, over: vec![None; processors] }
    }

    /// Handles a timer that is due on a processor. Returns until when it must wait for the interrupt's routine, and the routine's cost
    /// if it begins now; `None` if it takes effect at once.
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
