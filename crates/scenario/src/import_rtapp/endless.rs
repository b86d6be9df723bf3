//! Threads that wait for ever: in the scenario they sleep for ever at that step, and have no steps after
//! it, since the reader of a scenario takes a condition without a signal for a mistake.

use crate::model::{Run, Scenario, Step};
use crate::rtapp::ConvertedThread;
use crate::waiting::{self, Endless};
use std::fmt;
use windfall_programs::Interaction;
use windfall_time::Span;

/// Longer than any clock counts.
const FOR_EVER: Span = Span::MAX;

/// A task whose threads wait for ever at some step, in rt-app as here.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EndlessWait {
    /// The task.
    pub task: String,
    /// How many threads of it.
    pub threads: usize,
    /// The key of the event.
    pub event: String,
    /// The line of that.
    pub line: u32,
    /// Why it does not end.
    pub why: String,
}

impl fmt::Display for EndlessWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EndlessWait { task, event, line, why, .. } = self;
        write!(f, "rt-app: line {line}: task `{task}`, `{event}`: waits for ever: {why}")
    }
}

/// `converted` are those that the scenario's threads come from, in their order.
pub(super) fn replace(scenario: &mut Scenario, converted: &[ConvertedThread]) -> Vec<EndlessWait> {
    let mut waits: Vec<EndlessWait> = Vec::new();
    for endless in waiting::endless(&scenario.threads) {
        let Endless { thread, phase, step } = endless;
        let from = &converted[thread];
        if let Some(event) = from.events.get(phase).and_then(|phase| phase.get(step)) {
            let why = match event.name.as_str() {
                name if name.starts_with("suspend") => format!(
                    "no other task gets as far as to resume `{}` (what `suspend` itself says counts \
                     up to rt-app 1.0 only)",
                    from.task
                ),
                name if name.starts_with("barrier") => {
                    "not all that use the barrier get there".to_owned()
                }
                _ => "no other task gets as far as to signal the condition".to_owned(),
            };
            // Instances of a task follow each other.
            match waits.last_mut().filter(|last| last.line == event.line && last.why == why) {
                Some(last) => last.threads += 1,
                None => waits.push(EndlessWait {
                    task: from.task.clone(),
                    threads: 1,
                    event: event.name.clone(),
                    line: event.line,
                    why,
                }),
            }
        }
        cut(&mut scenario.threads[thread].run, phase, step);
    }
    waits
}

/// Ends a program with a sleep for ever in place of that step.
fn cut(run: &mut Run, phase: usize, step: usize) {
    let Run::Phases { loops, phases } = run else { return };
    *loops = Some(1);
    phases.truncate(phase + 1);
    let Some(last) = phases.last_mut() else { return };
    last.loops = 1;
    let waits = last.steps.drain(step..).next();
    if let Some(Interaction::AwaitsSignal { lock, .. }) = waits.as_ref().map(Step::interaction) {
        last.steps.push(Step::Unlock(lock.clone()));
    }
    last.steps.push(Step::Sleep(FOR_EVER));
    let mut held: Vec<String> = Vec::new();
    for step in phases.iter().flat_map(|phase| &phase.steps) {
        match step.interaction() {
            Interaction::Takes(lock) => held.push(lock.clone()),
            Interaction::Releases(lock) => held.retain(|other| other != lock),
            _ => {}
        }
    }
    // Never reached: a thread also releases what it takes.
    if let Some(last) = phases.last_mut() {
        last.steps.extend(held.into_iter().map(Step::Unlock));
    }
}
