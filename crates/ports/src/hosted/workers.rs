//! The workers of a pool: who is free, who has which task, and how often what happened.
//!
//! Invariants: each worker is free, or was taken for a task; admitted = done + exceeded + cancelled + panicked + those that are there. The lock is held for a few steps, and never while a
//! process waits: on a host that carries actions out one by one nobody contends for it.

use super::error::SubmitError;
use super::task::{Completion, End, Job};
use crate::lock::locked;
use core::fmt;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use windfall_programs::{Event, ProcessError, ProcessHandle, TaskError};
use windfall_time::Instant;

/// How often what happened to the tasks of a pool: admitted = done + exceeded + cancelled + panicked + those that are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Tasks that were admitted.
    pub admitted: u64,
    /// Submissions that the scheduler refused for want of time.
    pub no_time: u64,
    /// Submissions for which no worker was free.
    pub full: u64,
    /// Submissions that were refused for other reasons.
    pub unsuitable: u64,
    /// Tasks that ended within their bound.
    pub done: u64,
    /// Tasks that exceeded their bound.
    pub exceeded: u64,
    /// Tasks that were cancelled, or stopped themselves.
    pub cancelled: u64,
    /// Tasks that panicked.
    pub panicked: u64,
    /// Those of `done` that ended after their deadline. Where the supply of the scheduler holds there are none.
    pub late: u64,
    /// Tasks that their scheduler gave up when its supply failed. Their closures went on.
    pub lost: u64,
}

impl Counts {
    /// Counts an end.
    pub(super) fn end(&mut self, end: End, completion: Completion) {
        *match end {
            End::Done => &mut self.done,
            End::Exceeded => &mut self.exceeded,
            End::Cancelled => &mut self.cancelled,
            End::Panicked => &mut self.panicked,
        } += 1;
        self.late += u64::from(end == End::Done && !completion.late.is_zero());
    }
}

/// What a worker is to run, and by when.
pub(super) type Assignment = (Box<dyn Job>, Instant);

/// A worker, and the event by which it learns of a task.
pub(super) type WorkerEvent = (ProcessHandle, Event);

#[derive(Default)]
struct State {
    /// How many workers are ready, and why one cannot be.
    ready: u32,
    failed: Option<ProcessError>,
    /// Those that are free; the last that came to be so is taken first.
    free: Vec<WorkerEvent>,
    assigned: BTreeMap<ProcessHandle, Assignment>,
    counts: Counts,
}

/// The workers of a pool.
pub(super) struct Workers {
    count: u32,
    state: Mutex<State>,
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("count", &self.count).finish_non_exhaustive()
    }
}

impl Workers {
    pub(super) fn new(count: u32) -> Workers {
        Workers { count, state: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// A worker is ready, or cannot be.
    pub(super) fn enter(&self, process: ProcessHandle, event: Result<Event, ProcessError>) {
        let mut state = self.open();
        match event {
            Ok(event) => {
                state.ready += 1;
                state.free.push((process, event));
            }
            Err(error) => state.failed = Some(error),
        }
    }

    /// Whether all workers are ready.
    pub(super) fn are_ready(&self) -> Result<bool, ProcessError> {
        let state = self.open();
        state.failed.map_or(Ok(state.ready == self.count), Err)
    }

    /// Takes a worker that is free, for a task that it learns of if it is admitted.
    pub(super) fn take(&self, assignment: Assignment) -> Result<Taken<'_>, SubmitError> {
        let mut state = self.open();
        let Some(worker) = state.free.pop() else {
            state.counts.full += 1;
            return Err(SubmitError::Full { workers: self.count });
        };
        state.assigned.insert(worker.0, assignment);
        Ok(Taken { workers: self, worker, admitted: false })
    }

    /// What a worker is to run.
    pub(super) fn assignment(&self, process: ProcessHandle) -> Option<Assignment> {
        self.open().assigned.remove(&process)
    }

    /// A worker is free again.
    pub(super) fn free(&self, worker: WorkerEvent) {
        self.open().free.push(worker);
    }

    /// Counts what happened.
    pub(super) fn count(&self, what: impl FnOnce(&mut Counts)) {
        what(&mut self.open().counts);
    }

    pub(super) fn counts(&self) -> Counts {
        self.open().counts
    }
}

/// A worker for which a task is being submitted. It is free again if that is not admitted.
pub(super) struct Taken<'a> {
    workers: &'a Workers,
    pub(super) worker: WorkerEvent,
    admitted: bool,
}

impl Taken<'_> {
    /// Counts why the task was refused.
    pub(super) fn refused(self, error: TaskError) -> SubmitError {
        self.workers.count(|counts| match error {
            TaskError::NoTime { .. } => counts.no_time += 1,
            _ => counts.unsuitable += 1,
        });
        SubmitError::Refused(error)
    }

    /// The task was admitted.
    pub(super) fn admitted(mut self) {
        self.admitted = true;
        self.workers.count(|counts| counts.admitted += 1);
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if !self.admitted {
            let refused = self.workers.assignment(self.worker.0);
            self.workers.free(self.worker);
            drop(refused); // with the lock open: what a closure holds may do anything when it is dropped
        }
    }
}
