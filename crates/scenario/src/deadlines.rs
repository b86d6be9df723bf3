//! Whether threads that work periodically meet their deadlines, whatever their siblings do (HLS 6.1).
//!
//! Below a scheduler that serves by priority or deadline, sibling threads share what it
//! has: response times follow from its guarantee's least supply and the threads' rates (crate
//! `analysis`). A thread that has a guarantee of its own is alone with it. Times count from a job's
//! release.
//!
//! Assumes  A1 no job works longer than its thread says; A2 costs and stolen time are in the work; A3
//!          jobs wait for each other at locks only, which delay those before them by their critical sections
//!          (`deadlines/blocking.rs`), where the lock has a protocol.
//! On several whole processors earliest deadline first is global: the tests of `deadlines/on_several.rs` decide, each of which
//! is sufficient; where none accepts a set, lateness may still be bounded.
//! Absent on purpose: fixed priorities on several processors.

mod blocking;
mod error;
mod on_several;

pub use error::BoundError;

use crate::build::{parent_of, ranks_by};
use crate::model::{Activation, Jobs, Run, Scenario, Scheduler, Setting, Thread, Timer};
use crate::promises::Promises;
use crate::sections::timed;
use blocking::Blocking;
use std::collections::BTreeMap;
use windfall_analysis::local::Policy;
use windfall_analysis::{Supply, Task, UnboundedError, local_fixed_priority};
use windfall_guarantees::{Guarantee, Length};
use windfall_schedulers::catalogue::RanksBy;
use windfall_schedulers::{DEADLINES_AHEAD, REPORT_DEADLINES};
use windfall_time::{Ratio, Span};

/// Result of the response-time analysis of a thread that has deadlines.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Deadline {
    /// The thread's virtual processor, by index.
    pub vp: usize,
    /// Its relative deadline.
    pub deadline: Span,
    /// The longest response time, or why there is no bound.
    pub bound: Result<Span, BoundError>,
    /// A shorter bound, for a thread without locks that has a reservation of its period and for all its work, if each of its periods
    /// begins with one of the reservation. The checker does not know whether they do.
    pub in_step: Option<Span>,
}

impl Deadline {
    /// Whether every job is done in time.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.bound.as_ref().is_ok_and(|bound| *bound <= self.deadline)
    }

    /// Whether a bound is past the deadline. Without a bound, or if every job is in time [in step](Self::in_step), nothing is
    /// known.
    #[must_use]
    pub fn is_late(&self) -> bool {
        let past = |bound: &Span| *bound > self.deadline;
        self.bound.as_ref().is_ok_and(past) && self.in_step.as_ref().is_none_or(past)
    }

    /// Whether it is neither shown to be [met](Self::is_met) nor to be [late](Self::is_late).
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.is_met() && !self.is_late()
    }
}

impl Promises {
    /// The deadlines of all threads that have any, in the order of the virtual processors.
    #[must_use]
    pub fn deadlines(&self, scenario: &Scenario) -> Vec<Deadline> {
        let slowest = scenario.machine.speeds.iter().copied().min().unwrap_or(Ratio::ONE);
        let tasks: BTreeMap<String, Worker> = scenario
            .threads
            .iter()
            .filter_map(|thread| {
                let timed = || timed_worker(scenario, thread, slowest);
                Some((thread, worker(thread, slowest).or_else(timed)?))
            })
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
            let blocking = Blocking::of(self, scenario, (node, &threads), slowest);
            let blocking = blocking.as_ref().map(Option::as_ref).map_err(Clone::clone);
            let together = match &blocking {
                Ok(blocking) => self.together(scenario, node, &threads, *blocking),
                Err(why) => Some(Err(why.clone())),
            };
            for (at, (vp, worker)) in threads.iter().enumerate() {
                let Some(Worker { task, due: Some(deadline) }) = *worker else { continue };
                let bound = match (scenario.machine.timer, &together) {
                    (Timer::Ticks(_), _) => Err(BoundError::TickingTimer),
                    (Timer::Precise, Some(Ok(bounds))) => {
                        bounds.get(vp).copied().flatten().ok_or(BoundError::TooMuchTogether)
                    }
                    (Timer::Precise, Some(Err(why))) => Err(why.clone()),
                    (Timer::Precise, None) => {
                        let blocking = blocking.as_ref().ok().copied().flatten();
                        self.bound((node, &threads, blocking), at, &task)
                    }
                };
                // A thread that waits for a lock may be late however much it receives.
                let alone = bound.is_ok() && matches!(blocking, Ok(None));
                let in_step = alone.then(|| self.in_step(*vp, &task)).flatten();
                known.insert(*vp, Deadline { vp: *vp, deadline, bound, in_step });
            }
        }
        known.into_values().collect()
    }

    /// The bound for a thread whose periods begin with those of a reservation that it has.
    ///
    /// Of `x` that come until the end of the period, the last `x - work` may come at once before it: so the work is done by then.
    fn in_step(&self, vp: usize, task: &Task) -> Option<Span> {
        let (period, work) = (Length::from(task.period), Length::from(task.work));
        let has = self.findings.counted_on(vp);
        let reservations = has.iter().filter_map(Guarantee::reservation);
        let enough = reservations.filter(|(x, y)| *y == period && *x >= work);
        enough.filter_map(|(x, y)| y.checked_sub(x.checked_sub(work)?)?.ceil()).min()
    }

    /// Bounds for all children of a scheduler, if it serves by deadlines: each child delays each other one.
    fn together(
        &self,
        scenario: &Scenario,
        node: usize,
        all: &[Beside],
        locks: Option<&Blocking<'_>>,
    ) -> Option<Result<Bounds, BoundError>> {
        let own = &self.tree.nodes[node].own;
        if self.ranks_by[node] != RanksBy::Deadline {
            return None;
        }
        let mut tasks: Vec<(usize, Task)> = Vec::new();
        let mut blocking: Vec<Span> = Vec::new();
        for (at, (vp, worker)) in all.iter().enumerate() {
            match worker {
                Some(Worker { task, due: Some(_) }) => {
                    tasks.push((*vp, *task));
                    match locks.map(|locks| locks.before(at)).transpose() {
                        Ok(longest) => blocking.extend(longest),
                        Err(why) => return Some(Err(why)),
                    }
                }
                Some(_) => {} // who is never due has what is left
                None => return Some(Err(no_rate(&self.tree.vps[*vp].name))),
            }
        }
        let mut bounds: Bounds = tasks.iter().map(|(vp, _)| (*vp, None)).collect();
        let (vps, tasks): (Vec<usize>, Vec<Task>) = tasks.into_iter().unzip();
        if let [_, _, ..] = own[..] {
            if locks.is_some() {
                return Some(Err(BoundError::LocksOnSeveral));
            }
            let whole =
                own.iter().all(|own| self.findings.counted_on(*own).contains(&Guarantee::All));
            if !whole {
                return Some(Err(BoundError::NotWholeProcessors));
            }
            let processors = u32::try_from(own.len()).expect("own VPs are numbered by 16 bits");
            let found = on_several::bounds(&tasks, processors);
            return Some(
                found.map(|found| vps.into_iter().zip(found.into_iter().map(Some)).collect()),
            );
        }
        let name = &self.tree.nodes[node].name;
        let reports = scenario.scheduler_named(name).is_some_and(reports_deadlines);
        let has = self.findings.counted_on(own[0]);
        let counted = match counted(&has, &tasks, reports) {
            Ok(counted) => counted,
            Err(why) => return Some(Err(why)),
        };
        for guarantee in counted {
            let found = within_all(&tasks, &blocking, reports, guarantee);
            for (vp, bound) in vps.iter().zip(found) {
                let known = bounds.entry(*vp).or_default();
                *known = known.take().into_iter().chain(bound.ok()).min();
            }
        }
        Some(Ok(bounds))
    }

    /// A bound for one child of a scheduler.
    fn bound(
        &self,
        (node, all, locks): (usize, &[Beside], Option<&Blocking<'_>>),
        at: usize,
        task: &Task,
    ) -> Result<Span, BoundError> {
        let own = &self.tree.nodes[node].own;
        if self.ranks_by[node] == RanksBy::Nothing {
            if let Some(lock) = locks.and_then(|locks| locks.shares(at)) {
                return Err(BoundError::NoProtocol { lock });
            }
            let has = self.findings.counted_on(all[at].0);
            return best(&has, |supply| within(&[], task, Span::ZERO, supply))
                .ok_or(BoundError::TooMuchAlone);
        }
        if own.len() != 1 {
            return Err(BoundError::SeveralProcessors);
        }
        let rivals = self.rivals(node, all, at)?;
        let blocking = locks.map(|locks| locks.before(at)).transpose()?.unwrap_or(Span::ZERO);
        let has = self.findings.counted_on(own[0]);
        best(&has, |supply| within(&rivals, task, blocking, supply))
            .ok_or(BoundError::TooMuchTogether)
    }

    /// The tasks that may delay a thread, if all children that may do so are tasks.
    fn rivals(&self, node: usize, all: &[Beside], at: usize) -> Result<Vec<Task>, BoundError> {
        let (vp, _) = all[at];
        let ranks_by = self.ranks_by[node];
        let params = |vp: usize| &self.tree.vps[vp].params;
        let mut rivals = Vec::new();
        for (other, rival) in all.iter().filter(|(other, _)| *other != vp) {
            // Whatever it was given, its rank may become that of its child.
            let passes_on = self.tree.vps[*other].child.is_some_and(|node| self.passes_on[node]);
            let delays = match (ranks_by, params(*other).rate, params(vp).rate) {
                _ if passes_on => true,
                (RanksBy::Priority, ..) => params(*other).priority >= params(vp).priority,
                (RanksBy::Period, Some((_, period, _)), Some((_, ours, _))) => period <= ours,
                (RanksBy::RelativeDeadline, Some((.., deadline)), Some((.., due))) => {
                    deadline <= due
                }
                // A child that is never due receives the rest.
                _ => rival.is_none_or(|rival| rival.due.is_some()),
            };
            match rival {
                _ if !delays => {}
                Some(rival) => rivals.push(rival.task),
                None => return Err(no_rate(&self.tree.vps[*other].name)),
            }
        }
        Ok(rivals)
    }
}

/// A thread that works periodically, at the speed of the slowest processor.
#[derive(Clone, Copy)]
pub(crate) struct Worker {
    pub(crate) task: Task,
    /// Its deadline, if it has one.
    pub(crate) due: Option<Span>,
}

/// By virtual processor.
type Bounds = BTreeMap<usize, Option<Span>>;

/// A child of a scheduler, and its work if it is a thread that works periodically.
type Beside = (usize, Option<Worker>);

/// The least bound that any of the guarantees gives.
fn best(supplies: &[Guarantee], bound: impl Fn(&Guarantee) -> Option<Span>) -> Option<Span> {
    supplies.iter().filter_map(bound).min()
}

/// Whether a scheduler reports its deadlines to its parent: RESU counts between deadlines that are reported.
pub(crate) fn reports_deadlines(scheduler: &Scheduler) -> bool {
    let is_so = |(name, value): &(String, Setting)| {
        name == REPORT_DEADLINES.name && *value == Setting::Bool(true)
    };
    scheduler.settings.iter().any(is_so)
}

/// The guarantees that bound response times: of a slower processor, if its deadlines are reported and told apart.
fn counted<'g>(
    has: &'g [Guarantee],
    tasks: &[Task],
    reports: bool,
) -> Result<Vec<&'g Guarantee>, BoundError> {
    let why = why_slower_bounds_nothing(tasks, reports);
    let counts = |one: &&Guarantee| why.is_none() || !matches!(one, Guarantee::Slower(_));
    let counted: Vec<_> = has.iter().filter(counts).collect();
    match why.filter(|_| counted.is_empty() && !has.is_empty()) {
        Some(UnboundedError::ManyDeadlines) => Err(BoundError::ManyDeadlines),
        Some(_) => Err(BoundError::DeadlinesNotReported),
        None => Ok(counted),
    }
}

/// A slower processor counts at deadlines that are reported and told apart: why it bounds nothing, if it does not. To come at a time
/// may be, of each task, the deadlines of the jobs that began within one relative deadline.
fn why_slower_bounds_nothing(tasks: &[Task], reports: bool) -> Option<UnboundedError> {
    let jobs =
        tasks.iter().map(|task| task.deadline.as_nanos() / task.period.as_nanos().max(1) + 1);
    match jobs.fold(0, u64::saturating_add) < DEADLINES_AHEAD as u64 {
        _ if !reports => Some(UnboundedError::NotReported),
        true => None,
        false => Some(UnboundedError::ManyDeadlines),
    }
}

/// The longest response times under earliest deadline first by a scheduler that does or does not report its deadlines. No `blocking`: there are no locks.
pub(crate) fn within_all(
    tasks: &[Task],
    blocking: &[Span],
    reports: bool,
    guarantee: &Guarantee,
) -> Vec<Result<Span, UnboundedError>> {
    let (policy, supply) = (Policy::EarliestDeadline, Supply::from(guarantee));
    match guarantee {
        // It counts at its owner's own deadlines only, and the deadlines of a thread that holds a lock change.
        Guarantee::Slower(_) if !blocking.is_empty() => {
            vec![Err(UnboundedError::NotReported); tasks.len()]
        }
        Guarantee::Slower(_) if let Some(why) = why_slower_bounds_nothing(tasks, reports) => {
            vec![Err(why); tasks.len()]
        }
        Guarantee::Slower(_) => {
            let met = policy
                .schedulable(tasks, &supply)
                .and_then(|met| if met { Ok(()) } else { Err(UnboundedError::PastDeadline) });
            tasks.iter().map(|task| met.map(|()| task.deadline)).collect()
        }
        _ => policy.response_times_blocked(tasks, blocking, &supply),
    }
}

/// The longest response time of `task` after its rivals.
fn within(rivals: &[Task], task: &Task, blocking: Span, guarantee: &Guarantee) -> Option<Span> {
    if matches!(guarantee, Guarantee::Slower(_)) {
        return None;
    }
    let mut tasks = rivals.to_vec();
    tasks.push(*task);
    local_fixed_priority::blocked_response_time(&tasks, blocking, &Supply::from(guarantee)).ok()
}

/// A thread whose steps begin with a timer. A scheduler by deadlines knows the deadlines only if the thread's rate
/// is the same; otherwise the thread has no deadline until it runs.
pub(crate) fn timed_worker(scenario: &Scenario, thread: &Thread, speed: Ratio) -> Option<Worker> {
    let task = timed(&thread.run, speed)?;
    let scheduler = scenario.scheduler_named(parent_of(scenario, thread)?)?;
    let told = thread.requires.rate().is_some_and(|rate| rate.deadline == task.deadline);
    let known = told || ranks_by(scenario, scheduler) != RanksBy::Deadline;
    known.then_some(Worker { task, due: Some(task.deadline) })
}

fn no_rate(name: &str) -> BoundError {
    BoundError::NoRate(name.to_owned())
}

/// A thread's jobs, their work in time on a processor of that speed.
pub(crate) fn worker(thread: &Thread, speed: Ratio) -> Option<Worker> {
    let Run::Jobs(Jobs { activation, work, deadline, admit, .. }) = &thread.run else {
        return None;
    };
    let period = match activation {
        Activation::Periodic { period, .. } => *period,
        Activation::Sporadic { least, .. } => *least,
        Activation::After(_) | Activation::Instead => return None,
    };
    let work = Length::from(work.most()).checked_div(speed)?.ceil()?;
    let task = Task::implicit(work, period).deadline(deadline.unwrap_or(period));
    // What is admitted is done in time, and what is not does not begin.
    let due = deadline.filter(|_| !admit);
    (!work.is_zero()).then_some(Worker { task, due })
}
