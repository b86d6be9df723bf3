//! Programs from an rt-app file (UX 3.8).
//!
//! Each thread of a task becomes phases. What a program here cannot say is either left out or
//! comes close; both are told, event by event, with the line of the file. Nothing is dropped in
//! silence: every event is a step, or in `unconverted`, or both.
//!
//! A suspended thread waits on a condition of its task's name, and a resume wakes all threads of
//! that task, as in rt-app; a resume that comes before its suspend is lost, as there.

use crate::action::{Resource, Tick};
use crate::program::{Phase, Program, Step, Work};
use std::collections::BTreeMap;
use std::fmt;
use windfall_time::Span;
use windfall_trace::import::rtapp::{self, Action, RtApp, Scheduling};

/// What became of a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Converted {
    /// The threads, instances of a task one after another.
    pub threads: Vec<ConvertedThread>,
    /// What the numbers of [`Resource`]s mean.
    pub resources: Vec<Shared>,
    /// How long to run; `None` until all threads have ended.
    pub duration: Option<Span>,
    /// What the programs do not say, or not exactly.
    pub unconverted: Vec<Unconverted>,
}

/// A thread of a task.
#[derive(Clone, PartialEq, Debug)]
pub struct ConvertedThread {
    /// The task's name; with `-0`, `-1`, ... when it has several threads.
    pub name: String,
    /// The task's name.
    pub task: String,
    /// How long after the start of the run it begins.
    pub delay: Span,
    /// What it runs.
    pub program: Program,
    /// How the file schedules it at first; for whoever chooses its place in a hierarchy.
    pub scheduling: Scheduling,
}

/// What threads share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shared {
    /// What it is.
    pub kind: SharedKind,
    /// Its name in the file; for `suspend` the task's.
    pub name: String,
}

/// What can be shared. Names of different kinds do not meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SharedKind {
    /// A lock of the file.
    Mutex,
    /// A condition of the file.
    Condition,
    /// A barrier.
    Barrier,
    /// The lock behind `suspend` and `resume`.
    SuspendLock,
    /// The condition behind them.
    SuspendCondition,
}

/// Something that a program does not say as the file does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unconverted {
    /// The task.
    pub task: String,
    /// The event's key; empty when it is about the task as a whole.
    pub event: String,
    /// The event's line in the file; 0 for the task.
    pub line: u32,
    /// Whether there is no step for it, or one that comes close.
    pub left_out: bool,
    /// What differs.
    pub text: String,
}

impl fmt::Display for Unconverted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.left_out { "left out" } else { "not exact" };
        write!(f, "rt-app: ")?;
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        write!(f, "task `{}`", self.task)?;
        if !self.event.is_empty() {
            write!(f, ", `{}`", self.event)?;
        }
        write!(f, ": {what}: {}", self.text)
    }
}

/// Makes programs of a file.
#[must_use]
pub fn convert(file: &RtApp) -> Converted {
    let mut converter = Converter::default();
    converter.out.duration = file.global.duration;
    converter.shared_timers(file);
    for task in &file.tasks {
        converter.task(task);
    }
    converter.out
}

#[derive(Default)]
struct Converter {
    out: Converted,
    numbers: BTreeMap<Shared, usize>,
    /// How many threads use a timer that is not their own.
    timer_users: BTreeMap<String, u64>,
}

/// A task under conversion.
struct Body<'a> {
    task: &'a rtapp::Task,
    /// Numbers of the task's timers by name.
    timers: BTreeMap<&'a str, usize>,
    /// Whether an event precedes, so that a timer's first visit is not the thread's beginning.
    begun: bool,
}

impl Converter {
    fn shared_timers(&mut self, file: &RtApp) {
        for task in &file.tasks {
            let mut own = Vec::new();
            for event in task.phases.iter().flat_map(|phase| &phase.events) {
                if let Action::Timer { reference, .. } = &event.action
                    && !reference.starts_with("unique")
                    && !own.contains(&reference)
                {
                    own.push(reference);
                }
            }
            for timer in own {
                let users = self.timer_users.entry(timer.clone()).or_default();
                *users = users.saturating_add(u64::from(task.instance));
            }
        }
    }

    fn task(&mut self, task: &rtapp::Task) {
        let mut body = Body { task, timers: BTreeMap::new(), begun: false };
        let mut phases = Vec::new();
        for phase in &task.phases {
            if phase.scheduling != Scheduling::default() {
                let text = format!("phase `{}` changes how the task is scheduled", phase.name);
                self.tell(task, None, true, text);
            }
            let mut steps = Vec::new();
            for event in &phase.events {
                self.event(&mut body, event, &mut steps);
            }
            let loops = phase.loops.unwrap_or(u64::MAX);
            if steps.is_empty() || loops == 0 {
                let text = format!("nothing is left of phase `{}`", phase.name);
                self.tell(task, None, true, text);
            } else {
                phases.push(Phase { name: phase.name.clone(), loops, steps });
            }
        }
        if task.instance == 0 {
            let text = "it has no instances of its own, and `fork` is not converted".to_owned();
            self.tell(task, None, true, text);
            return;
        }
        if !gets_somewhere(&phases, task.loops) {
            let text = "nothing that takes time or waits is left of what it repeats".to_owned();
            self.tell(task, None, true, text);
            return;
        }
        for instance in 0..task.instance {
            let name = match task.instance {
                1 => task.name.clone(),
                _ => format!("{}-{instance}", task.name),
            };
            self.out.threads.push(ConvertedThread {
                name,
                task: task.name.clone(),
                delay: task.delay,
                program: Program::Phases { loops: task.loops, phases: phases.clone() },
                scheduling: task.scheduling.clone(),
            });
        }
    }

    fn event<'a>(&mut self, body: &mut Body<'a>, event: &'a rtapp::Event, steps: &mut Vec<Step>) {
        let begun = std::mem::replace(&mut body.begun, true);
        let (task, of) = (body.task, Some(event));
        let mut left_out = |text: &str| self.tell(task, of, true, text.to_owned());
        match &event.action {
            Action::Run(span) => steps.push(Step::Run(Work::Fixed(*span))),
            Action::Runtime(span) => {
                steps.push(Step::Run(Work::Fixed(*span)));
                let text = "time during which others run counts there, and only work counts here";
                self.tell(task, of, false, text.to_owned());
            }
            Action::Sleep(span) => steps.push(Step::Sleep(*span)),
            Action::Timer { reference, period, absolute } => {
                let next = body.timers.len();
                let timer = *body.timers.entry(reference).or_insert(next);
                if timer == next && begun {
                    let text = "its grid begins at its first visit, not when the thread begins";
                    self.tell(task, of, false, text.to_owned());
                }
                if self.timer_users.get(reference).is_some_and(|users| *users > 1) {
                    let text = format!("each thread has a timer `{reference}` of its own");
                    self.tell(task, of, false, text);
                }
                let tick = if *absolute { Tick::Absolute } else { Tick::Relative };
                steps.push(Step::Timer { timer, period: *period, tick });
            }
            Action::Lock(name) => steps.push(Step::Lock(self.shared(SharedKind::Mutex, name))),
            Action::Unlock(name) => steps.push(Step::Unlock(self.shared(SharedKind::Mutex, name))),
            Action::Signal(name) => {
                steps.push(Step::Signal(self.shared(SharedKind::Condition, name)));
            }
            Action::Broadcast(name) => {
                steps.push(Step::Broadcast(self.shared(SharedKind::Condition, name)));
            }
            Action::Wait { reference, mutex } => steps.push(self.wait(reference, mutex)),
            Action::Sync { reference, mutex } => {
                steps.push(Step::Signal(self.shared(SharedKind::Condition, reference)));
                steps.push(self.wait(reference, mutex));
            }
            Action::Barrier(name) => {
                steps.push(Step::Barrier(self.shared(SharedKind::Barrier, name)));
            }
            Action::Suspend => {
                let (lock, condition) = self.suspension(&task.name);
                steps.extend([
                    Step::Lock(lock),
                    Step::Wait { condition, lock },
                    Step::Unlock(lock),
                ]);
            }
            Action::Resume(name) => {
                let (lock, condition) = self.suspension(name);
                steps.extend([Step::Lock(lock), Step::Broadcast(condition), Step::Unlock(lock)]);
            }
            Action::Yield => steps.push(Step::Yield),
            Action::Memory(_) | Action::MemoryRun { .. } => {
                left_out("how long memory takes depends on the machine; measure it, write `run`");
            }
            Action::Io(_) => {
                left_out(
                    "how long the device takes is unknown; measure it, write `run` and `sleep`",
                );
            }
            Action::SemaphorePost(_) | Action::SemaphoreWait(_) => {
                left_out("there are no semaphores; a condition and a lock can do the same");
            }
            Action::Fork(_) => left_out("threads are not made while programs run"),
        }
    }

    fn wait(&mut self, reference: &str, mutex: &str) -> Step {
        let condition = self.shared(SharedKind::Condition, reference);
        Step::Wait { condition, lock: self.shared(SharedKind::Mutex, mutex) }
    }

    fn suspension(&mut self, task: &str) -> (Resource, Resource) {
        let lock = self.shared(SharedKind::SuspendLock, task);
        (lock, self.shared(SharedKind::SuspendCondition, task))
    }

    fn shared(&mut self, kind: SharedKind, name: &str) -> Resource {
        let shared = Shared { kind, name: name.to_owned() };
        let next = self.out.resources.len();
        let number = *self.numbers.entry(shared.clone()).or_insert(next);
        if number == next {
            self.out.resources.push(shared);
        }
        Resource(number)
    }

    fn tell(
        &mut self,
        task: &rtapp::Task,
        event: Option<&rtapp::Event>,
        left_out: bool,
        text: String,
    ) {
        self.out.unconverted.push(Unconverted {
            task: task.name.clone(),
            event: event.map_or_else(String::new, |event| event.name.clone()),
            line: event.map_or(0, |event| event.line),
            left_out,
            text,
        });
    }
}

/// Whether a program that repeats itself for ever takes time or waits each time round.
fn gets_somewhere(phases: &[Phase], loops: Option<u64>) -> bool {
    let takes_time = |phase: &Phase| {
        phase.steps.iter().any(|step| match step {
            Step::Run(work) => !work.most().is_zero(),
            Step::Sleep(span) => !span.is_zero(),
            Step::Timer { .. } | Step::Wait { .. } | Step::Barrier(_) => true,
            _ => false,
        })
    };
    let endless = |phase: &&Phase| phase.loops == u64::MAX;
    !phases.is_empty()
        && phases.iter().filter(endless).all(takes_time)
        && (loops.is_some() || phases.iter().any(takes_time))
}

#[cfg(test)]
mod tests;
