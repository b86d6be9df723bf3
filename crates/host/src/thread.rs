//! A thread's life as the host knows it. What its program does is with the runtime.

use windfall_hierarchy::ThreadId;
use windfall_scenario::PlannedThread;
use windfall_scenario::outcome::ThreadOutcome;
use windfall_time::{Instant, Span};

/// A thread under way, or that is to come.
pub struct Thread {
    /// What was planned for it.
    pub(crate) spec: PlannedThread,
    /// Its place in the hierarchy, from its start on.
    pub(crate) id: Option<ThreadId>,
    /// Whether nothing is known of its work but bursts, from wake-up to wait.
    bursts: bool,
    /// Whether its scheduler has a use for messages about jobs.
    pub(crate) reports_jobs: bool,
    /// Since when it is runnable without a break.
    pub(crate) awake: Instant,
    /// Since when it is ready without running.
    pub(crate) unserved: Option<Instant>,
    /// The processor that it has.
    pub(crate) cpu: Option<u16>,
    /// The processor that it had last.
    pub(crate) last_cpu: Option<u16>,
    pub(crate) outcome: ThreadOutcome,
    /// How much of what it received has been put to the account of its schedulers.
    pub(crate) attributed: Span,
}

impl Thread {
    pub(crate) fn new(spec: PlannedThread, bursts: bool) -> Thread {
        Thread {
            id: None,
            bursts,
            reports_jobs: true,
            awake: Instant::ZERO,
            unserved: None,
            cpu: None,
            last_cpu: None,
            outcome: ThreadOutcome::new(&spec.name, spec.promised.as_deref()),
            attributed: Span::ZERO,
            spec,
        }
    }

    /// The processor that it has.
    #[must_use]
    pub const fn cpu(&self) -> Option<u16> {
        self.cpu
    }

    /// It becomes runnable.
    pub(crate) fn wakes(&mut self, now: Instant) {
        self.awake = now;
        self.unserved = Some(now);
        self.outcome.wakeups += 1;
    }

    /// It can run no longer.
    pub(crate) fn sleeps(&mut self, now: Instant) {
        self.unserved = None;
        self.outcome.runnable += now - self.awake;
        if self.bursts && self.outcome.released == 0 {
            self.outcome.complete(self.awake, now, false);
        }
    }

    /// It loses its processor, which it could have used for work if `preempted`; whether it still can run follows.
    pub fn leaves(&mut self, now: Instant, runnable: bool, preempted: bool) {
        self.cpu = None;
        if runnable {
            self.outcome.preemptions += u64::from(preempted);
            self.unserved = Some(now);
        }
    }

    /// It has a processor from now on; whether it comes from another one.
    pub fn enters(&mut self, now: Instant, cpu: u16) -> bool {
        let moved = self.last_cpu.is_some_and(|last| last != cpu);
        self.outcome.dispatches += 1;
        self.outcome.migrations += u64::from(moved);
        if let Some(since) = self.unserved.take() {
            self.outcome.gap = self.outcome.gap.max(now - since);
        }
        (self.cpu, self.last_cpu) = (Some(cpu), Some(cpu));
        moved
    }
}
