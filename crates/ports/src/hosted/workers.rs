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
use windfall_programs::{Event, Process, ProcessError, ProcessHandle, TaskError};
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

/// The task that a worker is to run, and its deadline.
pub(super) type Assignment = (Box<dyn Job>, Instant);

/// A worker, and the event by which it learns of a task.
pub(super) type WorkerEvent = (ProcessHandle, Event);

#[derive(Default)]
struct State {
    /// How many workers are ready, and why one cannot be.
    ready: u32,
    failed: Option<ProcessError>,
    /// Whether the pool cannot start, and how many workers have left.
    over: bool,
    left: u32,
    /// One of them, by which their scheduler is asked.
    one: Option<ProcessHandle>,
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

    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// A worker is ready, or cannot be. Returns whether it stays; else it has left.
    pub(super) fn enter(&self, process: ProcessHandle, event: Result<Event, ProcessError>) -> bool {
        let mut state = self.open();
        match event {
            Ok(event) if !state.over => {
                state.ready += 1;
                state.one = Some(process);
                state.free.push((process, event));
                return true;
            }
            Ok(_) => {}
            Err(error) => state.failed = Some(error),
        }
        state.left += 1;
        false
    }

    /// Waits until all workers are ready; they post this event.
    pub(super) async fn wait_until_ready(
        &self,
        me: &mut impl Process,
        ready: Event,
    ) -> Result<(), ProcessError> {
        while !self.are_ready()? {
            me.mwait(&[ready]).await?;
        }
        Ok(())
    }

    /// One of the workers, free or not; the pool has started.
    pub(super) fn one(&self) -> Option<ProcessHandle> {
        self.open().one
    }

    /// Whether all workers are ready.
    fn are_ready(&self) -> Result<bool, ProcessError> {
        let state = self.open();
        state.failed.map_or(Ok(state.ready == self.count), Err)
    }

    /// The pool cannot start: ends those workers that were made, before anybody can submit, and waits until they have left. They post this event.
    pub(super) async fn end(
        &self,
        me: &mut impl Process,
        made: u32,
        ready: Event,
    ) -> Result<(), ProcessError> {
        let free = {
            let mut state = self.open();
            state.over = true;
            core::mem::take(&mut state.free)
        };
        for (_, event) in free {
            me.post(event, 0).await?;
        }
        while self.open().left < made {
            me.mwait(&[ready]).await?;
        }
        Ok(())
    }

    /// Whether a worker without an assignment is to leave; then it has.
    pub(super) fn leave(&self) -> bool {
        let mut state = self.open();
        state.left += u32::from(state.over);
        state.over
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

    /// The task that a worker is to run.
    pub(super) fn assignment(&self, process: ProcessHandle) -> Option<Assignment> {
        self.open().assigned.remove(&process)
    }

    /// A worker is free again.
    pub(super) fn free(&self, worker: WorkerEvent) {
        self.open().free.push(worker);
    }

    /// Counts what happened.
    pub(super) fn tally(&self, what: impl FnOnce(&mut Counts)) {
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
        self.workers.tally(|counts| match error {
            TaskError::NoTime { .. } => counts.no_time += 1,
            _ => counts.unsuitable += 1,
        });
        SubmitError::Refused(error)
    }

    /// The task was admitted.
    pub(super) fn admitted(mut self) {
        self.admitted = true;
        self.workers.tally(|counts| counts.admitted += 1);
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
