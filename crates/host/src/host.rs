//! The host: a hierarchy, its threads, and the machine that carries out decisions.

use crate::account::{Accounts, Ledger};
use crate::agenda::{Agenda, Due};
use crate::controllers::Controllers;
use crate::interrupts::Interrupts;
use crate::machine::{Change, Machine};
use crate::open_tasks::OpenTasks;
use crate::promises::Promises;
use crate::thread::{Role, Thread};
use std::collections::BTreeMap;
use windfall_hierarchy::{Hierarchy, ThreadId};
use windfall_programs::{CallKind, Notice, Program, ProgramRuntime, Resource, Station};
use windfall_scenario::model::Timer;
use windfall_scenario::outcome::RunError;
use windfall_scenario::{Home, Live, PlannedProcesses, PlannedRequest, PlannedThread};
use windfall_time::{Instant, Span};

/// Drives a hierarchy on a machine.
///
/// Its parts: hierarchy, programs and machine, which it joins; threads and their tasks; agenda and arrivals; accounts of processors, schedulers and promises; the
/// state of the present instant; and the log for the outcome; and which process controls which scheduler.
// Fields: the parts of a run, which the files of this crate borrow one by one.
pub struct Host<M> {
    /// Carries out decisions.
    pub machine: M,
    /// Makes decisions.
    pub hierarchy: Hierarchy,
    pub(crate) programs: ProgramRuntime,
    /// All threads of the run.
    pub threads: Threads,
    pub(crate) tasks: OpenTasks,
    pub(crate) agenda: Agenda,
    /// Sources whose arrivals the host brings about.
    pub(crate) arrivals: Vec<Interrupts>,
    /// Accounts of processors.
    pub accounts: Accounts,
    pub(crate) ledger: Ledger,
    /// Judges promises.
    pub promises: Promises,
    pub(crate) step: Step,
    /// Facts for the outcome of the run.
    pub log: Log,
    /// The scenario as it is now, if there is one.
    pub(crate) live: Option<Live>,
    /// By kind of scheduler: the weight of a share of 1 there.
    pub(crate) shares: BTreeMap<String, u32>,
    /// The thread that asks for itself.
    pub(crate) requester: Option<u32>,
    pub(crate) controllers: Controllers,
}

/// All threads of a run, and where processes may start more.
pub struct Threads {
    /// The threads, by number.
    pub list: Vec<Thread>,
    /// Number of threads that were planned; they come first in the list.
    pub(crate) planned: usize,
    /// Numbers that can be used again.
    pub(crate) vacant: Vec<u32>,
    /// Maps the hierarchy's index of a thread to its number; `u32::MAX` if none.
    numbers: Vec<u32>,
    /// By node: where new processes are placed.
    pub(crate) homes: Vec<Home>,
    /// Seed of all random numbers.
    seed: u64,
}

/// State of the present instant.
// Fields: what an instant collects, each for another of its phases.
pub(crate) struct Step {
    pub(crate) changes: Vec<Change>,
    /// By processor: the thread that was chosen for it.
    pub(crate) on: Vec<Option<u32>>,
    /// Processors whose thread has to be stepped to its next action.
    pub(crate) eager: Vec<u16>,
    /// Threads whose job a scheduler has given up, and the host has not yet.
    pub(crate) expired: Vec<u32>,
    /// The processor that is charged for decisions.
    pub(crate) payer: u16,
    /// Time of the last call of the hierarchy.
    pub(crate) last_call: Instant,
    /// The time up to which all that is due has happened. Its consequences are accounted up to this time, so that the
    /// clock is read once.
    pub(crate) now: Instant,
    /// Notices that are to be posted to processes.
    pub(crate) notices: Vec<(u32, Notice)>,
    /// Whether notices were kept for a thread.
    pub(crate) noticed: bool,
    /// The scheduler's last answer about a job: whether it is admitted.
    pub(crate) planned: Option<bool>,
    /// Whether schedulers that admit are to be told that they hold nothing by promise.
    pub(crate) unsupplied: bool,
}

/// Facts for the outcome of a run.
pub struct Log {
    /// Number of calls of the hierarchy.
    pub decisions: u64,
    /// Requests and calls that were refused, with time and reason.
    pub refused: Vec<(Instant, String)>,
    /// Threads that no scheduler admitted, and those that did not start.
    pub not_admitted: Vec<String>,
    /// Of these, the ones that did not start.
    pub not_started: Vec<String>,
    pub(crate) failure: Option<RunError>,
    /// Control requests in order of time.
    pub(crate) requests: Vec<(Instant, PlannedRequest)>,
    pub(crate) next_request: usize,
    /// Whether nothing was refused so far that the file asked for.
    pub(crate) is_as_planned: bool,
}

impl<M: Machine> Host<M> {
    /// Makes a host of a machine and of a hierarchy that has its schedulers and no threads yet. `resolution` is that of timers.
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
            tasks: OpenTasks::default(),
            agenda,
            arrivals: Vec::new(),
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
                notices: Vec::new(),
                noticed: false,
                planned: None,
                unsupplied: false,
            },
            log: Log {
                decisions: 0,
                refused: Vec::new(),
                not_admitted: Vec::new(),
                not_started: Vec::new(),
                failure: None,
                requests: Vec::new(),
                next_request: 0,
                is_as_planned: true,
            },
            live: None,
            shares: BTreeMap::new(),
            requester: None,
            controllers: Controllers::default(),
        }
    }

    /// Like [`new`](Self::new), and says where processes are placed, what their calls cost, and which stations of the machine a kind
    /// of call visits.
    pub fn with_processes(
        machine: M,
        hierarchy: Hierarchy,
        (resolution, seed): (Timer, u64),
        processes: PlannedProcesses,
        visits: impl IntoIterator<Item = (CallKind, Station)>,
    ) -> Host<M> {
        let mut host = Host::new(machine, hierarchy, resolution, seed);
        let nodes = processes.nodes.len().max(1);
        host.threads.homes = processes.nodes;
        host.programs = ProgramRuntime::with(seed, nodes, processes.costs);
        for (call, station) in visits {
            host.programs.visits(call, station);
        }
        host
    }

    /// Sets what requests of threads for themselves are planned by: the scenario, and what a weight of 1 is at schedulers, by kind.
    pub fn planned_by(&mut self, live: Live, shares: BTreeMap<String, u32>) {
        (self.live, self.shares) = (Some(live), shares);
    }

    /// Adds a thread that runs a program and is created at its start. Returns its number.
    pub fn add(&mut self, spec: PlannedThread, program: &Program) -> usize {
        self.plan(spec, Some(program))
    }

    /// Adds the entry of an external program, which begins at its start and whose threads come later. Returns its number.
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

    /// Adds a thread without a place in the hierarchy. Returns its number, and whether the machine has it ready to begin.
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

    /// Sets the number of threads that use a barrier.
    pub fn barrier(&mut self, barrier: Resource, parties: usize) {
        self.programs.barrier(barrier, parties);
    }

    /// Counts the intervals between a thread's completions that exceed `limit`.
    pub fn watch_intervals(&mut self, thread: usize, limit: Span) {
        if let Some(thread) = self.threads.list.get_mut(thread) {
            thread.outcome.watch_intervals(limit);
        }
    }

    /// Schedules a control request; requests of one instant are carried out in the order of adding.
    pub fn at(&mut self, when: Instant, request: PlannedRequest) {
        let requests = &mut self.log.requests;
        let place = requests.partition_point(|(at, _)| *at <= when);
        requests.insert(place, (when, request));
        self.agenda.set(Due::Request, requests[0].0);
    }

    /// Whether an error has ended the run early.
    pub const fn has_failed(&self) -> bool {
        self.log.failure.is_some()
    }

    /// Resolution of the schedulers' timers and of sleeps.
    pub const fn resolution(&self) -> Timer {
        self.agenda.resolution
    }

    /// Whether any planned thread or program is still to start.
    pub fn somebody_starts_later(&self) -> bool {
        let planned = u32::try_from(self.threads.planned).expect("numbered by 32 bits");
        (0..planned).any(|number| self.starts_later(number))
    }

    /// Whether this planned thread or program is still to start.
    pub fn starts_later(&self, number: u32) -> bool {
        self.agenda.at(Due::Start(number)).is_some()
    }

    pub(crate) fn number(&self, thread: ThreadId) -> Option<u32> {
        self.threads.number(thread)
    }
}

impl Threads {
    /// The planned threads.
    pub fn planned(&self) -> impl Iterator<Item = &Thread> {
        self.list.iter().take(self.planned)
    }

    pub(crate) fn number(&self, thread: ThreadId) -> Option<u32> {
        self.numbers.get(thread.index()).copied().filter(|number| *number != u32::MAX)
    }

    /// Notes the hierarchy's id of a thread.
    pub(crate) fn is_known_as(&mut self, number: u32, id: ThreadId) {
        if self.numbers.len() <= id.index() {
            self.numbers.resize(id.index() + 1, u32::MAX);
        }
        self.numbers[id.index()] = number;
        self.list[number as usize].id = Some(id);
    }

    /// Removes the hierarchy's id of a thread that has left it.
    pub(crate) fn is_forgotten(&mut self, id: ThreadId) {
        self.numbers[id.index()] = u32::MAX;
    }
}
