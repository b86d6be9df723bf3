//! A scenario from an rt-app file: its tasks, and a hierarchy that does what Linux does for them.
//!
//! Deadline tasks are reserved their runtime, above real-time tasks by priority, above ordinary ones by
//! `linux-eevdf` with their nice values, above those of SCHED_IDLE: the order of Linux' own classes.
//! Where the file asks for one class only, there is one scheduler. Where it binds tasks to processors
//! there is such a tree for each group of processors that all may use alike (`islands.rs`); a thread that may
//! use several groups is served by all of them, through a join.
//! Invariant: each difference between scenario and file is among the losses, with its line.

mod endless;
mod error;
mod islands;
mod losses;
mod phases;
mod reserved;
mod tree;

pub use endless::EndlessWait;
pub use error::RtAppImportError;

use crate::model::{Machine, Scenario, Thread};
use crate::names::Names;
use crate::rtapp::{Converted, ConvertedThread, Unconverted};
use islands::Islands;
use losses::{Losses, MOST_WAYS};
use phases::Named;
use tree::Tree;
use windfall_time::{Instant, Span};

/// How long a file without a duration is simulated.
const LENGTH: Span = Span::from_secs(10);

/// The result of importing an rt-app file.
#[derive(Debug)]
#[non_exhaustive]
pub struct ImportedRtApp {
    /// The scenario.
    pub scenario: Scenario,
    /// All that it does not express, or not exactly, in the order of the file.
    pub losses: Vec<Unconverted>,
    /// The threads that wait for ever from some step on.
    pub waits: Vec<EndlessWait>,
}

/// Makes a scenario from a converted file, for a machine with this number of processors.
///
/// # Errors
/// When no thread is in it, its threads name processors beyond these, or so many may use so many groups of processors that
/// there would be too many schedulers.
pub fn import_rtapp(
    converted: &Converted,
    processors: u16,
) -> Result<ImportedRtApp, RtAppImportError> {
    let processors = processors.max(1);
    if converted.threads.is_empty() {
        let of_a_task = converted.unconverted.iter().find(|one| one.event.is_empty());
        return Err(RtAppImportError::NoThreads(
            of_a_task.map(ToString::to_string).unwrap_or_default(),
        ));
    }
    let named = |thread: &&ConvertedThread| {
        let cpus = thread.scheduling.cpus.iter().flatten();
        cpus.max().is_some_and(|cpu| *cpu >= u32::from(processors))
    };
    if let Some(thread) = converted.threads.iter().find(named) {
        let line = thread.scheduling.line("cpus").unwrap_or(thread.line);
        let task = thread.task.clone();
        return Err(RtAppImportError::Processors { line, task, processors });
    }
    let islands = Islands::of(&converted.threads, processors);
    bounded(converted, &islands)?;
    let mut losses = Losses::default();
    losses.list.clone_from(&converted.unconverted);
    let mut names = Names::except(&["top", "machine"]);
    let mut tree = Tree::of(converted, &islands, &mut names, &mut losses);
    let named = Named::of(converted, &mut names);
    let mut threads = Vec::with_capacity(converted.threads.len());
    for (number, thread) in converted.threads.iter().enumerate() {
        let name = &named.threads[number];
        let (parent, asks) = tree.place(number, name, &mut names);
        let run = named.run(thread);
        let start = Instant::ZERO.saturating_add(thread.delay);
        threads.push(Thread { start, ..Thread::new(name, &parent, asks, run) });
    }
    let mut machine = Machine::ideal(processors);
    if islands.several() {
        machine.cpus = islands.list.concat();
    }
    let mut scenario = Scenario {
        question: Some("what does each task of the rt-app file get?".to_owned()),
        machine,
        default: tree.schedulers.last().map(|scheduler| scheduler.name.clone()),
        schedulers: tree.schedulers,
        threads,
        ..Scenario::new(converted.duration.unwrap_or(LENGTH).max(Span::from_nanos(1)))
    };
    let waits = endless::replace(&mut scenario, &converted.threads);
    losses.list.sort_by_key(|loss| loss.line);
    Ok(ImportedRtApp { scenario, losses: losses.list, waits })
}

/// Refuses too many paths.
fn bounded(converted: &Converted, islands: &Islands) -> Result<(), RtAppImportError> {
    let mut ways = 0;
    for (thread, own) in converted.threads.iter().zip(&islands.of_thread) {
        ways += if own.len() > 1 { own.len() } else { 0 };
        if ways > MOST_WAYS {
            return Err(RtAppImportError::TooManyWays {
                line: thread.line,
                task: thread.task.clone(),
                used: own.len(),
                groups: islands.list.len(),
            });
        }
    }
    Ok(())
}
