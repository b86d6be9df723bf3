//! A scenario while it runs: requests that nobody had planned, in the words of the file.
//!
//! A request is an entry of `[[at]]` without `time`. It is read, checked and planned by the code that reads files, in a
//! scenario made of what there is: the schedulers and threads of the moment, each where it stands.
//! Weights keep the meaning that the file gave them.

mod breaks;
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

/// A scheduler that there is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LiveNode {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The parent of each of its own virtual processors.
    pub parents: Vec<Parent>,
}

impl LiveNode {
    /// A scheduler of this name and kind below these parents.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: impl Into<String>, parents: Vec<Parent>) -> LiveNode {
        LiveNode { name: name.into(), kind: kind.into(), parents }
    }
}

/// A thread that there is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LiveThread {
    /// Its name.
    pub name: String,
    /// The scheduler above it; `None` when it is not there yet, or no longer.
    pub parent: Option<String>,
}

impl LiveThread {
    /// A thread of this name below that scheduler.
    #[must_use]
    pub fn new(name: impl Into<String>, parent: Option<String>) -> LiveThread {
        LiveThread { name: name.into(), parent }
    }
}

/// What a run's scenario has come to.
pub struct Live {
    file: Scenario,
    /// The schedulers that were created on the way, the last one first.
    created: Vec<Scheduler>,
    /// What is asked, where it is no longer what the file asks; of a thread, at which scheduler.
    asked: BTreeMap<Whom, (Requirements, Option<String>)>,
    /// How many of the file's requests have come to pass.
    passed: usize,
}

/// What is to be carried out, and what was asked in the words of the file.
pub struct LiveRequest {
    /// One for each thread that is meant.
    pub planned: Vec<PlannedRequest>,
    changes: Vec<Change>,
}

impl Live {
    /// The scenario that a run began with.
    #[must_use]
    pub fn new(file: Scenario) -> Live {
        let mut file = file;
        file.requests.sort_by_key(|request| request.time);
        Live { file, created: Vec::new(), asked: BTreeMap::new(), passed: 0 }
    }

    /// Plans the requests in a text. Threads are numbered as `threads` has them.
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
        for request in &mut there.requests {
            together::pass_on(&mut request.change, &self.file.threads, &there.schedulers);
        }
        let file = ParameterWriter::of(&self.file);
        let asking = ParameterWriter::of(&there).weighing_as(&file);
        check_requests(&there, &asking, &mut mistakes);
        if let Some(diagnostics) = Diagnostics::of(&there.origin, mistakes) {
            return Err(diagnostics);
        }
        let planned = build::requests(&there, &asking)?;
        Ok(LiveRequest {
            planned: planned.into_iter().map(|(_, request)| request).collect(),
            changes: there.requests.into_iter().map(|request| request.change).collect(),
        })
    }

    /// Takes note of what has been carried out.
    pub fn carried_out(
        &mut self,
        nodes: &[LiveNode],
        threads: &[LiveThread],
        request: LiveRequest,
    ) {
        self.note(&self.there(nodes, threads), request.changes);
    }

    /// Takes note of what the file has asked for up to `now`.
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
                    self.asked.insert(Whom::Scheduler(name, own), (requires, None));
                }
                Change::RemoveParent(name, own) => {
                    self.asked.insert(Whom::Scheduler(name, own), Default::default());
                }
                Change::AddParent { scheduler, to, requires } => {
                    // Of several VPs at this parent, the one of which nothing is asked yet.
                    let place = there.schedulers.iter().find(|other| other.name == scheduler);
                    let owns = (0_u16..).zip(place.into_iter().flat_map(|place| &place.owns));
                    let owns = owns.filter(|(_, own)| own.parent == to && own.requires.is_empty());
                    if let Some((own, _)) = owns.last() {
                        self.asked.insert(Whom::Scheduler(scheduler, own), (requires, None));
                    }
                }
                Change::Create(scheduler) => self.created.insert(0, scheduler),
                Change::Move { thread, to, requires } => {
                    self.asked.insert(Whom::Thread(thread), (requires, Some(to)));
                }
                Change::Set(..) | Change::Guarantee(..) | Change::Unreserve(_) => {
                    self.change(there, &change);
                }
                Change::Destroy(_)
                | Change::Default(_)
                | Change::Quantum(..)
                | Change::Timer(_) => {}
            }
        }
    }

    /// Something else is asked for somebody.
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
        self.asked.insert(whom.clone(), (requires, parent));
    }

    /// What the file asks for a thread holds again.
    pub fn forget(&mut self, thread: &str) {
        self.asked.remove(&Whom::Thread(thread.to_owned()));
    }

    /// What is promised in the tree of the moment, and which of it the checker grants.
    #[must_use]
    pub fn promises(&self, nodes: &[LiveNode], threads: &[LiveThread]) -> Vec<Promise> {
        requested_promises(&self.there(nodes, threads))
    }

    /// What is asked for a thread: what was asked last, as long as it stands where that was asked.
    fn requirements(&self, thread: &LiveThread, entry: Option<&Thread>) -> Requirements {
        let known = |name: &str| self.asked.get(&Whom::Thread(name.to_owned()));
        let asked = known(&thread.name).or_else(|| known(&entry?.name));
        let home = entry.and_then(|entry| entry.parent.as_deref());
        let home = home.or_else(|| self.file.default_scheduler());
        let (requires, place) = match (asked, entry) {
            (Some((requires, place)), _) => (requires, place.as_deref()),
            (None, Some(entry)) => (&entry.requires, home),
            (None, None) => return Requirements::default(),
        };
        if thread.parent.as_deref() == place { requires.clone() } else { Requirements::default() }
    }

    /// What there is, as a scenario that begins with it.
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
            let owns = (0_u16..).zip(&node.parents).map(|(number, parent)| {
                let changed = self.asked.get(&Whom::Scheduler(node.name.clone(), number));
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
        Scenario {
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
