//! A scenario while it runs: requests that nobody had planned, in the words of the file.
//!
//! A request is an entry of `[[at]]` without `time`. It is read, checked and planned by the code that reads files, in a
//! scenario made of what there is: the schedulers and threads of the moment, each where it stands.
//! Weights keep the meaning that the file gave them.

use crate::asks::Asking;
use crate::build;
use crate::check::{check_requests, means};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Asks, Attachment, Change, Parent, Request, Run, Scenario, Scheduler, Thread,
};
use crate::plan::PlannedRequest;
use crate::resolve;
use windfall_time::Instant;

/// A scheduler that there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveNode {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The parent of each of its own virtual processors; `None` for the top.
    pub parents: Vec<Option<String>>,
}

/// A thread that there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveThread {
    /// Its name.
    pub name: String,
    /// The scheduler above it; `None` when it is not there yet, or no longer.
    pub parent: Option<String>,
}

/// What a run's scenario has come to.
pub struct Live {
    file: Scenario,
    /// The schedulers that were to be created on the way, the last one first.
    created: Vec<Scheduler>,
}

impl Live {
    /// The scenario that a run began with.
    #[must_use]
    pub const fn new(file: Scenario) -> Live {
        Live { file, created: Vec::new() }
    }

    /// Plans the requests in a text. Threads are numbered as `threads` has them.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn plan(
        &mut self,
        nodes: &[LiveNode],
        threads: &[LiveThread],
        text: &str,
    ) -> Result<Vec<PlannedRequest>, Diagnostics> {
        let (origin, requests, mut mistakes) = resolve::requests("request", text);
        let there = Scenario { requests, origin, ..self.there(nodes, threads) };
        let file = Asking::of(&self.file);
        let asking = Asking::of(&there).weighing_as(&file);
        check_requests(&there, &asking, &mut mistakes);
        if let Some(diagnostics) = Diagnostics::of(&there.origin, mistakes) {
            return Err(diagnostics);
        }
        let planned = build::requests(&there, &asking)?;
        for Request { change, .. } in there.requests {
            if let Change::Create(scheduler) = change {
                self.created.insert(0, scheduler);
            }
        }
        Ok(planned.into_iter().map(|(_, request)| request).collect())
    }

    /// What there is, as a scenario that begins with it.
    fn there(&self, nodes: &[LiveNode], threads: &[LiveThread]) -> Scenario {
        let schedulers = nodes.iter().map(|node| {
            let known = self.created.iter().chain(self.file.all_schedulers());
            let known = known.filter(|known| known.name == node.name && known.kind == node.kind);
            let mut scheduler = known
                .map(Scheduler::clone)
                .next()
                .unwrap_or_else(|| Scheduler::root(&node.name, &node.kind));
            let owns = node.parents.iter().map(|parent| Attachment {
                parent: parent.clone().map_or(Parent::Top, Parent::Scheduler),
                asks: Asks::default(),
            });
            scheduler.owns = owns.collect();
            scheduler
        });
        let threads = threads.iter().map(|thread| {
            let entry = self.file.threads.iter().find(|entry| means(&thread.name, entry));
            Thread {
                name: thread.name.clone(),
                count: None,
                parent: thread.parent.clone(),
                asks: Asks::default(),
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
            ..self.file.clone()
        }
    }
}
