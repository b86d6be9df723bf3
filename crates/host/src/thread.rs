//! A thread as the host knows it. The state of its program is in the runtime.

use windfall_hierarchy::{NodeId, ThreadId};
use windfall_programs::Notices;
use windfall_scenario::PlannedThread;
use windfall_scenario::outcome::{EARLIER, ThreadOutcome};
use windfall_time::{Instant, Span};
use windfall_trace::Stop;

/// A thread that runs, has ended, or is still to come.
// Fields: one row of the table of threads, read together at each event of a thread.
pub struct Thread {
    /// Its plan.
    pub(crate) spec: PlannedThread,
    /// Its role among the plan's threads.
    pub(crate) role: Role,
    /// Its id in the hierarchy, from its start to its end.
    pub(crate) id: Option<ThreadId>,
    /// Whether its only jobs are bursts, from wake-up to wait.
    bursts: bool,
    /// Whether its scheduler uses messages about jobs.
    pub(crate) reports_jobs: bool,
    /// Whether its scheduler, which plans jobs when they arrive, has no place for the job that it works on.
    pub(crate) refused: bool,
    /// Whether the hierarchy knows it as runnable.
    pub(crate) ready: bool,
    /// Since when it has been runnable without a break.
    pub(crate) awake: Instant,
    /// Since when it has been ready without running.
    pub(crate) unserved: Option<Instant>,
    /// The processor that it has.
    pub(crate) cpu: Option<u16>,
    /// The processor that it had last.
    pub(crate) last_cpu: Option<u16>,
    /// Its outcome so far.
    pub outcome: ThreadOutcome,
    /// Its reservation, as far as it was asked for.
    pub(crate) reservation: Option<Reservation>,
    /// Whether its notices are kept, and those that are.
    pub(crate) keeps_notices: bool,
    pub(crate) notices: Notices,
    /// The part of its received time that has been booked to its schedulers.
    pub(crate) attributed: Span,
}

/// A thread's reservation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reservation {
    /// The scheduler that gives it.
    pub(crate) node: NodeId,
    /// The scheduler that the thread left for it.
    pub(crate) from: Option<String>,
}

/// The role of a thread among the threads of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A thread that was planned, or that a process has made.
    Own,
    /// An entry that stands for an external program and never runs itself.
    Entry,
    /// A thread of that entry's program.
    Of(u32),
}

impl Thread {
    pub(crate) fn new(spec: PlannedThread, role: Role, bursts: bool) -> Thread {
        Thread {
            id: None,
            role,
            bursts,
            reports_jobs: true,
            refused: false,
            ready: false,
            awake: Instant::ZERO,
            unserved: None,
            cpu: None,
            last_cpu: None,
            outcome: ThreadOutcome::new(&spec.name, spec.promised.as_deref()),
            reservation: None,
            keeps_notices: false,
            notices: Notices::default(),
            attributed: Span::ZERO,
            spec,
        }
    }

    /// Its scheduler, which plans jobs when they begin, has said whether it admits the one that the thread works on. It was counted as released, unless another has refused it before.
    pub(crate) fn is_planned(&mut self, admitted: bool) {
        self.goes_on();
        self.refused = !admitted;
        self.outcome.submitted += 1;
        if !admitted {
            self.outcome.refusals.no_time += 1;
            self.outcome.released = self.outcome.released.saturating_sub(1);
        }
    }

    /// The job that it works on goes on although it was refused, so it is released after all. Returns whether it was refused.
    pub(crate) fn goes_on(&mut self) -> bool {
        let refused = std::mem::replace(&mut self.refused, false);
        self.outcome.released += u64::from(refused);
        refused
    }

    /// The processor that it has.
    #[must_use]
    pub const fn cpu(&self) -> Option<u16> {
        self.cpu
    }

    /// Its id in the hierarchy, between its start and its end.
    #[must_use]
    pub const fn id(&self) -> Option<ThreadId> {
        self.id
    }

    /// Whether it is runnable.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        self.ready
    }

    /// Since when it is runnable; if it is not, since when it was last.
    #[must_use]
    pub const fn awake(&self) -> Instant {
        self.awake
    }

    /// Whether it is an entry, which stands for the threads of a program.
    #[must_use]
    pub fn is_entry(&self) -> bool {
        self.role == Role::Entry
    }

    /// Its plan.
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

    /// Its outcome; for an entry, the sum over forgotten threads. `None` if there is nothing to report.
    #[must_use]
    pub fn outcome(&self) -> Option<ThreadOutcome> {
        let mut outcome = self.outcome.clone();
        if self.is_entry() {
            outcome.name.push_str(EARLIER);
            return (outcome.received + outcome.runnable > Span::ZERO).then_some(outcome);
        }
        (!outcome.name.is_empty()).then_some(outcome) // else its number is vacant
    }

    /// How long it has been runnable so far.
    #[must_use]
    pub fn runnable_until(&self, now: Instant) -> Span {
        let since = if self.ready { now.saturating_since(self.awake) } else { Span::ZERO };
        self.outcome.runnable + since
    }

    /// Notes that it becomes runnable.
    pub(crate) fn wakes(&mut self, now: Instant) {
        self.ready = true;
        self.awake = now;
        self.unserved = Some(now);
        self.outcome.wakeups += 1;
    }

    /// Notes that it is not runnable any more.
    pub(crate) fn sleeps(&mut self, now: Instant) {
        self.ready = false;
        self.unserved = None;
        self.outcome.runnable += now.saturating_since(self.awake);
        if self.bursts && self.outcome.released == 0 {
            self.outcome.complete(self.awake, now.max(self.awake), false);
        }
    }

    /// Notes that it loses its processor: whether it stays runnable, and whether it was preempted while it had work.
    pub fn leaves(&mut self, now: Instant, runnable: bool, preempted: bool) {
        self.cpu = None;
        if runnable {
            self.outcome.preemptions += u64::from(preempted);
            self.unserved = Some(now);
        }
    }

    /// Notes that it has a processor from now on. Returns whether it migrated.
    pub fn enters(&mut self, now: Instant, cpu: u16) -> bool {
        let moved = self.last_cpu.is_some_and(|last| last != cpu);
        self.outcome.dispatches += 1;
        self.outcome.migrations += u64::from(moved);
        self.is_served(now);
        (self.cpu, self.last_cpu) = (Some(cpu), Some(cpu));
        moved
    }

    /// Notes a live machine's report that it is on a processor, and whether it runs there.
    pub(crate) fn is_on(&mut self, now: Instant, cpu: u16, runs: bool) {
        self.outcome.migrations += u64::from(self.last_cpu.is_some_and(|last| last != cpu));
        (self.cpu, self.last_cpu) = (Some(cpu), Some(cpu));
        if runs {
            self.is_served(now);
        }
    }

    /// Notes a live machine's report that it has left its processor.
    pub(crate) fn is_off(&mut self, now: Instant, stop: Stop) {
        self.cpu = None;
        if stop == Stop::Preempted && self.ready {
            self.unserved.get_or_insert(now);
        }
    }

    /// Counts a grant on a live machine.
    pub const fn is_granted(&mut self) {
        self.outcome.dispatches += 1;
    }

    /// Counts the end of a grant on a live machine.
    pub fn is_displaced(&mut self) {
        self.outcome.preemptions += u64::from(self.ready);
    }

    /// Notes that it runs, which ends a wait for a processor.
    pub(crate) fn is_served(&mut self, now: Instant) {
        if let Some(since) = self.unserved.take() {
            self.outcome.gap = self.outcome.gap.max(now.saturating_since(since));
        }
    }
}
