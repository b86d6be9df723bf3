//! Random hierarchies over the whole catalogue, and threads that are a burden to each other.

use proptest::prelude::*;
use windfall_guarantees::{ChildParam, Conversion, Guarantee, Length};
use windfall_programs::Work;
use windfall_scenario::Scenario;
use windfall_scenario::model::{
    Activation, Interrupts, Jobs, Machine, Parent, Pattern, Requirements, Run, Scheduler, Setting,
    Step, Thread, Timer,
};
use windfall_schedulers::catalogue::{self, Form, Kind, Settings, Value};
use windfall_schedulers::kinds;
use windfall_time::{Instant, Ratio, Span};
use windfall_trace::OverheadKind;

/// A scheduler, as numbers from which one is made by remainders.
#[derive(Clone, Debug)]
struct NodeSeed {
    kind: u16,
    owns: u8,
    parents: [u16; 3],
    requires: [AskSeed; 3],
    settings: u32,
}

/// What is asked somewhere.
#[derive(Clone, Copy, Debug)]
struct AskSeed {
    kind: u8,
    part: u8,
    period: u8,
    priority: u8,
}

#[derive(Clone, Debug)]
struct ThreadSeed {
    parent: u16,
    ask: AskSeed,
    program: u8,
    pace: u16,
    start: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct Seeds {
    processors: u16,
    nodes: Vec<NodeSeed>,
    threads: Vec<ThreadSeed>,
    stolen: bool,
    /// The frequency of a timer that ticks.
    ticks: Option<u64>,
    seed: u64,
}

fn ask() -> impl Strategy<Value = AskSeed> {
    (any::<u8>(), any::<u8>(), any::<u8>(), 0_u8..4)
        .prop_map(|(kind, part, period, priority)| AskSeed { kind, part, period, priority })
}

pub(crate) fn seeds() -> impl Strategy<Value = Seeds> {
    let requires = || [ask(), ask(), ask()];
    let node = (any::<u16>(), 0_u8..8, any::<[u16; 3]>(), requires(), any::<u32>()).prop_map(
        |(kind, owns, parents, requires, settings)| NodeSeed {
            kind,
            owns,
            parents,
            requires,
            settings,
        },
    );
    let thread = (any::<u16>(), ask(), 0_u8..11, any::<u16>(), any::<u8>()).prop_map(
        |(parent, ask, program, pace, start)| ThreadSeed { parent, ask, program, pace, start },
    );
    let nodes = prop::collection::vec(node, 1..9);
    let threads = prop::collection::vec(thread, 1..12);
    let stolen = prop::bool::weighted(0.2);
    let ticks = prop::option::weighted(0.125, 60_u64..2_000);
    (1_u16..=3, nodes, threads, stolen, ticks, any::<u64>()).prop_map(
        |(processors, nodes, threads, stolen, ticks, seed)| Seeds {
            processors,
            nodes,
            threads,
            stolen,
            ticks,
            seed,
        },
    )
}

pub(crate) fn us(us: u64) -> Span {
    Span::from_micros(us).unwrap()
}

pub(crate) fn ms(ms: u64) -> Span {
    us(ms * 1_000)
}

const PERIODS: [u64; 8] = [4, 5, 8, 10, 20, 25, 40, 33];
const PARTS: [(i128, i128); 8] = [(1, 10), (1, 8), (1, 5), (1, 4), (3, 10), (2, 5), (1, 2), (3, 4)];

/// A guarantee of the kind that the seed says.
fn guarantee(ask: AskSeed, turn: u8) -> Guarantee {
    let period = Length::from(ms(PERIODS[usize::from(ask.period) % PERIODS.len()]));
    let (above, below) = PARTS[usize::from(ask.part) % PARTS.len()];
    let part = Ratio::new(above, below).unwrap();
    let amount = period.checked_mul(part).unwrap().floor().unwrap().into();
    match (ask.kind.wrapping_add(turn)) % 10 {
        0 => Guarantee::BasicHard(amount, period),
        1 => Guarantee::BasicSoft(amount, period),
        2 => Guarantee::ContinuousSoft(amount, period),
        3 => Guarantee::BoundedShare(part, period),
        4 => Guarantee::Share(part),
        5 => Guarantee::Slower(part),
        6 => Guarantee::NonPreemptive(amount, period),
        7 => Guarantee::Synchronized(amount, period, us(u64::from(ask.priority) * 300).into()),
        8 => Guarantee::ContinuousHard(amount, period),
        _ => Guarantee::Probabilistic(amount, period, us(500).into()),
    }
}

/// A piece in a plan: in periods that divide each other, so that several find a place.
fn piece(ask: AskSeed, number: usize) -> Guarantee {
    let period = Length::from(ms(8 << (ask.period % 3)));
    let amount = Length::from(us(100 + u64::from(ask.part) * 4));
    let at = us(u64::try_from(number).unwrap() * 1_100 % 8_000).into();
    match ask.kind % 4 {
        0 => Guarantee::NonPreemptive(amount, period),
        1 => Guarantee::ContinuousHard(amount, period),
        _ => Guarantee::Synchronized(amount, period, at),
    }
}

/// What a scheduler of the catalogue may be set to.
fn settings(kind: &Kind, seed: u32) -> Vec<(String, Setting)> {
    let mut written = Vec::new();
    for (at, setting) in kind.settings.iter().enumerate() {
        let pick = (seed >> (at * 5 % 27)) as usize & 31;
        // Half of the settings stay as they are, but those without which a promise is not made.
        if pick.is_multiple_of(2) && !["report-deadlines", "partition"].contains(&setting.name) {
            continue;
        }
        let pick = pick / 2;
        let value = match setting.form {
            Form::Integer(..) if setting.name == "admission" => {
                Setting::Integer(1_000 - 40 * pick as i64)
            }
            Form::Span => Setting::Span([us(500), ms(1), ms(2), ms(5)][pick % 4]),
            Form::Integer(least, most) => {
                Setting::Integer(least.saturating_add(pick as i64).min(most))
            }
            Form::Bool => Setting::Bool(pick.is_multiple_of(2)),
            Form::Word(words) => Setting::Word(words[pick % words.len()].to_owned()),
        };
        written.push((setting.name.to_owned(), value));
    }
    written
}

fn values(settings: &[(String, Setting)]) -> Vec<(&str, Value<'_>)> {
    let value = |setting| match setting {
        &Setting::Span(span) => Value::Span(span),
        &Setting::Integer(n) => Value::Integer(n),
        &Setting::Bool(b) => Value::Bool(b),
        Setting::Word(word) => Value::Word(word),
    };
    settings.iter().map(|(name, setting)| (name.as_str(), value(setting))).collect()
}

/// A scheduler with settings that it accepts.
fn scheduler(name: String, kind: &Kind, seed: u32) -> (Scheduler, Box<dyn Conversion>) {
    let drawn = settings(kind, seed);
    let accepted = kind.build(&Settings(&values(&drawn))).is_ok();
    let settings = if accepted { drawn } else { Vec::new() };
    let conversion = kind.conversion(&Settings(&values(&settings))).unwrap();
    let mut scheduler = Scheduler::root(&name, kind);
    (scheduler.settings, scheduler.owns) = (settings, Vec::new());
    (scheduler, conversion)
}

/// What is asked of a parent: the first guarantee, from the seed's on, that a child has to ask for; or
/// a priority; or a weight. Now and then with a warp.
fn requires(
    parent: &dyn Conversion,
    below: &Scheduler,
    ask: AskSeed,
    number: usize,
) -> Requirements {
    let kind = below.kind.as_str();
    if kind == "fixed-priority" {
        // Now and then one that somebody else may have, too.
        let number = if ask.kind < 40 { 0 } else { i32::try_from(number).unwrap() };
        return Requirements::priority(i32::from(ask.priority) * 100 + number);
    }
    let off = ("warp".to_owned(), Setting::Bool(false));
    let warped = ["bvt", "proportional-share"].contains(&kind) && !below.settings.contains(&off);
    let warped = warped && ask.period >= 200;
    let warp = warped.then(|| ms(1 + u64::from(ask.part) / 4));
    let shares =
        matches!(parent.parameter_for(&Guarantee::Share(Ratio::ONE)), Ok(ChildParam::Share(_)));
    if ask.kind >= 230 {
        // An uninvited guest; or one with a weight beside guarantees.
        let share = (shares && ask.part >= 100).then(|| u32::from(ask.part) * 2);
        let mut uninvited = Requirements::default();
        (uninvited.share, uninvited.warp) = (share, warp);
        return uninvited;
    }
    if kind == "time-table" && ask.priority > 0 {
        return Requirements::guarantee(piece(ask, number));
    }
    let candidates = (0..10).map(|turn| guarantee(ask, turn));
    let told = |guarantee: &Guarantee| {
        parent.parameter_for(guarantee).is_ok_and(|tell| tell != ChildParam::Nothing)
    };
    let mut requires =
        candidates.into_iter().find(told).map(Requirements::guarantee).unwrap_or_default();
    requires.warp = warp;
    requires
}

/// Kinds that have one child.
const SINGLE: [&str; 3] = ["join", "limit", "overrun"];
/// Kinds that have two parents at least.
pub(crate) const MANY: [&str; 2] = ["join", "overrun"];

/// The catalogue, those more often whose guarantees are rare; or the kinds that `WINDFALL_LAW_KINDS` names.
fn kinds() -> Vec<&'static Kind> {
    let chosen = std::env::var("WINDFALL_LAW_KINDS").unwrap_or_default();
    let chosen: Vec<&str> = chosen.split(',').filter(|name| !name.is_empty()).collect();
    let meant = |kind: &&&Kind| chosen.is_empty() || chosen.contains(&kind.name);
    let often = |kind: &Kind| match kind.name {
        "time-table" | "pshed" => 8,
        "overrun" | "rez" | "rez-c" | "rez-fb" | "cbs" => 3,
        "join" | "proportional-share" | "time-line" => 2,
        _ => 1,
    };
    let kinds = catalogue::KINDS.iter().filter(meant).copied();
    kinds.flat_map(|kind| std::iter::repeat_n(kind, often(kind))).collect()
}

/// What a thread does: how it is called, and that.
fn program(seed: &ThreadSeed, light: bool) -> (&'static str, Run) {
    let pace = u64::from(seed.pace);
    if light && seed.program != 0 {
        // About as much as it is sure of: sometimes less, so that it sleeps, sometimes more.
        let period = ms(4 + pace % 23);
        let (above, below) = PARTS[usize::from(seed.ask.part) % PARTS.len()];
        let part = Length::from(period).checked_mul(Ratio::new(above, 2 * below).unwrap()).unwrap();
        let least = part.floor().unwrap();
        let jobs = Jobs::new(
            Activation::Periodic { offset: Instant::ZERO, period },
            Work::Uniform(least, least.checked_mul(3).unwrap()),
        )
        .deadline(period);
        return ("light", Run::Jobs(jobs));
    }
    let short = us(20 + pace % 400);
    let long = us(200 + pace % 9_000);
    let turn = ms([1, 2, 5, 10][usize::from(seed.pace) % 4]);
    match seed.program {
        0..=2 => ("spin", Run::spin()),
        3 => ("periodic", Run::periodic(long, ms(1 + pace % 23) + long)),
        4 => {
            let steps = vec![Step::Run(Work::Uniform(short, long)), Step::Sleep(short)];
            ("random", Run::steps(steps))
        }
        5 => ("brief", Run::steps(vec![Step::Run(Work::Fixed(short)), Step::Sleep(short)])),
        6 => {
            let sleep = ms(PERIODS[usize::from(seed.pace) % PERIODS.len()]);
            ("sleeper", Run::steps(vec![Step::Run(Work::Fixed(long)), Step::Sleep(sleep)]))
        }
        7 => ("yielder", Run::steps(vec![Step::Run(Work::Fixed(short)), Step::Yield])),
        // All who nap so wake together, after a turn each.
        8 | 9 => ("napper", Run::periodic(turn, turn.checked_mul(2).unwrap())),
        _ => ("late spin", Run::Spin { from: Instant::ZERO + long }),
    }
}

/// The kinds of programs.
pub(crate) const PROGRAMS: [&str; 9] =
    ["light", "spin", "periodic", "random", "brief", "sleeper", "yielder", "napper", "late spin"];

fn parent_name(parent: &Parent) -> Option<&str> {
    match parent {
        Parent::Top => None,
        Parent::Scheduler(name) => Some(name),
    }
}

pub(crate) fn scenario(seeds: &Seeds) -> Scenario {
    let mut schedulers: Vec<Scheduler> = Vec::new();
    let mut conversions: Vec<Box<dyn Conversion>> = Vec::new();
    let mut children: Vec<usize> = Vec::new();
    // Whether it is a join, or stands below one.
    let mut below_join: Vec<bool> = Vec::new();
    let mut top = usize::from(seeds.processors);
    let kinds = kinds();
    for (at, node) in seeds.nodes.iter().enumerate() {
        let mut kind = kinds[usize::from(node.kind) % kinds.len()];
        let room = |at: usize, children: &[usize], schedulers: &[Scheduler]| {
            !SINGLE.contains(&schedulers[at].kind.as_str()) || children[at] == 0
        };
        // Joins below joins may go round in circles on several processors (CAVEATS).
        let joined = |at: usize, joined: &[bool]| seeds.processors > 1 && joined[at];
        if at == 0 && SINGLE.contains(&kind.name) {
            kind = catalogue::find("fixed-priority").unwrap();
        }
        // Rare guarantees need all of a processor.
        let rare = ["time-table", "pshed"][usize::from(node.owns) % 2];
        if at == 0
            && seeds.seed.is_multiple_of(4)
            && let Some(found) = kinds.iter().find(|kind| kind.name == rare)
        {
            kind = found;
        }
        let (mut made, conversion) = scheduler(format!("s{at}"), kind, node.settings);
        let own = match node.owns {
            _ if MANY.contains(&kind.name) => 2 + usize::from(node.owns) % 2,
            _ if kind.name == "limit" => 1,
            0 => 2,
            1 => 3,
            _ => 1,
        };
        for number in 0..own {
            let open: Vec<usize> = (0..at)
                .filter(|at| room(*at, &children, &schedulers))
                .filter(|at| !MANY.contains(&kind.name) || !joined(*at, &below_join))
                .collect();
            // A join has several parents; the others have several processors of one.
            let same = if MANY.contains(&kind.name) { number } else { 0 };
            let pick = usize::from(node.parents[same]);
            let take_top = match made.owns.last() {
                Some(last) if same == 0 && number > 0 => last.parent == Parent::Top && top > 0,
                _ => top > 0 && (open.is_empty() || pick % 4 == 0),
            };
            if same == 0 && number > 0 && !take_top && made.owns[0].parent == Parent::Top {
                break;
            }
            if take_top {
                top -= 1;
                let requires = Requirements::default();
                made.owns
                    .push(windfall_scenario::model::Attachment { parent: Parent::Top, requires });
            } else if let Some(parent) = open.get(pick / 4 % open.len().max(1)).copied() {
                children[parent] += 1;
                let requires = requires(
                    &*conversions[parent],
                    &schedulers[parent],
                    node.requires[number],
                    at * 3 + number,
                );
                let parent = Parent::Scheduler(schedulers[parent].name.clone());
                made.owns.push(windfall_scenario::model::Attachment { parent, requires });
            }
        }
        if made.owns.is_empty() || MANY.contains(&kind.name) && made.owns.len() < 2 {
            // Nowhere to go: a thread's worth of time sharing below the first.
            made = Scheduler::below(&made.name, kinds::TIME_SHARING, "s0", Requirements::default());
            children[0] += 1;
            let kind = catalogue::find("time-sharing").unwrap();
            conversions.push(kind.conversion(&Settings(&[])).unwrap());
        } else {
            conversions.push(conversion);
        }
        let names: Vec<&str> =
            made.owns.iter().filter_map(|own| parent_name(&own.parent)).collect();
        let mut above = schedulers.iter().zip(&below_join);
        let below = above.any(|(s, below)| *below && names.contains(&s.name.as_str()));
        below_join.push(below || MANY.contains(&made.kind.as_str()));
        schedulers.push(made);
        children.push(0);
    }
    let mut threads = Vec::new();
    for (at, seed) in seeds.threads.iter().enumerate() {
        let open: Vec<usize> = (0..schedulers.len())
            .filter(|at| !SINGLE.contains(&schedulers[*at].kind.as_str()) || children[*at] == 0)
            .collect();
        let Some(parent) = open.get(usize::from(seed.parent) % open.len().max(1)).copied() else {
            continue;
        };
        children[parent] += 1;
        let kind = schedulers[parent].kind.as_str();
        let requires = requires(&*conversions[parent], &schedulers[parent], seed.ask, 50 + at);
        // Whoever overruns tells deadlines too late for a slower processor.
        let slower = |name: &str| schedulers.iter().any(|s| s.name == name && s.kind == "pshed");
        let above = schedulers[parent].owns.iter().any(|own| match &own.parent {
            Parent::Scheduler(name) => slower(name),
            Parent::Top => false,
        });
        let light = kind == "pshed" || above;
        let (does, run) = program(seed, light);
        let name = format!("{}-{at}", does.replace(' ', "-"));
        let mut thread = Thread::new(&name, &schedulers[parent].name, requires, run);
        // A reservation asked of a time line while it has accepted time constraints begins after them.
        if seed.start.is_multiple_of(4) && kind != "time-line" {
            thread.start = Instant::ZERO + us(u64::from(seed.start) * 777);
        }
        threads.push(thread);
    }
    let interrupts = Interrupts::new(
        OverheadKind::Interrupt,
        1,
        Pattern::Random { gap: (us(300), ms(5)), cost: (us(1), us(80)) },
    );
    let timer = seeds.ticks.map_or(Timer::Precise, Timer::Ticks);
    let machine = Machine::ideal(seeds.processors).timer(timer);
    let mut scenario = Scenario::new(ms(500)).seed(seeds.seed).machine(machine);
    scenario.interrupts.extend(seeds.stolen.then_some(interrupts));
    scenario.schedulers = schedulers;
    scenario.default = Some("s0".to_owned());
    scenario.threads = threads;
    scenario
}

/// Takes back what is refused, until all that is asked is granted.
pub(crate) fn settled(mut scenario: Scenario) -> Scenario {
    for _ in 0..16 {
        let promises = scenario.promises();
        let refused: Vec<String> =
            promises.refused().map(|vp| promises.tree.vps[vp].name.clone()).collect();
        if refused.is_empty() {
            return scenario;
        }
        for thread in &mut scenario.threads {
            if refused.contains(&thread.name) {
                thread.requires.guarantee = None;
            }
        }
        for scheduler in &mut scenario.schedulers {
            let many = scheduler.owns.len() > 1;
            for (number, own) in scheduler.owns.iter_mut().enumerate() {
                let name = match many {
                    true => format!("{}/{number}", scheduler.name),
                    false => scheduler.name.clone(),
                };
                if refused.contains(&name) {
                    own.requires.guarantee = None;
                }
            }
        }
    }
    scenario
}
