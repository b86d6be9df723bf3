//! A simulated thread: what the machine knows of it. What its program does is with the players.

use crate::cpu::{ENDLESS, Units};
use windfall_hierarchy::ThreadId;
use windfall_scenario::PlannedThread;
use windfall_scenario::outcome::ThreadOutcome;
use windfall_time::{Instant, Span};

/// A thread under way.
pub(crate) struct Thread {
    pub(crate) spec: PlannedThread,
    pub(crate) id: Option<ThreadId>,
    /// Work left of the present `Compute`.
    pub(crate) left: Units,
    /// Work left of filling the cache again; done first.
    pub(crate) refill: Units,
    /// Whether its program must be asked for the next action as soon as the thread runs.
    pub(crate) asks: bool,
    /// Whether nothing is known of its work but bursts, from wake-up to wait.
    pub(crate) bursts: bool,
    /// Whether its scheduler has a use for `job` messages.
    pub(crate) tells: bool,
    /// Since when it is runnable without a break, and since when it is ready without running.
    pub(crate) awake: Instant,
    pub(crate) unserved: Option<Instant>,
    pub(crate) cpu: Option<u16>,
    pub(crate) last_cpu: Option<u16>,
    pub(crate) stats: ThreadOutcome,
    /// How much of what it received has been put to the account of its schedulers.
    pub(crate) attributed: Span,
}

impl Thread {
    pub(crate) fn new(spec: PlannedThread, bursts: bool) -> Thread {
        Thread {
            id: None,
            left: 0,
            refill: 0,
            asks: true,
            bursts,
            tells: true,
            awake: Instant::ZERO,
            unserved: None,
            cpu: None,
            last_cpu: None,
            stats: ThreadOutcome::new(&spec.name, spec.promised.as_deref()),
            attributed: Span::ZERO,
            spec,
        }
    }

    /// It can run no longer.
    pub(crate) fn stops(&mut self, now: Instant) {
        self.unserved = None;
        self.stats.runnable += now - self.awake;
        if self.bursts && self.stats.released == 0 {
            self.stats.complete(self.awake, now, false);
        }
    }

    /// Takes what was done in `received` at `rate` off the work that is left.
    #[inline]
    pub(crate) fn progress(&mut self, received: Span, rate: Units) {
        self.stats.received += received;
        let mut done = received.as_nanos().saturating_mul(rate);
        if self.refill > 0 {
            let filled = self.refill.min(done);
            self.refill -= filled;
            done -= filled;
        }
        if self.left != ENDLESS {
            self.left = self.left.saturating_sub(done);
        }
    }

    /// How long the work that is left takes at `rate`; `None` when it has no end.
    #[inline]
    pub(crate) fn time_left(&self, rate: Units) -> Option<Span> {
        if self.left == ENDLESS {
            return None;
        }
        let units = self.left.checked_add(self.refill)?;
        Some(Span::from_nanos(units.div_ceil(rate)))
    }
}
