//! A task's thread: it waits until it may run, looks at its checkpoints whether it still may, and says how it ended.

use super::driven::Driven;
use super::pending::waited;
use crate::lock::locked;
use crate::{Ended, TaskError, TaskId};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll};
use std::thread::Thread;
use windfall_exchange::{Reply, reply};
use windfall_os::sched::{Affinity, Attributes, own_tid};
use windfall_os::{clock, usage};
use windfall_time::{Instant, Span};

/// The task is to end: it has exceeded its bound, was cancelled, or its pool is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StoppedError;

impl core::fmt::Display for StoppedError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the task was stopped: it exceeded its bound or was cancelled")
    }
}

impl core::error::Error for StoppedError {}

/// How a task ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Finished<T, E = Ended> {
    /// Within its bound, with this value.
    Done(T, E),
    /// It exceeded its bound: it was demoted at once, and stopped at its next checkpoint, or else ended with a value.
    Exceeded(Option<T>),
    /// It was cancelled, its pool is gone, or it stopped itself.
    Cancelled,
    /// It panicked.
    Panicked,
}

/// A thread that has begun.
#[derive(Debug)]
struct Begun {
    tid: i32,
    thread: Thread,
    /// The processor time that it had used by then, which is nobody's.
    used: Span,
}

/// The data that the processor and a task's thread share.
///
/// Nobody waits until the thread begins. It says that it has, and then looks at what it is to do; whoever tells it to do something writes that, and then looks whether it has begun. Between
/// the two there is a fence on either side, so that one of them sees what the other wrote.
#[derive(Debug, Default)]
pub(super) struct Control {
    begun: OnceLock<Begun>,
    /// Where it is to run.
    cpu: OnceLock<u16>,
    runs: AtomicBool,
    stopped: AtomicBool,
    exceeded: AtomicBool,
    waits: Mutex<Waits>,
}

/// How long a task has waited for others, and since when it does.
#[derive(Debug, Default)]
struct Waits {
    before: Span,
    since: Option<Instant>,
}

impl Control {
    /// The thread, if it has begun: what was written before this is seen by one that has not.
    fn begun(&self) -> Option<&Begun> {
        fence(Ordering::SeqCst);
        self.begun.get()
    }

    /// The own thread begins, where it is to run.
    fn begin(&self) {
        let used = usage::of_this_thread();
        let _ = self.begun.set(Begun { tid: own_tid(), thread: std::thread::current(), used });
        if let (Some(begun), Some(cpu)) = (self.begun(), self.cpu.get()) {
            begun.run_on(*cpu);
        }
    }

    /// The processor time that its thread has used since it began, and the time that it has waited: both are charged to its bound (decision 0036, 3). `None` if the thread is over.
    pub(super) fn used(&self) -> Option<Span> {
        let Some(begun) = self.begun() else { return Some(Span::ZERO) };
        let worked = usage::of_thread(begun.tid)?.saturating_sub(begun.used);
        let waits = locked(&self.waits);
        let now = waits.since.map(|since| clock::now().saturating_since(since));
        Some(worked.saturating_add(waits.before).saturating_add(now.unwrap_or_default()))
    }

    /// Waits until this is so, or the task is to end; whoever makes it so unparks the thread.
    pub(super) fn wait_for(&self, woken: &AtomicBool) -> Result<(), StoppedError> {
        let begun = clock::now();
        locked(&self.waits).since = Some(begun);
        let is_stopped = || self.stopped.load(Ordering::Acquire);
        while !woken.load(Ordering::Acquire) && !is_stopped() {
            std::thread::park();
        }
        let mut waits = locked(&self.waits);
        waits.since = None;
        waits.before = waits.before.saturating_add(clock::now().saturating_since(begun));
        if is_stopped() { Err(StoppedError) } else { Ok(()) }
    }

    pub(super) fn pin(&self, cpu: u16) {
        let _ = self.cpu.set(cpu);
        if let Some(begun) = self.begun() {
            begun.run_on(cpu);
        }
    }

    /// One that has not begun stays where it begins.
    pub(super) fn pause(&self, preempts: bool) {
        self.runs.store(false, Ordering::Release);
        if let Some(begun) = self.begun().filter(|_| preempts) {
            begun.be(Attributes::idle());
        }
    }

    pub(super) fn resume(&self) {
        if let Some(begun) = self.begun() {
            begun.be(Attributes::ordinary());
        }
        self.runs.store(true, Ordering::Release);
        self.unpark();
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.unpark();
    }

    pub(super) fn exceed(&self) {
        self.exceeded.store(true, Ordering::Release);
        if let Some(begun) = self.begun() {
            begun.be(Attributes::idle());
        }
        self.stop();
    }

    fn unpark(&self) {
        if let Some(begun) = self.begun() {
            begun.thread.unpark();
        }
    }

    fn wait(&self) -> Result<(), StoppedError> {
        loop {
            if self.stopped.load(Ordering::Acquire) {
                return Err(StoppedError);
            }
            if self.runs.load(Ordering::Acquire) {
                return Ok(());
            }
            std::thread::park();
        }
    }
}

impl Begun {
    fn run_on(&self, cpu: u16) {
        // The pool may use the processor; a thread that has gone needs none.
        let _ = Affinity::one(cpu).give(self.tid);
    }

    fn be(&self, attributes: Attributes) {
        let _ = attributes.give(self.tid);
    }
}

/// The argument of a task's closure.
#[derive(Clone, Debug)]
pub struct Checkpoints(pub(super) Arc<Control>);

impl Checkpoints {
    /// Waits while another task of the processor is before this one.
    ///
    /// # Errors
    /// When the task is to end; the closure returns that.
    pub fn checkpoint(&self) -> Result<(), StoppedError> {
        self.0.wait()
    }

    /// How much the task has used: processor time of its thread, and the time that it waited in [`Checkpoints::block_on`].
    #[must_use]
    pub fn used(&self) -> Span {
        self.0.used().unwrap_or_default()
    }
}

/// Code with a thread that waits; it was not analysed. Dropped, it never runs.
#[derive(Debug)]
pub struct Forked<T> {
    control: Arc<Control>,
    admitted: Arc<OnceLock<(Arc<Driven>, TaskId)>>,
    finished: Option<Reply<Finished<T>>>,
}

impl<T: Send + 'static> Forked<T> {
    /// `then` is told how it ended before anybody else is. Both come back if there is no thread, so that whoever called decides where they are dropped.
    pub(super) fn new<C, E>(code: C, then: E) -> Result<Forked<T>, (std::io::Error, C, E)>
    where
        C: FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
        E: FnOnce(&Finished<T>) + Send + 'static,
    {
        let (control, admitted) = (Arc::new(Control::default()), Arc::new(OnceLock::new()));
        let (sender, finished) = reply();
        let (gives, given) = channel::<(C, E)>();
        let (own, of) = (control.clone(), admitted.clone());
        let thread = std::thread::Builder::new().name("ports-task".to_owned()).spawn(move || {
            let Ok((code, then)) = given.recv() else { return };
            own.begin();
            let finished = run(own, &of, code);
            then(&finished);
            sender.send(finished);
        });
        if let Err(why) = thread {
            return Err((why, code, then));
        }
        let _ = gives.send((code, then));
        Ok(Forked { control, admitted, finished: Some(finished) })
    }
}

impl<T> Forked<T> {
    pub(super) fn admitted(
        mut self,
        core: &Arc<Driven>,
        task: TaskId,
    ) -> (Arc<Control>, Handle<T>) {
        let _ = self.admitted.set((core.clone(), task));
        let (finished, core) = (self.finished.take(), core.clone());
        (self.control.clone(), Handle { core, task, finished })
    }
}

impl<T> Drop for Forked<T> {
    fn drop(&mut self) {
        if self.finished.is_some() {
            self.control.stop();
        }
    }
}

/// The life of a task's thread.
fn run<T>(
    control: Arc<Control>,
    admitted: &OnceLock<(Arc<Driven>, TaskId)>,
    code: impl FnOnce(&Checkpoints) -> Result<T, StoppedError>,
) -> Finished<T> {
    let checkpoints = Checkpoints(control);
    let began = checkpoints.checkpoint();
    let answer = catch_unwind(AssertUnwindSafe(|| began.and_then(|()| code(&checkpoints))));
    let ended = admitted.get().map(|(core, task)| core.ended(*task));
    let exceeded = checkpoints.0.exceeded.load(Ordering::Acquire);
    match (answer, ended) {
        (Err(_), _) => Finished::Panicked,
        (Ok(value), _) if exceeded => Finished::Exceeded(value.ok()),
        (Ok(Ok(value)), Some(Ok(ended))) if ended.beyond.is_zero() => Finished::Done(value, ended),
        (Ok(value), Some(Ok(ended))) if !ended.beyond.is_zero() => Finished::Exceeded(value.ok()),
        (Ok(_), _) => Finished::Cancelled,
    }
}

/// A task of a pool that was admitted. As a future it is how the task ends; dropped, it leaves the task as it is.
#[derive(Debug)]
pub struct Handle<T> {
    core: Arc<Driven>,
    task: TaskId,
    finished: Option<Reply<Finished<T>>>,
}

impl<T> Handle<T> {
    /// Its name on its processor.
    #[must_use]
    pub const fn task(&self) -> TaskId {
        self.task
    }

    /// The processor of the machine on which it runs.
    #[must_use]
    pub fn cpu(&self) -> u16 {
        self.core.cpu()
    }

    /// Waits until its thread is over.
    #[must_use]
    pub fn wait(self) -> Finished<T> {
        self.finished.and_then(waited).unwrap_or(Finished::Cancelled)
    }

    /// Gives the task up: what is left of its bound is free, and it stops at its next checkpoint.
    ///
    /// # Errors
    /// When it has ended.
    pub fn cancel(&self) -> Result<(), TaskError> {
        self.core.cancel(self.task)
    }
}

impl<T> Future for Handle<T> {
    type Output = Finished<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Finished<T>> {
        let Some(finished) = &mut self.finished else { return Poll::Ready(Finished::Cancelled) };
        finished.poll(context).map(|finished| finished.unwrap_or(Finished::Cancelled))
    }
}
