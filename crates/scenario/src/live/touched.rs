//! The effect of a request on the promises of a run: which hold afterwards, and which of them it touches.
//!
//! The judgement of a promise that a request does not touch continues, over windows that contain the request. The judgement of a touched one
//! begins anew. A promise is touched if its owner, or a scheduler above it, is moved or gets other parameters; or if a sibling starts, ends or
//! changes below a scheduler that reserves nothing, since the owner's service may then be ahead or behind.

use super::Live;
use crate::model::{Change, Parent, Scenario, Whom};
use crate::outcome::Promise;
use std::collections::BTreeSet;
use windfall_time::Span;

/// The promises after a request.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct PromiseChange {
    /// All promises that the checker grants.
    pub after: Vec<Promise>,
    /// The names of the threads and schedulers whose promises are judged anew.
    pub touched: BTreeSet<String>,
    /// How long after the request the judgement of new promises begins. Schedulers complete a period that has begun, and
    /// give away the unused part of a reservation only when it could have been used up: so this is the longest period before the request.
    pub settles: Span,
}

impl PromiseChange {
    /// The promises after a request that touches none.
    #[must_use]
    pub fn untouched(after: Vec<Promise>) -> PromiseChange {
        PromiseChange { after, touched: BTreeSet::new(), settles: Span::ZERO }
    }

    /// The same without promises to these.
    #[must_use]
    pub fn without(mut self, owners: &BTreeSet<String>) -> PromiseChange {
        self.after.retain(|promise| !owners.contains(&promise.owner));
        self
    }

    /// Whether the judgement of a promise continues.
    #[must_use]
    pub fn keeps(&self, promise: &Promise) -> bool {
        self.after.contains(promise) && !self.touched.contains(&promise.owner)
    }
}

impl Live {
    /// The names of threads and schedulers whose promises changes touch, between two trees.
    pub(super) fn touched(
        &self,
        changes: &[Change],
        before: &Scenario,
        after: &Scenario,
    ) -> BTreeSet<String> {
        let mut touched = Touched { trees: [before, after], names: BTreeSet::new() };
        for change in changes {
            self.touch(change, &mut touched);
        }
        touched.names
    }

    fn touch(&self, change: &Change, touched: &mut Touched<'_>) {
        match change {
            Change::Create(_)
            | Change::Transaction(_)
            | Change::Transfer { .. }
            | Change::Enqueue { .. } => {}
            Change::Destroy(name) | Change::Quantum(name, _) => touched.below(name),
            Change::Default(_) => {
                if let Some(former) = self.file.default_scheduler() {
                    touched.below(former);
                }
            }
            Change::Timer(_) => touched.all(),
            Change::Move { thread, to, .. } => {
                touched.thread(|name| self.is_meant(thread, name));
                touched.siblings(to);
            }
            Change::MoveScheduler { own: (name, _), to, .. }
            | Change::AddParent { scheduler: name, to, .. } => {
                touched.scheduler(name);
                to.name().into_iter().for_each(|to| touched.siblings(to));
            }
            Change::RemoveParent(name, _) => touched.scheduler(name),
            Change::Set(whom, ..) | Change::Guarantee(whom, _) | Change::Unreserve(whom) => {
                match whom {
                    Whom::Thread(thread) => touched.thread(|name| self.is_meant(thread, name)),
                    Whom::Scheduler(name, _) => touched.scheduler(name),
                }
            }
        }
    }
}

/// The longest period of a reservation that a tree's threads and schedulers ask for.
pub(super) fn longest_period(tree: &Scenario) -> Span {
    let owns = tree.schedulers.iter().flat_map(|scheduler| &scheduler.owns);
    let requires = owns.map(|own| &own.requires);
    let requires = requires.chain(tree.threads.iter().map(|thread| &thread.requires));
    let periods = requires.filter_map(|requires| {
        let promised = requires.guarantee.and_then(|guarantee| guarantee.reservation());
        let promised = promised.and_then(|(_, period)| period.ceil());
        promised.or_else(|| requires.reservation().map(|(_, period)| period))
    });
    periods.max().unwrap_or(Span::ZERO)
}

/// The names found so far, in the trees before and after.
struct Touched<'a> {
    trees: [&'a Scenario; 2],
    names: BTreeSet<String>,
}

impl Touched<'_> {
    fn all(&mut self) {
        for tree in self.trees {
            self.names.extend(tree.schedulers.iter().map(|scheduler| scheduler.name.clone()));
            self.names.extend(tree.threads.iter().map(|thread| thread.name.clone()));
        }
    }

    /// Everything below a scheduler.
    fn below(&mut self, name: &str) {
        for tree in self.trees {
            let threads = tree.threads.iter();
            let threads =
                threads.filter(|thread| parent(tree, thread.parent.as_deref()) == Some(name));
            self.names.extend(threads.map(|thread| thread.name.clone()));
            let stands = |own: &crate::model::Attachment| matches!(&own.parent, Parent::Scheduler(parent) if parent == name);
            for scheduler in &tree.schedulers {
                let is_new = !self.names.contains(&scheduler.name);
                if is_new && scheduler.owns.iter().any(stands) {
                    self.names.insert(scheduler.name.clone());
                    self.below(&scheduler.name);
                }
            }
        }
    }

    /// A scheduler with everything below it, and its siblings.
    fn scheduler(&mut self, name: &str) {
        let parents = self.trees.into_iter().flat_map(|tree| {
            let scheduler = tree.schedulers.iter().filter(|scheduler| scheduler.name == name);
            scheduler.flat_map(|scheduler| &scheduler.owns).filter_map(|own| own.parent.name())
        });
        let parents: Vec<&str> = parents.collect();
        self.names.insert(name.to_owned());
        self.below(name);
        parents.into_iter().for_each(|parent| self.siblings(parent));
    }

    /// Threads, and their siblings.
    fn thread(&mut self, is_meant: impl Fn(&str) -> bool) {
        let mut parents = BTreeSet::new();
        for tree in self.trees {
            for thread in tree.threads.iter().filter(|thread| is_meant(&thread.name)) {
                self.names.insert(thread.name.clone());
                parents.extend(parent(tree, thread.parent.as_deref()));
            }
        }
        parents.into_iter().for_each(|parent| self.siblings(parent));
    }

    /// The children of a scheduler, of which one has started, ended or changed.
    fn siblings(&mut self, name: &str) {
        let scheduler = self.trees.into_iter().find_map(|tree| {
            let scheduler = tree.schedulers.iter().find(|scheduler| scheduler.name == name)?;
            tree.kind_of(scheduler)
        });
        if scheduler.is_some_and(|kind| !kind.properties.reserves) {
            self.below(name);
        }
    }
}

/// The scheduler of a thread, which is the default where none is written.
fn parent<'a>(tree: &'a Scenario, written: Option<&'a str>) -> Option<&'a str> {
    written.or_else(|| tree.default_scheduler())
}
