//! Round trip: a written scenario is read again as the same, for random scenarios made in code.

mod threads;

use self::threads::{external, run, stand_in};
use crate::PlannedRequest;
use crate::model::{
    Attachment, Bound, Cache, Change, Claim, Costs, Expectation, External, ExternalProgram,
    Interrupts, Jobs, Level, Lock, Machine, Parent, Pattern, Quantity, Request, Requirements,
    Scheduler, Setting, Station, StationCall, Statistic, Step, Subject, Thread, ThreadMatch, Timer,
    Whole, Whom,
};
use crate::{Guarantee, Origin, Scenario};
use proptest::prelude::*;
use windfall_hierarchy::ProcessorSet;
use windfall_programs::LockProtocol;
use windfall_schedulers::catalogue::{Catalogue, Kind, Settings};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::{ALL, Form, PROCESSORS, ParameterValue, Rate};
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![1_u64..5_000, 1_u64..10_000_000_000, Just(16_666_667)].prop_map(Span::from_nanos)
}

/// Within the scenario's length of 100 s.
fn instant() -> impl Strategy<Value = Instant> {
    prop_oneof![Just(0), 0_u64..99_000_000_000].prop_map(Instant::from_nanos)
}

fn pair() -> impl Strategy<Value = (Span, Span)> {
    (span(), span()).prop_map(|(a, b)| (a.min(b), a.max(b)))
}

fn ratio() -> impl Strategy<Value = Ratio> {
    (1_i128..50, 1_i128..50).prop_map(|(a, b)| Ratio::new(a, b).unwrap())
}

/// Above 0, at most 1.
fn part() -> impl Strategy<Value = Ratio> {
    (1_i128..1000, 0_i128..1000).prop_map(|(part, rest)| Ratio::new(part, part + rest).unwrap())
}

fn guarantee() -> impl Strategy<Value = Guarantee> {
    prop_oneof![
        Just(Guarantee::All),
        Just(Guarantee::Null),
        pair().prop_map(|(x, y)| Guarantee::BasicHard(x.into(), y.into())),
        pair().prop_map(|(x, y)| Guarantee::BasicSoft(x.into(), y.into())),
        pair().prop_map(|(x, y)| Guarantee::ContinuousHard(x.into(), y.into())),
        pair().prop_map(|(x, y)| Guarantee::ContinuousSoft(x.into(), y.into())),
        part().prop_map(Guarantee::Slower),
        part().prop_map(Guarantee::Share),
        (part(), span()).prop_map(|(s, d)| Guarantee::BoundedShare(s, d.into())),
    ]
}

/// A random value of a parameter.
fn value(form: Form) -> BoxedStrategy<ParameterValue> {
    match form {
        Form::Integer(least, most) => {
            (least.max(-100)..most.min(1000)).prop_map(ParameterValue::Integer).boxed()
        }
        Form::Rate => (proptest::option::of(span()), span(), span())
            .prop_map(|(work, period, deadline)| {
                ParameterValue::Rate(Rate::new(work, period).deadline(deadline))
            })
            .boxed(),
        // Those of the machine, once it is known.
        Form::Processors => Just(ParameterValue::Processors(ProcessorSet::default())).boxed(),
        Form::Span(_) => span().prop_map(ParameterValue::Span).boxed(),
        _ => [1_u32..5_000_000, 1..20_000_000, 0..1]
            .prop_map(move |numbers| form.value(numbers, Span::from_nanos(1)))
            .prop_filter("out of range", move |value| form.allows(*value))
            .boxed(),
    }
}

/// Below a scheduler that passes on any guarantee: what a thread asks, or a scheduler.
fn requires(of_threads: bool) -> impl Strategy<Value = Requirements> {
    let all = ALL.iter().filter(move |parameter| of_threads || !parameter.of_threads);
    let values = all.clone().map(|parameter| proptest::option::of(value(parameter.form)));
    let parameters: Vec<_> = all.collect();
    (proptest::option::of(guarantee()), values.collect::<Vec<_>>()).prop_map(
        move |(guarantee, values)| {
            let mut requires = guarantee.map(Requirements::guarantee).unwrap_or_default();
            for (parameter, value) in parameters.iter().zip(values) {
                requires.set(parameter, value);
            }
            requires
        },
    )
}

fn station() -> impl Strategy<Value = String> {
    prop::sample::select(stations()).prop_map(|station| station.name)
}

/// Stations in the order in which a file is read.
fn stations() -> Vec<Station> {
    let calls: Vec<StationCall> = StationCall::all().map(|(_, call)| call).collect();
    let map = Station::new("map", Span::from_nanos(10_400)).calls(calls);
    vec![map, Station::new("memory bus", Span::from_nanos(1))]
}

fn machine() -> impl Strategy<Value = Machine> {
    let timer = prop_oneof![Just(Timer::Precise), (1_u64..100_000).prop_map(Timer::Ticks)];
    let costs = (span(), span(), span(), span(), span());
    let costs = costs.prop_map(|(switch, migration, decision, notification, timer)| Costs {
        switch,
        migration,
        decision,
        notification,
        timer,
    });
    let cache = (0_u64..5000, span()).prop_map(|(size_kib, refill)| Cache { size_kib, refill });
    let speeds = prop_oneof![Just(vec![Ratio::ONE; 3]), proptest::collection::vec(ratio(), 1..4)];
    let claim = prop_oneof![Just(Claim::Processors), Just(Claim::None)];
    (speeds, timer, costs, proptest::option::of(cache), any::<bool>(), part(), claim).prop_map(
        |(speeds, timer, costs, cache, named, cap, claim)| {
            let count = if named { u16::try_from(speeds.len()).unwrap() } else { 0 };
            let cpus = (0..count).map(|cpu| 3 * cpu + 1).collect();
            let cap = cap.checked_mul(Machine::most_cap()).unwrap();
            let stations = stations();
            Machine { speeds, timer, costs, cache, cpus, cap, claim, stations }
        },
    )
}

fn interrupts() -> impl Strategy<Value = Interrupts> {
    let pattern = prop_oneof![
        (instant(), span(), span()).prop_map(|(offset, a, b)| Pattern::Periodic {
            offset,
            period: a + b,
            cost: a,
        }),
        (pair(), pair()).prop_map(|(gap, cost)| Pattern::Random { gap, cost }),
        ".{0,9}".prop_map(Pattern::Recorded),
    ];
    let kind = prop_oneof![
        Just(OverheadKind::Interrupt),
        Just(OverheadKind::Softirq),
        Just(OverheadKind::Steal)
    ];
    let processors = prop_oneof![Just(vec![]), Just(vec![0])];
    (kind, any::<u16>(), processors, pattern).prop_map(|(kind, number, processors, pattern)| {
        Interrupts { processors, ..Interrupts::new(kind, number, pattern) }
    })
}

fn own() -> impl Strategy<Value = Attachment> {
    requires(false)
        .prop_map(|requires| Attachment { parent: Parent::Scheduler("fp".to_owned()), requires })
}

fn change() -> impl Strategy<Value = Change> {
    let thread = || Whom::Thread("thread 0".to_owned());
    let scheduler = || Whom::Scheduler("s".to_owned(), 1);
    // Which processors a request may name depends on the tree.
    let others: Vec<_> = ALL.iter().copied().filter(|parameter| !parameter.of_threads).collect();
    let set = prop::sample::select(others).prop_flat_map(|one| (Just(one), value(one.form)));
    prop_oneof![
        own().prop_map(|own| Change::Create(Scheduler {
            name: "made".to_owned(),
            kind: "edf".to_owned(),
            settings: vec![("late".to_owned(), Setting::Word("abort".to_owned()))],
            owns: vec![own],
        })),
        Just(Change::Destroy("s".to_owned())),
        Just(Change::Default("fp".to_owned())),
        requires(false).prop_map(|requires| Change::Move {
            thread: "thread 0".to_owned(),
            to: "fp".to_owned(),
            requires
        }),
        (set, any::<bool>()).prop_map(move |((parameter, value), one)| {
            Change::Set(if one { thread() } else { scheduler() }, parameter, value)
        }),
        Just(Change::Guarantee(thread(), "RESBH 1ms 10ms".parse().unwrap())),
        Just(Change::Unreserve(scheduler())),
        any::<u32>()
            .prop_map(|datum| Change::Enqueue { queue: "q".to_owned(), datum: datum.into() }),
        span().prop_map(|quantum| Change::Quantum("fp".to_owned(), quantum)),
        (1_u64..9999).prop_map(|hertz| Change::Timer(Timer::Ticks(hertz))),
    ]
}

fn expectation() -> impl Strategy<Value = Expectation> {
    let share = || ratio().prop_map(|share| share.checked_div(Ratio::whole(100)).unwrap());
    let pick = prop_oneof![
        (share(), share()).prop_map(|(a, b)| (
            Quantity::Received,
            Level::OfCpu(a),
            Level::OfCpu(b)
        )),
        (share(), share()).prop_map(|(a, b)| (
            Quantity::Runnable,
            Level::OfMachine(a),
            Level::OfMachine(b)
        )),
        (span(), span()).prop_map(|(a, b)| (Quantity::GapMax, Level::Span(a), Level::Span(b))),
        (span(), span()).prop_map(|(a, b)| {
            (Quantity::Response(Statistic::Max), Level::Span(a), Level::Span(b))
        }),
        (span(), span())
            .prop_map(|(a, b)| { (Quantity::TaskLatenessMax, Level::Span(a), Level::Span(b)) }),
        (0..9_u64, 0..9_u64).prop_map(|(a, b)| (Quantity::Jobs, Level::Count(a), Level::Count(b))),
        (span(), 0..9_u64).prop_map(|(s, a)| (
            Quantity::IntervalsAbove(s),
            Level::Count(a),
            Level::Count(a)
        )),
    ];
    (pick, 0..4, ".{0,9}[!-~].{0,9}").prop_map(|((quantity, a, b), form, because)| {
        let none = Bound::default();
        let bound = match form {
            0 => Bound { at_most: Some(a), ..none },
            1 => Bound { at_least: Some(a), ..none },
            2 => Bound { equals: Some((a, None)), ..none },
            _ => Bound { equals: Some((a, Some(b))), ..none },
        };
        let subject = Subject::Threads("thread 0".to_owned());
        Expectation { subject, quantity, bound, because }
    })
}

/// Fixed priority, whose children may have any parameter.
static ANYTHING: Kind =
    Kind::new("anything", "as fixed priority", |_| kinds::FIXED_PRIORITY.build(&Settings(&[])))
        .with_parameters(ALL)
        .with_conversion(|_| kinds::FIXED_PRIORITY.conversion(&Settings(&[])));

fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::default();
    catalogue.register(&ANYTHING).unwrap();
    catalogue
}

prop_compose! {
    fn scenario()(
        head in (proptest::option::of(".{0,20}"), proptest::option::of(".{0,20}"), any::<u64>(), instant()),
        machine in machine(),
        interrupts in proptest::collection::vec(interrupts(), 0..3),
        owns in proptest::collection::vec(own(), 2..4),
        alike in any::<bool>(),
        threads in proptest::collection::vec((run(), requires(true), instant(), proptest::option::of(1_u32..4), 0_u64..999), 1..5),
        programs in [external(10), external(11)],
        stand_ins in [stand_in(), stand_in(), stand_in()],
        requests in proptest::collection::vec((instant(), change()), 0..4),
        expectations in proptest::collection::vec(expectation(), 0..3),
    ) -> Scenario {
        let (question, answer, seed, epoch) = head;
        let owns = if alike { vec![owns[0].clone(); owns.len()] } else { owns };
        let below = Scheduler {
            name: "s".to_owned(),
            kind: "time-sharing".to_owned(),
            settings: vec![
                ("boost".to_owned(), Setting::Integer(3)),
                ("quantum".to_owned(), Setting::Span(Span::from_nanos(seed % 1000 + 1))),
                ("rescue".to_owned(), Setting::Bool(alike)),
            ],
            owns,
        };
        let all = ProcessorSet::of((0_u16..).zip(&machine.speeds).map(|(number, _)| number));
        let all = all.ok().map(ParameterValue::Processors);
        let mut threads: Vec<Thread> = threads.into_iter().enumerate().map(|(n, (run, mut requires, start, count, set))| {
            if requires.get(&PROCESSORS).is_some() {
                requires.set(&PROCESSORS, all);
            }
            Thread {
            name: format!("thread {n}"),
            count: if n == 0 { None } else { count },
            parent: (n != 1).then(|| "fp".to_owned()),
            requires,
            external: None,
            run,
            start,
            working_set_kib: set,
        }}).collect();
        let some = External {
            program: ExternalProgram::Of("program 10".to_owned()),
            threads: ThreadMatch { comm: Some("data-loop*".to_owned()), ..ThreadMatch::default() },
            each: false,
        };
        let named = programs.into_iter().chain([some]).zip(stand_ins).zip(10..);
        threads.extend(named.map(|((external, run), n)| Thread {
            external: Some(external),
            ..Thread::new(&format!("program {n}"), "fp", Requirements::default(), run)
        }));
        let taken = threads.iter().flat_map(|thread| thread.run.all_steps());
        let taken = taken.filter_map(|step| match step {
            Step::Lock(lock) => Some(Lock::new(lock, LockProtocol::None)),
            _ => None,
        });
        let locks = taken.take(1).collect();
        Scenario {
            question,
            answer,
            seed,
            epoch,
            length: Span::from_secs(100),
            machine,
            interrupts,
            schedulers: vec![Scheduler::root("fp", &ANYTHING), below],
            default: alike.then(|| "fp".to_owned()),
            locks,
            threads,
            requests: requests.into_iter().map(|(time, change)| Request { time, change }).collect(),
            expectations,
            under_way: false,
            at_top: Default::default(),
            catalogue: catalogue(),
            programs: crate::Catalogues::default().programs,
            origin: Origin::default(),
        }
    }
}

proptest! {
    #[test]
    fn law_written_scenarios_are_read_back(scenario in scenario()) {
        let text = scenario.write();
        match Scenario::parse_in(&scenario.catalogue, "written.toml", &text) {
            Ok(again) => prop_assert_eq!(again, scenario, "{}", text),
            Err(mistakes) => prop_assert!(false, "{mistakes}\n{text}"),
        }
    }

    #[test]
    fn law_building_a_scenario_made_in_code_never_panics(scenario in scenario()) {
        let _ = scenario.build();
    }
}

#[test]
fn everything_that_the_format_has_is_built_and_read_back() {
    let scenario = Scenario::parse("everything.toml", include_str!("../../tests/everything.toml"));
    let scenario = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let again = Scenario::parse("written.toml", &scenario.write()).unwrap();
    assert_eq!(again, scenario);
    let plan = scenario.build().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(plan.threads.len(), 16);
    assert_eq!(
        [10, 11, 13].map(|program| plan.claims(program)),
        [vec![11, 12, 10], vec![], vec![13]]
    );
    assert_eq!(plan.interrupts.len(), 3);
    assert_eq!(plan.barriers.len(), 1);
    assert_eq!(plan.watched.len(), 1);
    let promises = |(_, one): &&(_, PlannedRequest)| matches!(one, PlannedRequest::Promises(_));
    let said = plan.requests.iter().filter(promises).count();
    assert_eq!(said, scenario.requests.len(), "what holds after each request is said");
    assert_eq!(plan.requests.len() - said, 13, "a share for three threads is three requests");
    assert!(plan.requests.is_sorted_by_key(|(time, _)| *time));
    let whole = [Whole::Refused, Whole::Idle].map(|whole| Quantity::Whole(whole).text());
    assert_eq!(whole, ["refused", "idle"]);
}
