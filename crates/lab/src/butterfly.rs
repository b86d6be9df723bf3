//! Nodes of a Butterfly, as Chrysalis was measured on them: an epoch scheduler each, and the report's costs.
//!
//! The costs are table 1's, taken apart as the report takes them apart, and charged by its rules (2.6 to 2.8, 3.1).

use crate::bsat::{GATHERING, Monitor, Operator, Part, Role};
use crate::carried_out::whole;
use crate::experiment::{Host, LabError};
use crate::supervised::supervise_plan;
use crate::trees::scenario;
use crate::units::{millis, seconds, us};
use windfall_hierarchy::{Count, Message};
use windfall_programs::memo::{Report, reported};
use windfall_programs::{Costs, Node, NodeCosts, ProcessParams};
use windfall_scenario::Plan;
use windfall_scenario::model::{self, Scheduler};
use windfall_scenario::outcome::Outcome;
use windfall_schedulers::epoch::Epoch;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};

/// An epoch: one slice of 96 ms "per epoch" (4.3).
pub(crate) const EPOCH: Span = Span::from_millis(96);

/// The microcode that stops and starts a process: 129 us less the timer's.
pub(crate) const RESTART: Span = us(29);
/// Saving and restoring registers: 119 us less the microcode's.
const REGISTERS: Span = us(119 - 29); // SWAP less RESTART
/// The timer's interrupt.
pub(crate) const TIMER: Span = us(100);
/// From one process to another.
pub(crate) const SWAP: Span = us(119);
/// Posting an event.
pub(crate) const POST: Span = us(135 - 119);
/// The additional cost of a queue on another node: table 2's 0.612 ms less 0.5522 ms, less the post.
const REMOTE: Span = us(612 - 552 - 16);

/// The work of the programs on a message, with the queues (table 2).
pub(crate) const GENERATES: Span = us(552);
pub(crate) const SINKS: Span = us(152);
pub(crate) const DELIVERS: Span = us(478);

/// How the parameters of processes are sent to an epoch scheduler.
fn parameters(params: &ProcessParams) -> Vec<Message> {
    let mut messages = vec![Message::Priority(params.priority.into())];
    if !params.need.is_zero() {
        messages.push(Message::Reserve { amount: params.need, period: EPOCH });
    }
    if !params.slice.is_zero() {
        messages.push(Message::Quantum(params.slice));
    }
    messages
}

/// The parameters of an ordinary process.
pub(crate) fn params(need: Span, slice: Span) -> ProcessParams {
    ProcessParams::new(1).need(need).slice(slice)
}

/// Nodes with processes.
pub(crate) struct Butterfly {
    pub(crate) nodes: u16,
    /// Whether the needs may add up to more than the epoch.
    pub(crate) overcommit: bool,
    pub(crate) operator: Operator,
    pub(crate) length: Span,
}

/// Rates of a process, each second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Had {
    /// M, messages.
    pub(crate) messages: f64,
    /// The same after all had begun, between two samples of the monitor; `None` without a monitor.
    pub(crate) rate: f64,
    /// n, the number of times that it was scheduled.
    pub(crate) scheduled: f64,
    /// t, processor time in ms.
    pub(crate) ran: f64,
    /// The part of t that it had from a low queue.
    pub(crate) low: f64,
}

/// The rates of the processes, in the order of the operator's parts.
pub(crate) struct Seen {
    pub(crate) parts: Vec<Had>,
    /// The disturbances of the host.
    pub(crate) disturbed: Option<String>,
}

impl Butterfly {
    /// Its plan on a machine of `nodes` nodes, of which the first ones are its own.
    fn plan(&self, nodes: u16, monitor: Option<Monitor>) -> Result<Plan, LabError> {
        let node = |number| {
            let kind = Epoch::default().epoch(EPOCH).overcommit(self.overcommit);
            Scheduler::root(&format!("node-{number}"), kind)
        };
        let mut scenario = scenario(self.length, (0..nodes).map(node).collect(), Vec::new());
        scenario.machine = model::Machine::ideal(nodes);
        let mut plan = scenario.build()?;
        plan.processes.costs = Costs::default().post(POST).remote(REMOTE);
        plan.processes.node_costs =
            Some(NodeCosts::NONE.timer(TIMER).scheduler(RESTART).registers(REGISTERS));
        let first = ProcessParams::new(3);
        let last = Node(u8::try_from(nodes - 1).expect("a Butterfly has at most 256 nodes"));
        let monitor = monitor.map(|monitor| (last, monitor));
        let operator = Operator { monitor, ..self.operator.clone() };
        plan.begin_with(parameters, &first, operator);
        Ok(plan)
    }

    /// On the simulated machine, watched by a monitor on a node of its own: messages a second after the first.
    fn simulate(&self) -> Result<Seen, LabError> {
        let watched = self.operator.parts.iter().map(|part| part.tally.clone()).collect();
        let monitor = Monitor { every: Span::from_secs(1), watched, seen: Report::default() };
        let plan = self.plan(self.nodes + 1, Some(monitor.clone()))?;
        let sim = Sim::of(plan, None)?;
        let outcome = whole(sim.run(Instant::ZERO + self.length, |_| true))?;
        let mut parts = self.had(&outcome)?;
        let seen = reported(&monitor.seen);
        if let ([_, (from, before), ..], [.., (to, after)]) = (seen.as_slice(), seen.as_slice()) {
            let seconds = seconds(to.saturating_since(*from));
            for (part, (before, after)) in parts.iter_mut().zip(before.iter().zip(after)) {
                part.rate = per(after - before, seconds);
            }
        }
        Ok(Seen { parts, disturbed: None })
    }

    /// With supervised threads, one processor a node; the client is on another.
    fn supervise(&self) -> Result<Seen, LabError> {
        let run = supervise_plan(|| {
            self.operator.parts.iter().for_each(|part| part.tally.clear());
            self.plan(self.nodes, None)
        })?;
        Ok(Seen { parts: self.had(&run.outcome)?, disturbed: run.disturbed })
    }

    fn had(&self, outcome: &Outcome) -> Result<Vec<Had>, LabError> {
        let parts = &self.operator.parts;
        parts.iter().zip(names(parts)).map(|(part, name)| had(part, &name, outcome)).collect()
    }

    /// Runs it.
    pub(crate) fn run(&self, host: Host) -> Result<Seen, LabError> {
        if host == Host::Linux { self.supervise() } else { self.simulate() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn per(count: u64, seconds: f64) -> f64 {
    count as f64 / seconds
}

/// The host's names of the processes: by their kind, counted from 1.
fn names(parts: &[Part]) -> Vec<String> {
    let kind = |part: &Part| match part.role {
        Role::Generator { .. } => "generator",
        Role::Sink { .. } => "sink",
        Role::Drain { .. } => "drain",
        Role::Delivery { .. } => "delivery",
    };
    let name = |(at, part): (usize, &Part)| {
        let before = parts[..at].iter().filter(|other| kind(other) == kind(part)).count();
        format!("{}-{}", kind(part), before + 1)
    };
    parts.iter().enumerate().map(name).collect()
}

/// The rates of a process, from its own tally and its scheduler's counters.
fn had(part: &Part, name: &str, outcome: &Outcome) -> Result<Had, LabError> {
    let length = seconds(outcome.length);
    let thread = outcome.threads.iter().find(|thread| thread.name == name);
    let thread = thread.ok_or_else(|| LabError::Run(format!("`{name}` never was")))?;
    let counted = |figure: &str| {
        let found = thread.stats.iter().find(|(name, _)| *name == figure);
        match found.map(|(_, count)| *count) {
            Some(Count::Times(times)) => Ok(per(times, length)),
            Some(Count::Time(span)) => Ok(millis(span) / length),
            _ => Err(LabError::Run(format!("nobody counted `{figure}` of `{name}`"))),
        }
    };
    let messages = per(part.tally.read(), length);
    Ok(Had {
        messages,
        rate: per(part.tally.read(), length - seconds(GATHERING)),
        scheduled: counted("scheduled")?,
        ran: counted("ran")?,
        low: counted("windfall-taken")?,
    })
}
