//! The loop: everything that is due at an instant happens, then the processors follow.

use crate::cpu::{SimCpu, Units, rates};
use crate::events::{Due, Events};
use crate::interrupt::Source;
use crate::interval_timer::IntervalTimers;
use crate::ledger::Ledger;
use crate::promises::Promises;
use crate::thread::Thread;
use crate::unsupported::UnsupportedPlan;
use windfall_hierarchy::{Hierarchy, JournalEvent, Message, Processor, ThreadId};
use windfall_programs::{Job, Program, ProgramRuntime, Resource};
use windfall_scenario::model::Machine;
use windfall_scenario::outcome::{Outcome, RunError};
use windfall_scenario::{
    Home, Plan, PlannedInterrupts, PlannedProcesses, PlannedRequest, PlannedThread, Tracer,
};
use windfall_time::{Instant, Span};
use windfall_trace::{OverheadKind, Sink};

/// A simulation that is being set up or has begun.
pub struct Sim<'a> {
    pub(crate) now: Instant,
    pub(crate) machine: Machine,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) cpus: Vec<SimCpu>,
    /// Units in a nanosecond of work at speed 1.
    pub(crate) unit: Units,
    /// What their programs do.
    pub(crate) players: ProgramRuntime,
    pub(crate) threads: Vec<Thread>,
    /// Where processes are at home, by node.
    pub(crate) homes: Vec<Home>,
    /// Where the nodes' processors have costs of their own.
    pub(crate) interval_timers: Option<IntervalTimers>,
    /// From the hierarchy's thread index to ours.
    pub(crate) numbers: Vec<u32>,
    pub(crate) events: Events,
    pub(crate) sources: Vec<Source>,
    /// Control requests in order of time, and which comes next.
    pub(crate) requests: Vec<(Instant, PlannedRequest)>,
    pub(crate) next_request: usize,
    pub(crate) tracer: Tracer<&'a mut dyn Sink>,
    pub(crate) changed: Vec<Processor>,
    /// Threads whose job a scheduler has given up, until the host does.
    pub(crate) expired: Vec<u32>,
    /// Processors whose thread must be asked for its next action.
    pub(crate) eager: Vec<u16>,
    pub(crate) seed: u64,
    pub(crate) decisions: u64,
    pub(crate) refused: Vec<(Instant, String)>,
    /// Threads that no scheduler would have.
    pub(crate) not_admitted: Vec<String>,
    pub(crate) failure: Option<RunError>,
    /// What the threads below each scheduler received, and what is known of it.
    pub(crate) ledger: Ledger,
    pub(crate) promises: Promises,
    pub(crate) costly: bool,
    /// Where the time of decisions that no thread caused is spent.
    pub(crate) event_cpu: u16,
}

impl<'a> Sim<'a> {
    /// A machine with a hierarchy that has its schedulers, and no threads yet.
    ///
    /// # Errors
    /// When the machine has no processors, not as many as the hierarchy, or its speeds have no
    /// common measure that fits.
    pub fn new(
        machine: Machine,
        hierarchy: Hierarchy,
        seed: u64,
        sink: Option<&'a mut dyn Sink>,
    ) -> Result<Sim<'a>, UnsupportedPlan> {
        let (unit, rates) = rates(&machine.speeds).ok_or(UnsupportedPlan::Speeds)?;
        if rates.is_empty() || rates.len() != usize::from(hierarchy.processors()) {
            return Err(UnsupportedPlan::Processors {
                machine: rates.len(),
                hierarchy: usize::from(hierarchy.processors()),
            });
        }
        let costs = machine.costs;
        let costly = !(costs.decision.is_zero() && costs.notification.is_zero());
        let mut events = Events::new();
        events.reserve(rates.len());
        Ok(Sim {
            now: Instant::ZERO,
            cpus: rates.into_iter().map(SimCpu::new).collect(),
            unit,
            machine,
            hierarchy,
            players: ProgramRuntime::default(),
            threads: Vec::new(),
            homes: Vec::new(),
            interval_timers: None,
            numbers: Vec::new(),
            events,
            sources: Vec::new(),
            requests: Vec::new(),
            next_request: 0,
            tracer: Tracer::new(sink),
            changed: Vec::new(),
            expired: Vec::new(),
            eager: Vec::new(),
            seed,
            decisions: 0,
            refused: Vec::new(),
            not_admitted: Vec::new(),
            failure: None,
            ledger: Ledger::default(),
            promises: Promises::default(),
            costly,
            event_cpu: 0,
        })
    }

    /// Everything that a scenario's plan says; what it promises is judged.
    ///
    /// # Errors
    /// When the plan's machine cannot be simulated, or one of its threads; see [`new`](Self::new) and
    /// [`add`](Self::add).
    pub fn of(plan: Plan, sink: Option<&'a mut dyn Sink>) -> Result<Sim<'a>, UnsupportedPlan> {
        let mut sim = Sim::new(plan.machine, plan.hierarchy, plan.seed, sink)?;
        sim.processes(plan.processes);
        for thread in plan.threads {
            sim.add(thread)?;
        }
        for interrupts in plan.interrupts {
            sim.interrupt(interrupts);
        }
        for (at, request) in plan.requests {
            sim.at(at, request);
        }
        for (barrier, parties) in plan.barriers {
            sim.barrier(barrier, parties);
        }
        for (thread, limit) in plan.watched {
            sim.watch_intervals(thread, limit);
        }
        sim.judge_promises(&plan.promises);
        Ok(sim)
    }

    /// Says where processes are at home, and what their calls cost; to be called before threads are added.
    pub fn processes(&mut self, processes: PlannedProcesses) {
        self.homes = processes.nodes;
        let timers = |costs| IntervalTimers::new(costs, self.cpus.len());
        self.interval_timers = processes.node_costs.map(timers);
        self.players = ProgramRuntime::with(self.seed, self.homes.len().max(1), processes.costs);
    }

    /// Adds a thread, which is created at its start; its number.
    ///
    /// # Errors
    /// When it is a program of a real machine of which nobody has said what it does.
    pub fn add(&mut self, spec: PlannedThread) -> Result<usize, UnsupportedPlan> {
        let Some(program) = spec.program.declared().cloned() else {
            return Err(UnsupportedPlan::Unknown { thread: spec.name });
        };
        let start = spec.start;
        let number = self.enlist(spec, &program);
        self.events.set(Due::Birth(number), start);
        Ok(number as usize)
    }

    /// Takes a thread in, which has no place yet.
    pub(crate) fn enlist(&mut self, spec: PlannedThread, program: &Program) -> u32 {
        let bursts = !matches!(program, Program::Jobs(_));
        let number = u32::try_from(self.threads.len()).expect("threads are numbered by 32 bits");
        let seed = self.seed ^ u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.players.add(program, seed);
        self.threads.push(Thread::new(spec, bursts));
        self.events.reserve(self.threads.len());
        number
    }

    /// Adds a source of interrupts.
    pub fn interrupt(&mut self, interrupts: PlannedInterrupts) {
        let number = u32::try_from(self.sources.len())
            .expect("sources of interrupts are numbered by 32 bits");
        self.events.reserve(self.sources.len() + 1);
        let seed =
            self.seed.rotate_left(17) ^ u64::from(number).wrapping_mul(0xd134_2543_de82_ef95);
        let source = Source::new(interrupts, seed);
        if let Some(at) = source.at() {
            self.events.set(Due::Interrupt(number), at);
        }
        self.sources.push(source);
    }

    /// Says how many threads use a barrier.
    pub fn barrier(&mut self, barrier: Resource, parties: usize) {
        self.players.barrier(barrier, parties);
    }

    /// Counts the intervals between a thread's completions that exceed `limit`.
    pub fn watch_intervals(&mut self, thread: usize, limit: Span) {
        if let Some(thread) = self.threads.get_mut(thread) {
            thread.stats.watch_intervals(limit);
        }
    }

    /// Has a control request carried out at an instant; requests of one instant in order of adding.
    pub fn at(&mut self, when: Instant, request: PlannedRequest) {
        let place = self.requests.partition_point(|(at, _)| *at <= when);
        self.requests.insert(place, (when, request));
        self.events.reserve(1);
        self.events.set(Due::Control, self.requests[0].0);
    }

    /// Runs until `end`, what is released and done at that instant included, calling `progress` now and
    /// then; stops early when it returns false.
    #[must_use]
    pub fn run(mut self, end: Instant, mut progress: impl FnMut(Instant) -> bool) -> Outcome {
        let machine = format!("{}, simulated, seed {}", self.machine, self.seed);
        // A note for each thread, and more, fits between two looks at the journal.
        self.hierarchy.open_journal(4096 + 4 * self.threads.len(), false);
        self.tracer.declare_nodes(self.now, &self.hierarchy);
        self.learn_nodes();
        for cpu in 0..self.cpus.len() {
            self.tracer.switch(self.now, cpu, None, None); // idle, which is not the same as unknown
        }
        let mut steps: u32 = 0;
        while let Some(at) = self.next_at().filter(|at| *at <= end) {
            self.now = at;
            self.instant(at == end);
            steps = steps.wrapping_add(1);
            if self.failure.is_some() || (steps & 0xffff == 0 && !progress(self.now)) {
                break;
            }
        }
        if self.failure.is_none() && self.now < end && self.next_at().is_none_or(|at| at > end) {
            self.now = end;
        }
        self.finish(machine)
    }

    #[inline]
    fn next_at(&self) -> Option<Instant> {
        let timer = self.hierarchy.next_timer().map(|at| self.machine.timer.fires(at));
        match (self.events.next_at(), timer) {
            (Some(event), Some(timer)) => Some(event.min(timer).max(self.now)),
            (event, timer) => event.or(timer).map(|at| at.max(self.now)),
        }
    }

    /// Everything that happens at `now`. At the very end no processor switches any more: nobody
    /// could run.
    fn instant(&mut self, last: bool) {
        loop {
            while let Some(due) = self.events.pop(self.now) {
                self.happen(due);
            }
            if let Some(timer) = self.hierarchy.next_timer()
                && self.machine.timer.fires(timer) <= self.now
            {
                self.timers_due();
            }
            if last || !self.converge() || self.failure.is_some() {
                return;
            }
        }
    }

    /// Calls back schedulers whose timers are due; what that costs, a processor of each pays.
    fn timers_due(&mut self) {
        while self.hierarchy.next_timer().is_some_and(|at| at <= self.now) {
            if let Some(processor) = self.hierarchy.next_timer_processor() {
                self.event_cpu = processor.0;
            }
            let cpu = usize::from(self.event_cpu);
            if let Some(until) = self.interrupted(cpu) {
                self.hierarchy.defer_timer(until);
                continue;
            }
            self.charge_overhead(cpu, OverheadKind::Scheduling, 0, self.machine.costs.timer);
            let before = self.before_entry();
            self.tell(Hierarchy::one_timer_due);
            if before == self.before_entry() {
                self.entered(before, true);
            }
        }
    }

    fn happen(&mut self, due: Due) {
        match due {
            Due::Cpu(cpu) => self.cpu_due(cpu as usize),
            Due::Interrupt(source) => self.raise_interrupt(source as usize),
            Due::Control => self.control(),
            Due::Deadline(thread) => self.give_up(thread),
            Due::Timer => self.posts_due(),
            Due::Letter => ProgramRuntime::posts_due(self),
            Due::Release(thread) => ProgramRuntime::release_due(self, thread, self.now),
            Due::Birth(thread) => self.start_thread(thread),
            Due::Wake(thread) => self.wake_due(thread),
        }
    }

    /// Tells the hierarchy something, and sees to what that costs and brings about.
    #[inline]
    pub(crate) fn tell<T>(
        &mut self,
        call: impl FnOnce(&mut Hierarchy, Instant) -> Result<T, windfall_hierarchy::HierarchyError>,
    ) -> Option<T> {
        if !self.sources.is_empty() {
            self.account_overheads();
        }
        let before = if self.costly { self.hierarchy.notifications() } else { 0 };
        self.decisions += 1;
        let running = self.before_entry();
        let answer = call(&mut self.hierarchy, self.now);
        self.entered(running, false);
        if self.costly {
            let count = self.hierarchy.notifications() - before;
            let costs = self.machine.costs;
            let notified = costs.notification.saturating_mul(count);
            let cpu = usize::from(self.event_cpu);
            self.charge_overhead(
                cpu,
                OverheadKind::Scheduling,
                0,
                costs.decision.saturating_add(notified),
            );
        }
        if !self.hierarchy.journal_is_empty() {
            self.read_journal();
        }
        match answer {
            Ok(value) => Some(value),
            Err(refusal) => {
                self.refused.push((self.now, refusal.to_string()));
                None
            }
        }
    }

    /// Brings the accounts of processors from which time is being stolen up to now, so that the
    /// hierarchy knows of it before it hears anything else.
    fn account_overheads(&mut self) {
        for cpu in 0..self.cpus.len() {
            if !self.cpus[cpu].overheads.is_empty() {
                self.account(cpu);
            }
        }
    }

    /// A message about a job; a scheduler that has no use for such is not told again.
    pub(crate) fn tell_job(&mut self, number: u32, job: Job) {
        let thread = &self.threads[number as usize];
        let (Some(id), true) = (thread.id, thread.tells) else {
            return;
        };
        let work = self.players.most_work(number);
        let deadline = job.deadline.unwrap_or(Instant::MAX);
        let message = Message::Job { release: job.release, deadline, work };
        self.promise_told(number, deadline);
        let told = self.tell(|hierarchy, now| hierarchy.try_send(now, id, message));
        self.threads[number as usize].tells = told != Some(false);
    }

    fn read_journal(&mut self) {
        let entries: Vec<_> = self.hierarchy.drain_journal().collect();
        for entry in entries {
            self.expired.extend(entry.expired().and_then(|thread| self.number(thread)));
            let numbers = &self.numbers;
            let number = |id: ThreadId| numbers.get(id.index()).copied();
            self.tracer.entry(&entry, |id| number(id).map(windfall_trace::ThreadId));
            if matches!(entry.what, JournalEvent::Quarantined { .. }) {
                self.promises_end();
            }
        }
    }

    pub(crate) fn number(&self, thread: ThreadId) -> Option<u32> {
        self.numbers.get(thread.index()).copied()
    }

    /// A source of interrupts takes its toll.
    fn raise_interrupt(&mut self, number: usize) {
        let source = &mut self.sources[number];
        let cost = source.next_cost();
        let (cpu, kind) = (usize::from(source.interrupts.processor), source.interrupts.kind);
        let irq = source.interrupts.number;
        if let Some(at) = source.at() {
            let due = Due::Interrupt(
                u32::try_from(number).expect("sources of interrupts are numbered by 32 bits"),
            );
            self.events.set(due, at);
        }
        self.charge_overhead(cpu, kind, irq, cost);
    }
}
