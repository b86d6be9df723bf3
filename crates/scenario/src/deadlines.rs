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

use crate::model::{Activation, Jobs, Run, Scenario, Thread};
use crate::promises::Promises;
use std::collections::BTreeMap;
use windfall_analysis::local::Policy;
use windfall_analysis::{Supply, Task};
use windfall_guarantees::Guarantee;
use windfall_time::Span;

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
        let tasks: BTreeMap<&str, Task> = scenario
            .threads
            .iter()
            .filter_map(|thread| Some((&*thread.name, task(thread)?)))
            .collect();
        let mut known: BTreeMap<usize, Deadline> = BTreeMap::new();
        let owner = |vp: usize| {
            let name = &self.tree.vps[vp].name;
            let group = || name.rsplit_once('-').and_then(|(group, _)| tasks.get(group));
            tasks.get(name.as_str()).or_else(group).copied()
        };
        for node in 0..self.tree.nodes.len() {
            let children = &self.tree.nodes[node].children;
            let threads: Vec<(usize, Option<Task>)> = children
                .iter()
                .map(|vp| (*vp, owner(*vp).filter(|_| self.tree.vps[*vp].child.is_none())))
                .collect();
            let bounds = self.bounds(node, &threads);
            for ((vp, task), bound) in threads.into_iter().zip(bounds) {
                if let Some(Task { deadline, .. }) = task {
                    known.insert(vp, Deadline { vp, deadline, bound });
                }
            }
        }
        known.into_values().collect()
    }

    /// Bounds for the children of a scheduler, in their order.
    fn bounds(&self, node: usize, threads: &[(usize, Option<Task>)]) -> Vec<Result<Span, String>> {
        let own = &self.tree.nodes[node].own;
        let policy = match self.tree.nodes[node].kind {
            "edf" | "llf" => Some(Policy::EarliestDeadline),
            "rate-monotonic" | "fixed-priority" => Some(Policy::AsListed),
            _ => None,
        };
        let Some(policy) = policy else {
            return threads.iter().map(|(vp, task)| self.alone(*vp, *task)).collect();
        };
        if own.len() != 1 {
            let why = || Err("its scheduler has several processors".to_owned());
            return threads.iter().map(|_| why()).collect();
        }
        let supplies = self.findings.counted_on(own[0]);
        let one = |at: usize| {
            let (_, task) = threads[at];
            let task = task.ok_or_else(String::new)?;
            let rivals = self.rivals(node, threads, at, policy)?;
            best(&supplies, |supply| within(policy, &rivals, &task, supply))
                .ok_or_else(|| "they may work more than their scheduler is sure of".to_owned())
        };
        (0..threads.len()).map(one).collect()
    }

    /// A thread with a guarantee to itself.
    fn alone(&self, vp: usize, task: Option<Task>) -> Result<Span, String> {
        let task = task.ok_or_else(String::new)?;
        best(&self.findings.counted_on(vp), |supply| within(Policy::AsListed, &[], &task, supply))
            .ok_or_else(|| "it may work more than it is sure of".to_owned())
    }

    /// The tasks that may delay a thread, if all that may are tasks.
    fn rivals(
        &self,
        node: usize,
        threads: &[(usize, Option<Task>)],
        at: usize,
        policy: Policy,
    ) -> Result<Vec<Task>, String> {
        let (vp, Some(task)) = threads[at] else { return Err(String::new()) };
        let by_priority = self.tree.nodes[node].kind == "fixed-priority";
        let terms = |vp: usize| &self.tree.vps[vp].terms;
        let mut rivals = Vec::new();
        for (other, rival) in threads.iter().filter(|(other, _)| *other != vp) {
            let delays = match (by_priority, rival) {
                (true, _) => terms(*other).priority >= terms(vp).priority,
                // Rate or deadline monotonic: whichever the instance goes by, one that is longer in
                // both comes after.
                (false, Some(rival)) if policy == Policy::AsListed => {
                    rival.period <= task.period || rival.deadline <= task.deadline
                }
                (false, _) => true,
            };
            match rival {
                _ if !delays => {}
                Some(rival) => rivals.push(*rival),
                None => {
                    let name = &self.tree.vps[*other].name;
                    return Err(format!("`{name}` beside it has no rate"));
                }
            }
        }
        Ok(rivals)
    }
}

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

/// A thread's jobs as a task.
fn task(thread: &Thread) -> Option<Task> {
    let Run::Jobs(Jobs { activation, work, deadline, .. }) = &thread.run else { return None };
    let period = match activation {
        Activation::Periodic { period, .. } => *period,
        Activation::Sporadic { least, .. } => *least,
        Activation::After(_) => return None,
    };
    let work = work.most();
    (!work.is_zero()).then(|| Task {
        work,
        period,
        deadline: deadline.unwrap_or(period),
        jitter: Span::ZERO,
    })
}
