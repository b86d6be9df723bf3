//! Scenarios that were read and then edited: whoever edits the public fields is told of the same mistakes as the author of a file.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use windfall_programs::Work;
use windfall_scenario::model::{
    Activation, Bound, ExternalProgram, Jobs, Level, Parent, Pattern, Phase, Quantity,
    Requirements, Run, Scheduler, Setting, Step, Subject, Thread, Timer,
};
use windfall_scenario::{DiagnosticCode as Code, Scenario};
use windfall_schedulers::catalogue::{Catalogue, Kind, Settings};
use windfall_schedulers::kinds;
use windfall_time::{Instant, Ratio, Span};

const READ: &str = r#"schema = 2
length = "1 s"
default = "root"

[machine]
processors = 2
timer = "1000Hz"
cpus = [0, 1]
stations.bus = { service = "1us" }

[[interrupts]]
every = "1ms"
cost = "10us"
processors = [0]
device = "line"
datum = 7

[schedulers.root]
scheduler = "rez"
parent = "top"

[schedulers.mine]
scheduler = "mine"
parent = "root"

[threads.a]
parent = "root"
guarantee = "RESBH 3ms 10ms"
periodic = "3ms/20ms"

[threads.b]
steps = [{ lock = "m" }, { run = "1ms" }, { unlock = "m" }, { visit = "bus" }, { sleep = "1ms" }]
start = "1ms"

[threads.player]
exec = ["mpv", "film.mkv"]

[threads.sound]
of = "player"
match = { comm = "data-loop*" }

[locks.m]
protocol = "none"

[[at]]
time = "10ms"
do = "guarantee"
thread = "a"
guarantee = "RESBH 2ms 10ms"

[[expect]]
what = "a.intervals"
above = "33ms"
at-most = 0
because = "gap 14 ms + 3 ms of work"
"#;

static MINE: Kind =
    Kind::new("mine", "as round robin", |_| kinds::ROUND_ROBIN.build(&Settings::default()));

fn read() -> Scenario {
    let mut catalogue = Catalogue::default();
    catalogue.register(&MINE).unwrap();
    Scenario::parse_in(&catalogue, "e.toml", READ).unwrap()
}

/// What each edit spoils, and the mistake that it makes.
type Edit = (&'static str, fn(&mut Scenario), Code);

fn empty_phase() -> Run {
    Run::Phases { loops: None, phases: vec![Phase::new("main", Vec::new())] }
}

/// A whole scenario, its machine and its schedulers.
const OF_THE_MACHINE: &[Edit] = &[
    ("length", |one| one.length = Span::ZERO, Code::ZeroTime),
    ("default", |one| one.default = Some("nosuch".to_owned()), Code::UnknownScheduler),
    ("an empty default", |one| one.default = Some(String::new()), Code::UnknownScheduler),
    ("speeds", |one| one.machine.speeds.clear(), Code::OutOfRange),
    ("a speed", |one| one.machine.speeds[0] = Ratio::ZERO, Code::OutOfRange),
    ("timer", |one| one.machine.timer = Timer::Ticks(0), Code::OutOfRange),
    ("cpus", |one| one.machine.cpus.push(2), Code::CountMismatch),
    ("a cpu", |one| one.machine.cpus[1] = 0, Code::DuplicateProcessor),
    ("cap", |one| one.machine.cap = Ratio::ZERO, Code::OutOfRange),
    ("a station", |one| one.machine.stations[0].service = Span::ZERO, Code::ZeroTime),
    ("stations", |one| one.machine.stations.clear(), Code::UnknownStation),
    ("an interrupt's device", |one| one.interrupts[0].device = None, Code::MisplacedKey),
    ("its processors", |one| one.interrupts[0].processors[0] = 9, Code::UnknownProcessor),
    (
        "its pattern",
        |one| {
            let cost = Span::from_millis(1);
            one.interrupts[0].pattern =
                Pattern::Periodic { offset: Instant::ZERO, period: cost, cost };
        },
        Code::NoTimeLeft,
    ),
    ("schedulers", |one| one.schedulers.clear(), Code::NoSchedulers),
    ("a scheduler's name", |one| one.schedulers[0].name = "top".to_owned(), Code::InvalidName),
    ("its kind", |one| one.schedulers[0].kind = "nosuch".to_owned(), Code::UnknownKind),
    ("an empty kind", |one| one.schedulers[0].kind.clear(), Code::UnknownKind),
    ("the catalogue", |one| one.catalogue = Catalogue::default(), Code::UnknownKind),
    (
        "its settings",
        |one| one.schedulers[0].settings.push(("nosuch".to_owned(), Setting::Bool(true))),
        Code::InvalidSetting,
    ),
    (
        "its parent",
        |one| one.schedulers[0].owns[0].parent = Parent::Scheduler("nosuch".to_owned()),
        Code::UnknownScheduler,
    ),
    (
        "an empty parent",
        |one| one.schedulers[0].owns[0].parent = Parent::Scheduler(String::new()),
        Code::UnknownScheduler,
    ),
];

/// Threads, locks, requests and expectations.
const OF_THREADS: &[Edit] = &[
    ("a name", |one| one.threads[0].name = "a\u{202e}b".to_owned(), Code::InvalidName),
    ("a name twice", |one| one.threads[0].name = "b".to_owned(), Code::DuplicateName),
    ("count", |one| one.threads[0].count = Some(0), Code::OutOfRange),
    ("parent", |one| one.threads[0].parent = Some("nosuch".to_owned()), Code::UnknownScheduler),
    ("no parent", |one| one.threads[0].parent = Some(String::new()), Code::UnknownScheduler),
    (
        "requirements",
        |one| one.threads[0].requires = Requirements::guarantee("RESU 1/2".parse().unwrap()),
        Code::GuaranteeNotGiven,
    ),
    ("start", |one| one.threads[1].start = Instant::from_nanos(u64::MAX), Code::AfterTheEnd),
    ("unknown work", |one| one.threads[0].run = Run::Unknown, Code::NoProgram),
    ("a profile", |one| one.threads[0].run = Run::Profile("x".to_owned()), Code::NoProgram),
    ("an empty phase", |one| one.threads[1].run = empty_phase(), Code::EmptyPhase),
    (
        "a loop in no time",
        |one| one.threads[0].run = Run::steps(vec![Step::Yield]),
        Code::TimelessLoop,
    ),
    (
        "work of a kind",
        |one| one.threads[0].run = Run::OfKind { kind: "nosuch".to_owned(), settings: Vec::new() },
        Code::UnknownProgram,
    ),
    (
        "jobs after nobody",
        |one| {
            let after = Activation::After(String::new());
            one.threads[0].run = Run::Jobs(Jobs::new(after, Work::Fixed(Span::from_millis(1))));
        },
        Code::UnknownThread,
    ),
    (
        "a command",
        |one| {
            let command = ExternalProgram::Exec { command: Vec::new(), env: Default::default() };
            one.threads[2].external.as_mut().unwrap().program = command;
        },
        Code::InvalidCommand,
    ),
    (
        "no match",
        |one| one.threads[3].external.as_mut().unwrap().threads = Default::default(),
        Code::MissingKey,
    ),
    ("a lock", |one| one.locks[0].name = "nosuch".to_owned(), Code::UnknownLock),
    (
        "a request's time",
        |one| one.requests[0].time = Instant::from_nanos(u64::MAX),
        Code::AfterTheEnd,
    ),
    ("no reason", |one| one.expectations[0].because.clear(), Code::NoReason),
    ("no bound", |one| one.expectations[0].bound = Bound::default(), Code::NothingExpected),
    (
        "a bound",
        |one| one.expectations[0].bound = Bound::at_most(Level::Span(Span::from_millis(1))),
        Code::UnitMismatch,
    ),
    (
        "a quantity",
        |one| one.expectations[0].quantity = Quantity::IntervalsAbove(Span::ZERO),
        Code::ZeroTime,
    ),
    (
        "a subject",
        |one| one.expectations[0].subject = Subject::Threads("nosuch".to_owned()),
        Code::UnknownName,
    ),
];

#[test]
fn accepts_the_scenario_that_the_edits_spoil() {
    assert!(read().build().is_ok(), "{:?}", read().build().err());
}

#[test]
fn refuses_each_field_that_was_edited_into_something_wrong() {
    for (what, edit, code) in OF_THE_MACHINE.iter().chain(OF_THREADS) {
        let mut scenario = read();
        edit(&mut scenario);
        let mistakes = scenario.build().map(drop).expect_err(what);
        let found: Vec<Code> = mistakes.list().iter().map(|one| one.code).collect();
        assert!(found.contains(code), "{what}: {mistakes}");
        // A scheduler refuses its settings when it is made; all else is found by looking.
        let by_looking = scenario.check().is_err();
        assert_eq!(by_looking, *code != Code::InvalidSetting, "{what}");
    }
}

#[test]
fn refuses_in_code_what_a_file_cannot_leave_empty() {
    let root = |kind: &str| {
        let mut root = Scheduler::root("root", kinds::REZ);
        root.kind = kind.to_owned();
        Scenario::new(Span::from_secs(1)).scheduler(root)
    };
    let codes = |scenario: Scenario| -> Vec<Code> {
        let mistakes = scenario.check().map_err(|mistakes| mistakes.list().to_vec());
        mistakes.err().into_iter().flatten().map(|one| one.code).collect()
    };
    assert_eq!(codes(root("rez")), []);
    assert_eq!(codes(root("")), [Code::UnknownKind]);
    let lost = Thread::new("a", "", Requirements::default(), Run::spin());
    assert_eq!(codes(root("rez").thread(lost)), [Code::UnknownScheduler]);
}
