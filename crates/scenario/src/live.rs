//! A scenario while it runs: unplanned requests, in the language of the file.
//!
//! A request is an entry of `[[at]]` without `time`. It is read, checked and planned by the code that reads files, in a
//! scenario of the current state: the schedulers and threads that exist, each below its present parent.
//! Weights keep the meaning that the file gave them.

mod breaks;
mod own;
mod touched;

pub use touched::PromiseChange;

use crate::build;
use crate::check::{check_requests, means, numbered};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Attachment, Change, Parent, Requirements, Run, Scenario, Scheduler, Thread, Whom,
};
use crate::outcome::{Promise, requested_promises};
use crate::parameters::ParameterWriter;
use crate::plan::PlannedRequest;
use crate::resolve;
use crate::together;
use std::collections::BTreeMap;
use windfall_time::Instant;

/// A scheduler that exists.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LiveNode {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The parent of each of its own virtual processors.
    pub parents: Vec<Parent>,
    /// The processor of each that lies at the top, where that is known.
    pub at_top: Vec<Option<u16>>,
}

impl LiveNode {
    /// A scheduler of this name and kind below these parents.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: impl Into<String>, parents: Vec<Parent>) -> LiveNode {
        LiveNode { name: name.into(), kind: kind.into(), parents, at_top: Vec::new() }
    }

    /// The same; of each own virtual processor, its processor if it lies at the top.
    #[must_use]
    pub fn at_top(mut self, processors: Vec<Option<u16>>) -> LiveNode {
        self.at_top = processors;
        self
    }
}

/// A thread that exists.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LiveThread {
    /// Its name.
    pub name: String,
    /// The scheduler above it; `None` before it starts and after it ends.
    pub parent: Option<String>,
}

impl LiveThread {
    /// A thread of this name below that scheduler.
    #[must_use]
    pub fn new(name: impl Into<String>, parent: Option<String>) -> LiveThread {
        LiveThread { name: name.into(), parent }
    }
}

/// The state of a run's scenario.
#[derive(Clone)]
pub struct Live {
    file: Scenario,
    /// The schedulers that were created during the run, the last one first.
    created: Vec<Scheduler>,
    /// Requirements that differ from those of the file; for a thread, with its scheduler.
    requested: BTreeMap<Whom, (Requirements, Option<String>)>,
    /// How many of the file's requests have been carried out.
    passed: usize,
}

/// Planned requests, and the request in the language of the file.
pub struct LiveRequest {
    /// One for each thread that the request is about.
    pub planned: Vec<PlannedRequest>,
    changes: Vec<Change>,
}

impl Live {
    /// The scenario that a run began with.
    #[must_use]
    pub fn new(file: Scenario) -> Live {
        let mut file = file;
        file.requests.sort_by_key(|request| request.time);
        Live { file, created: Vec::new(), requested: BTreeMap::new(), passed: 0 }
    }

    /// The kinds of schedulers that admit tasks, of those that the scenario may have.
    #[must_use]
    pub fn kinds_that_admit(&self) -> String {
        self.file.kinds_with(|kind| kind.properties.admits)
    }

    /// Plans the requests in a text. Threads are numbered as in `threads`.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn plan(
        &self,
        nodes: &[LiveNode],
        threads: &[LiveThread],
        text: &str,
    ) -> Result<LiveRequest, Diagnostics> {
        let (origin, requests, mut mistakes) =
            resolve::requests("request", text, &self.file.catalogue);
        let mut there = Scenario { requests, origin, ..self.there(nodes, threads) };
        let known = (&self.file.threads[..], &there.schedulers[..], &self.file.catalogue);
        for request in &mut there.requests {
            together::pass_on(&mut request.change, known);
        }
        let file = ParameterWriter::of(&self.file);
        let writer = ParameterWriter::of(&there).weighing_as(&file);
        check_requests(&there, &writer, &mut mistakes);
        if let Some(diagnostics) = Diagnostics::of(&there.origin, mistakes) {
            return Err(diagnostics);
        }
        let planned = build::requests(&there, &writer)?;
        Ok(LiveRequest {
            planned: planned.into_iter().map(|(_, request)| request).collect(),
            changes: there.requests.into_iter().map(|request| request.change).collect(),
        })
    }

    /// Records a request that has been carried out.
    pub fn carried_out(
        &mut self,
        nodes: &[LiveNode],
        threads: &[LiveThread],
        request: LiveRequest,
    ) {
        self.note(&self.there(nodes, threads), request.changes);
    }

    /// Records the file's requests up to `now`.
    pub fn passes(&mut self, nodes: &[LiveNode], threads: &[LiveThread], now: Instant) {
        let due = self.file.requests.iter().skip(self.passed);
        let due = due.take_while(|request| request.time <= now);
        let changes: Vec<Change> = due.map(|request| request.change.clone()).collect();
        self.passed += changes.len();
        self.note(&self.there(nodes, threads), changes);
    }

    fn note(&mut self, there: &Scenario, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Transaction(parts) => self.note(there, parts),
                Change::MoveScheduler { own: (name, own), requires, .. } => {
                    self.requested.insert(Whom::Scheduler(name, own), (requires, None));
                }
                Change::RemoveParent(name, own) => {
                    self.requested.insert(Whom::Scheduler(name, own), Default::default());
                }
                Change::AddParent { scheduler, to, requires } => {
                    // Of several VPs at this parent, the one without requirements so far.
                    let place = there.schedulers.iter().find(|other| other.name == scheduler);
                    let owns = (0..=u16::MAX).zip(place.into_iter().flat_map(|place| &place.owns));
                    let owns = owns.filter(|(_, own)| own.parent == to && own.requires.is_empty());
                    if let Some((own, _)) = owns.last() {
                        self.requested.insert(Whom::Scheduler(scheduler, own), (requires, None));
                    }
                }
                Change::Create(scheduler) => self.created.insert(0, scheduler),
                Change::Move { thread, to, requires } => {
                    self.requested.insert(Whom::Thread(thread), (requires, Some(to)));
                }
                Change::Set(..) | Change::Guarantee(..) | Change::Unreserve(_) => {
                    self.change(there, &change);
                }
                Change::Destroy(_)
                | Change::Default(_)
                | Change::Quantum(..)
                | Change::Transfer { .. }
                | Change::Enqueue { .. }
                | Change::Timer(_) => {}
            }
        }
    }

    /// Records changed requirements of a thread or scheduler.
    fn change(&mut self, there: &Scenario, change: &Change) {
        let Some(whom) = change.whom() else { return };
        let found = match whom {
            Whom::Thread(name) => {
                let thread = there.threads.iter().find(|thread| thread.name == *name);
                thread.map(|thread| (thread.requires.clone(), thread.parent.clone()))
            }
            Whom::Scheduler(name, own) => {
                let mut schedulers = there.schedulers.iter();
                let scheduler = schedulers.find(|scheduler| scheduler.name == *name);
                let own = scheduler.and_then(|s| s.owns.get(usize::from(*own)));
                own.map(|own| (own.requires.clone(), None))
            }
        };
        let (mut requires, parent) = found.unwrap_or_default();
        change.apply(&mut requires);
        self.requested.insert(whom.clone(), (requires, parent));
    }

    /// Restores the file's requirements of a thread.
    pub fn forget(&mut self, thread: &str) {
        self.requested.remove(&Whom::Thread(thread.to_owned()));
    }

    /// The promises in the current tree, and which of them the checker grants.
    #[must_use]
    pub fn promises(&self, nodes: &[LiveNode], threads: &[LiveThread]) -> Vec<Promise> {
        requested_promises(&self.there(nodes, threads))
    }

    /// The requirements of a thread: the last ones, as long as the thread is at the scheduler that received them.
    fn requirements(&self, thread: &LiveThread, entry: Option<&Thread>) -> Requirements {
        let known = |name: &str| self.requested.get(&Whom::Thread(name.to_owned()));
        let requested = known(&thread.name).or_else(|| known(&entry?.name));
        let home = entry.and_then(|entry| entry.parent.as_deref());
        let home = home.or_else(|| self.file.default_scheduler());
        let (requires, place) = match (requested, entry) {
            (Some((requires, place)), _) => (requires, place.as_deref()),
            (None, Some(entry)) => (&entry.requires, home),
            (None, None) => return Requirements::default(),
        };
        if thread.parent.as_deref() == place { requires.clone() } else { Requirements::default() }
    }

    /// The current state, as a scenario that begins with it.
    fn there(&self, nodes: &[LiveNode], threads: &[LiveThread]) -> Scenario {
        let schedulers = nodes.iter().map(|node| {
            let known = self.created.iter().chain(self.file.all_schedulers());
            let known = known.filter(|known| known.name == node.name && known.kind == node.kind);
            let mut scheduler = known.map(Scheduler::clone).next().unwrap_or_else(|| Scheduler {
                name: node.name.clone(),
                kind: node.kind.clone(),
                settings: Vec::new(),
                owns: vec![Attachment { parent: Parent::Top, requires: Requirements::default() }],
            });
            let owns = (0..=u16::MAX).zip(&node.parents).map(|(number, parent)| {
                let changed = self.requested.get(&Whom::Scheduler(node.name.clone(), number));
                let known = scheduler.owns.get(usize::from(number)).map(|known| &known.requires);
                let requires = changed.map(|(requires, _)| requires).or(known).cloned();
                Attachment { parent: parent.clone(), requires: requires.unwrap_or_default() }
            });
            scheduler.owns = owns.collect();
            scheduler
        });
        let threads = threads.iter().map(|thread| {
            let entry = self.file.threads.iter().find(|entry| is_one_of(&thread.name, entry));
            Thread {
                name: thread.name.clone(),
                count: None,
                parent: thread.parent.clone(),
                requires: self.requirements(thread, entry),
                external: None,
                run: entry.map_or(Run::Unknown, |entry| entry.run.clone()),
                start: Instant::ZERO,
                working_set_kib: 0,
            }
        });
        let at_top = nodes.iter().flat_map(|node| {
            let numbered = (0..=u16::MAX).zip(&node.at_top);
            numbered.filter_map(|(own, at)| Some(((node.name.clone(), own), (*at)?)))
        });
        Scenario {
            at_top: at_top.collect(),
            schedulers: schedulers.collect(),
            threads: threads.collect(),
            default: None,
            expectations: Vec::new(),
            interrupts: Vec::new(),
            under_way: true,
            ..self.file.clone()
        }
    }
}

/// Whether a thread belongs to an entry of the file.
fn is_one_of(name: &str, entry: &Thread) -> bool {
    means(name, entry) || entry.external.is_some() && numbered(name, &entry.name).is_some()
}
