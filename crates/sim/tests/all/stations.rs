//! Stations: order, conservation, and what a visit does to the threads of its processor (decision 0044).
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use crate::common::{Random, run, span, thread};
use windfall_programs::{Code, Costs, Node, Process, ProcessError, ProcessParams};
use windfall_scenario::outcome::{Outcome, Visits};
use windfall_scenario::{Home, PlannedThread, Scenario};
use windfall_sim::Sim;
use windfall_time::{Instant, Span};
use windfall_trace::codec::Writer;
use windfall_trace::explain::Part;
use windfall_trace::{Event, Memory, OverheadKind, Record};

const fn us(us: u64) -> Span {
    Span::from_nanos(us * 1_000)
}

/// So many processors below one scheduler, two stations, and threads of these steps.
fn machine(processors: u16, service: [u64; 2], threads: &str) -> String {
    let [a, b] = service;
    format!(
        "length = \"20ms\"\n[machine]\nprocessors = {processors}\nstations.a = {{ service = \"{a}us\" }}\n\
         stations.b = {{ service = \"{b}us\" }}\n[schedulers.rr]\nscheduler = \"round-robin\"\n\
         parent = \"top\"\nprocessors = {processors}\n{threads}"
    )
}

fn sums(outcome: &Outcome) -> (Span, Span) {
    let all = outcome.cpus.iter();
    all.fold((Span::ZERO, Span::ZERO), |(waited, served), cpu| {
        (waited + cpu.station_wait, served + cpu.station_service)
    })
}

#[test]
fn limit_one_processor_never_waits() {
    let thread_a = "[threads.t]\ncount = 3\nsteps = [{ run = \"7us\" }, { visit = \"a\", times = 2 }, \"yield\"]\n";
    let outcome = run(&machine(1, [13, 1], thread_a));
    let station = &outcome.stations[0];
    assert_eq!((station.visits.waited, station.longest_wait), (Span::ZERO, Span::ZERO));
    assert!(station.visits.count > 1_000, "{station:?}");
    assert_eq!(outcome.cpus[0].station_wait, Span::ZERO);
    assert_eq!(outcome.cpus[0].station_service, station.visits.served);
}

#[test]
fn limit_a_saturated_station_serves_one_visit_in_each_time_of_service() {
    let visits = "[threads.t]\ncount = 8\nsteps = [{ run = \"20us\" }, { visit = \"a\" }]\n";
    for processors in [1_u16, 2, 3, 4, 8] {
        let threads = visits.replace("= 8", &format!("= {processors}"));
        let outcome = run(&machine(processors, [10, 1], &threads));
        let cycle = 30.max(10 * u64::from(processors));
        let expected = 20_000 * u64::from(processors) / cycle;
        let found = outcome.stations[0].visits.count;
        assert!(found.abs_diff(expected) <= 8, "{found} visits of {processors}, not {expected}");
        if processors > 3 {
            // It is never idle after the first has arrived.
            assert_eq!(outcome.stations[0].visits.served, span("19980us"));
        }
    }
}

/// A random program: computes, sleeps and visits.
fn random(random: &mut Random) -> String {
    let steps: Vec<String> = (0..random.within(1, 4))
        .map(|_| match random.below(4) {
            0 => format!("{{ run = \"{}us\" }}", random.within(1, 90)),
            1 => format!("{{ sleep = \"{}us\" }}", random.within(1, 60)),
            2 => format!("{{ visit = \"a\", times = {} }}", random.within(1, 3)),
            _ => format!(
                "{{ run = \"{}us\", visit = \"b\", every = \"{}us\" }}",
                random.within(1, 80),
                random.within(1, 30)
            ),
        })
        .collect();
    format!("steps = [{}, {{ run = \"1us\" }}]\n", steps.join(", "))
}

fn random_machine(seed: u64) -> String {
    let mut draw = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let processors = u16::try_from(draw.within(1, 4)).unwrap();
    let threads: Vec<String> = (0..draw.within(1, 7))
        .map(|at| format!("[threads.t{at}]\n{}", random(&mut draw)))
        .collect();
    let text = machine(processors, [draw.within(1, 40), draw.within(1, 9)], &threads.concat());
    let calls = [
        "",
        ", calls = [\"decision\", \"switch\"]",
        ", calls = [\"notification\", \"timer\", \"migration\"]",
    ];
    let calls = calls[usize::try_from(draw.below(3)).unwrap()];
    let interrupts = ["", "[[interrupts]]\ngap = \"100us..900us\"\ncost = \"1us..30us\"\n"];
    let interrupts = interrupts[usize::try_from(draw.below(2)).unwrap()];
    text.replacen("us\" }", &format!("us\"{calls} }}"), 1)
        .replace("scheduler = \"round-robin\"", "scheduler = \"round-robin\"\nquantum = \"1ms\"")
        + interrupts
}

fn traced(text: &str) -> (Memory, Outcome) {
    let text = format!("schema = 2\nseed = 1\n{text}");
    let scenario = Scenario::parse("s.toml", &text).map_err(|e| e.render(false)).unwrap();
    let mut memory = Memory::default();
    let sim = Sim::of(scenario.build().unwrap(), Some(&mut memory)).unwrap();
    let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
    (memory, outcome)
}

/// The services of each station: when a visit arrived, when it began to be served, and when that ended.
fn services(records: &[Record]) -> [Vec<(Instant, Instant, Option<Instant>)>; 2] {
    let mut waits = std::collections::BTreeMap::new();
    let mut open = std::collections::BTreeMap::new();
    let mut found = [Vec::new(), Vec::new()];
    for Record { at, event } in records {
        match event {
            Event::OverheadBegin { cpu, kind: OverheadKind::StationWait, .. } => {
                waits.insert(*cpu, (*at, None));
            }
            Event::OverheadBegin { cpu, kind: OverheadKind::StationService, number } => {
                // A wait that no service follows at once is of a visit from another processor.
                let waited = waits.remove(cpu).filter(|(_, end)| *end == Some(*at));
                let since = waited.map_or(*at, |(since, _)| since);
                let list: &mut Vec<_> = &mut found[usize::from(*number)];
                open.insert(*cpu, (*number, list.len()));
                list.push((since, *at, None));
            }
            Event::OverheadEnd { cpu } => {
                if let Some((_, end @ None)) = waits.get_mut(cpu) {
                    *end = Some(*at);
                }
                if let Some((number, place)) = open.remove(cpu) {
                    found[usize::from(number)][place].2 = Some(*at);
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn law_visits_are_served_in_the_order_of_arrival_one_at_a_time_and_time_is_conserved() {
    let (mut served, mut waited, mut by_calls, mut stolen) = (0_u64, 0_u64, 0_u64, 0_u64);
    for seed in 0..150 {
        let text = random_machine(seed);
        let (memory, outcome) = traced(&text);
        for (services, station) in services(&memory.records).iter().zip(&outcome.stations) {
            for pair in services.windows(2) {
                let ((came, begun, _), (next, after, _)) = (pair[0], pair[1]);
                assert!(came <= next, "{} is not first come first served: {text}", station.name);
                let length = begun + station_service(&text, &station.name);
                assert!(length <= after, "two services of {} overlap: {text}", station.name);
                // It is never idle while somebody waits.
                assert!(after == next || after == length, "{} idles: {text}", station.name);
                waited += u64::from(after > next);
            }
            served += services.len() as u64;
        }
        let all = outcome.stations.iter().map(|station| station.visits);
        let all = all.fold((Span::ZERO, Span::ZERO), |(w, s), v| (w + v.waited, s + v.served));
        let cpus = sums(&outcome);
        assert_eq!(all.1, cpus.1, "{text}");
        // A processor that takes over a thread in the middle of a visit stands still as well.
        assert!(all.0 <= cpus.0, "{text}");
        let own = |of: fn(&Visits) -> Span| {
            outcome.threads.iter().fold(Span::ZERO, |sum, thread| sum + of(&thread.visits))
        };
        assert!(own(|visits| visits.served) <= cpus.1 && own(|visits| visits.waited) <= cpus.0);
        let counted: u64 = outcome.threads.iter().map(|thread| thread.visits.count).sum();
        let arrived: u64 = outcome.stations.iter().map(|station| station.visits.count).sum();
        by_calls += arrived - counted;
        stolen += u64::from(!outcome.cpus[0].stolen.is_zero());
        crate::explained::explained(&memory.records, &outcome)
            .unwrap_or_else(|why| panic!("{why}: {text}"));
    }
    // What was judged.
    assert!(served > 50_000 && waited > 10_000 && by_calls > 1_000 && stolen > 20);
}

fn station_service(text: &str, name: &str) -> Span {
    let (_, rest) = text.split_once(&format!("stations.{name} = {{ service = \"")).unwrap();
    span(rest.split_once('"').unwrap().0)
}

#[test]
fn law_equal_seeds_give_equal_bytes() {
    let mut visits = 0;
    for seed in 0..20 {
        let text = format!("schema = 2\nseed = 1\n{}", random_machine(seed));
        let bytes = || {
            let scenario = Scenario::parse("s.toml", &text).unwrap();
            let mut writer = Writer::new(Vec::new(), &windfall_trace::Header::default());
            let sim = Sim::of(scenario.build().unwrap(), Some(&mut writer)).unwrap();
            let outcome = sim.run(Instant::ZERO + scenario.length, |_| true);
            (writer.finish().unwrap(), outcome.stations)
        };
        let (one, other) = (bytes(), bytes());
        visits += one.1.iter().map(|station| station.visits.count).sum::<u64>();
        assert!(one == other, "{text}");
    }
    assert!(visits > 5_000, "{visits}");
}

#[test]
fn law_a_processor_stands_still_until_its_visit_is_over() {
    // `low` begins a visit of 400 us before `high` is due, which begins when that is over.
    let outcome = run(
        "length = \"10ms\"\nmachine.stations.a = { service = \"400us\" }\n[schedulers.fp]\n\
         scheduler = \"fixed-priority\"\nparent = \"top\"\n\
         [threads.high]\npriority = 2\nperiodic = { work = \"100us\", period = \"10ms\", offset = \"1ms\" }\n\
         [threads.low]\npriority = 1\nloops = 1\nsteps = [{ run = \"900us\" }, { visit = \"a\" }, { run = \"1us\" }]\n",
    );
    assert_eq!(thread(&outcome, "high").response.most(), Some(us(400)));
    let low = thread(&outcome, "low");
    assert_eq!((low.received, low.visits.served, low.preemptions), (us(901), us(400), 1));
    assert_eq!(outcome.cpus[0].station_service, us(400));
}

#[test]
fn law_a_thread_that_moves_within_a_visit_goes_on_when_that_is_over() {
    // Two visits of 1 ms begin at 0; `b` waits for that of `a`. At 0.5 ms `b` is moved to the third processor.
    let outcome =
        run("length = \"5ms\"\n[machine]\nprocessors = 3\nstations.s = { service = \"1ms\" }\n\
         [schedulers.one]\nscheduler = \"round-robin\"\nparent = \"top\"\nprocessors = 2\n\
         [schedulers.two]\nscheduler = \"round-robin\"\nparent = \"top\"\n\
         [threads.a]\nparent = \"one\"\nloops = 1\nsteps = [{ visit = \"s\" }, { run = \"1us\" }]\n\
         [threads.b]\nparent = \"one\"\nloops = 1\nsteps = [{ visit = \"s\" }, { run = \"1us\" }]\n\
         [[at]]\ntime = \"500us\"\ndo = \"move\"\nthread = \"b\"\nto = \"two\"\n");
    assert_eq!(outcome.refused, Vec::new());
    let stands = |cpu: usize| (outcome.cpus[cpu].station_wait, outcome.cpus[cpu].station_service);
    assert_eq!(stands(0), (Span::ZERO, us(1_000)));
    assert_eq!(stands(1), (us(1_000), us(1_000)), "its first processor stands still to the end");
    assert_eq!(stands(2), (us(1_500), Span::ZERO), "and so does its new one");
    assert_eq!(outcome.cpus[2].received, us(1), "it goes on after 2 ms");
    assert_eq!(outcome.stations[0].visits.waited, us(1_000));
}

#[test]
fn law_the_time_of_a_visit_is_charged_to_budgets_and_counts_for_promises() {
    let text = |steps: &str| {
        format!(
            "length = \"1s\"\nmachine.stations.a = {{ service = \"100us\" }}\n[schedulers.res]\n\
             scheduler = \"rez\"\nparent = \"top\"\n[threads.t]\nguarantee = \"RESBH 3ms 10ms\"\nsteps = [{steps}]\n"
        )
    };
    let computes = run(&text("{ run = \"1ms\" }"));
    let visits = run(&text("{ run = \"100us\" }, { visit = \"a\" }"));
    for outcome in [&computes, &visits] {
        assert!(!outcome.promises[0].is_failure(), "{:?}", outcome.promises);
    }
    let (one, other) = (thread(&computes, "t"), thread(&visits, "t"));
    assert_eq!(one.received, span("300ms"));
    let all = other.received + other.visits.served;
    assert!(all >= span("300ms") && all <= span("310ms"), "{all}");
    assert!(other.received.as_nanos().abs_diff(span("150ms").as_nanos()) < 5_000_000);
}

#[test]
fn law_each_call_of_the_machine_visits_the_stations_that_list_it() {
    let text = |calls: &str| {
        format!(
            "length = \"10ms\"\nmachine.stations.a = {{ service = \"1us\", calls = [{calls}] }}\n[schedulers.rr]\n\
             scheduler = \"round-robin\"\nparent = \"top\"\nquantum = \"1ms\"\n[threads.t]\ncount = 2\nrun = \"spin\"\n"
        )
    };
    let visits = |calls: &str| {
        let outcome = run(&text(calls));
        (outcome.stations[0].visits.count, outcome)
    };
    assert_eq!(visits("").0, 0);
    let (decisions, outcome) = visits("\"decision\"");
    assert!(decisions.abs_diff(outcome.decisions) <= 1, "{decisions} {}", outcome.decisions);
    let (notifications, outcome) = visits("\"notification\"");
    assert!(notifications.abs_diff(outcome.notifications) <= 2);
    let (switches, outcome) = visits("\"switch\"");
    let dispatches: u64 = outcome.threads.iter().map(|thread| thread.dispatches).sum();
    assert_eq!((switches, switches > 8), (dispatches, true));
    assert!(visits("\"timer\"").0 > 8);
    assert_eq!(visits("\"migration\"").0, 0);
}

/// Reads the clock ten times.
#[derive(Clone)]
struct Reader;

impl Code for Reader {
    const NAME: &'static str = "reader";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut before = me.now().await;
        for _ in 0..9 {
            let now = me.now().await;
            assert_eq!(now - before, us(13), "the clock is read when the visit is over");
            before = now;
        }
        me.block().await;
        Ok(())
    }
}

#[test]
fn law_a_call_of_a_process_visits_after_its_cost_and_before_its_effect() {
    let text = "schema = 2\nseed = 1\nlength = \"10ms\"\n\
                machine.stations.clock = { service = \"10us\", calls = [\"now\"] }\n\
                [schedulers.rr]\nscheduler = \"round-robin\"\nparent = \"top\"\n";
    let scenario = Scenario::parse("test.toml", text).map_err(|wrong| wrong.render(false));
    let mut plan = scenario.unwrap().build().unwrap();
    let home = Home::new(plan.nodes[0].1, |_| Vec::new());
    plan.processes.nodes = vec![home];
    plan.processes.costs = Costs::default().now(us(3));
    plan.threads.push(PlannedThread::process(Node(0), &home, &ProcessParams::default(), Reader));
    let outcome = Sim::of(plan, None).unwrap().run(Instant::ZERO + us(10_000), |_| true);
    assert_eq!(outcome.failure, None);
    let reader = &outcome.threads[0];
    assert_eq!((reader.received, reader.visits.count, reader.visits.served), (us(30), 10, us(100)));
}

/// A wait at a station is a part of its own, beside being served there: neither is computing, nor waiting behind another thread.
#[test]
fn law_explain_tells_the_wait_at_a_station_from_its_service() {
    // Three processors, each with a job of 30 us of computing and two visits of 10 us; all three come to the station at once.
    let threads = "[threads.t]\ncount = 3\nloops = 1\nsteps = [{ run = \"30us\" }, { visit = \"a\", times = 2 }, { run = \"1us\" }]\n";
    let (memory, outcome) = traced(&machine(3, [10, 1], threads));
    let explanation = crate::explained::explain(&memory.records, &outcome);
    let mut waited: Vec<Span> = Vec::new();
    for found in &explanation.threads {
        let at_station =
            |kind| found.all.sum(|part| matches!(part, Part::Stolen(found) if found == kind));
        assert_eq!(at_station(OverheadKind::StationService), us(20), "two visits");
        assert_eq!(found.all.sum(|part| matches!(part, Part::Ran)), us(31));
        assert_eq!(found.all.sum(|part| matches!(part, Part::Behind(_))), Span::ZERO);
        waited.push(at_station(OverheadKind::StationWait));
    }
    // In turns: the first waits for the others between its visits, the last before each of its own.
    waited.sort_unstable();
    assert_eq!(waited, [us(20), us(30), us(40)]);
    let all: Vec<Span> = outcome.threads.iter().map(|thread| thread.visits.waited).collect();
    assert_eq!(all.iter().fold(Span::ZERO, |sum, one| sum + *one), us(90));
}

/// Memory bandwidth: `run` with `visit` and `every` goes at the lower of what processors ask of the path and what the path bears.
#[test]
fn law_the_work_of_processors_is_bounded_by_the_path_to_memory_that_they_share() {
    for every in [10_u64, 30, 90] {
        for processors in [1_u16, 2, 4, 8] {
            let threads = format!(
                "[threads.t]\ncount = {processors}\nsteps = [{{ run = \"9ms\", visit = \"a\", every = \"{every}us\" }}]\n"
            );
            let outcome = run(&machine(processors, [10, 1], &threads));
            let each = u64::from(processors);
            // One reference for `every` of computing: alone a processor takes both in turn, and all of them 10 us a reference.
            let cycle = (every + 10).max(10 * each);
            let expected = us(20_000 * each * every / cycle);
            let received = outcome.cpus.iter().fold(Span::ZERO, |sum, cpu| sum + cpu.received);
            let off = received.as_nanos().abs_diff(expected.as_nanos());
            // At the ends of the run: a reference and a turn of each.
            assert!(
                off <= us(2 * each * (every + 10 * each)).as_nanos(),
                "{every} {each}: {received}, not {expected}"
            );
        }
    }
}
