//! What a request means for the promises of a run: which hold afterwards, and which of them it has touched.
//!
//! A promise that a request does not touch goes on being judged, over windows that the request lies in. The judgement of a touched one
//! begins anew: its owner, or something above it, has been moved or is asked for by other parameters; or a sibling has come, gone or
//! changed below a scheduler that reserves nothing, so that what the owner gets may be ahead or behind as it was not before.

use super::Live;
use crate::model::{Change, Parent, Scenario, Whom};
use crate::outcome::Promise;
use std::collections::BTreeSet;
use windfall_time::Span;

/// The promises after a request.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct PromiseChange {
    /// All that the checker grants.
    pub after: Vec<Promise>,
    /// The names of the threads and schedulers whose promises are judged anew.
    pub touched: BTreeSet<String>,
    /// How long after the request judgement begins of what was not promised before. Schedulers let a period run out that has begun, and
    /// give away what a reservation leaves only when it could have been used up: so the longest period that there was.
    pub settles: Span,
}

impl PromiseChange {
    /// After a request that touches no promise.
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

    /// Whether the judgement of a promise goes on.
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
            Change::Create(_) | Change::Transaction(_) => {}
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

/// The names that are found, in the trees before and after.
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

    /// The children of a scheduler, where one of them has come, gone or changed.
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
