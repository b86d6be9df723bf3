//! The supervisor: what happened is told to the hierarchy, and what it decides is carried out.
//!
//! One lock covers it all. Whoever holds the lock settles everything that is due before giving it
//! back: the event loop, a fence, or an own program in its own call. Other threads have the event loop do what they
//! need (`calls.rs`). Order within [`settle`]: events of the kernel by their time, then what our clock
//! says is due, then the processors follow; the last thing is to raise a thread, since that may take
//! the processor from us, lock and all.
//!
//! [`settle`]: Supervisor::settle

use crate::account::cpu::{Cpu, Running};
use crate::account::judging::Judging;
use crate::account::ledger::Ledger;
use crate::carrier::audit::Round;
use crate::restore::log::RestoreLog;
use crate::supervise::agenda::Agenda;
use crate::supervise::calls::Calls;
use crate::supervise::procfs_worker::WorkQueue;
use crate::supervise::trace::Trace;
use crate::threads::adopt::Programs;
use crate::threads::member::{InProcess, Member, ThreadSpec};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use windfall_hierarchy::{Hierarchy, HierarchyError, Message, Processor, ThreadId};
use windfall_observe::rings::Rings;
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::events::Timer;
use windfall_programs::{ProgramRuntime, Wakeup};
use windfall_scenario::Home;
use windfall_scenario::outcome::{Claimed, RunError};
use windfall_time::{Instant, Span};

/// Everything that the lock covers.
///
/// Twelve parts: the hierarchy and the programs under way, who there is (threads of ours and of others), the processors with what the kernel
/// has seen there, what is to be done when, what belongs to the settling under way, two books, and the two ways out of
/// the lock (other threads of ours, and the log by which all is given back).
pub(crate) struct Supervisor {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) runtime: ProgramRuntime,
    pub(crate) threads: Threads,
    pub(crate) external: External,
    pub(crate) cpus: Vec<Cpu>,
    pub(crate) rings: Rings,
    pub(crate) agenda: Agenda,
    pub(crate) step: Step,
    pub(crate) log: Log,
    pub(crate) books: Books,
    /// What other threads of ours have left to be done.
    pub(crate) calls: Calls,
    pub(crate) restore_log: Arc<RestoreLog>,
}

/// The threads of a run.
#[derive(Default)]
pub(crate) struct Threads {
    pub(crate) members: Vec<Member>,
    pub(crate) specs: Vec<ThreadSpec>,
    /// Numbers of members that may be used again.
    pub(crate) vacant: Vec<u32>,
    /// From the kernel's numbers to ours, and from the hierarchy's.
    pub(crate) tids: FxHashMap<i32, u32>,
    pub(crate) numbers: Vec<u32>,
    /// The nodes that processes are made on, and whether own programs keep their stretches.
    pub(crate) homes: Vec<Home>,
    pub(crate) keeps: bool,
}

/// Programs of the machine, and who looks after them.
#[derive(Default)]
pub(crate) struct External {
    pub(crate) programs: Programs,
    pub(crate) round: Round,
    pub(crate) work: WorkQueue,
    /// Threads of ours that serve the run, our guardian among them.
    pub(crate) agents: Vec<i32>,
}

/// The instant of settling that is under way.
#[derive(Default)]
pub(crate) struct Step {
    /// The own program in whose call we are.
    pub(crate) caller: Option<u32>,
    /// The processor whose fence settles.
    pub(crate) fencing: Option<usize>,
    /// Gates that were opened, to be told of before the lock is given up.
    pub(crate) wakes: Vec<DeferredWake>,
    /// Threads that know nothing of us and woke: they run where they may not until they step back.
    pub(crate) risen: Vec<u32>,
    pub(crate) started: bool,
    pub(crate) ending: bool,
}

/// What is to be said of the run.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) decisions: u64,
    pub(crate) refused: Vec<(Instant, String)>,
    pub(crate) not_admitted: Vec<String>,
    pub(crate) failure: Option<RunError>,
    /// What is to be said of the run itself.
    pub(crate) remarks: Vec<(Instant, String)>,
    /// Why it ended before its time.
    pub(crate) cut_short: Option<String>,
    /// The longest that something was seen to after it was due.
    pub(crate) lag: Span,
    /// The same, without the time for which the processor was not ours.
    pub(crate) lag_without_steal: Span,
    /// How many events of the kernel were lost.
    pub(crate) lost: u64,
    /// What was moved off the processors for this run.
    pub(crate) claimed: Claimed,
}

/// What is written down while the run lasts.
#[derive(Default)]
pub(crate) struct Books {
    pub(crate) ledger: Ledger,
    pub(crate) judging: Judging,
    pub(crate) trace: Trace,
}

/// Somebody to be told that a gate is open.
pub(crate) enum DeferredWake {
    InProcess(Arc<InProcess>),
    Agent(Arc<windfall_os::futex::Gate>),
}

impl Supervisor {
    pub(crate) fn new(
        hierarchy: Hierarchy,
        cpus: &[u16],
        rings: Rings,
        journal: Arc<RestoreLog>,
        calls: Calls,
    ) -> Result<Supervisor, LinuxError> {
        let timer =
            Timer::new().map_err(|e| LinuxError::of("cannot make a timer", &e, "free some"))?;
        let mut supervisor = Supervisor {
            hierarchy,
            runtime: ProgramRuntime::default(),
            threads: Threads::default(),
            external: External::default(),
            cpus: cpus.iter().map(|number| Cpu::new(*number)).collect(),
            rings,
            agenda: Agenda::new(timer),
            step: Step::default(),
            log: Log::default(),
            books: Books::default(),
            calls,
            restore_log: journal,
        };
        supervisor.hierarchy.open_journal(1 << 16, false);
        Ok(supervisor)
    }

    /// The clock starts, and with it the scenario and its trace.
    pub(crate) fn start(&mut self, trace: Trace) {
        self.listen(); // what was seen before does not count
        self.step.started = true;
        self.agenda.begin();
        for cpu in 0..self.cpus.len() {
            let stolen = self.rings.taken(cpu);
            self.cpus[cpu].restart(stolen);
        }
        for member in &mut self.threads.members {
            member.outcome.received = windfall_time::Span::ZERO;
            member.outcome.dispatches = 0;
        }
        self.cpus[0].occupant = Running::Supervisor; // the event loop, which calls us
        self.books.ledger.begin(&self.hierarchy);
        self.trace_begin(trace);
        self.settle();
    }

    /// Members whose time has come.
    fn start_due(&mut self) {
        while let Some((at, number)) = self.agenda.starts.last().copied() {
            if at > self.time() {
                return;
            }
            self.agenda.starts.pop();
            if self.external.programs.by_entry.contains_key(&(number as usize)) {
                self.begin_program(number as usize);
                continue;
            }
            let spec = self.threads.specs[number as usize].clone();
            if self.admit(number, &spec) {
                ProgramRuntime::begin(self, number);
            } else {
                self.runtime.withdraw(number);
            }
        }
    }

    /// The time since the run began.
    pub(crate) fn time(&self) -> Instant {
        self.since_epoch(clock::now())
    }

    /// The time of the last call into the hierarchy.
    pub(crate) const fn told(&self) -> Instant {
        self.agenda.last_call()
    }

    pub(crate) fn since_epoch(&self, at: Instant) -> Instant {
        self.agenda.since_epoch(at)
    }

    /// Everything that is due happens, and the processors follow.
    pub(crate) fn settle(&mut self) {
        if !self.step.started || self.step.ending {
            return; // nothing is decided before the clock starts, and nothing after the end
        }
        self.listen();
        self.account_overheads();
        self.pass();
        while self.give_up_expired() {
            self.pass();
        }
        self.arm();
        self.follow();
    }

    /// What our own clock says is due: timers of schedulers, and what own programs wait for.
    fn pass(&mut self) {
        self.start_due();
        self.requests_due();
        loop {
            let now = self.time();
            while let Some((at, number, wakeup, counts)) = self.agenda.pop(now) {
                self.seen_late(at, now);
                if counts {
                    self.wakeup_due(number, wakeup, at);
                }
            }
            match self.next_timer() {
                Some(at) if at <= now => {
                    // The processor may have stood still since the last look, and deciding takes time, too.
                    (0..self.cpus.len()).for_each(|cpu| self.account(cpu, now));
                    self.seen_late(at, now);
                    self.notify(now, |hierarchy, now| hierarchy.timer_due(now));
                }
                _ => return,
            }
        }
    }

    /// Something that was due at `at` is seen to.
    fn seen_late(&mut self, at: Instant, now: Instant) {
        let lag = now.saturating_since(at);
        self.log.lag = self.log.lag.max(lag);
        if lag > self.log.lag_without_steal {
            // The event loop's processor, where as a rule its alarm is, too. A standstill that goes on is not known yet.
            self.account(0, now);
            let away = self.cpus[0].away.between(at, now);
            self.log.lag_without_steal = self.log.lag_without_steal.max(lag.saturating_sub(away));
        }
    }

    /// When the next timer of a scheduler goes off, at the resolution that the scenario asks for.
    fn next_timer(&self) -> Option<Instant> {
        self.hierarchy.next_timer().map(|at| self.agenda.resolution.fires(at))
    }

    /// Tells the hierarchy something that happened at `at`.
    pub(crate) fn notify<T>(
        &mut self,
        at: Instant,
        call: impl FnOnce(&mut Hierarchy, Instant) -> Result<T, HierarchyError>,
    ) -> Option<T> {
        let now = self.agenda.call(at);
        self.log.decisions += 1;
        let answer = call(&mut self.hierarchy, now);
        self.has_changed();
        self.look_at_promises();
        match answer {
            Ok(value) => Some(value),
            Err(refusal) => {
                self.log.refused.push((now, refusal.to_string()));
                None
            }
        }
    }

    /// Tells a scheduler of a job; one that has no use for such is not told again.
    pub(crate) fn notify_job(&mut self, number: u32, release: Instant, deadline: Option<Instant>) {
        let member = &self.threads.members[number as usize];
        let (Some(id), true) = (member.id, member.tells) else { return };
        let deadline = deadline.unwrap_or(Instant::MAX);
        self.promise_told(number, release, deadline);
        let message = Message::Job { release, deadline, work: self.runtime.most_work(number) };
        let told = self.notify(release, |hierarchy, now| hierarchy.try_send(now, id, message));
        self.threads.members[number as usize].tells = told != Some(false);
    }

    /// Jobs that a scheduler has given up; whether there were any.
    fn give_up_expired(&mut self) -> bool {
        if self.hierarchy.journal_is_empty() {
            return false;
        }
        let mut expired: Vec<ThreadId> = Vec::new();
        for entry in self.hierarchy.drain_journal() {
            expired.extend(entry.expired());
            self.books.trace.noted(&entry, &self.threads.numbers, &self.threads.members);
        }
        let expired: Vec<u32> = expired.into_iter().filter_map(|id| self.number(id)).collect();
        for number in &expired {
            self.wakeup_due(*number, Wakeup::Deadline, self.told());
        }
        !expired.is_empty()
    }

    /// Sets the event loop's alarm to what is due next.
    pub(crate) fn arm(&mut self) {
        let timer = self.next_timer();
        if let Some(alarm) = self.agenda.rearm(timer) {
            self.rings.set_alarm(&self.agenda.timer, alarm);
        }
    }

    /// The member that the hierarchy grants a processor.
    pub(crate) fn desired(&self, cpu: usize) -> Option<u32> {
        let processor = Processor(u16::try_from(cpu).ok()?);
        self.number(self.hierarchy.running(processor)?)
    }

    pub(crate) fn number(&self, thread: ThreadId) -> Option<u32> {
        self.threads.numbers.get(thread.index()).copied().filter(|number| *number != u32::MAX)
    }
}
