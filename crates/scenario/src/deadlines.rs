//! Whether threads that work periodically meet their deadlines, whatever their neighbours do (HLS 6.1).
//!
//! Below a scheduler that serves by priority or deadline, the threads next to each other share what it
//! has: response times follow from its guarantee's least supply and the threads' rates (crate
//! `analysis`). A thread that has a guarantee of its own is alone with it. Times count from a job's
//! release.
//!
//! Assumes  A1 no job works longer than its thread says; A2 costs and stolen time are in the work; A3
//!          jobs do not wait for each other.
//! Absent on purpose: several processors; what a reservation gives beyond its guarantee to a thread
//! whose jobs begin with its periods.

use crate::model::{Activation, Jobs, Run, Scenario, Thread, Timer};
use crate::promises::Promises;
use std::collections::BTreeMap;
use windfall_analysis::local::Policy;
use windfall_analysis::{Supply, Task};
use windfall_guarantees::{Guarantee, Length};
use windfall_time::{Ratio, Span};

/// What is known about the deadlines of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadline {
    /// The thread's virtual processor, by index.
    pub vp: usize,
    /// Its relative deadline.
    pub deadline: Span,
    /// The longest response time, or why there is no bound.
    pub bound: Result<Span, String>,
}

impl Deadline {
    /// Whether every job is done in time.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.bound.as_ref().is_ok_and(|bound| *bound <= self.deadline)
    }
}

impl Promises {
    /// The deadlines of all threads that have some, in the order of the virtual processors.
    #[must_use]
    pub fn deadlines(&self, scenario: &Scenario) -> Vec<Deadline> {
        let slowest = scenario.machine.speeds.iter().copied().min().unwrap_or(Ratio::ONE);
        let tasks: BTreeMap<String, Worker> = scenario
            .threads
            .iter()
            .filter_map(|thread| Some((thread, worker(thread, slowest)?)))
            .flat_map(|(thread, worker)| thread.names().map(move |name| (name, worker)))
            .collect();
        let mut known: BTreeMap<usize, Deadline> = BTreeMap::new();
        let owner = |vp: usize| tasks.get(&self.tree.vps[vp].name).copied();
        for node in 0..self.tree.nodes.len() {
            let children = &self.tree.nodes[node].children;
            let threads: Vec<Beside> = children
                .iter()
                .map(|vp| (*vp, owner(*vp).filter(|_| self.tree.vps[*vp].child.is_none())))
                .collect();
            for (at, (vp, worker)) in threads.iter().enumerate() {
                let Some(Worker { task, due: Some(deadline) }) = *worker else { continue };
                let bound = match scenario.machine.timer {
                    Timer::Precise => self.bound(node, &threads, at, &task),
                    Timer::Ticks(_) => Err("the machine's timer ticks".to_owned()),
                };
                known.insert(*vp, Deadline { vp: *vp, deadline, bound });
            }
        }
        known.into_values().collect()
    }

    /// A bound for one child of a scheduler.
    fn bound(&self, node: usize, all: &[Beside], at: usize, task: &Task) -> Result<Span, String> {
        let own = &self.tree.nodes[node].own;
        let policy = match self.tree.nodes[node].kind {
            "edf" => Policy::EarliestDeadline,
            "rate-monotonic" | "fixed-priority" => Policy::AsListed,
            _ => {
                let has = self.findings.counted_on(all[at].0);
                return best(&has, |supply| within(Policy::AsListed, &[], task, supply))
                    .ok_or_else(|| "it may work more than it is sure of".to_owned());
            }
        };
        if own.len() != 1 {
            return Err("its scheduler has several processors".to_owned());
        }
        let rivals = self.rivals(node, all, at)?;
        best(&self.findings.counted_on(own[0]), |supply| within(policy, &rivals, task, supply))
            .ok_or_else(|| "they may work more than their scheduler is sure of".to_owned())
    }

    /// The tasks that may delay a thread, if all that may are tasks.
    fn rivals(&self, node: usize, all: &[Beside], at: usize) -> Result<Vec<Task>, String> {
        let (vp, _) = all[at];
        let kind = self.tree.nodes[node].kind;
        let terms = |vp: usize| &self.tree.vps[vp].terms;
        let mut rivals = Vec::new();
        for (other, rival) in all.iter().filter(|(other, _)| *other != vp) {
            let delays = match (kind, terms(*other).rate, terms(vp).rate) {
                ("fixed-priority", ..) => terms(*other).priority >= terms(vp).priority,
                // Whichever the instance goes by, one that is longer in both comes after.
                ("rate-monotonic", Some((_, period, deadline)), Some((_, ours, due))) => {
                    period <= ours || deadline <= due
                }
                // Who is never due has what is left.
                _ => rival.is_none_or(|rival| rival.due.is_some()),
            };
            match rival {
                _ if !delays => {}
                Some(rival) => rivals.push(rival.task),
                None => {
                    let name = &self.tree.vps[*other].name;
                    return Err(format!("`{name}` beside it has no rate"));
                }
            }
        }
        Ok(rivals)
    }
}

/// A thread that works periodically, as fast as the slowest processor lets it.
#[derive(Clone, Copy)]
struct Worker {
    task: Task,
    /// Its deadline, if it has one.
    due: Option<Span>,
}

/// A child of a scheduler, and its work if it is a thread that works periodically.
type Beside = (usize, Option<Worker>);

/// The least bound that any of the guarantees gives.
fn best(supplies: &[Guarantee], bound: impl Fn(&Guarantee) -> Option<Span>) -> Option<Span> {
    supplies.iter().filter_map(bound).min()
}

/// The longest response time of `task` beside its rivals.
fn within(policy: Policy, rivals: &[Task], task: &Task, guarantee: &Guarantee) -> Option<Span> {
    let mut tasks = rivals.to_vec();
    tasks.push(*task);
    let supply = Supply::from(guarantee);
    match (guarantee, policy) {
        // It counts at its owner's own deadlines only.
        (Guarantee::Slower(_), Policy::EarliestDeadline) => {
            policy.schedulable(&tasks, &supply).then_some(task.deadline)
        }
        (Guarantee::Slower(_), _) => None,
        _ => *policy.response_times(&tasks, &supply).last()?,
    }
}

/// A thread's jobs, their work in time on a processor of that speed.
fn worker(thread: &Thread, speed: Ratio) -> Option<Worker> {
    let Run::Jobs(Jobs { activation, work, deadline, .. }) = &thread.run else { return None };
    let period = match activation {
        Activation::Periodic { period, .. } => *period,
        Activation::Sporadic { least, .. } => *least,
        Activation::After(_) => return None,
    };
    let work = Length::from(work.most()).checked_div(speed)?.ceil()?;
    let task = Task { work, period, deadline: deadline.unwrap_or(period), jitter: Span::ZERO };
    (!work.is_zero()).then_some(Worker { task, due: *deadline })
}
