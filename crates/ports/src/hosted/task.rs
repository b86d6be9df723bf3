//! A task of a pool of processes: its closure, which its worker polls by hand, and the handle of whoever submitted it.
//!
//! The closure's side asks for one thing at a time and is pending; its worker does that, and polls again.

use crate::lock::locked;
use crate::pool::{Finished, StoppedError};
use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use windfall_programs::{Event, Process, ProcessError, ProcessHandle, TaskId};
use windfall_time::{Instant, Span};

/// How a task ended that stayed within its bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Completion {
    /// When its closure ended.
    pub at: Instant,
    /// By how much that was after its deadline: nothing where the supply of its scheduler holds.
    pub late: Span,
}

/// An act of the worker for a closure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    Compute(Span),
    Checkpoint,
    Now,
}

/// The request of a closure, and its worker's answer.
#[derive(Debug, Default)]
pub(super) struct Slot {
    wanted: Option<Action>,
    /// Whether the task is to end.
    pub(super) stops: bool,
    pub(super) now: Instant,
}

/// The argument of a task's closure: the operations that it may do while it has its worker.
#[derive(Debug)]
pub struct Checkpoints(Arc<Mutex<Slot>>);

impl Checkpoints {
    /// Computes for this much processor time at speed 1. On a simulated machine virtual time passes.
    pub async fn compute(&mut self, work: Span) {
        self.act(Action::Compute(work)).await;
    }

    /// Whether the task may go on.
    ///
    /// # Errors
    /// When it has exceeded its bound, or was cancelled; the closure returns that.
    pub async fn checkpoint(&mut self) -> Result<(), StoppedError> {
        self.act(Action::Checkpoint).await;
        if locked(&self.0).stops { Err(StoppedError) } else { Ok(()) }
    }

    /// The current time.
    pub async fn now(&mut self) -> Instant {
        self.act(Action::Now).await;
        locked(&self.0).now
    }

    async fn act(&mut self, action: Action) {
        let mut action = Some(action);
        poll_fn(|_| {
            let mut slot = locked(&self.0);
            slot.wanted = action.take().or(slot.wanted);
            if slot.wanted.is_some() { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    }
}

/// The state of a task, as its handle and its worker share it.
pub(super) struct Ending<T> {
    cancelled: bool,
    finished: Option<Finished<T, Completion>>,
    /// The event of whoever waits for it.
    waiter: Option<Event>,
}

/// How a closure stands.
enum Life<T> {
    Lives(Pin<Box<dyn Future<Output = Result<T, StoppedError>> + Send>>),
    Returned(Result<T, StoppedError>),
    Panicked,
}

/// A task's closure on its worker.
struct Work<T> {
    life: Life<T>,
    slot: Arc<Mutex<Slot>>,
    ending: SharedEnding<T>,
}

/// The same, whatever the closure returns.
pub(super) trait Job: Send {
    /// The request of its closure, and the answer.
    fn slot(&self) -> &Mutex<Slot>;

    /// Whether the task was cancelled.
    fn is_cancelled(&self) -> bool;

    /// The next action that the closure wants; `None` when it has ended.
    fn next(&mut self, context: &mut Context<'_>) -> Option<Action>;

    /// Says how the task ended, if its closure did; else it was cancelled before. Returns what that counts as, and the event of whoever waits for it.
    fn end(&mut self, exceeded: bool, completion: Completion) -> (End, Option<Event>);
}

/// Drops what a closure holds or has returned; a panic in that ends here.
pub(super) fn let_go(held: impl Sized) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(held)));
}

/// How a task ended, without its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Done,
    Exceeded,
    Cancelled,
    Panicked,
}

/// The data that the worker and the handle of a task share.
pub(super) type SharedEnding<T> = Arc<Mutex<Ending<T>>>;

/// A task's closure for a worker, and what its handle will hear.
pub(super) fn new<T: Send + 'static, F>(
    code: impl FnOnce(Checkpoints) -> F + Send + 'static,
) -> (Box<dyn Job>, SharedEnding<T>)
where
    F: Future<Output = Result<T, StoppedError>> + Send + 'static,
{
    let slot = Arc::<Mutex<Slot>>::default();
    let ending = Arc::new(Mutex::new(Ending { cancelled: false, finished: None, waiter: None }));
    let checkpoints = Checkpoints(slot.clone());
    let life = Life::Lives(Box::pin(async move { code(checkpoints).await }));
    (Box::new(Work { life, slot, ending: ending.clone() }), ending)
}

impl<T: Send + 'static> Job for Work<T> {
    fn slot(&self) -> &Mutex<Slot> {
        &self.slot
    }

    fn is_cancelled(&self) -> bool {
        locked(&self.ending).cancelled
    }

    fn next(&mut self, context: &mut Context<'_>) -> Option<Action> {
        let Life::Lives(life) = &mut self.life else { return None };
        let ended = match catch_unwind(AssertUnwindSafe(|| life.as_mut().poll(context))) {
            Ok(Poll::Pending) => match locked(&self.slot).wanted.take() {
                Some(action) => return Some(action),
                // It awaits what never comes.
                None => Life::Panicked,
            },
            Ok(Poll::Ready(value)) => Life::Returned(value),
            Err(_) => Life::Panicked,
        };
        let_go(core::mem::replace(&mut self.life, ended));
        None
    }

    fn end(&mut self, exceeded: bool, completion: Completion) -> (End, Option<Event>) {
        let mut ending = locked(&self.ending);
        let (end, finished) = match core::mem::replace(&mut self.life, Life::Panicked) {
            Life::Panicked => (End::Panicked, Finished::Panicked),
            Life::Returned(value) if exceeded => (End::Exceeded, Finished::Exceeded(value.ok())),
            Life::Returned(Ok(value)) if !ending.cancelled => {
                (End::Done, Finished::Done(value, completion))
            }
            life @ (Life::Returned(_) | Life::Lives(_)) => {
                self.life = life; // dropped with the lock open
                (End::Cancelled, Finished::Cancelled)
            }
        };
        ending.finished = Some(finished);
        (end, ending.waiter.take())
    }
}

/// A task that was admitted, for whoever waits for it.
pub struct Handle<T> {
    worker: ProcessHandle,
    task: TaskId,
    ending: SharedEnding<T>,
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (worker, task) = (self.worker, self.task);
        f.debug_struct("Handle").field("worker", &worker).field("task", &task).finish()
    }
}

impl<T: Send> Handle<T> {
    pub(super) const fn new(
        (worker, task): (ProcessHandle, TaskId),
        ending: SharedEnding<T>,
    ) -> Handle<T> {
        Handle { worker, task, ending }
    }

    /// Waits until the task has ended, by an event of the process's own, which is posted then.
    ///
    /// # Errors
    /// When the event belongs to another process, or has been deleted.
    pub async fn wait(
        self,
        me: &mut impl Process,
        event: Event,
    ) -> Result<Finished<T, Completion>, ProcessError> {
        me.test(event).await?;
        loop {
            {
                let mut ending = locked(&self.ending);
                if let Some(finished) = ending.finished.take() {
                    return Ok(finished);
                }
                ending.waiter = Some(event);
            }
            me.mwait(&[event]).await?;
        }
    }

    /// Gives the task up: what is left of its bound is free at once. It stops at its next checkpoint, or never begins. Returns whether it had not ended.
    pub async fn cancel(&self, me: &mut impl Process) -> bool {
        {
            let mut ending = locked(&self.ending);
            if ending.finished.is_some() {
                return false;
            }
            ending.cancelled = true;
        }
        // It may have exceeded its bound, and goes on without a place.
        let _ = me.withdraw_for(self.worker, self.task).await;
        true
    }
}
