//! One processor of a pool: its machine behind a lock, what was sent to it, which thread runs, and its timer.
//!
//! Invariant: one task thread of the processor may run, the one that the machine names; the others wait at their next checkpoint, and are SCHED_IDLE until then, where this process
//! has the right to take that back. Submissions in the list are analysed by the timer's thread, or by whoever takes a turn: those who put them there wait for nobody.

use super::pending::{Analysed, Submission};
use super::task::{Checkpoints, Control, Finished, Forked, Handle, StoppedError};
use crate::lock::{locked, tried};
use crate::{Ended, Processor, SubmitError, TaskError, TaskId};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread::Thread;
use std::time::Duration;
use windfall_exchange::Incoming;
use windfall_os::clock;
use windfall_time::{Instant, Span};

/// The timer looks at least so often, since a machine that sleeps may pass a time unnoticed.
const LONGEST: Duration = Duration::from_secs(1);

/// So many submissions may be there that are not analysed: those are unanswered, and others that the timer has not told may be.
const UNANSWERED: u32 = 1_024;

pub(super) struct State {
    pub(super) processor: Processor,
    threads: BTreeMap<TaskId, Arc<Control>>,
    /// The task that runs, and how much it had used when it was last looked at.
    current: Option<(TaskId, Span)>,
    /// Answers to what was sent, and closures that had no thread: the timer gives the ones and drops the others when it has let the machine go.
    pub(super) answers: Vec<Box<dyn FnOnce() + Send>>,
    over: bool,
}

impl core::fmt::Debug for State {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State").field("processor", &self.processor).finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub(super) struct Driven {
    cpu: u16,
    /// Whether threads may become SCHED_IDLE and ordinary again.
    preempts: bool,
    state: Mutex<State>,
    incoming: Incoming<Box<dyn Submission>>,
    timer: OnceLock<Thread>,
}

impl Driven {
    pub(super) fn new(cpu: u16, preempts: bool, processor: Processor) -> Driven {
        let (threads, answers) = (BTreeMap::new(), Vec::new());
        let state = State { processor, threads, current: None, answers, over: false };
        let (incoming, timer) = (Incoming::new(UNANSWERED), OnceLock::new());
        Driven { cpu, preempts, state: Mutex::new(state), incoming, timer }
    }

    /// The thread of its timer, before anybody submits.
    pub(super) fn timed_by(&self, timer: &Thread) {
        let _ = self.timer.set(timer.clone());
    }

    /// Has the timer look again.
    fn wake(&self) {
        if let Some(timer) = self.timer.get() {
            timer.unpark();
        }
    }

    /// Puts a submission into the incoming list, if that has room. It never waits.
    pub(super) fn send(&self, submission: Box<dyn Submission>) -> Result<(), SubmitError> {
        let sent = self.incoming.send(submission);
        sent.map_err(|_| SubmitError::Unanswered { most: UNANSWERED })?;
        self.wake();
        Ok(())
    }

    /// The number of its processor.
    pub(super) const fn cpu(&self) -> u16 {
        self.cpu
    }

    /// Puts a submission into the incoming list, or has it answered that there is no room.
    fn send_on(&self, submission: Box<dyn Submission>) {
        match self.incoming.send(submission) {
            Ok(()) => self.wake(),
            Err(refused) => refused.refuse(SubmitError::Unanswered { most: UNANSWERED }),
        }
    }

    /// Has a submission analysed: by this thread, where nobody has the machine and nothing waits for it; else it goes into the list of one that somebody has. It never waits.
    pub(super) fn offer(self: &Arc<Self>, mut submission: Box<dyn Submission>) {
        let mut at = self.clone();
        loop {
            let analysed = {
                let free = if at.incoming.is_empty() { at.try_lock() } else { None };
                match free {
                    Some(mut state) => submission.analyse(&at, &mut state),
                    None => match submission.passes_by(&at) {
                        Some(next) => Analysed::GoesOn(next, submission),
                        None => return at.send_on(submission),
                    },
                }
            };
            match analysed {
                Analysed::Answered(answer) => return answer(),
                Analysed::GoesOn(next, same) => (at, submission) = (next, same),
            }
        }
    }

    /// The state, at the time of now, after all that was sent before.
    pub(super) fn take_turn(self: &Arc<Self>) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        self.analyse(&mut state);
        state
    }

    /// Analyses what was sent.
    fn analyse(self: &Arc<Self>, state: &mut State) {
        for submission in self.incoming.take() {
            match submission.analyse(self, state) {
                Analysed::Answered(answer) => state.answers.push(answer),
                Analysed::GoesOn(next, submission) => next.send_on(submission),
            }
        }
    }

    /// The state, at the time of now, if nobody has it.
    fn try_lock(&self) -> Option<MutexGuard<'_, State>> {
        let mut state = tried(&self.state)?;
        state.account(clock::now());
        Some(state)
    }

    /// The state, at the time of now.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = locked(&self.state);
        state.account(clock::now());
        state
    }

    /// A task that was admitted gets a thread, which runs this, and then says how it ended.
    pub(super) fn begin<T: Send + 'static>(
        self: &Arc<Self>,
        state: &mut State,
        task: TaskId,
        code: impl FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
        then: impl FnOnce(&Finished<T>) + Send + 'static,
    ) -> Result<Handle<T>, SubmitError> {
        match Forked::new(code, then) {
            Ok(forked) => Ok(self.attach(state, task, forked)),
            Err((_, code, then)) => {
                let threads = state.threads();
                let _ = state.processor.cancel(task);
                // What they hold may do anything, and the machine is held here.
                state.answers.push(Box::new(move || drop((code, then))));
                self.wake();
                Err(SubmitError::NoThread { threads })
            }
        }
    }

    /// A task that was admitted gets the thread that was forked for it.
    pub(super) fn attach<T>(
        self: &Arc<Self>,
        state: &mut State,
        task: TaskId,
        forked: Forked<T>,
    ) -> Handle<T> {
        let (control, handle) = forked.admitted(self, task);
        control.pin(self.cpu);
        state.threads.insert(task, control);
        self.switch(state);
        self.wake();
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
                state.current = Some((task, control.used().unwrap_or_default()));
                control.resume();
            }
        }
    }

    /// The task's own thread says that it is over; an error if it was interrupted or cancelled before.
    pub(super) fn ended(&self, task: TaskId) -> Result<Ended, TaskError> {
        let mut state = self.lock();
        state.threads.remove(&task);
        let ended = state.processor.done(task);
        self.switch(&mut state);
        self.wake();
        ended
    }

    /// The task is given up; it stops at its next checkpoint, or never begins.
    pub(super) fn cancel(&self, task: TaskId) -> Result<(), TaskError> {
        let mut state = self.lock();
        state.processor.cancel(task)?;
        self.switch(&mut state);
        self.wake();
        if let Some(control) = state.threads.remove(&task) {
            control.stop();
        }
        Ok(())
    }

    /// The timer: analyses what was sent, interrupts a task at its bound, and looks when the machine says.
    pub(super) fn keep_time(self: &Arc<Self>) {
        loop {
            let mut state = self.take_turn();
            while let Some(task) = state.processor.expire() {
                if let Some(control) = state.threads.remove(&task) {
                    control.exceed();
                }
            }
            self.switch(&mut state);
            let (over, wait) = (state.over, state.until_next(clock::now()));
            let answered = give(state);
            if over {
                return;
            }
            if !answered {
                std::thread::park_timeout(wait); // whoever changes something from here on wakes it
            }
        }
    }

    /// Answers what others that were not over sent on to it since its timer ended; false if there was nothing.
    pub(super) fn answer_rest(self: &Arc<Self>) -> bool {
        give(self.take_turn())
    }

    /// All is over: whoever runs is stopped. Nobody sends any more; what was sent is answered.
    pub(super) fn end(self: &Arc<Self>) {
        let mut state = self.take_turn();
        state.over = true;
        for (task, control) in std::mem::take(&mut state.threads) {
            let _ = state.processor.cancel(task);
            control.stop();
        }
        self.wake();
    }
}

/// Lets the machine go, and gives the answers that are there; false if there are none.
fn give(mut state: MutexGuard<'_, State>) -> bool {
    let answers = std::mem::take(&mut state.answers);
    drop(state);
    let some = !answers.is_empty();
    for answer in answers {
        // A waker, or what a refused closure holds, may do anything, but not end this thread.
        let _ = catch_unwind(AssertUnwindSafe(answer));
    }
    some
}

impl State {
    /// Whether nothing is to begin any more.
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }

    /// Time has passed, of which the running task's thread says how much it received.
    fn account(&mut self, now: Instant) {
        let now = now.max(self.processor.now());
        let passed = now - self.processor.now();
        let mut received = Span::ZERO;
        if let Some((task, before)) = &mut self.current
            && let Some(control) = self.threads.get(task)
        {
            let used = control.used().unwrap_or(*before);
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
