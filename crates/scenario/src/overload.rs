//! Infeasible scenarios, for any scheduler: work beyond all processors, and threads that no scheduler serves.
//!
//! Covers threads that work periodically and have deadlines; each counts at its longest work, on the fastest
//! processor. Threads without deadlines may have the rest.

use crate::deadlines::worker;
use crate::model::Scenario;
use crate::promises::Promises;
use core::fmt;
use std::collections::BTreeMap;
use windfall_guarantees::Guarantee;
use windfall_guarantees::check::Vp;
use windfall_time::Ratio;

/// More work than there are processors.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Overload {
    /// The scheduler whose threads require it; `None`: all threads of the machine.
    pub scheduler: Option<String>,
    /// Their work, in processors.
    pub requested: Ratio,
    /// How many processors they have at most.
    pub processors: u64,
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = match &self.scheduler {
            Some(name) => format!("threads with deadlines below {name}"),
            None => "threads with deadlines".to_owned(),
        };
        write!(
            f,
            "{whose} may ask for {} of a processor, and there {}: some deadlines are missed",
            percent(self.requested),
            match self.processors {
                1 => "is one".to_owned(),
                n => format!("are {n}"),
            }
        )
    }
}

/// A thread with deadlines that never receives all that its jobs need.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Underserved {
    /// The thread.
    pub thread: String,
    /// Its work, in processors.
    pub requested: Ratio,
    /// The most that it receives in the long run: the share of a hard reservation, or nothing where reservations alone are served and it has none.
    pub at_most: Ratio,
}

impl fmt::Display for Underserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [requested, at_most] = [self.requested, self.at_most].map(percent);
        write!(
            f,
            "{} may ask for {requested} of a processor, and receives {at_most} at most: deadlines are missed",
            self.thread
        )
    }
}

/// In per cent with one place, rounded down.
fn percent(share: Ratio) -> String {
    let tenths = share.checked_mul(Ratio::whole(1_000));
    let tenths = tenths.map_or(0, |all| all.numerator() / all.denominator().max(1));
    format!("{}.{}%", tenths / 10, tenths % 10)
}

/// By name: the work of each thread that works periodically and has a deadline, in processors.
pub(crate) struct Demand(BTreeMap<String, Ratio>);

impl Demand {
    pub(crate) fn of(scenario: &Scenario) -> Demand {
        let fastest = scenario.machine.speeds.iter().copied().max().unwrap_or(Ratio::ONE);
        let mut parts: BTreeMap<String, Ratio> = BTreeMap::new();
        for thread in &scenario.threads {
            if let Some(worker) = worker(thread, fastest).filter(|worker| worker.due.is_some())
                && let Some(part) = worker.task.work.over(worker.task.period)
            {
                parts.extend(thread.names().map(|name| (name, part)));
            }
        }
        Demand(parts)
    }
}

impl Promises {
    /// The threads with deadlines that never receive all that their jobs need ([`Assessment`](crate::Assessment)).
    pub(crate) fn underserved(&self, demand: &Demand) -> Vec<Underserved> {
        if self.until.is_some() || !self.requesters.is_empty() {
            return Vec::new();
        }
        let of = |(at, vp): (usize, &Vp)| {
            let requested = *demand.0.get(&vp.name).filter(|_| vp.child.is_none())?;
            let share = |has: Guarantee| match has {
                Guarantee::BasicHard(x, y) | Guarantee::ContinuousHard(x, y) => x.over(y),
                _ => None,
            };
            let hard = self.findings.counted_on(at).into_iter().filter_map(share).min();
            let at_most = if self.is_starved(at) { Some(Ratio::ZERO) } else { hard }?;
            let thread = vp.name.clone();
            (requested > at_most).then_some(Underserved { thread, requested, at_most })
        };
        self.tree.vps.iter().enumerate().filter_map(of).collect()
    }

    /// Whether a virtual processor has no reservation at a scheduler that serves reservations alone.
    fn is_starved(&self, vp: usize) -> bool {
        let vp = &self.tree.vps[vp];
        let serves = |node: usize| !self.tree.nodes[node].conversion.serves_reserved_alone();
        vp.params.reserve.is_none() && vp.parent.is_some_and(|parent| !serves(parent))
    }

    /// Where threads with deadlines require more than there is ([`Assessment`](crate::Assessment)).
    pub(crate) fn overloads(&self, scenario: &Scenario, demand: &Demand) -> Vec<Overload> {
        let mut sums = vec![Some(Ratio::ZERO); self.tree.nodes.len()];
        let mut all = Some(Ratio::ZERO);
        let add = |sum: &mut Option<Ratio>, part| *sum = sum.and_then(|sum| sum.checked_add(part));
        for vp in self.tree.vps.iter().filter(|vp| vp.child.is_none()) {
            let Some(part) = demand.0.get(&vp.name).copied() else { continue };
            add(&mut all, part);
            // With several parents it may receive time from elsewhere, so it counts for the machine only.
            let mut at = vp.parent;
            while let Some(node) = at {
                add(&mut sums[node], part);
                let parents: Vec<_> = self.tree.nodes[node]
                    .own
                    .iter()
                    .map(|own| self.tree.vps[*own].parent)
                    .collect();
                at = parents
                    .first()
                    .copied()
                    .flatten()
                    .filter(|first| parents.iter().all(|parent| *parent == Some(*first)));
            }
        }
        let over = |sum: Option<Ratio>, count: usize| {
            let count = count as u64;
            sum.filter(|sum| *sum > Ratio::whole(count)).map(|sum| (sum, count))
        };
        if let Some((requested, processors)) = over(all, scenario.machine.speeds.len()) {
            return vec![Overload { scheduler: None, requested, processors }];
        }
        let of = |(node, sum): (usize, Option<Ratio>)| {
            let node = &self.tree.nodes[node];
            let (requested, processors) = over(sum, node.own.len())?;
            Some(Overload { scheduler: Some(node.name.clone()), requested, processors })
        };
        sums.into_iter().enumerate().filter_map(of).collect()
    }

    /// Threads and schedulers that never run, since all their parents serve reservations alone and they have
    /// none: in words.
    #[must_use]
    pub fn never_served(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (at, vp) in self.tree.vps.iter().enumerate() {
            let all = match vp.child {
                None => self.is_starved(at),
                Some(node) => {
                    let own = &self.tree.nodes[node].own;
                    own.first() == Some(&at) && own.iter().all(|own| self.is_starved(*own))
                }
            };
            let parent = vp.parent.map(|parent| &self.tree.nodes[parent]);
            if let (true, Some(parent)) = (all, parent) {
                let name = vp.child.map_or(&vp.name, |node| &self.tree.nodes[node].name);
                lines.push(format!(
                    "{name} never runs: {} ({}) serves reservations alone, and it has none; ask for one, \
                     or put it elsewhere",
                    parent.name, parent.kind
                ));
            }
        }
        lines
    }
}
