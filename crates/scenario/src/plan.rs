//! The plan that a host carries out: a scenario with numbers for names, and a hierarchy that has admitted its schedulers.
//!
//! Threads are numbered in the order of the file, those of a `count` next to each other. Programs
//! name threads, locks, conditions and barriers by number.

mod own;
mod place;
mod request;

pub use place::Place;
pub use request::PlannedRequest;

use crate::live::Live;
use crate::model::{External, ExternalProgram, Machine, Pattern};
use crate::outcome::{Promise, Refused};
use std::collections::BTreeMap;
use windfall_hierarchy::{Hierarchy, Message, NodeId};
use windfall_programs::{
    Code, Costs, Device, LockProtocol, Node, NodeCosts, ProcessParams, Program, Rank, Resource,
};
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// A scenario made ready for a host to carry out.
// Fields: one for each part of a plan; a host separates them when a run begins.
#[non_exhaustive]
pub struct Plan {
    /// The machine.
    pub machine: Machine,
    /// The seed of all random numbers.
    pub seed: u64,
    /// How long it lasts.
    pub length: Span,
    /// The hierarchy with every scheduler and no thread.
    pub hierarchy: Hierarchy,
    /// The schedulers in the order of the file.
    pub nodes: Vec<(String, NodeId)>,
    /// The nodes of event-driven processes, and the costs of their calls.
    pub processes: PlannedProcesses,
    /// The threads, to be created at their start.
    pub threads: Vec<PlannedThread>,
    /// Sources of interrupts, one for each source and processor.
    pub interrupts: Vec<PlannedInterrupts>,
    /// The scenario, for guarantees that threads request for themselves.
    pub live: Live,
    /// By kind of scheduler: the weight that a share of 1 is there, for requests of threads for themselves; 1 for others.
    pub shares: BTreeMap<String, u32>,
    /// Control requests in order of time.
    pub requests: Vec<(Instant, PlannedRequest)>,
    /// Each barrier, and how many threads use it.
    pub barriers: Vec<(Resource, usize)>,
    /// Each lock with a protocol.
    pub locks: Vec<PlannedLock>,
    /// Threads (by number) whose intervals between completions above a limit are counted.
    pub watched: Vec<(usize, Span)>,
    /// The promises that the checker has granted; a simulation judges them.
    pub promises: Vec<Promise>,
    /// Guarantees that the scenario requests and the checker refuses.
    pub refused: Vec<Refused>,
}

/// A lock with a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PlannedLock {
    /// Its number.
    pub lock: Resource,
    /// The protocol, which determines the rank of a thread that holds it.
    pub protocol: LockProtocol,
    /// The threads (by number) that use it, with their ranks.
    pub users: Vec<(usize, Rank)>,
}

/// The nodes of event-driven processes, and the costs of their calls.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct PlannedProcesses {
    /// The nodes of the machine in order; none: one, whose scheduler is the default.
    pub nodes: Vec<Home>,
    /// The costs of calls on a simulated machine.
    pub costs: Costs,
    /// The costs of a simulated machine's processors by the rules of Chrysalis; none: the machine's own costs.
    pub node_costs: Option<NodeCosts>,
}

/// A node of the machine, as far as processes are concerned.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Home {
    /// The scheduler that processes of the node begin below.
    pub scheduler: NodeId,
    /// How the parameters of a process are sent to that scheduler.
    pub parameters: fn(&ProcessParams) -> Vec<Message>,
}

impl Plan {
    /// Makes each scheduler of the file a node, in order, with one process on the first of them at the beginning.
    pub fn begin_with<C: Code>(
        &mut self,
        requires: fn(&ProcessParams) -> Vec<Message>,
        params: &ProcessParams,
        code: C,
    ) {
        let home = |(_, scheduler): &(String, NodeId)| Home {
            scheduler: *scheduler,
            parameters: requires,
        };
        self.processes.nodes = self.nodes.iter().map(home).collect();
        let first = self.processes.nodes.first();
        self.threads.extend(first.map(|home| PlannedThread::process(Node(0), home, params, code)));
    }
}

impl Home {
    /// A node whose processes begin below this scheduler, which receives their parameters in this way.
    #[must_use]
    pub const fn new(scheduler: NodeId, parameters: fn(&ProcessParams) -> Vec<Message>) -> Home {
        Home { scheduler, parameters }
    }

    /// The home of a node among those of a plan; the default scheduler's if the plan has none.
    #[must_use]
    pub fn of(node: Node, homes: &[Home], default: Option<NodeId>) -> Option<Home> {
        let alone = default.map(|scheduler| Home { scheduler, parameters: |_| Vec::new() });
        homes.get(usize::from(node.0)).copied().or(alone)
    }
}

/// A thread to create.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PlannedThread {
    /// Its name.
    pub name: String,
    /// The scheduler above it.
    pub parent: NodeId,
    /// Its parameters there.
    pub messages: Vec<Message>,
    /// The promise to it, for reports.
    pub promised: Option<String>,
    /// The program that it runs.
    pub program: PlannedProgram,
    /// When it is created.
    pub start: Instant,
    /// How much of the cache it uses.
    pub working_set_kib: u64,
}

/// The program of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlannedProgram {
    /// A declared program, which every host can run.
    Declared(Program),
    /// A program of a real machine, which only a host there can run. The thread then stands for as many
    /// threads as the program creates and [`Plan::claims`] assigns to it, each with all its properties.
    External {
        /// The program, and which of its threads; `Of` names another planned thread.
        external: External,
        /// The stored profile of its behaviour.
        profile: Option<String>,
        /// The model that replaces it on hosts where it cannot run.
        stand_in: Option<Program>,
    },
}

impl PlannedProgram {
    /// The declared part of the program, which a simulation runs.
    #[must_use]
    pub const fn declared(&self) -> Option<&Program> {
        match self {
            PlannedProgram::Declared(program) => Some(program),
            PlannedProgram::External { stand_in, .. } => stand_in.as_ref(),
        }
    }
}

impl From<Program> for PlannedProgram {
    fn from(program: Program) -> PlannedProgram {
        PlannedProgram::Declared(program)
    }
}

impl PlannedThread {
    /// A thread below a scheduler, from the beginning on, without parameters.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        parent: NodeId,
        program: impl Into<PlannedProgram>,
    ) -> PlannedThread {
        PlannedThread {
            name: name.into(),
            parent,
            messages: Vec::new(),
            promised: None,
            program: program.into(),
            start: Instant::ZERO,
            working_set_kib: 0,
        }
    }

    /// The first process of a run, or one of a few, on a node whose home is this.
    #[must_use]
    pub fn process<C: Code>(
        node: Node,
        home: &Home,
        params: &ProcessParams,
        code: C,
    ) -> PlannedThread {
        let program = Program::process(node, code);
        let mut thread = PlannedThread::new(C::NAME, home.scheduler, program);
        thread.messages = (home.parameters)(params);
        thread
    }
}

impl Plan {
    /// The threads that may claim, in this order, a thread of an external program that thread number
    /// `program` names; the first one whose pattern accepts it gets it. Empty when it names none.
    #[must_use]
    pub fn claims(&self, program: usize) -> Vec<usize> {
        let of = |at: usize| match &self.threads.get(at)?.program {
            PlannedProgram::External { external, .. } => Some(&external.program),
            PlannedProgram::Declared(_) => None,
        };
        if of(program).is_none_or(|program| matches!(program, ExternalProgram::Of(_))) {
            return Vec::new();
        }
        let name = &self.threads[program].name;
        let first = (0..self.threads.len())
            .filter(|at| matches!(of(*at), Some(ExternalProgram::Of(other)) if other == name));
        first.chain([program]).collect()
    }
}

/// A source of interrupts on one processor.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PlannedInterrupts {
    /// The processor that it strikes.
    pub processor: u16,
    /// How its time is booked.
    pub kind: OverheadKind,
    /// Its number in the trace.
    pub number: u16,
    /// When, and for how long.
    pub pattern: PlannedPattern,
    /// The device of the arrivals, and the datum of its posts instead of the number of the arrival.
    pub device: Option<(Device, Option<u64>)>,
}

impl PlannedInterrupts {
    /// A source that interrupts this processor, with its number in the trace.
    #[must_use]
    pub const fn new(
        processor: u16,
        kind: OverheadKind,
        number: u16,
        pattern: PlannedPattern,
    ) -> PlannedInterrupts {
        PlannedInterrupts { processor, kind, number, pattern, device: None }
    }

    /// The same, of a device, whose posts carry this datum, or the number of the arrival.
    #[must_use]
    pub const fn device(mut self, device: Device, datum: Option<u64>) -> PlannedInterrupts {
        self.device = Some((device, datum));
        self
    }
}

/// When interrupts come and how long each takes. Recorded ones come at these instants, with these lengths.
pub type PlannedPattern = Pattern<Vec<(Instant, Span)>>;
