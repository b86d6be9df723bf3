//! Fixed priorities, and best first (section 2.4): the task of the highest rank, equal ones in order of arrival. They promise nothing by deadline.

use super::server::Server;
use crate::scheduler::Scheduler;
use crate::{Claim, Request, Share, SubmitError, TaskId};
use core::cmp::Reverse;
use std::collections::BTreeMap;
use windfall_admission::AdmitError;
use windfall_time::{Instant, Span};

/// Rank, the highest first, and number of arrival.
type Key = (Reverse<i64>, u64);

#[derive(Clone, Copy, Debug)]
struct Waiting {
    key: Key,
    left: Span,
}

/// Runs its tasks by rank.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// Whether a task that has begun is run until it ends, before one of a higher rank.
    to_the_end: bool,
    begun: Option<TaskId>,
    server: Option<Server>,
    now: Instant,
    ready: BTreeMap<Key, TaskId>,
    tasks: BTreeMap<TaskId, Waiting>,
    arrivals: u64,
}

impl Ranked {
    fn new(share: Option<Share>, to_the_end: bool) -> Ranked {
        let (ready, tasks) = (BTreeMap::new(), BTreeMap::new());
        let server = share.map(Server::new);
        let now = Instant::ZERO;
        Ranked { to_the_end, begun: None, server, now, ready, tasks, arrivals: 0 }
    }

    /// Fixed priorities: a task of a higher one interrupts those below. Without a share, only what others leave.
    #[must_use]
    pub fn priorities(share: Option<Share>) -> Ranked {
        Ranked::new(share, false)
    }

    /// Best first, as in a search: the task of the best score begins next, and runs until it ends.
    #[must_use]
    pub fn best_first(share: Option<Share>) -> Ranked {
        Ranked::new(share, true)
    }
}

impl Scheduler for Ranked {
    fn share(&self) -> Option<Share> {
        self.server.map(|server| server.share)
    }

    fn advance(&mut self, now: Instant) {
        self.now = now;
    }

    fn submit(&mut self, task: TaskId, request: &Request) -> Result<(), SubmitError> {
        if request.work.is_zero() {
            return Err(AdmitError::NoWork.into());
        }
        if request.deadline.is_some() {
            return Err(SubmitError::NoDeadlines);
        }
        if let Some(server) = self.server.as_mut().filter(|_| self.ready.is_empty()) {
            server.begin(self.now);
        }
        let key = (Reverse(request.rank), self.arrivals);
        self.arrivals += 1;
        self.ready.insert(key, task);
        self.tasks.insert(task, Waiting { key, left: request.work });
        Ok(())
    }

    fn claim(&self) -> Option<Claim> {
        let first = self.ready.first_key_value().map(|(_, task)| *task);
        let task = self.begun.or(first)?;
        let left = self.tasks.get(&task)?.left;
        let at_most = self.server.map_or(left, |server| left.min(server.left));
        Some(Claim::new(task, self.server.map(|server| server.deadline), at_most))
    }

    fn ran(&mut self, task: TaskId, received: Span) {
        if let Some(waiting) = self.tasks.get_mut(&task) {
            waiting.left = waiting.left.saturating_sub(received);
            if self.to_the_end {
                self.begun = Some(task);
            }
        }
        if let Some(server) = &mut self.server {
            server.ran(received);
        }
    }

    fn ended(&mut self, task: TaskId) {
        if let Some(waiting) = self.tasks.remove(&task) {
            self.ready.remove(&waiting.key);
            self.begun = self.begun.filter(|begun| *begun != task);
        }
    }

    fn renew(&mut self) {
        if let Some(server) = &mut self.server {
            server.renew(self.now);
        }
    }
}
