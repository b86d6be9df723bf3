//! The promises that a request would break, before it is carried out: those that the checker grants in the current tree, and not
//! in the tree after the request.

use super::touched::{PromiseChange, longest_period};
use super::{Live, LiveNode, LiveRequest, LiveThread, is_one_of};
use crate::model::{Attachment, Change, Parent, Requirements, Scenario, Thread, Whom};
use crate::outcome::{Promise, held_promises, promises, requested_promises};
use std::collections::BTreeSet;
use windfall_time::{Instant, Span};

/// The promises that are granted in one tree and not in another, except those of owners whose requirements change.
fn lost(before: Vec<Promise>, after: &[Promise], changed: &[Whom]) -> Vec<Promise> {
    let mut lost = before;
    lost.retain(|promise| {
        let same = |other: &&Promise| {
            (&other.owner, other.own, other.guarantee)
                == (&promise.owner, promise.own, promise.guarantee)
        };
        let whom = |whom: &Whom| match whom {
            Whom::Thread(name) => promise.own.is_none() && *name == promise.owner,
            Whom::Scheduler(name, own) => promise.own == Some(*own) && *name == promise.owner,
        };
        let lost = after.iter().find(same).is_some_and(|after| !after.granted);
        promise.granted && lost && !changed.iter().any(whom)
    });
    lost
}

/// The number of the virtual processor that a scheduler is given with another parent.
fn vacant(tree: &Scenario, name: &str) -> u16 {
    let scheduler = tree.schedulers.iter().find(|scheduler| scheduler.name == *name);
    let owns = scheduler.map_or(&[][..], |scheduler| &scheduler.owns);
    let vacant = owns.iter().position(|own| own.parent == Parent::Nowhere).unwrap_or(owns.len());
    u16::try_from(vacant).expect("own virtual processors are numbered by 16 bits")
}

/// Changes an own virtual processor of a scheduler, or adds it. The scheduler then comes last in the order of admission:
/// earlier grants are kept.
fn with_own(tree: &mut Scenario, name: &str, own: u16, change: impl FnOnce(&mut Attachment)) {
    let meant = tree.schedulers.iter().position(|scheduler| scheduler.name == *name);
    let Some(meant) = meant else { return };
    let mut scheduler = tree.schedulers.remove(meant);
    tree.at_top.remove(&(name.to_owned(), own));
    if usize::from(own) == scheduler.owns.len() {
        scheduler
            .owns
            .push(Attachment { parent: Parent::Nowhere, requires: Requirements::default() });
    }
    if let Some(own) = scheduler.owns.get_mut(usize::from(own)) {
        change(own);
    }
    tree.schedulers.push(scheduler);
}

impl Scenario {
    /// The promises that its own requests break: the time, and a promise to another owner that is granted until then.
    #[must_use]
    pub fn broken_by_requests(&self) -> Vec<(Instant, Promise)> {
        let mut broken = Vec::new();
        self.request_by_request(|time, requested, _, (before, after)| {
            let lost = lost(held_promises(before), &held_promises(after), requested);
            broken.extend(lost.into_iter().map(|promise| (time, promise)));
        });
        broken
    }

    /// After each of its requests, in order of time, if each is carried out: the promises.
    pub(crate) fn promise_changes(&self) -> Vec<PromiseChange> {
        let mut changes = Vec::new();
        let mut settles = longest_period(self);
        self.request_by_request(|_, _, (touched, longest), (_, after)| {
            changes.push(PromiseChange { after: promises(after), touched, settles });
            settles = settles.max(longest);
        });
        changes
    }

    /// Iterates over its requests in order of time: the time, the owners whose requirements change, the owners whose promises are touched with the
    /// longest period afterwards, and the trees before and afterwards.
    fn request_by_request(
        &self,
        mut each: impl FnMut(Instant, &[Whom], (BTreeSet<String>, Span), (&Scenario, &Scenario)),
    ) {
        if self.requests.is_empty() {
            return;
        }
        let live = Live::new(self.clone());
        let alone = |thread: &Thread| {
            let alone = |name| Thread { name, count: None, ..thread.clone() };
            thread.names().map(alone).collect::<Vec<Thread>>()
        };
        let threads = self.threads.iter().flat_map(alone).collect();
        let at_top = self.processors_at_top();
        let mut tree =
            Scenario { threads, requests: Vec::new(), under_way: true, at_top, ..self.clone() };
        for request in &live.file.requests {
            let (parts, was) = (request.change.parts(), tree.clone());
            let requested: Vec<Whom> =
                parts.iter().filter_map(|change| live.apply(change, &mut tree)).collect();
            let touched = (live.touched(parts, &was, &tree), longest_period(&tree));
            each(request.time, &requested, touched, (&was, &tree));
        }
    }
}

impl Live {
    /// The promises to others that are granted now, and would no longer be.
    #[must_use]
    pub fn breaks(
        &self,
        nodes: &[LiveNode],
        threads: &[LiveThread],
        request: &LiveRequest,
    ) -> Vec<Promise> {
        let before = self.there(nodes, threads);
        let mut after = before.clone();
        let parts = request.changes.iter().flat_map(Change::parts);
        let changed: Vec<Whom> =
            parts.filter_map(|change| self.apply(change, &mut after)).collect();
        lost(held_promises(&before), &held_promises(&after), &changed)
    }

    /// The promises after a request, determined before it is carried out.
    #[must_use]
    pub fn promise_change(
        &self,
        nodes: &[LiveNode],
        threads: &[LiveThread],
        request: &LiveRequest,
    ) -> PromiseChange {
        let before = self.there(nodes, threads);
        let mut after = before.clone();
        let parts: Vec<Change> = request.changes.iter().flat_map(Change::parts).cloned().collect();
        for change in &parts {
            self.apply(change, &mut after);
        }
        let touched = self.touched(&parts, &before, &after);
        let settles = longest_period(&before);
        PromiseChange { after: requested_promises(&after), touched, settles }
    }

    /// Changes a tree like a request that is no transaction. Returns the owner whose requirements or parent change.
    fn apply(&self, change: &Change, tree: &mut Scenario) -> Option<Whom> {
        match change {
            Change::Create(scheduler) => tree.schedulers.push(scheduler.clone()),
            Change::Destroy(name) => {
                let to = self.file.default_scheduler().filter(|default| default != name);
                let to = to.map(str::to_owned);
                tree.schedulers.retain(|scheduler| scheduler.name != *name);
                for thread in &mut tree.threads {
                    if thread.parent.as_deref() == Some(name) {
                        (thread.parent, thread.requires) = (to.clone(), Requirements::default());
                    }
                }
            }
            Change::Move { thread, to, requires } => {
                self.come_last(tree, thread, |one| {
                    (one.parent, one.requires) = (Some(to.clone()), requires.clone());
                });
                return Some(Whom::Thread(thread.clone()));
            }
            Change::MoveScheduler { own: (name, own), to, requires } => {
                let place = Attachment { parent: to.clone(), requires: requires.clone() };
                with_own(tree, name, *own, |own| *own = place);
                return Some(Whom::Scheduler(name.clone(), *own));
            }
            Change::AddParent { scheduler, to, requires } => {
                let place = Attachment { parent: to.clone(), requires: requires.clone() };
                let own = vacant(tree, scheduler);
                with_own(tree, scheduler, own, |own| *own = place);
                return Some(Whom::Scheduler(scheduler.clone(), own));
            }
            Change::RemoveParent(name, own) => {
                let place =
                    Attachment { parent: Parent::Nowhere, requires: Requirements::default() };
                with_own(tree, name, *own, |own| *own = place);
                return Some(Whom::Scheduler(name.clone(), *own));
            }
            Change::Transaction(_) => {}
            Change::Set(whom, ..) | Change::Guarantee(whom, _) | Change::Unreserve(whom) => {
                self.with_requirement(tree, whom, |requires| change.apply(requires));
            }
            Change::Default(_)
            | Change::Quantum(..)
            | Change::Transfer { .. }
            | Change::Enqueue { .. }
            | Change::Timer(_) => {}
        }
        change.whom().cloned()
    }

    fn with_requirement(
        &self,
        tree: &mut Scenario,
        whom: &Whom,
        change: impl Fn(&mut Requirements),
    ) {
        match whom {
            Whom::Thread(name) => self.come_last(tree, name, |thread| change(&mut thread.requires)),
            Whom::Scheduler(name, own) => {
                with_own(tree, name, *own, |own| change(&mut own.requires))
            }
        }
    }

    /// Changes threads, which then come last in the order of admission: earlier grants are kept, as with
    /// the schedulers themselves.
    fn come_last(&self, tree: &mut Scenario, name: &str, change: impl Fn(&mut Thread)) {
        let threads = std::mem::take(&mut tree.threads).into_iter();
        let (mut meant, others): (Vec<Thread>, Vec<Thread>) =
            threads.partition(|thread| self.is_meant(name, &thread.name));
        meant.iter_mut().for_each(change);
        tree.threads = others;
        tree.threads.append(&mut meant);
    }

    /// Whether a request that names an entry, or a thread, applies to this thread.
    pub(super) fn is_meant(&self, name: &str, thread: &str) -> bool {
        let entry = || self.file.threads.iter().find(|entry| entry.name == name);
        thread == name || entry().is_some_and(|entry| is_one_of(thread, entry))
    }
}
