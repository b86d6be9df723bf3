//! The host on a machine of another kind: one that goes on by microseconds, and knows no queue of events. Its results
//! equal those of the simulated machine, so the host depends on nothing in the latter.

use windfall_hierarchy::{JournalEntry, NodeId, Processor, ThreadId};
use windfall_host::{Change, Charge, Column, Event, Host, Machine, Passed, Thread};
use windfall_scenario::outcome::{Outcome, Use};
use windfall_scenario::{Plan, PlannedThread, Scenario, Tracer};
use windfall_time::{Instant, Span};
use windfall_trace::Memory;

const STEP: Span = Span::from_nanos(1_000);

/// Processors of speed 1 that nothing is taken from.
#[derive(Default)]
struct Stepped {
    now: Instant,
    /// By processor: its thread, and since when that is not accounted.
    cpus: Vec<(Option<u32>, Instant)>,
    /// By thread: what is left of its work.
    work: Vec<Option<Span>>,
    tracer: Tracer<Memory>,
}

impl Stepped {
    /// A microsecond passes.
    fn goes_on(&mut self) {
        self.now = self.now + STEP;
        for number in self.cpus.iter().filter_map(|(thread, _)| *thread) {
            if let Some(left) =
                self.work[number as usize].as_mut().filter(|left| **left < Span::MAX)
            {
                *left = left.saturating_sub(STEP);
            }
        }
    }
}

impl Machine for Stepped {
    type Sink = Memory;
    const MOMENT: Span = Span::ZERO;
    const LIVE: bool = false;
    const PRECISION: Span = Span::ZERO;

    fn begin(&mut self) {}

    fn now(&self) -> Instant {
        self.now
    }

    fn next_event(&mut self, _threads: &[Thread]) -> Option<Event> {
        let done = |(thread, _): &(Option<u32>, _)| {
            thread.is_some_and(|number| self.work[number as usize] == Some(Span::ZERO))
        };
        let cpu = self.cpus.iter().position(done)?;
        self.work[self.cpus[cpu].0? as usize] = None;
        Some(Event::Done { cpu })
    }

    fn account_until(&mut self, cpu: usize, _at: Instant) {
        self.account(cpu); // nothing is said of an instant that has passed
    }

    fn account(&mut self, _cpu: usize) {}

    fn next_passed(&mut self, cpu: usize) -> Option<Passed> {
        let (thread, since) = &mut self.cpus[cpu];
        let from = std::mem::replace(since, self.now);
        let column = if thread.is_some() { Column::Received } else { Column::Idle };
        let (thread, span) = (*thread, self.now - from);
        (!span.is_zero()).then_some(Passed {
            from,
            span,
            thread,
            owner: thread,
            by: Use::Own,
            column,
        })
    }

    fn account_taken(&mut self) {} // it is asked whenever time is taken

    fn takes_time(&self) -> bool {
        false
    }

    fn is_taken(&self, _cpu: usize) -> bool {
        false
    }

    fn alarm(&mut self, _at: Option<Instant>) {}

    fn is_late(&mut self, _at: Instant) {}

    fn make(&mut self, _number: u32, _thread: &PlannedThread) -> bool {
        self.work.push(None);
        true
    }

    fn begin_program(&mut self, _number: u32) {}

    fn compute(&mut self, thread: u32, work: Option<Span>) {
        self.work[thread as usize] = work;
    }

    fn has_work(&self, thread: u32) -> bool {
        self.work[thread as usize].is_some()
    }

    fn give_up(&mut self, _thread: u32) {}

    fn ended(&mut self, _thread: u32) {}

    fn decided(&mut self, _change: &Change, _at: Instant) {}

    fn carry_out(&mut self, changes: &[Change], threads: &mut [Thread]) {
        for Change { cpu, leaves, .. } in changes {
            if let Some((number, stop)) = *leaves {
                self.cpus[*cpu].0 = None;
                let had_work = self.has_work(number);
                let preempted = stop == windfall_trace::Stop::Preempted;
                threads[number as usize].leaves(self.now, preempted, had_work);
            }
        }
        for Change { cpu, takes, .. } in changes {
            if let Some(number) = takes.filter(|number| self.cpus[*cpu].0 != Some(*number)) {
                self.cpus[*cpu].0 = Some(number);
                threads[number as usize].enters(self.now, Processor::at(*cpu).0);
            }
        }
    }

    fn charges(&self) -> bool {
        false
    }

    fn charge(&mut self, _cpu: usize, _what: Charge) -> bool {
        false
    }

    fn held_up(&mut self, _cpu: usize) -> Option<Instant> {
        None
    }

    fn tracer(&mut self) -> &mut Tracer<Memory> {
        &mut self.tracer
    }

    fn traced(&self, _thread: u32) -> Option<windfall_trace::ThreadId> {
        None
    }

    fn declare(&mut self, _number: u32, _thread: &Thread, _parent: Option<NodeId>) {}

    fn note(&mut self, _entry: &JournalEntry, _number: impl Fn(ThreadId) -> Option<u32>) {}
}

/// Runs a plan, a microsecond after the other.
fn step_through(plan: Plan) -> Outcome {
    let cpus = vec![(None, Instant::ZERO); usize::from(plan.hierarchy.processors())];
    let machine = Stepped { cpus, ..Stepped::default() };
    let mut host = Host::new(machine, plan.hierarchy, plan.machine.timer, plan.seed);
    for thread in plan.threads {
        let program = thread.program.declared().expect("a declared program").clone();
        host.add(thread, &program);
    }
    for (at, request) in plan.requests {
        host.at(at, request);
    }
    host.judge_promises(&plan.promises);
    let end = Instant::ZERO + plan.length;
    host.begin();
    loop {
        let now = host.machine.now();
        host.settle(now == end);
        if now == end {
            return host.finish("stepped".to_owned());
        }
        host.machine.goes_on();
    }
}

const TREES: [&str; 4] = [
    // Several processors, deadlines that are met and missed, a preemption in the middle of a job.
    r#"
machine = { processors = 2 }
length = "200ms"
[schedulers.edf]
scheduler = "edf"
parent = "top"
processors = 2
[threads.a]
periodic = "3ms/10ms"
[threads.b]
periodic = "7ms/15ms"
[threads.c]
periodic = "12ms/20ms"
[threads.d]
periodic = "18ms/40ms"
[threads.e]
periodic = "2ms/5ms"
"#,
    // Budgets that end, a promise that is judged, and one that spins.
    r#"
length = "300ms"
[schedulers.rez]
scheduler = "rez"
parent = "top"
[schedulers.ts]
scheduler = "time-sharing"
parent = "rez"
[threads.audio]
parent = "rez"
guarantee = "RESBS 3ms 10ms"
periodic = "4ms/10ms"
[threads.others]
parent = "ts"
run = "spin"
"#,
    // Sleeps, shares, and a request that changes a weight.
    r#"
length = "300ms"
[schedulers.ps]
scheduler = "proportional-share"
parent = "top"
[threads.one]
share = 1
run = "spin"
[threads.two]
share = 2
steps = [{ run = "5ms" }, { sleep = "15ms" }]
[[at]]
time = "100ms"
do = "share"
thread = "one"
share = 5
"#,
    // Locks, and a job that is given up.
    r#"
length = "200ms"
[schedulers.fp]
scheduler = "fixed-priority"
parent = "top"
[threads.low]
priority = 1
steps = [{ lock = "m" }, { run = "4ms" }, { unlock = "m" }, { sleep = "3ms" }]
[threads.high]
priority = 2
start = "1ms"
steps = [{ lock = "m" }, { run = "1ms" }, { unlock = "m" }, { sleep = "5ms" }]
"#,
];

#[test]
fn law_a_machine_of_another_kind_comes_to_the_same() {
    for text in TREES {
        let simulated = crate::common::run(text);
        let scenario = Scenario::parse("stepped.toml", &format!("schema = 2\nseed = 1\n{text}"));
        let mut stepped = step_through(scenario.unwrap().build().unwrap());
        assert_eq!(stepped.machine, "stepped");
        stepped.machine.clone_from(&simulated.machine);
        assert!(
            stepped.threads.iter().any(|thread| thread.preemptions > 0),
            "nothing is tested: {text}"
        );
        assert_eq!(format!("{stepped:#?}"), format!("{simulated:#?}"), "{text}");
    }
}
