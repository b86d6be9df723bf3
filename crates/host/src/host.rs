//! A hierarchy, its threads, and the machine that carries out what is decided.

use crate::account::Accounts;
use crate::agenda::{Agenda, Due};
use crate::ledger::Ledger;
use crate::machine::{Change, Machine};
use crate::promises::Promises;
use crate::thread::{Role, Thread};
use windfall_hierarchy::{Hierarchy, ThreadId};
use windfall_programs::{Program, ProgramRuntime, Resource};
use windfall_scenario::model::Timer;
use windfall_scenario::outcome::RunError;
use windfall_scenario::{Home, PlannedProcesses, PlannedRequest, PlannedThread};
use windfall_time::{Instant, Span};

/// Drives a hierarchy on a machine.
///
/// Ten parts: the three that it joins (hierarchy, programs, machine), who there is, what is to be done when, three
/// books (processors, schedulers, promises), the instant under way, and what is to be said at the end.
pub struct Host<M> {
    /// What carries decisions out.
    pub machine: M,
    /// What decides.
    pub hierarchy: Hierarchy,
    pub(crate) programs: ProgramRuntime,
    /// Who there is.
    pub threads: Threads,
    pub(crate) agenda: Agenda,
    /// Where the time of processors went.
    pub accounts: Accounts,
    pub(crate) ledger: Ledger,
    /// What is judged.
    pub promises: Promises,
    pub(crate) step: Step,
    /// What is to be said of the run.
    pub log: Log,
}

/// All threads, and where more of them may start.
pub struct Threads {
    /// By number.
    pub list: Vec<Thread>,
    /// How many of them were planned; the others came later.
    pub(crate) planned: usize,
    /// Numbers that may be used again.
    pub(crate) vacant: Vec<u32>,
    /// From the hierarchy's index to ours.
    numbers: Vec<u32>,
    /// Where processes are at home, by node.
    pub(crate) homes: Vec<Home>,
    /// Of all random numbers.
    seed: u64,
}

/// What belongs to the instant under way.
pub(crate) struct Step {
    pub(crate) changes: Vec<Change>,
    /// By processor: the thread that it was given.
    pub(crate) on: Vec<Option<u32>>,
    /// Processors whose thread must be asked for its next action.
    pub(crate) eager: Vec<u16>,
    /// Threads whose job a scheduler has given up, until the host does.
    pub(crate) expired: Vec<u32>,
    /// The processor on which the time of decisions is spent.
    pub(crate) payer: u16,
    /// The time of the last word to the hierarchy.
    pub(crate) last_call: Instant,
    /// The time up to which all that is due has happened. What follows from it is accounted up to then, so that the clock is read once.
    pub(crate) now: Instant,
}

/// What is to be said of the run.
#[derive(Default)]
pub struct Log {
    /// Calls of the hierarchy.
    pub decisions: u64,
    /// What was refused.
    pub refused: Vec<(Instant, String)>,
    /// Threads that no scheduler would have.
    pub not_admitted: Vec<String>,
    pub(crate) failure: Option<RunError>,
    /// Control requests in order of time.
    pub(crate) requests: Vec<(Instant, PlannedRequest)>,
    pub(crate) next_request: usize,
}

impl<M: Machine> Host<M> {
    /// A machine with a hierarchy that has its schedulers, and no threads yet. `resolution` is how exactly timers are kept.
    pub fn new(machine: M, hierarchy: Hierarchy, resolution: Timer, seed: u64) -> Host<M> {
        let processors = usize::from(hierarchy.processors());
        let mut agenda = Agenda::new(resolution);
        agenda.reserve(1);
        Host {
            machine,
            hierarchy,
            programs: ProgramRuntime::default(),
            threads: Threads {
                list: Vec::new(),
                planned: 0,
                vacant: Vec::new(),
                numbers: Vec::new(),
                homes: Vec::new(),
                seed,
            },
            agenda,
            accounts: Accounts::new(processors),
            ledger: Ledger::default(),
            promises: Promises::default(),
            step: Step {
                changes: Vec::with_capacity(processors),
                on: vec![None; processors],
                eager: Vec::new(),
                expired: Vec::new(),
                payer: 0,
                last_call: Instant::ZERO,
                now: Instant::ZERO,
            },
            log: Log::default(),
        }
    }

    /// Where processes are at home, and what their calls cost; to be called before threads are added.
    pub fn processes(&mut self, processes: PlannedProcesses) {
        let nodes = processes.nodes.len().max(1);
        self.threads.homes = processes.nodes;
        self.programs = ProgramRuntime::with(self.threads.seed, nodes, processes.costs);
    }

    /// Adds a thread that runs a program, and is created at its start; its number.
    pub fn add(&mut self, spec: PlannedThread, program: &Program) -> usize {
        self.plan(spec, Some(program))
    }

    /// Adds the entry of a program of the machine, which begins at its start, and whose threads come later; its number.
    pub fn add_entry(&mut self, spec: PlannedThread) -> usize {
        self.plan(spec, None)
    }

    fn plan(&mut self, spec: PlannedThread, program: Option<&Program>) -> usize {
        let start = spec.start;
        let role = if program.is_some() { Role::Own } else { Role::Entry };
        let (number, _) = self.make(spec, role, program.unwrap_or(&Program::nothing()));
        self.agenda.set(Due::Start(number), start);
        self.threads.planned = self.threads.list.len();
        number as usize
    }

    /// A thread is known from now on, and has no place yet; whether the machine has it already.
    pub(crate) fn make(
        &mut self,
        spec: PlannedThread,
        role: Role,
        program: &Program,
    ) -> (u32, bool) {
        let bursts = !matches!(program, Program::Jobs(_));
        let number = self.threads.list.len();
        let number = u32::try_from(number).expect("threads are numbered by 32 bits");
        let seed = self.threads.seed ^ u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.programs.add(program, seed);
        let made = self.machine.make(number, &spec);
        self.threads.list.push(Thread::new(spec, role, bursts));
        self.agenda.reserve(self.threads.list.len());
        (number, made)
    }

    /// How many threads use a barrier.
    pub fn barrier(&mut self, barrier: Resource, parties: usize) {
        self.programs.barrier(barrier, parties);
    }

    /// Counts the intervals between a thread's completions that exceed `limit`.
    pub fn watch_intervals(&mut self, thread: usize, limit: Span) {
        if let Some(thread) = self.threads.list.get_mut(thread) {
            thread.outcome.watch_intervals(limit);
        }
    }

    /// Has a control request carried out at an instant; requests of one instant in order of adding.
    pub fn at(&mut self, when: Instant, request: PlannedRequest) {
        let requests = &mut self.log.requests;
        let place = requests.partition_point(|(at, _)| *at <= when);
        requests.insert(place, (when, request));
        self.agenda.set(Due::Request, requests[0].0);
    }

    /// Whether something has ended the run before its time.
    pub const fn has_failed(&self) -> bool {
        self.log.failure.is_some()
    }

    /// How exactly timers of schedulers, and sleeps, are kept.
    pub const fn resolution(&self) -> Timer {
        self.agenda.resolution
    }

    /// Whether some planned thread, or program, is still to start.
    pub fn somebody_starts_later(&self) -> bool {
        let planned = u32::try_from(self.threads.planned).expect("numbered by 32 bits");
        (0..planned).any(|number| self.starts_later(number))
    }

    /// Whether a planned thread, or program, is still to start.
    pub fn starts_later(&self, number: u32) -> bool {
        self.agenda.at(Due::Start(number)).is_some()
    }

    pub(crate) fn number(&self, thread: ThreadId) -> Option<u32> {
        self.threads.number(thread)
    }
}

impl Threads {
    /// Those that were planned.
    pub fn planned(&self) -> impl Iterator<Item = &Thread> {
        self.list.iter().take(self.planned)
    }

    pub(crate) fn number(&self, thread: ThreadId) -> Option<u32> {
        self.numbers.get(thread.index()).copied().filter(|number| *number != u32::MAX)
    }

    /// The hierarchy knows a thread of ours.
    pub(crate) fn is_known_as(&mut self, number: u32, id: ThreadId) {
        if self.numbers.len() <= id.index() {
            self.numbers.resize(id.index() + 1, u32::MAX);
        }
        self.numbers[id.index()] = number;
        self.list[number as usize].id = Some(id);
    }

    /// It knows one no longer.
    pub(crate) fn is_forgotten(&mut self, id: ThreadId) {
        self.numbers[id.index()] = u32::MAX;
    }
}
