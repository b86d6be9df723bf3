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
use crate::supervise::calls::Calls;
use crate::supervise::procfs_worker::WorkQueue;
use crate::supervise::trace::Trace;
use crate::threads::adopt::Programs;
use crate::threads::member::{InProcess, Member, ThreadSpec};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use windfall_hierarchy::{Hierarchy, HierarchyError, Message, Processor, Target, ThreadId};
use windfall_observe::rings::Rings;
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::events::Timer;
use windfall_programs::{ProgramRuntime, Wakeup};
use windfall_scenario::outcome::{Claimed, Figures, RunError};
use windfall_scenario::{Home, Place, PlannedRequest, model};
use windfall_time::{Instant, Span};
use windfall_trace::Event;

/// Everything that the lock covers.
pub(crate) struct Supervisor {
    /// When the run began, by the machine's clock; all instants here count from it.
    epoch: Instant,
    /// The time of the last call into the hierarchy, which never goes back.
    pub(crate) told: Instant,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) players: ProgramRuntime,
    /// The nodes that processes are made on, and whether own programs keep their stretches.
    pub(crate) homes: Vec<Home>,
    pub(crate) keeps: bool,
    pub(crate) members: Vec<Member>,
    pub(crate) specs: Vec<ThreadSpec>,
    pub(crate) programs: Programs,
    pub(crate) round: Round,
    pub(crate) work: WorkQueue,
    /// Numbers of members that may be used again.
    pub(crate) vacant: Vec<u32>,
    /// From the kernel's numbers to ours, and from the hierarchy's.
    pub(crate) tids: FxHashMap<i32, u32>,
    pub(crate) numbers: Vec<u32>,
    /// Threads of ours that serve the run, our guardian among them.
    pub(crate) agents: Vec<i32>,
    /// What is to be said of the run itself.
    pub(crate) remarks: Vec<(Instant, String)>,
    /// Why it ended before its time.
    pub(crate) cut_short: Option<String>,
    pub(crate) cpus: Vec<Cpu>,
    pub(crate) rings: Rings,
    /// What own programs wait for; an entry counts if it is the one in `cued`.
    due: BinaryHeap<Reverse<(Instant, u32, Wakeup)>>,
    scheduled: FxHashMap<(u32, Wakeup), Instant>,
    /// Gates that were opened, to be told of before the lock is given up.
    pub(crate) wakes: Vec<DeferredWake>,
    /// The own program in whose call we are.
    pub(crate) caller: Option<u32>,
    /// The processor whose fence settles.
    pub(crate) fencing: Option<usize>,
    pub(crate) restore_log: Arc<RestoreLog>,
    pub(crate) timer: Timer,
    /// How exactly timers of schedulers, and sleeps of own programs, are kept.
    pub(crate) resolution: model::Timer,
    armed: Option<Instant>,
    /// What other threads of ours have left to be done.
    pub(crate) calls: Calls,
    pub(crate) decisions: u64,
    pub(crate) refused: Vec<(Instant, String)>,
    pub(crate) not_admitted: Vec<String>,
    pub(crate) failure: Option<RunError>,
    started: bool,
    /// The longest that something was seen to after it was due.
    pub(crate) lag: Span,
    /// The same, without the time for which the processor was not ours.
    pub(crate) lag_without_steal: Span,
    /// How many events of the kernel were lost.
    pub(crate) lost: u64,
    /// Threads that know nothing of us and woke: they run where they may not until they step back.
    pub(crate) risen: Vec<u32>,
    pub(crate) ending: bool,
    /// Members that are not born yet, the next one last.
    pub(crate) starts: Vec<(Instant, u32)>,
    /// Control requests of the scenario, the next one last.
    pub(crate) requests: Vec<(Instant, PlannedRequest)>,
    pub(crate) ledger: Ledger,
    pub(crate) judging: Judging,
    pub(crate) trace: Trace,
    /// What was moved off the processors for this run.
    pub(crate) claimed: Claimed,
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
            epoch: clock::now(),
            told: Instant::ZERO,
            hierarchy,
            players: ProgramRuntime::default(),
            homes: Vec::new(),
            keeps: false,
            members: Vec::new(),
            specs: Vec::new(),
            programs: Programs::default(),
            round: Round::default(),
            work: WorkQueue::default(),
            vacant: Vec::new(),
            tids: FxHashMap::default(),
            numbers: Vec::new(),
            agents: Vec::new(),
            remarks: Vec::new(),
            cut_short: None,
            cpus: cpus.iter().map(|number| Cpu::new(*number)).collect(),
            rings,
            due: BinaryHeap::new(),
            scheduled: FxHashMap::default(),
            wakes: Vec::new(),
            caller: None,
            fencing: None,
            restore_log: journal,
            timer,
            resolution: model::Timer::Precise,
            armed: None,
            calls,
            decisions: 0,
            refused: Vec::new(),
            not_admitted: Vec::new(),
            failure: None,
            started: false,
            lag: Span::ZERO,
            lag_without_steal: Span::ZERO,
            lost: 0,
            risen: Vec::new(),
            ending: false,
            starts: Vec::new(),
            requests: Vec::new(),
            ledger: Ledger::default(),
            judging: Judging::default(),
            trace: Trace::default(),
            claimed: Claimed::default(),
        };
        supervisor.hierarchy.open_journal(1 << 16, false);
        Ok(supervisor)
    }

    /// The clock starts, and with it the scenario and its trace.
    pub(crate) fn start(&mut self, trace: Trace) {
        self.listen(); // what was seen before does not count
        self.started = true;
        self.epoch = clock::now();
        for cpu in 0..self.cpus.len() {
            let stolen = self.rings.taken(cpu);
            self.cpus[cpu].restart(stolen);
        }
        for member in &mut self.members {
            member.outcome.received = windfall_time::Span::ZERO;
            member.outcome.dispatches = 0;
        }
        self.cpus[0].occupant = Running::Supervisor; // the ear, which calls us
        self.ledger.begin(&self.hierarchy);
        self.trace_begin(trace);
        self.settle();
    }

    /// Members whose time has come.
    fn start_due(&mut self) {
        while let Some((at, number)) = self.starts.last().copied() {
            if at > self.time() {
                return;
            }
            self.starts.pop();
            if self.programs.by_entry.contains_key(&(number as usize)) {
                self.begin_program(number as usize);
                continue;
            }
            let spec = self.specs[number as usize].clone();
            if self.admit(number, &spec) {
                ProgramRuntime::begin(self, number);
            } else {
                self.players.withdraw(number);
            }
        }
    }

    /// The time since the run began.
    pub(crate) fn time(&self) -> Instant {
        self.since_epoch(clock::now())
    }

    /// The time of the last call into the hierarchy.
    pub(crate) const fn told(&self) -> Instant {
        self.told
    }

    pub(crate) fn since_epoch(&self, at: Instant) -> Instant {
        Instant::ZERO + at.saturating_since(self.epoch)
    }

    /// Everything that is due happens, and the processors follow.
    pub(crate) fn settle(&mut self) {
        if !self.started || self.ending {
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
            while let Some(Reverse((at, number, cue))) = self.due.peek().copied() {
                if at > now {
                    break;
                }
                self.due.pop();
                self.seen_late(at, now);
                if self.scheduled.get(&(number, cue)) == Some(&at) {
                    self.scheduled.remove(&(number, cue));
                    self.cue_due(number, cue, at);
                }
            }
            match self.next_timer() {
                Some(at) if at <= now => {
                    // The processor may have stood still since the last look, and deciding takes time, too.
                    (0..self.cpus.len()).for_each(|cpu| self.account(cpu, now));
                    self.seen_late(at, now);
                    self.tell(now, |hierarchy, now| hierarchy.timer_due(now));
                }
                _ => return,
            }
        }
    }

    /// Something that was due at `at` is seen to.
    fn seen_late(&mut self, at: Instant, now: Instant) {
        let lag = now.saturating_since(at);
        self.lag = self.lag.max(lag);
        if lag > self.lag_without_steal {
            // The event loop's processor, where as a rule its alarm is, too. A standstill that goes on is not known yet.
            self.account(0, now);
            let away = self.cpus[0].away.between(at, now);
            self.lag_without_steal = self.lag_without_steal.max(lag.saturating_sub(away));
        }
    }

    /// When the next timer of a scheduler goes off, at the resolution that the scenario asks for.
    fn next_timer(&self) -> Option<Instant> {
        self.hierarchy.next_timer().map(|at| self.resolution.fires(at))
    }

    /// Tells the hierarchy something that happened at `at`.
    pub(crate) fn tell<T>(
        &mut self,
        at: Instant,
        call: impl FnOnce(&mut Hierarchy, Instant) -> Result<T, HierarchyError>,
    ) -> Option<T> {
        self.told = self.told.max(at);
        self.decisions += 1;
        let answer = call(&mut self.hierarchy, self.told);
        self.has_changed();
        self.look_at_promises();
        match answer {
            Ok(value) => Some(value),
            Err(refusal) => {
                self.refused.push((self.told, refusal.to_string()));
                None
            }
        }
    }

    /// Tells a scheduler of a job; one that has no use for such is not told again.
    pub(crate) fn tell_job(&mut self, number: u32, release: Instant, deadline: Option<Instant>) {
        let member = &self.members[number as usize];
        let (Some(id), true) = (member.id, member.tells) else { return };
        let deadline = deadline.unwrap_or(Instant::MAX);
        self.promise_told(number, release, deadline);
        let message = Message::Job { release, deadline, work: self.players.most_work(number) };
        let told = self.tell(release, |hierarchy, now| hierarchy.try_send(now, id, message));
        self.members[number as usize].tells = told != Some(false);
    }

    /// Jobs that a scheduler has given up; whether there were any.
    fn give_up_expired(&mut self) -> bool {
        if self.hierarchy.journal_is_empty() {
            return false;
        }
        let mut expired: Vec<ThreadId> = Vec::new();
        for entry in self.hierarchy.drain_journal() {
            expired.extend(entry.expired());
            self.trace.noted(&entry, &self.numbers, &self.members);
        }
        let expired: Vec<u32> = expired.into_iter().filter_map(|id| self.number(id)).collect();
        for number in &expired {
            self.cue_due(*number, Wakeup::Deadline, self.told);
        }
        !expired.is_empty()
    }

    /// Has a cue given, instead of an earlier one of the same kind.
    pub(crate) fn set_cue(&mut self, number: u32, cue: Wakeup, at: Instant) {
        let at = if cue == Wakeup::Wake { self.resolution.fires(at) } else { at };
        self.scheduled.insert((number, cue), at);
        self.due.push(Reverse((at, number, cue)));
    }

    /// Sets the event loop's alarm to what is due next.
    pub(crate) fn arm(&mut self) {
        let own = self.due.peek().map(|Reverse((at, _, _))| *at);
        let birth = self.starts.last().map(|(at, _)| *at);
        let request = self.requests.last().map(|(at, _)| *at);
        let next = [own, birth, request, self.next_timer()].into_iter().flatten().min();
        if next != self.armed {
            self.armed = next;
            let alarm = next.map(|at| self.epoch + (at - Instant::ZERO));
            self.rings.set_alarm(&self.timer, alarm);
        }
    }

    /// The alarm has gone off.
    pub(crate) fn alarmed(&mut self) {
        self.timer.clear();
        self.armed = None;
    }

    /// The member that the hierarchy grants a processor.
    pub(crate) fn desired(&self, cpu: usize) -> Option<u32> {
        let processor = Processor(u16::try_from(cpu).ok()?);
        self.number(self.hierarchy.running(processor)?)
    }

    pub(crate) fn number(&self, thread: ThreadId) -> Option<u32> {
        self.numbers.get(thread.index()).copied().filter(|number| *number != u32::MAX)
    }

    /// A member gets its place in the hierarchy.
    pub(crate) fn admit(&mut self, number: u32, spec: &ThreadSpec) -> bool {
        let now = self.time();
        let wanted = (spec.parent, spec.messages.as_slice());
        let place = self.tell(now, |tree, now| Place::take(tree, now, &spec.name, wanted));
        let Some(Place { thread: id, remark, .. }) = place else {
            self.not_admitted.push(spec.name.clone());
            return false;
        };
        self.refused.extend(remark.map(|why| (now, why)));
        self.known_as(number, id);
        self.trace_birth(number, now);
        true
    }

    /// The hierarchy knows a member.
    pub(crate) fn known_as(&mut self, number: u32, id: ThreadId) {
        if self.numbers.len() <= id.index() {
            self.numbers.resize(id.index() + 1, u32::MAX);
        }
        self.numbers[id.index()] = number;
        self.members[number as usize].id = Some(id);
    }

    /// A member can run; `by` is what a trace calls who has woken it, if that is known.
    pub(crate) fn becomes_ready(
        &mut self,
        number: u32,
        at: Instant,
        by: Option<windfall_trace::ThreadId>,
    ) {
        let member = &mut self.members[number as usize];
        let Some(id) = member.id.filter(|_| !member.ready) else { return };
        member.ready = true;
        member.awake = at;
        member.unserved = Some(at);
        member.outcome.wakeups += 1;
        self.judging.wakes(number, at);
        if member.is_external() {
            self.risen.push(number);
        }
        self.trace_wake(number, at, by);
        self.tell(at, |hierarchy, now| hierarchy.ready(now, id));
    }

    /// A member waits.
    pub(crate) fn becomes_blocked(&mut self, number: u32, at: Instant) {
        let member = &mut self.members[number as usize];
        let Some(id) = member.id.filter(|_| member.ready) else { return };
        member.stops(at);
        self.promise_sleeps(number, at);
        self.tell(at, |hierarchy, now| hierarchy.blocked(now, id));
    }

    /// What the scheduler above a member counts of it, or counted until it ended.
    pub(crate) fn counted(&self, member: usize) -> Figures {
        let member = &self.members[member];
        match member.id {
            Some(id) => self.hierarchy.counted(self.time(), Target::Thread(id)),
            None => member.outcome.stats.clone(),
        }
    }

    /// A member has ended.
    pub(crate) fn becomes_gone(&mut self, number: u32, at: Instant) {
        let counted = self.counted(number as usize);
        let member = &mut self.members[number as usize];
        let Some(id) = member.id.take() else { return };
        member.outcome.stats = counted;
        if member.ready {
            member.stops(at);
        }
        member.outcome.parent = name_above(&self.hierarchy, id);
        self.tids.remove(&member.tid);
        self.promise_sleeps(number, at);
        self.trace_about(number, at, |thread| Event::Exit { thread });
        self.tell(at, |hierarchy, now| hierarchy.exited(now, id));
        if let Some(slot) = self.numbers.get_mut(id.index()) {
            *slot = u32::MAX;
        }
        self.ended(number);
    }
}

impl Member {
    /// It can run no longer.
    fn stops(&mut self, at: Instant) {
        self.ready = false;
        self.unserved = None;
        self.outcome.runnable += at.saturating_since(self.awake);
        if self.bursts && self.outcome.released == 0 {
            let awake = self.awake;
            self.outcome.complete(awake, at.max(awake), false);
        }
    }
}

/// The scheduler above a thread, by name.
pub(crate) fn name_above(hierarchy: &Hierarchy, id: ThreadId) -> Option<String> {
    let parent = hierarchy.parent_of(id).ok()?;
    hierarchy.name(parent).map(str::to_owned)
}
