//! Which promises of a scenario follow from one another: its tree, as the checker sees it.
//!
//! Covers the hierarchy as it is at the beginning, with every thread that starts later: the requirement of a thread
//! counts against the others even before it arrives, in the order of their arrival. Control requests change the tree, so promises that
//! are granted here hold until the first of them ([`Promises::until`]), or until a thread requests something for itself ([`Promises::requesters`]).
//! Absent on purpose: deadlines of periodic threads (`deadlines.rs`).

use crate::build::{conversion, parent_of, ranks_by};
use crate::model::{Parent, Requirements, Scenario, Scheduler, Thread};
use crate::parameters::{ParameterWriter, rate};
use std::collections::BTreeMap;
use windfall_guarantees::check::{Findings, Node, Tree, Vp, check};
use windfall_guarantees::{ChildParams, Remedy, remedy};
use windfall_schedulers::catalogue::RanksBy;
use windfall_time::Instant;

/// A scenario's tree and the findings about it.
pub struct Promises {
    /// Its schedulers and virtual processors: first those of schedulers, then those of threads.
    pub tree: Tree,
    /// The guarantees that follow, by virtual processor.
    pub findings: Findings,
    /// When the first control request changes the tree.
    pub until: Option<Instant>,
    /// The threads whose steps request something for themselves, which changes the tree as well.
    pub requesters: Vec<String>,
    /// By scheduler: the quantity that it ranks its children by.
    pub(crate) ranks_by: Vec<RanksBy>,
    /// By scheduler: whether it passes its child's rate and priority on to its parents, in place of its own.
    pub(crate) passes_on: Vec<bool>,
}

impl Promises {
    /// Changes that would help a virtual processor whose request was refused.
    #[must_use]
    pub fn refusal(&self, vp: usize) -> Remedy {
        remedy(&self.tree, &self.findings, vp)
    }

    /// The name of a virtual processor's owner, and which of its own that is, if the owner is a scheduler.
    pub(crate) fn owner(&self, vp: usize) -> (String, Option<u16>) {
        let node = self.tree.vps[vp].child.map(|node| &self.tree.nodes[node]);
        let own = node.and_then(|node| node.own.iter().position(|own| *own == vp));
        let name = node.map_or(&self.tree.vps[vp].name, |node| &node.name);
        (name.clone(), own.and_then(|own| u16::try_from(own).ok()))
    }

    /// The virtual processors whose requests were refused.
    pub fn refused(&self) -> impl Iterator<Item = usize> {
        (0..self.findings.vps.len()).filter(|vp| self.findings.vps[*vp].is_refused())
    }
}

impl Scenario {
    /// Proves the promises, or finds the obstacles. Parts that
    /// [`check`](Scenario::check) would refuse are left out.
    #[must_use]
    pub fn promises(&self) -> Promises {
        let (tree, schedulers) = tree(self);
        let findings = check(&tree);
        let until = self.requests.iter().map(|request| request.time).min();
        let kind = |node: &Node| self.catalogue.find(node.kind);
        let passes_on = |node| kind(node).is_some_and(|kind| kind.properties.passes_on);
        let passes_on = tree.nodes.iter().map(passes_on).collect();
        let ranks_by = schedulers.iter().map(|scheduler| ranks_by(self, scheduler)).collect();
        let requesters = self.threads.iter().filter(|thread| thread.run.requests());
        let requesters = requesters.map(|thread| thread.name.clone()).collect();
        Promises { tree, findings, until, requesters, ranks_by, passes_on }
    }
}

/// The tree, and the scheduler that each node of it is.
fn tree(scenario: &Scenario) -> (Tree, Vec<&Scheduler>) {
    let writer = ParameterWriter::of(scenario);
    let (mut tree, mut schedulers) = (Tree::new(writer.scale()), Vec::new());
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    let mut waiting: Vec<&Scheduler> = scenario.schedulers.iter().collect();
    // Parents before children; schedulers below themselves, or below nothing, are left over.
    while !waiting.is_empty() {
        let ready = |scheduler: &&Scheduler| {
            scheduler
                .owns
                .iter()
                .all(|own| own.parent.name().is_none_or(|name| at.contains_key(name)))
        };
        let (now, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(ready);
        if now.is_empty() {
            break;
        }
        for scheduler in now {
            if let Some(node) = add(&mut tree, (&writer, scenario), &at, scheduler) {
                at.insert(&scheduler.name, node);
                schedulers.push(scheduler);
            }
        }
        waiting = later;
    }
    // Schedulers admit in the order of arrival.
    let mut threads: Vec<&Thread> = scenario.threads.iter().collect();
    threads.sort_by_key(|thread| thread.start);
    for thread in threads {
        let Some(parent) = parent_of(scenario, thread) else { continue };
        let Some(node) = at.get(parent).copied() else { continue };
        // A program of the machine makes its request when it is found, some time after its start.
        let known = !scenario.under_way && thread.external.is_none();
        let since = known.then_some(thread.start);
        let rate = rate(scenario, &thread.run, &thread.requires, parent);
        let params = writer.counted(&thread.requires, Some(parent), rate, since);
        for name in thread.names() {
            attach(&mut tree, vp(name, (Some(node), None), &thread.requires, params));
        }
    }
    (tree, schedulers)
}

/// Adds an instance and its own virtual processors.
fn add<'s>(
    tree: &mut Tree,
    (writer, scenario): (&ParameterWriter<'_>, &Scenario),
    at: &BTreeMap<&'s str, usize>,
    scheduler: &'s Scheduler,
) -> Option<usize> {
    let conversion = conversion(scenario, scheduler)?;
    let begins = (!scenario.under_way).then_some(Instant::ZERO);
    let node = tree.nodes.len();
    let many = scheduler.owns.len() > 1;
    let mut own = Vec::new();
    for (number, attachment) in scheduler.owns.iter().enumerate() {
        let name = match many {
            true => format!("{}/{number}", scheduler.name),
            false => scheduler.name.clone(),
        };
        let parent = attachment.parent.name();
        let params = writer.counted(&attachment.requires, parent, None, begins);
        let parent = parent.and_then(|name| at.get(name).copied());
        let mut vp = vp(name, (parent, Some(node)), &attachment.requires, params);
        vp.orphaned = attachment.parent == Parent::Nowhere;
        own.push(attach(tree, vp));
    }
    let kind = scenario.kind_of(scheduler)?.name;
    let name = scheduler.name.clone();
    tree.nodes.push(Node::new(name, kind, conversion, own));
    Some(node)
}

/// A virtual processor between a parent and a child, with this request and these parameters.
fn vp(
    name: String,
    (parent, child): (Option<usize>, Option<usize>),
    requires: &Requirements,
    params: ChildParams,
) -> Vp {
    let mut vp = Vp::new(name, parent, child);
    vp.requested = requires.guarantee;
    vp.params = params;
    vp.outright = requires.reports_deadlines_itself();
    vp
}

fn attach(tree: &mut Tree, vp: Vp) -> usize {
    let at = tree.vps.len();
    if let Some(parent) = vp.parent {
        tree.nodes[parent].children.push(at);
    }
    tree.vps.push(vp);
    at
}
