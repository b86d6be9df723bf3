//! The trees and machines that several experiments share.

use crate::experiment::LabError;
use windfall_hierarchy::ThreadId;
use windfall_scenario::model::{
    Interrupts, Pattern, Requirements, Run, Scheduler, Setting, Thread,
};
use windfall_scenario::{Plan, PlannedThread, Scenario};
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::{PRIORITY, ParameterValue};
use windfall_schedulers::time_sharing::TimeSharing;
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// A scenario of these schedulers and threads on one processor.
pub(crate) fn scenario(length: Span, schedulers: Vec<Scheduler>, threads: Vec<Thread>) -> Scenario {
    let mut scenario = Scenario::new(length);
    (scenario.schedulers, scenario.threads) = (schedulers, threads);
    scenario
}

/// The threads of a plan, created in its hierarchy and ready from the beginning on.
pub(crate) fn all_ready(plan: &mut Plan) -> Result<Vec<ThreadId>, LabError> {
    let start = |thread: &PlannedThread| -> Result<ThreadId, LabError> {
        let id = plan.hierarchy.create_thread(Instant::ZERO, thread.parent, &thread.messages)?;
        plan.hierarchy.ready(Instant::ZERO, id)?;
        Ok(id)
    };
    plan.threads.iter().map(start).collect()
}

/// A guarantee, from its text.
pub(crate) fn guarantee(text: &str) -> Result<Requirements, LabError> {
    let wrong = |why: &dyn core::fmt::Display| LabError::Scenario(format!("`{text}`: {why}"));
    text.parse().map(Requirements::guarantee).map_err(|why| wrong(&why))
}

/// The same, at a priority.
pub(crate) fn ranked(text: &str, priority: i32) -> Result<Requirements, LabError> {
    Ok(guarantee(text)?.with(&PRIORITY, ParameterValue::Integer(priority.into())))
}

/// Reservations above time sharing, as in figure 10.6 left and in chapter 11.
pub(crate) fn reservations_first(rez: &Kind, quantum: Span) -> Result<Vec<Scheduler>, LabError> {
    Ok(vec![
        Scheduler::root("fp", kinds::FIXED_PRIORITY),
        // As in the paper, where time that a tick lets a program have beyond its budget is charged to no thread (10.5.2).
        Scheduler::below("res", rez, "fp", ranked("ALL", 1)?)
            .with("overruns", Setting::Word("dropped".to_owned())),
        Scheduler::below("ts", TimeSharing::default().quantum(quantum), "fp", ranked("NULL", 0)?),
    ])
}

/// A join below two parents, of which a soft reservation is made (figure 10.6 right).
pub(crate) fn join(name: &str, first: (&str, Requirements), second: &str) -> Scheduler {
    Scheduler::below(name, kinds::JOIN, first.0, first.1).and_below(second, Requirements::default())
}

/// `count` threads, NAME-1 to NAME-n, that compute for ever.
pub(crate) fn spinners(name: &str, count: u32, parent: &str) -> Thread {
    Thread::new(name, parent, Requirements::default(), Run::spin()).count(count)
}

/// The clock's own interrupt: `hertz` times a second, `cost` each.
pub(crate) fn clock(hertz: u64, cost: Span) -> Result<Interrupts, LabError> {
    let period = Span::of_frequency(hertz)
        .ok_or_else(|| LabError::Scenario(format!("no clock of {hertz} Hz")))?;
    let pattern = Pattern::Periodic { offset: Instant::ZERO + period, period, cost };
    Ok(Interrupts::new(OverheadKind::Interrupt, 8, pattern))
}
