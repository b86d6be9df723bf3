//! The cases that other simulators are measured by: jobs and job events a second, and memory.
//!
//! `cargo bench -p windfall-sim --bench bars [-- CASE...]`; one line a case, fields separated by
//! commas: tool, case, processor seconds, jobs, jobs/s, peak KiB, job events/s. A job event is a
//! release, a dispatch, a preemption or a completion, counted the same for every tool.

use std::path::Path;
use windfall_hierarchy::{Hierarchy, NodeSpec, Parent};
use windfall_programs::{Activation, Jobs, OnLate, Program, Work};
use windfall_schedulers::{Edf, Late};
use windfall_sim::{Machine, Outcome, Sim, ThreadSpec};
use windfall_time::{Instant, Span};
use windfall_trace::{Event, Sink};

/// A task set: processors, horizon, and (period, work, offset) in microseconds.
struct Case {
    name: &'static str,
    cpus: u16,
    horizon: u64,
    tasks: Vec<(u64, u64, u64)>,
}

fn case(name: &'static str) -> Option<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/cases");
    let text = std::fs::read_to_string(path.join(format!("{name}.txt"))).ok()?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        line.split(' ').map(|n| n.parse().unwrap_or(0)).collect::<Vec<u64>>()
    });
    let head = lines.next()?;
    let cpus = u16::try_from(head[0]).ok()?;
    let tasks = lines.map(|task| (task[0], task[1], task[2])).collect();
    Some(Case { name, cpus, horizon: head[1], tasks })
}

fn us(us: u64) -> Span {
    Span::from_nanos(us * 1_000)
}

fn run(case: &Case, sink: Option<&mut dyn Sink>) -> Outcome {
    let mut hierarchy = Hierarchy::new(case.cpus);
    let owns = vec![(Parent::Top, &[][..]); usize::from(case.cpus)];
    let scheduler = Box::new(Edf::new(Late::Complete));
    let spec = NodeSpec { name: "edf", kind: "edf", scheduler, owns: &owns };
    let Ok(parent) = hierarchy.create(Instant::ZERO, spec) else { panic!("edf refuses") };
    let Ok(mut sim) = Sim::new(Machine::ideal(case.cpus), hierarchy, 1, sink) else {
        panic!("the machine fits its hierarchy")
    };
    for (number, (period, work, offset)) in case.tasks.iter().enumerate() {
        let (period, offset) = (us(*period), Instant::ZERO + us(*offset));
        let jobs = Jobs {
            activation: Activation::Periodic { offset, period },
            work: Work::Fixed(us(*work)),
            deadline: Some(period),
            late: OnLate::Complete,
            count: None,
        };
        sim.add(ThreadSpec {
            name: format!("T{number}"),
            parent,
            messages: Vec::new(),
            promised: None,
            program: Program::Jobs(jobs),
            start: Instant::ZERO,
            working_set_kib: 0,
        });
    }
    sim.run(Instant::ZERO + us(case.horizon), |_| true)
}

/// Processor time of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let ns = text.split(' ').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    Span::from_nanos(ns).as_secs_f64()
}

fn peak_kib() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

/// A sink that counts.
#[derive(Default)]
struct Count(u64);

impl Sink for Count {
    fn record(&mut self, _: Instant, _: &Event) {
        self.0 += 1;
    }
}

#[expect(clippy::cast_precision_loss, reason = "rates are shown, not compared")]
fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    println!("tool,case,cpu_s,jobs,jobs_per_s,peak_kib,job_events_per_s");
    for name in ["A", "B", "uni1000", "m64n320"] {
        if !(wanted.is_empty() || wanted.iter().any(|w| w == name)) {
            continue;
        }
        let Some(case) = case(name) else { continue };
        for traced in [false, true] {
            let mut best = f64::INFINITY;
            let (mut jobs, mut events) = (0, 0);
            for _ in 0..7 {
                let mut count = Count::default();
                let before = cpu_seconds();
                let outcome = run(&case, if traced { Some(&mut count) } else { None });
                best = best.min(cpu_seconds() - before);
                jobs = outcome.threads.iter().map(|t| t.completed).sum();
                events = outcome.threads.iter().map(|t| {
                    t.released + t.dispatches + t.preemptions + t.completed
                }).sum::<u64>();
                std::hint::black_box(count.0);
            }
            let tool = if traced { "windfall-traced" } else { "windfall" };
            let (jobs_rate, events_rate) = (jobs as f64 / best, events as f64 / best);
            let peak = peak_kib();
            println!("{tool},{},{best:.4},{jobs},{jobs_rate:.0},{peak},{events_rate:.0}", case.name);
        }
    }
}
