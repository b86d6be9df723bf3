//! Random machines, trees, threads and requests (HLS 9.4.1), by properties. A failure shrinks to a
//! scenario file that can be re-run: its path is in the message.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use proptest::prelude::*;
use std::path::Path;
use windfall_programs::Work;
use windfall_scenario::Scenario;
use windfall_scenario::model::{
    Change, Costs, Interrupts, Machine, Pattern, Request, Requirements, Run, Scheduler, Step,
    Thread, Timer, Whom,
};
use windfall_schedulers::catalogue::Kind;
use windfall_schedulers::catalogue::find;
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::{PRIORITY, ParameterValue};
use windfall_sim::Sim;
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::{Event, Memory, OverheadKind, Stop};

use crate::explained::explained;

/// Kinds that pass on whatever they get, and have use for any child.
const KINDS: [&Kind; 6] = [
    kinds::EDF,
    kinds::FIXED_PRIORITY,
    kinds::LLF,
    kinds::PROPORTIONAL_SHARE,
    kinds::ROUND_ROBIN,
    kinds::TIME_SHARING,
];

/// A bounded number, from which a scenario is made by remainders: shrinks well.
#[derive(Clone, Debug)]
struct Seeds {
    processors: u16,
    ticks: Option<u64>,
    costs: bool,
    interrupts: bool,
    /// Kind, parent, processors.
    schedulers: Vec<(usize, usize, u16)>,
    /// Parent, program, parameter.
    threads: Vec<(usize, u8, u64)>,
    /// When, what, whom, to what.
    requests: Vec<(u64, u8, usize, usize)>,
    reserved: Vec<u64>,
    seed: u64,
}

fn seeds() -> impl Strategy<Value = Seeds> {
    let schedulers = prop::collection::vec((0..KINDS.len(), 0_usize..8, 1_u16..4), 0..5);
    let threads = prop::collection::vec((0_usize..8, 0_u8..6, 1_u64..40), 1..8);
    let requests = prop::collection::vec((1_u64..100, 0_u8..6, 0_usize..8, 0_usize..8), 0..6);
    let reserved = prop::collection::vec(1_u64..8, 0..3);
    (
        1_u16..=17,
        prop::option::of(64_u64..5000),
        any::<bool>(),
        any::<bool>(),
        schedulers,
        threads,
        requests,
        reserved,
        any::<u64>(),
    )
        .prop_map(
            |(
                processors,
                ticks,
                costs,
                interrupts,
                schedulers,
                threads,
                requests,
                reserved,
                seed,
            )| {
                Seeds {
                    processors,
                    ticks,
                    costs,
                    interrupts,
                    schedulers,
                    threads,
                    requests,
                    reserved,
                    seed,
                }
            },
        )
}

fn ms(ms: u64) -> Span {
    Span::from_micros(ms * 1_000).unwrap()
}

fn us(us: u64) -> Span {
    Span::from_micros(us).unwrap()
}

/// A root for all processors but one, a reservation scheduler on the last with join below, and
/// what the seeds say below the root.
fn scenario(seeds: &Seeds) -> Scenario {
    let shared = seeds.processors.max(2) - 1;
    let mut machine = Machine::ideal(shared + 1);
    machine.speeds[0] = Ratio::new(1, 2).unwrap();
    machine.timer = seeds.ticks.map_or(Timer::Precise, Timer::Ticks);
    if seeds.costs {
        machine.costs = Costs::default()
            .switch(us(3))
            .decision(us(1))
            .notification(Span::from_nanos(90))
            .timer(us(2));
    }
    let interrupts = Interrupts::new(
        OverheadKind::Interrupt,
        1,
        Pattern::Random { gap: (us(100), ms(5)), cost: (us(1), us(80)) },
    );
    let mut schedulers = vec![
        Scheduler::root("root", kinds::TIME_SHARING).processors(usize::from(shared)),
        Scheduler::root("rez", kinds::REZ),
    ];
    for (number, (kind, parent, processors)) in seeds.schedulers.iter().enumerate() {
        let parents: Vec<String> =
            schedulers.iter().filter(|s| s.name != "rez").map(|s| s.name.clone()).collect();
        let parent = &parents[parent % parents.len()];
        let name = format!("s{number}");
        let scheduler = Scheduler::below(&name, KINDS[*kind], parent, Requirements::default());
        schedulers.push(scheduler.processors(usize::from(*processors)));
    }
    let above: Vec<String> =
        schedulers.iter().filter(|s| s.name != "rez").map(|s| s.name.clone()).collect();
    let mut threads: Vec<Thread> = Vec::new();
    for (number, amount) in seeds.reserved.iter().enumerate() {
        // A soft reservation: a join of the hard one and the root.
        let name = format!("j{number}");
        let period = 30;
        let reserve = Requirements::reserve(ms(*amount), ms(period));
        schedulers.push(
            Scheduler::below(&name, kinds::JOIN, "root", Requirements::default())
                .and_below("rez", reserve),
        );
        threads.push(Thread::new(
            &format!("r{number}"),
            &name,
            Requirements::default(),
            Run::spin(),
        ));
    }
    for (number, (parent, program, parameter)) in seeds.threads.iter().enumerate() {
        let run = match program {
            0 => Run::spin(),
            1 => Run::periodic(us(*parameter * 100), ms(*parameter + 4)),
            2 => Run::steps(vec![
                Step::Run(Work::Uniform(us(*parameter), us(*parameter * 50))),
                Step::Sleep(us(*parameter * 77)),
            ]),
            3 => Run::steps(vec![
                Step::Lock("l".to_owned()),
                Step::Run(Work::Fixed(us(*parameter * 10))),
                Step::Unlock("l".to_owned()),
                Step::Run(Work::Fixed(us(50))),
                Step::Yield,
            ]),
            4 => Run::steps(vec![Step::Job, Step::Run(Work::Fixed(us(*parameter * 200)))]),
            _ => Run::Spin { from: Instant::ZERO + ms(*parameter) },
        };
        let parent = &above[parent % above.len()];
        threads.push(Thread::new(&format!("t{number}"), parent, Requirements::default(), run));
    }
    let requests = seeds.requests.iter().map(|(when, what, whom, to)| {
        let thread = format!("t{}", whom % seeds.threads.len());
        let entry = threads.iter().find(|one| one.name == thread);
        let parent = entry.and_then(|one| one.parent.as_deref());
        let parent = schedulers.iter().find(|one| Some(one.name.as_str()) == parent);
        let ranks =
            parent.and_then(|parent| find(&parent.kind)).is_some_and(|one| one.takes(&PRIORITY));
        let node = above[to % above.len()].clone();
        let change = match what {
            0 | 1 => Change::Move { thread, to: node, requires: Requirements::default() },
            2 => Change::Default(node),
            3 => Change::Destroy(node),
            4 => Change::Timer(Timer::Ticks(1000)),
            _ if ranks => {
                let priority = i64::try_from(*to).unwrap() + 1;
                Change::Set(Whom::Thread(thread), &PRIORITY, ParameterValue::Integer(priority))
            }
            _ => Change::Move { thread, to: node, requires: Requirements::default() },
        };
        Request::new(Instant::ZERO + ms(*when), change)
    });
    let mut scenario = Scenario::new(ms(120)).seed(seeds.seed).machine(machine);
    scenario.interrupts.extend(seeds.interrupts.then_some(interrupts));
    scenario.requests = requests.collect();
    scenario.schedulers = schedulers;
    scenario.default = Some("root".to_owned());
    scenario.threads = threads;
    scenario
}

/// Everything that must hold of any run.
fn laws(scenario: &Scenario) -> Result<(), String> {
    let plan = scenario.build().map_err(|mistakes| mistakes.render(false))?;
    let cpus = scenario.machine.speeds.len();
    let mut memory = Memory::default();
    let end = Instant::ZERO + scenario.length;
    let sim = Sim::of(plan, Some(&mut memory)).map_err(|failure| failure.to_string())?;
    let outcome = sim.run(end, |_| true); // asserts that time is conserved
    if let Some(failure) = outcome.failure {
        return Err(failure.to_string());
    }
    if let Some((name, why)) = outcome.quarantined.first() {
        return Err(format!("{name} was quarantined: {why}"));
    }
    for thread in &outcome.threads {
        if thread.received > thread.runnable {
            return Err(format!("{} received more than it could use", thread.name));
        }
    }
    // The trace tells the same story: one thread a processor, one processor a thread.
    let mut running = vec![None; cpus];
    let mut before = Instant::ZERO;
    for record in &memory.records {
        if record.at < before {
            return Err(format!("the trace goes back at {}", record.at));
        }
        before = record.at;
        let Event::Switch { cpu, prev, next } = record.event else { continue };
        let cpu = usize::from(cpu.0);
        if prev.map(|(thread, _)| thread) != running[cpu] {
            return Err(format!(
                "cpu {cpu} at {}: {prev:?} leaves, {:?} ran",
                record.at, running[cpu]
            ));
        }
        if let Some((thread, Stop::Exited)) = prev
            && next == Some(thread)
        {
            return Err("a thread runs after its end".to_owned());
        }
        running[cpu] = next;
        let twice =
            next.is_some_and(|next| running.iter().filter(|r| **r == Some(next)).count() > 1);
        if twice {
            return Err(format!("{next:?} runs on two processors at {}", record.at));
        }
    }
    explained(&memory.records, &outcome)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn law_any_hierarchy_keeps_the_books(seeds in seeds()) {
        let scenario = scenario(&seeds);
        let result = std::panic::catch_unwind(|| laws(&scenario))
            .unwrap_or_else(|_| Err("it panicked".to_owned()));
        if let Err(why) = result {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("failing.toml");
            std::fs::write(&path, scenario.write()).unwrap();
            prop_assert!(false, "{why}\nre-run: windfall simulate {}", path.display());
        }
    }
}

/// The generator is not vacuous: its scenarios do what they are made for, at least now and then.
#[test]
fn sometimes_everything_happens() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut preempted, mut migrated, mut refused, mut carried_out, mut stolen) = (0, 0, 0, 0, 0);
    for _ in 0..200 {
        let seeds = seeds().new_tree(&mut runner).unwrap().current();
        let scenario = scenario(&seeds);
        let outcome = Sim::of(scenario.build().unwrap(), None)
            .unwrap()
            .run(Instant::ZERO + scenario.length, |_| true);
        preempted += outcome.threads.iter().map(|t| t.preemptions).sum::<u64>();
        migrated += outcome.threads.iter().map(|t| t.migrations).sum::<u64>();
        stolen += outcome.cpus.iter().filter(|cpu| !cpu.stolen.is_zero()).count();
        refused += outcome.refused.len();
        carried_out += scenario.requests.len() - outcome.refused.len();
    }
    assert!(preempted > 1_000, "{preempted} preemptions");
    assert!(migrated > 1_000, "{migrated} migrations");
    assert!(refused > 10 && carried_out > 100, "{refused} refused, {carried_out} carried out");
    assert!(stolen > 100, "{stolen} processors with stolen time");
}
