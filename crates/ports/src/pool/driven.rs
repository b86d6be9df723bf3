//! One processor of a pool: its machine behind a lock, which thread runs, and its timer.
//!
//! Invariant: one task thread of the processor may run, the one that the machine names; the others wait at their next checkpoint, and are SCHED_IDLE until then, where this process
//! has the right to take that back.

use super::task::{Control, Forked, Handle};
use crate::{Ended, Processor, TaskError, TaskId};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use windfall_os::{clock, usage};
use windfall_time::{Instant, Span};

/// The timer looks at least so often, since a machine that sleeps may pass a time unnoticed.
const LONGEST: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct State {
    pub(super) processor: Processor,
    threads: BTreeMap<TaskId, Arc<Control>>,
    /// The task that runs, and how much its thread had used of the processor when it was last looked at.
    current: Option<(TaskId, Span)>,
    over: bool,
}

#[derive(Debug)]
pub(super) struct Driven {
    cpu: u16,
    /// Whether threads may become SCHED_IDLE and ordinary again.
    preempts: bool,
    state: Mutex<State>,
    changed: Condvar,
}

impl Driven {
    pub(super) fn new(cpu: u16, preempts: bool, processor: Processor) -> Driven {
        let threads = BTreeMap::new();
        let state = Mutex::new(State { processor, threads, current: None, over: false });
        Driven { cpu, preempts, state, changed: Condvar::new() }
    }

    /// The state, at the time of now.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.account(clock::now());
        state
    }

    /// A task that was admitted gets the thread that was forked for it.
    pub(super) fn attach<T>(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        task: TaskId,
        forked: Forked<T>,
    ) -> Handle<T> {
        let (control, handle) = forked.admitted(self, task);
        control.pin(self.cpu);
        state.threads.insert(task, control);
        self.switch(&mut state);
        handle
    }

    /// The machine's choice runs.
    fn switch(&self, state: &mut State) {
        let wanted = state.processor.running().map(|running| running.task);
        if wanted != state.current.map(|(task, _)| task) {
            let old = state.current.take().and_then(|(task, _)| state.threads.get(&task));
            if let Some(old) = old {
                old.pause(self.preempts);
            }
            let new = wanted.and_then(|task| Some((task, state.threads.get(&task)?)));
            if let Some((task, control)) = new {
                state.current = Some((task, usage::of_thread(control.tid()).unwrap_or_default()));
                control.resume();
            }
        }
        self.changed.notify_one();
    }

    /// The task's own thread says that it is over; an error if it was interrupted or cancelled before.
    pub(super) fn ended(&self, task: TaskId) -> Result<Ended, TaskError> {
        let mut state = self.lock();
        state.threads.remove(&task);
        let ended = state.processor.done(task);
        self.switch(&mut state);
        ended
    }

    /// The task is given up; it stops at its next checkpoint, or never begins.
    pub(super) fn cancel(&self, task: TaskId) -> Result<(), TaskError> {
        let mut state = self.lock();
        state.processor.cancel(task)?;
        self.switch(&mut state);
        if let Some(control) = state.threads.remove(&task) {
            control.stop();
        }
        Ok(())
    }

    /// The timer: interrupts a task at its bound, and looks when the machine says.
    pub(super) fn keep_time(&self) {
        let mut state = self.lock();
        while !state.over {
            while let Some(task) = state.processor.expire() {
                if let Some(control) = state.threads.remove(&task) {
                    control.exceed();
                }
            }
            self.switch(&mut state);
            let wait = state.until_next(clock::now());
            let waited = self.changed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.account(clock::now());
        }
    }

    /// All is over: whoever runs is stopped.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.over = true;
        for (task, control) in std::mem::take(&mut state.threads) {
            let _ = state.processor.cancel(task);
            control.stop();
        }
        self.changed.notify_all();
    }
}

impl State {
    /// Time has passed, of which the running task's thread says how much it received.
    fn account(&mut self, now: Instant) {
        let now = now.max(self.processor.now());
        let passed = now - self.processor.now();
        let mut received = Span::ZERO;
        if let Some((task, before)) = &mut self.current
            && let Some(control) = self.threads.get(task)
        {
            let used = usage::of_thread(control.tid()).unwrap_or(*before);
            received = used.saturating_sub(*before).min(passed);
            *before = before.saturating_add(received);
        }
        // It is neither backwards nor more than has passed, and without a task nothing.
        let received = if self.processor.running().is_some() { received } else { Span::ZERO };
        let _ = self.processor.advance(now, received);
    }

    fn until_next(&self, now: Instant) -> Duration {
        let wakes = self.processor.wakes().map(|at| at.saturating_since(now));
        let bound = self.processor.running().map(|running| running.at_most);
        let least = [wakes, bound].into_iter().flatten().min();
        least.map_or(LONGEST, |span| Duration::from_nanos(span.as_nanos())).min(LONGEST)
    }

    /// How many tasks have threads.
    pub(super) fn threads(&self) -> u32 {
        self.threads.keys().fold(0, |count: u32, _| count.saturating_add(1))
    }
}
