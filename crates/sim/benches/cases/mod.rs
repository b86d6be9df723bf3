//! Task sets that other simulators are measured by, too, each simulated under EDF on an ideal machine.

use std::path::Path;
use windfall_hierarchy::{Hierarchy, NodeSpec, Parent};
use windfall_programs::{Activation, Jobs, Program, Work};
use windfall_scenario::PlannedThread;
use windfall_scenario::model::Machine;
use windfall_scenario::outcome::{Outcome, ThreadOutcome};
use windfall_schedulers::catalogue::Settings;
use windfall_schedulers::kinds;
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::Sink;

/// A task set: processors, horizon, and (period, work, offset) in microseconds.
pub(crate) struct Case {
    pub(crate) cpus: u16,
    horizon: u64,
    tasks: Vec<(u64, u64, u64)>,
}

/// The task set in the file of this name, if there is one.
pub(crate) fn case(name: &str) -> Option<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/cases");
    let text = std::fs::read_to_string(path.join(format!("{name}.txt"))).ok()?;
    let mut lines = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').map(|n| n.parse().unwrap_or(0)).collect::<Vec<u64>>());
    let head = lines.next()?;
    let cpus = u16::try_from(head[0]).ok()?;
    let tasks = lines.map(|task| (task[0], task[1], task[2])).collect();
    Some(Case { cpus, horizon: head[1], tasks })
}

fn us(us: u64) -> Span {
    Span::from_nanos(us * 1_000)
}

/// Simulates a case, and keeps a trace if there is a sink for it.
pub(crate) fn run(case: &Case, sink: Option<&mut (dyn Sink + Send)>) -> Outcome {
    let mut hierarchy = Hierarchy::new(case.cpus);
    let owns = vec![(Parent::Top, &[][..]); usize::from(case.cpus)];
    let Ok(scheduler) = kinds::EDF.build(&Settings::default()) else { panic!("edf has defaults") };
    let spec = NodeSpec::new("edf", "edf", scheduler, &owns);
    let Ok(parent) = hierarchy.create(Instant::ZERO, spec) else { panic!("edf refuses") };
    let Ok(mut sim) = Sim::new(Machine::ideal(case.cpus), hierarchy, 1, sink) else {
        panic!("the machine fits its hierarchy")
    };
    for (number, (period, work, offset)) in case.tasks.iter().enumerate() {
        let (period, offset) = (us(*period), Instant::ZERO + us(*offset));
        let jobs = Jobs::new(Activation::Periodic { offset, period }, Work::Fixed(us(*work)))
            .deadline(period);
        let thread = PlannedThread::new(format!("T{number}"), parent, Program::Jobs(jobs));
        let added = sim.add(thread);
        assert_eq!(added, Ok(number), "a declared thread");
    }
    sim.run(Instant::ZERO + us(case.horizon), |_| true)
}

/// Job events of a run: releases, dispatches, preemptions and completions, counted the same for every tool.
pub(crate) fn events(outcome: &Outcome) -> u64 {
    let of = |thread: &ThreadOutcome| {
        thread.released + thread.dispatches + thread.preemptions + thread.completed
    };
    outcome.threads.iter().map(of).sum()
}
