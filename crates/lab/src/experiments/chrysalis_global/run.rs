//! A run of four nodes with a monitor, and its results.

use super::{Case, Sort};
use crate::carried_out::whole;
use crate::experiment::LabError;
use crate::trees::scenario;
use crate::units::{millis, seconds};
use std::collections::BTreeMap;
use windfall_hierarchy::Message;
use windfall_programs::balance::NodeReading;
use windfall_programs::memo::{Report, reported};
use windfall_programs::monitor::{Look, Monitor};
use windfall_programs::{Node, Program, ThreadChange};
use windfall_scenario::PlannedThread;
use windfall_scenario::model::{Machine, Requirements, Run, Scheduler, Thread};
use windfall_schedulers::kinds;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::{Event, Sink};

pub(super) const NODES: u16 = 4;
const EPOCH: Span = Span::from_millis(100);
/// Points of a series are this many readings apart.
const APART: usize = 5;

/// A node in the second half of a run: its load, and times by epoch in ms.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OfNode {
    pub(super) load: f64,
    pub(super) declared: Span,
    pub(super) committed: f64,
    pub(super) windfall: f64,
    pub(super) uncommitted: f64,
}

/// All nodes at a moment, in seconds; times by epoch in ms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) at: f64,
    pub(super) windfall: f64,
    pub(super) declared: f64,
    pub(super) loads: [f64; NODES as usize],
}

/// The results of a run.
// Fields: the columns of the experiment's tables.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// In seconds.
    pub(super) length: f64,
    pub(super) nodes: Vec<OfNode>,
    pub(super) series: Vec<Point>,
    /// The load of the largest process.
    pub(super) largest: f64,
    /// Of the jobs of the second half, in per cent; `None` if there are none.
    pub(super) in_time: Option<f64>,
    /// The share of all processors in the whole run, in per cent.
    pub(super) received: f64,
    /// Requests that were carried out: moves, needs and slices.
    pub(super) requests: [u64; 3],
    pub(super) refused: u64,
    /// When the last request was made, in seconds.
    pub(super) last_request: Option<f64>,
}

impl Seen {
    pub(super) fn windfall(&self) -> f64 {
        self.nodes.iter().map(|node| node.windfall).sum()
    }

    pub(super) fn declared(&self) -> f64 {
        self.nodes.iter().map(|node| millis(node.declared)).sum()
    }

    /// The least and the greatest.
    pub(super) fn loads(&self) -> (f64, f64) {
        let loads = self.nodes.iter().map(|node| node.load);
        (loads.clone().fold(f64::INFINITY, f64::min), loads.fold(0.0, f64::max))
    }
}

/// Counts the jobs that are released in the second half of a run and due before its end.
struct Jobs {
    from: Instant,
    end: Instant,
    released: u64,
    in_time: u64,
}

impl Sink for Jobs {
    fn record(&mut self, at: Instant, event: &Event) {
        match event {
            Event::Release { deadline: Some(deadline), .. } => {
                self.released += u64::from(at >= self.from && *deadline < self.end);
            }
            Event::Complete { response, missed: false, .. } => {
                let released = at
                    .checked_sub(*response)
                    .is_some_and(|released| released >= self.from && released + EPOCH < self.end);
                self.in_time += u64::from(released);
            }
            _ => {}
        }
    }
}

fn thread(sort: &Sort) -> Thread {
    let requires = match sort.need {
        0 => Requirements::default(),
        need => Requirements::reserve(Span::from_millis(need), EPOCH),
    };
    let run = sort.work.map_or(Run::spin(), |work| Run::periodic(Span::from_millis(work), EPOCH));
    Thread::new(sort.name, &format!("node-{}", sort.node), requires, run).count(sort.count)
}

/// The load of a process, in processors.
fn load(case: &Case, process: &str) -> f64 {
    let sort = case
        .sorts
        .iter()
        .find(|sort| process.strip_prefix(sort.name).is_some_and(|rest| rest.starts_with('-')));
    let Some(sort) = sort else { return 0.0 }; // the monitor
    sort.work.map_or(1.0, |work| f64::from(work) / millis(EPOCH))
}

/// Runs a case with a monitor, which makes requests if it `acts`.
pub(super) fn see(case: &Case, acts: bool, length: Span) -> Result<Seen, LabError> {
    let node = |number| Scheduler::root(&format!("node-{number}"), kinds::EPOCH);
    let schedulers = (0..NODES).map(node).collect();
    let mut scenario = scenario(length, schedulers, case.sorts.iter().map(thread).collect());
    scenario.machine = Machine::ideal(NODES);
    let mut plan = scenario.build()?;
    let looks: Report<Look> = Report::default();
    let mut monitor = Monitor::new("node", EPOCH, Span::from_nanos(100_000));
    (monitor.acts, monitor.looks) = (acts, Some(looks.clone()));
    let last = plan.nodes.last().map(|(_, id)| *id);
    let last = last.ok_or_else(|| LabError::Scenario("no nodes".to_owned()))?;
    let program = Program::process(Node(0), monitor).controlling("node");
    let mut watching = PlannedThread::new("monitor", last, program);
    watching.messages = vec![Message::Priority(3)];
    plan.threads.push(watching);
    let end = Instant::ZERO + length;
    let from = Instant::ZERO + Span::from_nanos(length.as_nanos() / 2);
    let mut jobs = Jobs { from, end, released: 0, in_time: 0 };
    let sim = Sim::of(plan, Some(&mut jobs))?;
    let outcome = whole(sim.run(end, |_| true))?;
    let received = outcome.cpus.iter().fold(Span::ZERO, |sum, cpu| sum + cpu.received);
    let all = length.saturating_mul(NODES.into());
    let found = read(case, &reported(&looks), length)?;
    Ok(Seen {
        received: received.over(all).map_or(0.0, |share| share.to_f64() * 100.0),
        in_time: percent(jobs.in_time, jobs.released),
        ..found
    })
}

#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn percent(count: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| count as f64 / of as f64 * 100.0)
}

/// The results in the monitor's readings.
fn read(case: &Case, looks: &[Look], length: Span) -> Result<Seen, LabError> {
    let middle = Instant::ZERO + Span::from_nanos(length.as_nanos() / 2);
    let half = looks.iter().find(|look| look.at >= middle).zip(looks.last());
    let (half, last) = half.ok_or_else(|| LabError::Run("the monitor has not read".to_owned()))?;
    let nodes = half.nodes.iter().zip(&last.nodes).map(|(was, is)| of_node(case, was, is));
    let (mut requests, mut refused, mut last_request) = ([0; 3], 0, None);
    for look in looks {
        for (request, why) in &look.requests {
            last_request = Some(seconds(look.at.saturating_since(Instant::ZERO)));
            let kind = match &request.change {
                ThreadChange::Move(_) => 0,
                ThreadChange::Need { .. } => 1,
                _ => 2,
            };
            requests[kind] += u64::from(why.is_none());
            refused += u64::from(why.is_some());
        }
    }
    let pairs = looks.iter().zip(looks.iter().skip(APART)).step_by(APART);
    let largest = case.sorts.iter().map(|sort| load(case, &format!("{}-1", sort.name)));
    Ok(Seen {
        length: seconds(length),
        nodes: nodes.collect(),
        series: pairs.map(|(was, is)| point(case, was, is)).collect(),
        largest: largest.fold(0.0, f64::max),
        in_time: None,
        received: 0.0,
        requests,
        refused,
        last_request,
    })
}

/// The loads of processes, by name, summed.
fn load_of(case: &Case, node: &NodeReading) -> f64 {
    node.processes.iter().fold(0.0, |sum, process| sum + load(case, &process.name))
}

fn of_node(case: &Case, was: &NodeReading, is: &NodeReading) -> OfNode {
    let epochs = is.epochs.saturating_sub(was.epochs).max(1);
    let each = |was: Span, is: Span| per(is.saturating_sub(was), epochs);
    OfNode {
        load: load_of(case, is),
        declared: is.declared,
        committed: each(was.committed, is.committed),
        windfall: each(was.windfall, is.windfall),
        uncommitted: each(was.uncommitted, is.uncommitted),
    }
}

#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn per(span: Span, epochs: u64) -> f64 {
    millis(span) / epochs as f64
}

fn point(case: &Case, was: &Look, is: &Look) -> Point {
    let before: BTreeMap<&str, &NodeReading> =
        was.nodes.iter().map(|node| (&*node.name, node)).collect();
    let mut point = Point {
        at: seconds(is.at.saturating_since(Instant::ZERO)),
        windfall: 0.0,
        declared: 0.0,
        loads: [0.0; NODES as usize],
    };
    for (at, node) in is.nodes.iter().enumerate().take(NODES.into()) {
        let of =
            before.get(&*node.name).map_or_else(OfNode::default, |was| of_node(case, was, node));
        point.windfall += of.windfall;
        point.declared += millis(of.declared);
        point.loads[at] = load_of(case, node);
    }
    point
}
