//! PHOLD on one thread and on two: which grain pays, what global virtual time costs, and how states are best saved; beside the engines of today.

mod measured;
mod processors;

use super::{SERIES, dashed, digits, solid};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::machine::here;
use measured::{Found, Latency, Setup, latency, measure};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_speculation::Saving;

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "phold",
    also: &[],
    title: "what speculation gains on two threads, by how long an event takes",
    source: "PORTS, 1 and 2.6, on Time Warp; PHOLD, by which its engines are compared",
    question: "from which length of events on do two threads gain, what does global virtual time cost, and how late is what is certain given away?",
    claim: "two threads do at least 1.5 times as many events as a bare heap where an event takes a microsecond or more, and turns of 8 us, after which global virtual time goes on, cost at most 5 % of the events",
    hosts: &[Host::Here],
    absent: "what is measured is an engine on threads of this process, without any scheduler of ours",
    run: findings,
};

/// Steps of work, each about 1.4 ns on a machine of 3 GHz.
const GRAINS: [u64; 6] = [0, 150, 500, 1_000, 5_000, 18_000];
/// A step of work or more of them is a microsecond or more.
const LONG: f64 = 1.0;
/// Parts of a thousand events for other processes.
const REMOTE: [u64; 4] = [0, 250, 500, 1_000];
const PROCESSES: [u32; 3] = [1_000, 10_000, 100_000];
/// Microseconds of a turn.
const TURNS: [u32; 7] = [1, 4, 8, 16, 64, 256, 1_024];
/// How states are saved: by a log, and by copies each so many events.
const SAVINGS: [Option<u32>; 5] = [None, Some(1), Some(4), Some(16), Some(64)];

/// Empty events on two threads, as parts of a bare heap on the same machine: ROSS optimistic, ROOT-Sim, WARPED2 (November 2026, AMD EPYC, by the same tables of processes and remote part; ROOT-Sim is bimodal at 1,000 and 250).
const ENGINES: [(u32, u64, [f64; 3]); 9] = [
    (1_000, 0, [0.44, 0.65, 0.09]),
    (1_000, 250, [0.34, 0.99, 0.04]),
    (1_000, 500, [0.27, 0.50, 0.03]),
    (10_000, 0, [0.37, 0.45, 0.07]),
    (10_000, 250, [0.27, 0.48, 0.03]),
    (10_000, 500, [0.23, 0.46, 0.02]),
    (100_000, 0, [0.17, 0.25, 0.04]),
    (100_000, 250, [0.12, 0.24, 0.03]),
    (100_000, 500, [0.12, 0.26, 0.03]),
];

fn saving(copies: Option<u32>) -> Saving {
    copies.map_or(Saving::Log, |every| Saving::Copies { every })
}

/// A row of what was found, after its first cells.
fn row(first: Vec<String>, found: &Found) -> Vec<String> {
    let Found { heap, in_order, threads, undone, round } = *found;
    let rates = [heap, in_order, threads, in_order / heap, threads / heap, threads / in_order];
    let rest = rates.into_iter().chain([undone, round]).map(digits);
    first.into_iter().chain(rest).collect()
}

const COLUMNS: [&str; 8] = [
    "heap",
    "in order",
    "two threads",
    "in order / heap",
    "threads / heap",
    "threads / in order",
    "undone, %",
    "round, us",
];

fn head(first: &[&'static str]) -> Vec<&'static str> {
    first.iter().copied().chain(COLUMNS).collect()
}

/// All that was found of one setting.
fn recorded(processes: u32, remote: u64, grain: u64, saving: &str, found: &Found) -> Vec<String> {
    let Found { heap, in_order, threads, undone, round } = found;
    record![processes, remote, grain, saving, heap, in_order, threads, undone, round]
}

fn sizes(setup: &Setup<'_>, table: &mut Table, raw: &mut Vec<Vec<String>>) {
    for processes in PROCESSES {
        for remote in REMOTE {
            (setup.progress)(&format!(
                "{processes} processes, {remote} of 1,000 events for others"
            ));
            let found = measure(setup, |model| {
                (model.processes, model.remote) = (processes, remote);
            });
            let known = ENGINES.iter().find(|one| (one.0, one.1) == (processes, remote));
            let engines = known.map_or([f64::NAN; 3], |one| one.2).map(digits);
            let first = vec![processes.to_string(), remote.to_string()];
            raw.push(recorded(processes, remote, 0, "log", &found));
            table.rows.push(row(first, &found).into_iter().chain(engines).collect());
        }
    }
}

fn grains(setup: &Setup<'_>, table: &mut Table, raw: &mut Vec<Vec<String>>) -> Vec<Found> {
    let measured = GRAINS.map(|grain| {
        (setup.progress)(&format!("{grain} steps of work an event"));
        let found = measure(setup, |model| model.grain = grain);
        let first = vec![grain.to_string(), digits(1.0 / found.heap)];
        raw.push(recorded(1_000, 250, grain, "log", &found));
        table.rows.push(row(first, &found));
        found
    });
    measured.into()
}

fn savings(setup: &Setup<'_>, table: &mut Table, raw: &mut Vec<Vec<String>>) {
    for copies in SAVINGS {
        let name = copies.map_or("log".to_owned(), |every| format!("copy every {every}"));
        (setup.progress)(&name);
        let found = measure(setup, |model| {
            (model.grain, model.saving) = (150, saving(copies));
        });
        raw.push(recorded(1_000, 250, 150, &name, &found));
        table.rows.push(row(vec![name], &found));
    }
}

/// By length of a turn: events on two threads, a round, and how late what is certain is given away.
fn turns(setup: &Setup<'_>, table: &mut Table) -> Vec<(u32, f64)> {
    let mut rates = Vec::new();
    for turn in TURNS {
        (setup.progress)(&format!("turns of {turn} us"));
        let Latency { rate, round, median, p99 } = latency(setup, turn);
        rates.push((turn, rate));
        table.rows.push(vec![
            turn.to_string(),
            digits(rate),
            digits(round),
            digits(median),
            digits(p99),
        ]);
    }
    rates
}

fn figure(found: &[Found]) -> Figure {
    let length = |one: &Found| 1.0 / one.heap;
    let (x, y) =
        (Axis::factors("an event takes (us)", 0.05, 64.0), Axis::covering("of a bare heap", 2.0));
    let title = "Two threads and a bare heap, by how long an event takes";
    let mut chart =
        Chart::new(title, "PHOLD, 1,000 processes, a quarter of the events for others", x, y);
    let of = |what: fn(&Found) -> f64| -> Vec<(f64, f64)> {
        found.iter().map(|one| (length(one), what(one) / one.heap)).collect()
    };
    let lines = [(of(|one| one.threads), "two threads"), (of(|one| one.in_order), "in order")];
    for ((points, name), colour) in lines.iter().zip(SERIES) {
        chart.line(points, solid(colour), name);
        chart.dots(points, Dot { mark: Mark::Ring, colour }, "");
    }
    chart.line(&[(0.05, 1.0), (64.0, 1.0)], dashed(super::PAPER), "a bare heap on one thread");
    Figure {
        name: "phold-grain".to_owned(),
        caption: "What is above the dashed line gains.".to_owned(),
        picture: chart.finish(),
    }
}

/// Processors that are simulated, and the work in an event, in steps.
const PROCESSORS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
const SIMULATED: [u64; 3] = [500, 5_000, 18_000];

/// More processors than this machine has, by work in an event.
fn more(setup: &Setup<'_>) -> (Table, Figure) {
    let names: Vec<String> = PROCESSORS.iter().map(ToString::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let first =
        ["event, us", "handled, ns", "undone, ns", "message, ns", "two real", "two simulated"];
    let title = "more processors, simulated: what was measured in order and on one thread, the price of a message that makes two simulated processors as fast as two real ones (million events a second), and how many times as fast as in order so many processors are; 10,000 processes";
    let head = [&first[..], &names, &["undone on 64, %"]].concat();
    let mut table = Table::new(title, 0, &head);
    let (x, y) =
        (Axis::factors("processors", 1.0, 64.0), Axis::covering("times as fast as in order", 64.0));
    let mut chart = Chart::new(
        "Speed-up on more processors, simulated",
        "PHOLD, 10,000 processes, a quarter of the events for others",
        x,
        y,
    );
    for (grain, colour) in SIMULATED.iter().zip(SERIES) {
        (setup.progress)(&format!("{grain} steps of work on more processors"));
        let found = processors::measured(setup, *grain, &PROCESSORS);
        let prices = [found.prices.handle, found.prices.undo, found.prices.message];
        let prices = prices.map(|price| price.as_nanos().to_string());
        let mut row = vec![digits(found.in_order / 1e3)];
        row.extend(prices);
        row.extend(found.two.map(digits));
        row.extend(found.speed_ups.iter().map(|(_, times, _)| digits(*times)));
        row.extend(found.speed_ups.last().map(|(.., undone)| digits(*undone)));
        table.rows.push(row);
        let points: Vec<(f64, f64)> = found
            .speed_ups
            .iter()
            .map(|(processors, times, _)| (f64::from(*processors), *times))
            .collect();
        chart.line(
            &points,
            solid(colour),
            &format!("{} us an event", digits(found.in_order / 1e3)),
        );
        chart.dots(&points, Dot { mark: Mark::Ring, colour }, "");
    }
    chart.line(&[(1.0, 1.0), (64.0, 64.0)], dashed(super::PAPER), "as many times as processors");
    let figure = Figure {
        name: "phold-processors".to_owned(),
        caption: "The dashed line is as many times as fast as there are processors.".to_owned(),
        picture: chart.finish(),
    };
    (table, figure)
}

/// The evidence against the claim, and its numbers.
fn judge(found: &[Found], rates: &[(u32, f64)]) -> (Vec<String>, String) {
    let mut against = Vec::new();
    let mut words = Vec::new();
    for one in found.iter().filter(|one| 1.0 / one.heap >= LONG) {
        let (length, gain) = (digits(1.0 / one.heap), one.threads / one.heap);
        words.push(format!("{} at {length} us", digits(gain)));
        if gain < 1.5 {
            against.push(format!(
                "two threads do {} of a bare heap where an event takes {length} us",
                digits(gain)
            ));
        }
    }
    let of = |turn: u32| {
        rates.iter().find(|(other, _)| *other == turn).map_or(f64::NAN, |(_, rate)| *rate)
    };
    let best = rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let cost = (1.0 - of(8) / best) * 100.0;
    if cost > 5.0 {
        against.push(format!("turns of 8 us cost {} % of the events", digits(cost)));
    }
    (
        against,
        format!(
            "two threads do {} of a bare heap; turns of 8 us cost {} % of the events",
            words.join(", "),
            digits(cost)
        ),
    )
}

fn notes() -> Vec<String> {
    vec![
        "A bare heap is a loop over a heap of four children with equal entries, without an engine. Rounds are interleaved: each way runs once in each, and ratios are medians of rounds. On a virtual machine, figures of two threads flip with the places that they get.".to_owned(),
        "`Round` is from one global virtual time to the next. Latency is from the end of handling an event until what it puts out is given away, for each 64th event; it includes that the other thread has to come so far.".to_owned(),
        "The speed-up on many processors is bounded by three things: each does more for an event than a run in order, to be able to undo it (the column of one processor); each waits for the slowest turn before what it has done is certain; and the fewer processes each has, the more often it undoes what it did ahead. The time for which processors wait for each other's memory is in the price of a message alone, so many real ones may be slower.".to_owned(),
        "The engines' columns are parts of a bare heap as another machine had them with the same model; they were not run here.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let setup = Setup {
        rounds: settings.either(11, 3),
        events: settings.either(1_000_000, 60_000),
        progress: settings.progress,
    };
    let mut raw = Vec::new();
    let title = "empty events, by processes and the part of a thousand for others; million events a second, and of today's engines the part of a bare heap";
    let mut by_size = Table::new(
        title,
        2,
        &[&head(&["processes", "remote"])[..], &["ROSS", "ROOT-Sim", "WARPED2"]].concat(),
    );
    sizes(&setup, &mut by_size, &mut raw);
    let mut by_grain = Table::new(
        "by work in an event: 1,000 processes, 250 of 1,000 for others",
        1,
        &head(&["steps", "event, us"]),
    );
    let found = grains(&setup, &mut by_grain, &mut raw);
    let mut by_saving =
        Table::new("by how states are saved: 150 steps of work", 1, &head(&["saving"]));
    savings(&setup, &mut by_saving, &mut raw);
    let mut by_turn = Table::new(
        "by how long a thread handles events before it reports: 500 steps of work; million events a second, a round, and how late what is certain is given away, in us",
        1,
        &["turn, us", "two threads", "round, us", "latency, median", "latency, 99 %"],
    );
    let rates = turns(&setup, &mut by_turn);
    let (by_processors, speed_up) = more(&setup);
    let (against, why) = judge(&found, &rates);
    let columns = "processes,remote,steps,saving,heap,in_order,threads,undone_percent,round_us";
    Ok(Findings {
        circumstances: vec![format!(
            "{}; {} rounds of {} events",
            here(),
            setup.rounds,
            setup.events
        )],
        tables: vec![by_size, by_grain, by_saving, by_turn, by_processors],
        figures: vec![figure(&found), speed_up],
        raw: vec![Raw::csv("phold", columns, raw)],
        notes: notes(),
        verdict: Verdict::by(&against, &why),
    })
}
