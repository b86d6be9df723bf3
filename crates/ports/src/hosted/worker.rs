//! A worker of a pool: does one task after the other, each as far as it may.
//!
//! Where the pool cannot start, it leaves. The waiter for a task is notified before the scheduler is: a worker whose task has ended comes behind all tasks. The worker is free from then on, too, so that the waiter may submit again.

use super::task::{Action, Completion, Job, let_go};
use super::workers::Workers;
use crate::lock::locked;
use core::future::poll_fn;
use core::task::Poll;
use std::sync::Arc;
use windfall_programs::{Code, Event, Notice, Notices, Process, ProcessError, TaskId};

/// Its code.
#[derive(Clone)]
pub(super) struct Worker {
    pub(super) workers: Arc<Workers>,
    /// The event of whoever starts the pool.
    pub(super) ready: Event,
}

impl Code for Worker {
    const NAME: &'static str = "pool-worker";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let Worker { workers, ready } = self;
        let (process, entered) = (me.me(), enter(&mut me).await);
        let enters = workers.enter(process, entered.map(|(assigned, _)| assigned));
        let _ = me.post(ready, 0).await; // posted already by another, which is enough
        let (true, Ok((assigned, notices))) = (enters, entered) else { return Ok(()) };
        loop {
            // The datum is the number of the task, and only its admission posts it.
            let Ok(task) = u32::try_from(me.mwait(&[assigned]).await?.datum) else { continue };
            let Some((mut work, deadline)) = workers.assignment(process) else {
                if workers.leave() {
                    let _ = me.post(ready, 0).await;
                    return Ok(());
                }
                // Whoever submitted it gave that up before it had the answer.
                let _ = me.finish(TaskId::new(task)).await;
                continue;
            };
            let exceeded = run(&mut me, notices, &mut *work).await?;
            let at = me.now().await;
            let completion = Completion { at, late: at.saturating_since(deadline) };
            let (end, waiter) = work.end(exceeded, completion);
            let cancelled = work.is_cancelled();
            let_go(work);
            workers.tally(|counts| counts.end(end, completion));
            workers.free((process, assigned));
            if let Some(waiter) = waiter {
                let _ = me.post(waiter, 0).await; // it may have gone
            }
            if me.finish(TaskId::new(task)).await.is_err() {
                // It was cancelled, used up or lost. Notices of that are not the next task's.
                let used_up = exceeds(&mut me, notices).await? || exceeded;
                let lost = !used_up && !cancelled;
                workers.tally(|counts| counts.lost += u64::from(lost));
            }
        }
    }
}

/// Makes a worker's events, for assignments and for notices, and lets others submit for it.
async fn enter(me: &mut impl Process) -> Result<(Event, Event), ProcessError> {
    let (assigned, notices) = (me.make_event().await?, me.make_event().await?);
    me.notices(notices).await?;
    let opened = me.open_tasks().await;
    opened.map_err(|_| ProcessError::NotHere { why: "this host has no schedulers" })?;
    Ok((assigned, notices))
}

/// Runs a task until its closure ends; not at all if it was cancelled before. Returns whether it exceeded its bound.
async fn run(
    me: &mut impl Process,
    notices: Event,
    work: &mut dyn Job,
) -> Result<bool, ProcessError> {
    let mut exceeded = false;
    if work.is_cancelled() {
        return Ok(exceeded);
    }
    while let Some(action) = poll_fn(|context| Poll::Ready(work.next(context))).await {
        match action {
            Action::Compute(span) => me.compute(span).await,
            Action::Checkpoint => {
                exceeded |= exceeds(me, notices).await?;
                let stops = exceeded || work.is_cancelled();
                locked(work.slot()).stops = stops;
            }
            Action::Now => {
                let now = me.now().await;
                locked(work.slot()).now = now;
            }
        }
    }
    Ok(exceeded || exceeds(me, notices).await?)
}

/// Whether the scheduler has noted that the worker's task is used up. The note is taken.
async fn exceeds(me: &mut impl Process, notices: Event) -> Result<bool, ProcessError> {
    let mut exceeded = false;
    while let Some(word) = me.reset(notices).await? {
        exceeded |= Notices::from_word(word).contains(Notice::BudgetUsedUp);
    }
    Ok(exceeded)
}
