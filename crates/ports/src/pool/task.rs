//! A task's thread: it waits until it may run, looks at its checkpoints whether it still may, and says how it ended.

use super::driven::Driven;
use crate::{Ended, TaskError, TaskId};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use windfall_os::sched::{Affinity, Attributes, own_tid};

/// The task is to end: it has exceeded its bound, was cancelled, or its pool is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Stopped;

impl core::fmt::Display for Stopped {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the task was stopped: it exceeded its bound or was cancelled")
    }
}

impl core::error::Error for Stopped {}

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

/// What the processor and a task's thread share.
#[derive(Debug, Default)]
pub(super) struct Control {
    thread: OnceLock<(i32, Thread)>,
    runs: AtomicBool,
    stopped: AtomicBool,
    exceeded: AtomicBool,
}

impl Control {
    /// The thread's number; 0 before it has begun, which it has when it was forked.
    pub(super) fn tid(&self) -> i32 {
        self.thread.get().map_or(0, |(tid, _)| *tid)
    }

    pub(super) fn pin(&self, cpu: u16) {
        // The pool may use the processor; a thread that has gone needs none.
        let _ = Affinity::one(cpu).give(self.tid());
    }

    pub(super) fn pause(&self, preempts: bool) {
        self.runs.store(false, Ordering::Release);
        if preempts {
            let _ = Attributes::idle().give(self.tid());
        }
    }

    pub(super) fn resume(&self) {
        let _ = Attributes::ordinary().give(self.tid());
        self.runs.store(true, Ordering::Release);
        self.unpark();
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.unpark();
    }

    pub(super) fn exceed(&self) {
        self.exceeded.store(true, Ordering::Release);
        let _ = Attributes::idle().give(self.tid());
        self.stop();
    }

    fn unpark(&self) {
        if let Some((_, thread)) = self.thread.get() {
            thread.unpark();
        }
    }

    fn wait(&self) -> Result<(), Stopped> {
        loop {
            if self.stopped.load(Ordering::Acquire) {
                return Err(Stopped);
            }
            if self.runs.load(Ordering::Acquire) {
                return Ok(());
            }
            std::thread::park();
        }
    }
}

/// What a task's closure is given.
#[derive(Clone, Debug)]
pub struct Checkpoints(Arc<Control>);

impl Checkpoints {
    /// Waits while another task of the processor is before this one.
    ///
    /// # Errors
    /// When the task is to end; the closure returns that.
    pub fn checkpoint(&self) -> Result<(), Stopped> {
        self.0.wait()
    }
}

/// Code with a thread that waits; it was not analysed. Dropped, it never runs.
#[derive(Debug)]
pub struct Forked<T> {
    control: Arc<Control>,
    admitted: Arc<OnceLock<(Arc<Driven>, TaskId)>>,
    finished: Option<Receiver<Finished<T>>>,
}

impl<T: Send + 'static> Forked<T> {
    pub(super) fn new(
        code: impl FnOnce(&Checkpoints) -> Result<T, Stopped> + Send + 'static,
    ) -> std::io::Result<Forked<T>> {
        let (control, admitted) = (Arc::new(Control::default()), Arc::new(OnceLock::new()));
        let (sender, finished) = channel();
        let (begun, has_begun) = channel();
        let (own, of) = (control.clone(), admitted.clone());
        std::thread::Builder::new().name("ports-task".to_owned()).spawn(move || {
            let _ = own.thread.set((own_tid(), std::thread::current()));
            let _ = begun.send(());
            run(own, &of, code, &sender);
        })?;
        // Its number is needed to place it.
        let _ = has_begun.recv();
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
        let finished = self.finished.take();
        (self.control.clone(), Handle { core: core.clone(), task, finished })
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
    code: impl FnOnce(&Checkpoints) -> Result<T, Stopped>,
    sender: &Sender<Finished<T>>,
) {
    let checkpoints = Checkpoints(control);
    let began = checkpoints.checkpoint();
    let answer = catch_unwind(AssertUnwindSafe(|| began.and_then(|()| code(&checkpoints))));
    let ended = admitted.get().map(|(core, task)| core.ended(*task));
    let exceeded = checkpoints.0.exceeded.load(Ordering::Acquire);
    let finished = match (answer, ended) {
        (Err(_), _) => Finished::Panicked,
        (Ok(value), _) if exceeded => Finished::Exceeded(value.ok()),
        (Ok(Ok(value)), Some(Ok(ended))) if ended.beyond.is_zero() => Finished::Done(value, ended),
        (Ok(value), Some(Ok(ended))) if !ended.beyond.is_zero() => Finished::Exceeded(value.ok()),
        (Ok(_), _) => Finished::Cancelled,
    };
    // Nobody may be waiting for it.
    let _ = sender.send(finished);
}

/// A task of a pool that was admitted.
#[derive(Debug)]
pub struct Handle<T> {
    core: Arc<Driven>,
    task: TaskId,
    finished: Option<Receiver<Finished<T>>>,
}

impl<T> Handle<T> {
    /// What it is called on its processor.
    #[must_use]
    pub const fn task(&self) -> TaskId {
        self.task
    }

    /// Waits until its thread is over.
    #[must_use]
    pub fn wait(self) -> Finished<T> {
        let finished = self.finished.and_then(|finished| finished.recv().ok());
        finished.unwrap_or(Finished::Cancelled)
    }

    /// Gives the task up: what is left of its bound is free, and it stops at its next checkpoint.
    ///
    /// # Errors
    /// When it has ended.
    pub fn cancel(&self) -> Result<(), TaskError> {
        self.core.cancel(self.task)
    }
}
