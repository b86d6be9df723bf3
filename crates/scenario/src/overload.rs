//! Infeasible scenarios, for any scheduler: work beyond all processors, and threads that no scheduler serves.
//!
//! Covers threads that work periodically and have deadlines; each counts at its longest work, on the fastest
//! processor. Threads without deadlines may have the rest.

use crate::deadlines::worker;
use crate::model::Scenario;
use crate::promises::Promises;
use core::fmt;
use std::collections::BTreeMap;
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
        let tenths = self.requested.checked_mul(Ratio::whole(1_000));
        let tenths = tenths.map_or(0, |all| all.numerator() / all.denominator().max(1));
        write!(
            f,
            "{whose} may ask for {}.{}% of a processor, and there {}: some deadlines are missed",
            tenths / 10,
            tenths % 10,
            match self.processors {
                1 => "is one".to_owned(),
                n => format!("are {n}"),
            }
        )
    }
}

impl Promises {
    /// Where threads with deadlines require more than there is: the machine, or else each lowest scheduler.
    /// Sums that are too fine to be exact are left out.
    #[must_use]
    pub fn overloads(&self, scenario: &Scenario) -> Vec<Overload> {
        let fastest = scenario.machine.speeds.iter().copied().max().unwrap_or(Ratio::ONE);
        let mut parts: BTreeMap<String, Ratio> = BTreeMap::new();
        for thread in &scenario.threads {
            if let Some(worker) = worker(thread, fastest).filter(|worker| worker.due.is_some())
                && let Some(part) = worker.task.work.over(worker.task.period)
            {
                parts.extend(thread.names().map(|name| (name, part)));
            }
        }
        let mut sums = vec![Some(Ratio::ZERO); self.tree.nodes.len()];
        let mut all = Some(Ratio::ZERO);
        let add = |sum: &mut Option<Ratio>, part| *sum = sum.and_then(|sum| sum.checked_add(part));
        for vp in self.tree.vps.iter().filter(|vp| vp.child.is_none()) {
            let Some(part) = parts.get(&vp.name).copied() else { continue };
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
        let starved = |vp: usize| {
            let vp = &self.tree.vps[vp];
            let serves = |node: usize| !self.tree.nodes[node].conversion.serves_reserved_alone();
            vp.params.reserve.is_none() && vp.parent.is_some_and(|parent| !serves(parent))
        };
        let mut lines = Vec::new();
        for (at, vp) in self.tree.vps.iter().enumerate() {
            let all = match vp.child {
                None => starved(at),
                Some(node) => {
                    let own = &self.tree.nodes[node].own;
                    own.first() == Some(&at) && own.iter().all(|own| starved(*own))
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
