//! A thread's life as the host knows it. What its program does is with the runtime.

use windfall_hierarchy::ThreadId;
use windfall_scenario::PlannedThread;
use windfall_scenario::outcome::{EARLIER, ThreadOutcome};
use windfall_time::{Instant, Span};
use windfall_trace::Stop;

/// A thread under way, or that is to come.
pub struct Thread {
    /// What was planned for it.
    pub(crate) spec: PlannedThread,
    /// Who it is among the plan's threads.
    pub(crate) role: Role,
    /// Its place in the hierarchy, from its start to its end.
    pub(crate) id: Option<ThreadId>,
    /// Whether nothing is known of its work but bursts, from wake-up to wait.
    bursts: bool,
    /// Whether its scheduler has a use for messages about jobs.
    pub(crate) reports_jobs: bool,
    /// Whether the hierarchy has been told that it can run.
    pub(crate) ready: bool,
    /// Since when it is runnable without a break.
    pub(crate) awake: Instant,
    /// Since when it is ready without running.
    pub(crate) unserved: Option<Instant>,
    /// The processor that it has.
    pub(crate) cpu: Option<u16>,
    /// The processor that it had last.
    pub(crate) last_cpu: Option<u16>,
    /// What it got.
    pub outcome: ThreadOutcome,
    /// How much of what it received has been put to the account of its schedulers.
    pub(crate) attributed: Span,
}

/// Who a thread is among the threads of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// One that was planned, or that a process has made.
    Own,
    /// The program of an entry, which has no life: its threads do.
    Entry,
    /// A thread of the program of that entry.
    Of(u32),
}

impl Thread {
    pub(crate) fn new(spec: PlannedThread, role: Role, bursts: bool) -> Thread {
        Thread {
            id: None,
            role,
            bursts,
            reports_jobs: true,
            ready: false,
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

    /// Its place in the hierarchy, if it has one.
    #[must_use]
    pub const fn id(&self) -> Option<ThreadId> {
        self.id
    }

    /// Whether it can run.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        self.ready
    }

    /// Since when it can run, or could last.
    #[must_use]
    pub const fn awake(&self) -> Instant {
        self.awake
    }

    /// Whether it stands for a program, whose threads come later.
    #[must_use]
    pub fn is_entry(&self) -> bool {
        self.role == Role::Entry
    }

    /// What was planned for it.
    #[must_use]
    pub const fn planned(&self) -> &PlannedThread {
        &self.spec
    }

    /// The entry of its program, if it is a thread of one.
    #[must_use]
    pub const fn entry(&self) -> Option<u32> {
        match self.role {
            Role::Of(entry) => Some(entry),
            Role::Own | Role::Entry => None,
        }
    }

    /// What it got; for an entry, what those of its threads got that were forgotten. `None` if there is nothing to say.
    #[must_use]
    pub fn outcome(&self) -> Option<ThreadOutcome> {
        let mut outcome = self.outcome.clone();
        if self.is_entry() {
            outcome.name.push_str(EARLIER);
            return (outcome.received + outcome.runnable > Span::ZERO).then_some(outcome);
        }
        (!outcome.name.is_empty()).then_some(outcome) // else its place is vacant
    }

    /// It becomes runnable.
    pub(crate) fn wakes(&mut self, now: Instant) {
        self.ready = true;
        self.awake = now;
        self.unserved = Some(now);
        self.outcome.wakeups += 1;
    }

    /// It can run no longer.
    pub(crate) fn sleeps(&mut self, now: Instant) {
        self.ready = false;
        self.unserved = None;
        self.outcome.runnable += now.saturating_since(self.awake);
        if self.bursts && self.outcome.released == 0 {
            self.outcome.complete(self.awake, now.max(self.awake), false);
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
        self.is_served(now);
        (self.cpu, self.last_cpu) = (Some(cpu), Some(cpu));
        moved
    }

    /// It is on a processor of a live machine, which says so; whether it runs there.
    pub(crate) fn is_on(&mut self, now: Instant, cpu: u16, runs: bool) {
        self.outcome.migrations += u64::from(self.last_cpu.is_some_and(|last| last != cpu));
        (self.cpu, self.last_cpu) = (Some(cpu), Some(cpu));
        if runs {
            self.is_served(now);
        }
    }

    /// It has left its processor on a live machine, which says so.
    pub(crate) fn is_off(&mut self, now: Instant, stop: Stop) {
        self.cpu = None;
        if stop == Stop::Preempted && self.ready {
            self.unserved.get_or_insert(now);
        }
    }

    /// It is granted a processor of a live machine.
    pub const fn is_granted(&mut self) {
        self.outcome.dispatches += 1;
    }

    /// It is granted one no longer.
    pub fn is_displaced(&mut self) {
        self.outcome.preemptions += u64::from(self.ready);
    }

    /// It runs, if it could.
    pub(crate) fn is_served(&mut self, now: Instant) {
        if let Some(since) = self.unserved.take() {
            self.outcome.gap = self.outcome.gap.max(now.saturating_since(since));
        }
    }
}
