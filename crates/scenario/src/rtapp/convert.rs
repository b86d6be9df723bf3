//! Programs from an rt-app file (UX 3.8).
//!
//! Each thread of a task becomes phases. Properties that a program here cannot express are either left out or
//! approximated; both are reported, event by event, with the line of the file. Nothing is dropped in
//! silence: every event is a step, or in `unconverted`, or both.
//!
//! A suspended thread waits on a condition of its task's name, whatever text `suspend` has, and a resume
//! wakes all that wait on the condition of the name that it has, as in rt-app; a resume that comes
//! before its suspend is lost, as there. These conditions, and the locks behind them, are the file's own
//! of that name.

mod busy;
mod settle;

use super::{Action, Policy, RtApp, Scheduling};
use crate::rtapp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use windfall_programs::{Phase, Program, Resource, Step, Tick, Work};
use windfall_time::Span;

/// The result of converting a file.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// The threads, instances of a task one after another.
    pub threads: Vec<ConvertedThread>,
    /// The objects that the numbers of [`Resource`]s denote.
    pub resources: Vec<Shared>,
    /// How long to run; `None` until all threads have ended.
    pub duration: Option<Span>,
    /// All that the programs do not express, or not exactly.
    pub unconverted: Vec<Unconverted>,
}

/// A thread of a task.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ConvertedThread {
    /// The task's name; with `-0`, `-1`, ... when it has several threads.
    pub name: String,
    /// The task's name.
    pub task: String,
    /// How long after the start of the run it begins.
    pub delay: Span,
    /// Its program.
    pub program: Program,
    /// How the file schedules it from its first phase on, the policy included; for callers that choose
    /// its place in a hierarchy.
    pub scheduling: Scheduling,
    /// The line of its task.
    pub line: u32,
    /// The event that each step of each phase comes from.
    pub events: Arc<[Vec<EventName>]>,
}

/// An event of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EventName {
    /// Its key.
    pub name: String,
    /// Its line.
    pub line: u32,
}

/// An object that threads share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Shared {
    /// Its kind.
    pub kind: SharedKind,
    /// Its name in the file; for `suspend` the task's, for `resume` its own.
    pub name: String,
}

/// Kinds of shared objects. Equal names of different kinds denote different objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum SharedKind {
    /// A lock.
    Mutex,
    /// A condition.
    Condition,
    /// A barrier.
    Barrier,
}

/// A difference between a program and the file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Unconverted {
    /// The task; empty when it is about the whole file.
    pub task: String,
    /// The key of the event or property; empty for the task as a whole.
    pub event: String,
    /// Its line in the file.
    pub line: u32,
    /// Whether there is no step for it, or an approximate one.
    pub left_out: bool,
    /// The difference, in words.
    pub text: String,
}

impl fmt::Display for Unconverted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.left_out { "left out" } else { "not exact" };
        write!(f, "rt-app: line {}: ", self.line)?;
        match (self.task.as_str(), self.event.as_str()) {
            ("", event) => write!(f, "`{event}`")?,
            (task, "") => write!(f, "task `{task}`")?,
            (task, event) => write!(f, "task `{task}`, `{event}`")?,
        }
        write!(f, ": {what}: {}", self.text)
    }
}

/// Makes programs of a file.
#[must_use]
pub fn convert(file: &RtApp) -> Converted {
    let mut converter = Converter::default();
    converter.out.duration = file.global.duration;
    converter.shared(file);
    converter.inheritance(file);
    for task in &file.tasks {
        converter.task(task, file.global.default_policy);
    }
    converter.out
}

#[derive(Default)]
struct Converter {
    out: Converted,
    numbers: BTreeMap<Shared, usize>,
    /// How many threads use a timer that is not their own.
    timer_users: BTreeMap<String, u64>,
    /// How many threads use a barrier.
    barrier_users: BTreeMap<String, u64>,
}

/// A task under conversion.
struct Body<'a> {
    task: &'a rtapp::Task,
    /// Numbers of the task's timers by name.
    timers: BTreeMap<&'a str, usize>,
}

impl Converter {
    /// Counts the users of shared objects.
    fn shared(&mut self, file: &RtApp) {
        for task in &file.tasks {
            let events = || task.reached().iter().flat_map(|phase| &phase.events);
            let timers: BTreeSet<&str> = events().filter_map(shared_timer).collect();
            let barriers = || {
                events().filter_map(|event| match &event.action {
                    Action::Barrier(name) => Some((name.as_str(), event)),
                    _ => None,
                })
            };
            let several = u64::from(task.instance);
            for timer in timers {
                let users = self.timer_users.entry(timer.to_owned()).or_default();
                *users = users.saturating_add(several);
            }
            let mut seen = BTreeSet::new();
            for (name, event) in barriers() {
                if seen.insert(name) {
                    let users = self.barrier_users.entry(name.to_owned()).or_default();
                    *users = users.saturating_add(several);
                } else {
                    let text = "rt-app waits for one thread more for each time that a task names \
                                the barrier; here every thread counts once";
                    self.report(task, Some(event), false, text.to_owned());
                }
            }
        }
    }

    fn inheritance(&mut self, file: &RtApp) {
        let mut events = file.tasks.iter().flat_map(|task| task.reached());
        let locks = |event: &rtapp::Event| matches!(event.action, Action::Lock(_));
        if file.global.pi_enabled && events.any(|phase| phase.events.iter().any(locks)) {
            self.out.unconverted.push(Unconverted {
                task: String::new(),
                event: "pi_enabled".to_owned(),
                line: file.global.pi_line,
                left_out: true,
                text: "a thread that holds a lock keeps its own priority".to_owned(),
            });
        }
    }

    fn task(&mut self, task: &rtapp::Task, default: Policy) {
        let mut body = Body { task, timers: BTreeMap::new() };
        let (mut phases, mut events) = (Vec::new(), Vec::new());
        let scheduling = self.settle(task, default);
        let reached = task.reached();
        self.unreached(task, reached);
        for phase in reached {
            let (mut steps, mut names) = (Vec::new(), Vec::new());
            for event in &phase.events {
                self.event(&mut body, event, &mut steps);
                let name = EventName { name: event.name.clone(), line: event.line };
                names.resize(steps.len(), name);
            }
            let loops = phase.loops.unwrap_or(u64::MAX);
            if steps.is_empty() {
                let text = format!("nothing is left of phase `{}`", phase.name);
                self.report(task, None, true, text);
            } else {
                phases.push(Phase::new(&phase.name, steps).loops(loops));
                events.push(names);
            }
        }
        if task.instance == 0 {
            let text = "it has no instances of its own, and `fork` is not converted".to_owned();
            self.report(task, None, true, text);
            return;
        }
        if phases.is_empty() && task.loops.is_some() || task.loops == Some(0) {
            self.report(task, None, true, "nothing is left of it".to_owned());
            return;
        }
        if let Some(each) = busy::take_time(&mut phases, task.loops) {
            let text =
                format!("some of what it repeats takes a time that is not known; here {each}");
            self.report(task, None, false, text);
        }
        let own = EventName { name: String::new(), line: task.line };
        events.resize_with(phases.len(), Vec::new);
        for (names, phase) in events.iter_mut().zip(&phases) {
            names.resize(phase.steps.len(), own.clone());
        }
        let events: Arc<[Vec<EventName>]> = events.into();
        let thread = |name| ConvertedThread {
            name,
            task: task.name.clone(),
            delay: task.delay,
            program: Program::Phases { loops: task.loops, phases: phases.clone() },
            scheduling: scheduling.clone(),
            line: task.line,
            events: Arc::clone(&events),
        };
        let names = (0..task.instance).map(|instance| match task.instance {
            1 => task.name.clone(),
            _ => format!("{}-{instance}", task.name),
        });
        self.out.threads.extend(names.map(thread));
    }

    /// Reports the phases after one that loops for ever.
    fn unreached(&mut self, task: &rtapp::Task, reached: &[rtapp::Phase]) {
        for phase in &task.phases[reached.len()..] {
            let (there, here) = (&phase.name, &reached[reached.len() - 1].name);
            let text = format!("phase `{there}` is never reached: `{here}` loops for ever");
            self.report_line(task, "", phase.line, true, text);
        }
    }

    fn event<'a>(&mut self, body: &mut Body<'a>, event: &'a rtapp::Event, steps: &mut Vec<Step>) {
        let (task, of) = (body.task, Some(event));
        let lone = |name: &String| self.barrier_users.get(name).is_none_or(|users| *users < 2);
        let lone = matches!(&event.action, Action::Barrier(name) if lone(name));
        let mut left_out = |text: &str| self.report(task, of, true, text.to_owned());
        match &event.action {
            Action::Run(span) => steps.push(Step::Run(Work::Fixed(*span))),
            Action::Runtime(span) => {
                steps.push(Step::Run(Work::Fixed(*span)));
                let text = "time during which others run counts there, and only work counts here";
                self.report(task, of, false, text.to_owned());
            }
            Action::Sleep(span) => steps.push(Step::Sleep(*span)),
            Action::Timer { reference, period, absolute } => {
                let tick = if *absolute { Tick::Absolute } else { Tick::Relative };
                steps.push(Step::Timer {
                    timer: self.timer(body, event, reference),
                    period: *period,
                    tick,
                });
            }
            Action::Lock(name) => steps.push(Step::Lock(self.number(SharedKind::Mutex, name))),
            Action::Unlock(name) => steps.push(Step::Unlock(self.number(SharedKind::Mutex, name))),
            Action::Signal(name) => {
                steps.push(Step::Signal(self.number(SharedKind::Condition, name)));
            }
            Action::Broadcast(name) => {
                steps.push(Step::Broadcast(self.number(SharedKind::Condition, name)));
            }
            Action::Wait { reference, mutex } => steps.push(self.wait(reference, mutex)),
            Action::Sync { reference, mutex } => {
                steps.push(Step::Signal(self.number(SharedKind::Condition, reference)));
                steps.push(self.wait(reference, mutex));
            }
            Action::Barrier(_) if lone => {
                left_out("only one thread uses the barrier, so it never waits there");
            }
            Action::Barrier(name) => {
                steps.push(Step::Barrier(self.number(SharedKind::Barrier, name)));
            }
            Action::Suspend => steps.extend(self.suspend(&task.name)),
            Action::Resume(name) => steps.extend(self.resume(name)),
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

    fn timer<'a>(
        &mut self,
        body: &mut Body<'a>,
        event: &rtapp::Event,
        reference: &'a str,
    ) -> usize {
        if self.timer_users.get(reference).is_some_and(|users| *users > 1) {
            let text = format!("each thread has a timer `{reference}` of its own");
            self.report(body.task, Some(event), false, text);
        }
        let next = body.timers.len();
        *body.timers.entry(reference).or_insert(next)
    }

    fn wait(&mut self, reference: &str, mutex: &str) -> Step {
        let condition = self.number(SharedKind::Condition, reference);
        Step::Wait { condition, lock: self.number(SharedKind::Mutex, mutex) }
    }

    fn suspend(&mut self, task: &str) -> [Step; 3] {
        let (lock, condition) = self.suspension(task);
        [Step::Lock(lock), Step::Wait { condition, lock }, Step::Unlock(lock)]
    }

    fn resume(&mut self, task: &str) -> [Step; 3] {
        let (lock, condition) = self.suspension(task);
        [Step::Lock(lock), Step::Broadcast(condition), Step::Unlock(lock)]
    }

    fn suspension(&mut self, task: &str) -> (Resource, Resource) {
        let lock = self.number(SharedKind::Mutex, task);
        (lock, self.number(SharedKind::Condition, task))
    }

    fn number(&mut self, kind: SharedKind, name: &str) -> Resource {
        let shared = Shared { kind, name: name.to_owned() };
        let next = self.out.resources.len();
        let number = *self.numbers.entry(shared.clone()).or_insert(next);
        if number == next {
            self.out.resources.push(shared);
        }
        Resource(number)
    }

    fn report(
        &mut self,
        task: &rtapp::Task,
        event: Option<&rtapp::Event>,
        left_out: bool,
        text: String,
    ) {
        let (event, line) = event.map_or(("", task.line), |event| (&event.name, event.line));
        self.report_line(task, event, line, left_out, text);
    }

    /// Concerns an event or another key of a task, at its place.
    fn report_line(
        &mut self,
        task: &rtapp::Task,
        key: &str,
        line: u32,
        left_out: bool,
        text: String,
    ) {
        let (task, event) = (task.name.clone(), key.to_owned());
        self.out.unconverted.push(Unconverted { task, event, line, left_out, text });
    }
}

/// The timer of an event that threads share.
fn shared_timer(event: &rtapp::Event) -> Option<&str> {
    match &event.action {
        Action::Timer { reference, .. } if !reference.starts_with("unique") => Some(reference),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
