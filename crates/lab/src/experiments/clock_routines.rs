//! The three routines that read a clock of two words, tried at every moment: as printed, as mended, and with a latch.

use super::{SERIES, dashed, digits, solid};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use windfall_clocks::two_words::{
    Form, Scripted, Tried, every_distance, every_moment, four_read, latched_read, varying_read,
};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "clock-routines",
    also: &[],
    title: "the routines that read a clock of two words, at every moment",
    source: "CMU 1982, Measuring Time in Multiprocessor Systems, 3.2",
    question: "does each routine return a value that the clock had during the call, whenever its references are made, and what does the advice of a longer tick (3.2.2) change?",
    claim: "as printed, 4-Read and 1-Read are wrong where two references share a tick, and a longer tick makes that common; mended, all three are right at every moment \
            while a call is shorter than a low word, and so is a latch",
    hosts: &[Host::Sim],
    absent: "what is tried is every moment at which references can be made, which no real clock shows",
    run: findings,
};

/// Values of a word; the real one has 65,536. Words matter only by whether they moved on, and how they compare.
const VALUES: u32 = 8;
/// Units of time from one tick to the next.
const TICKS: [u64; 5] = [1, 2, 4, 8, 16];
const QUICK: [u64; 3] = [1, 2, 4];
/// Low words over which 1-Read is called.
const WORDS: u64 = 6;

/// A routine, its form, what it does with a tick of so many units and calls of up to so many.
type Routine = (&'static str, &'static str, fn(u64, u64) -> Tried);

/// 1-Read may be called a low word less one tick apart.
fn apart(tick: u64) -> u64 {
    (u64::from(VALUES) - 1) * tick
}

fn each(tick: u64, longest: u64, routine: impl Fn(&Scripted) -> u64) -> Tried {
    every_moment(VALUES, tick, longest, routine)
}

const ROUTINES: [Routine; 7] = [
    ("Varying-Read", "as printed", |tick, longest| {
        each(tick, longest, |clock| varying_read(clock, Form::AsPrinted))
    }),
    ("4-Read", "as printed", |tick, longest| {
        each(tick, longest, |clock| four_read(clock, Form::AsPrinted))
    }),
    ("1-Read", "as printed", |tick, _| {
        every_distance(VALUES, tick, apart(tick), WORDS, Form::AsPrinted)
    }),
    ("Varying-Read", "mended", |tick, longest| {
        each(tick, longest, |clock| varying_read(clock, Form::Mended))
    }),
    ("4-Read", "mended", |tick, longest| {
        each(tick, longest, |clock| four_read(clock, Form::Mended))
    }),
    ("1-Read", "mended", |tick, _| every_distance(VALUES, tick, apart(tick), WORDS, Form::Mended)),
    ("latch", "", |tick, longest| each(tick, longest, latched_read)),
];

/// The routines as printed, and which of their calls are counted in the figure.
const WRONG: [&str; 3] = [
    "Varying-Read, about a wrap of the whole clock",
    "4-Read, about another wrap of the low word",
    "1-Read, of all calls",
];

/// The outcome of a routine with a tick.
struct Row {
    tick: u64,
    routine: usize,
    tried: Tried,
}

#[expect(clippy::cast_precision_loss, reason = "shown; some hundred thousand calls")]
fn percent(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of as f64
}

#[expect(clippy::cast_precision_loss, reason = "shown; 16 at most")]
fn units(tick: u64) -> f64 {
    tick as f64
}

/// Of the calls that begin a call's length before a wrap or less, the per cent that are wrong: with Varying-Read before the wrap of the whole clock, since it is right at all others, with 4-Read
/// before all others. 1-Read is wrong without a wrap: of all its calls.
fn about_a_wrap(row: &Row, longest: u64) -> f64 {
    let values = u64::from(VALUES);
    let ways = row.tried.calls / (values * values * row.tick) * longest;
    match ROUTINES[row.routine].0 {
        "1-Read" => percent(row.tried.wrong, row.tried.calls),
        "4-Read" => percent(row.tried.wrong_inside, ways * (values - 1)),
        _ => percent(row.tried.wrong, ways),
    }
}

fn table(rows: &[Row], longest: u64) -> Table {
    let head = ["routine", "form", "tick", "calls", "wrong", "%", "about a wrap, %"];
    let mut table = Table::new("calls at every moment, by the length of a tick", 2, &head);
    for row in rows {
        let Row { tick, routine, tried } = row;
        let (name, form, _) = ROUTINES[*routine];
        table.rows.push(vec![
            name.to_owned(),
            form.to_owned(),
            tick.to_string(),
            tried.calls.to_string(),
            tried.wrong.to_string(),
            digits(percent(tried.wrong, tried.calls)),
            digits(about_a_wrap(row, longest)),
        ]);
    }
    table
}

fn figure(rows: &[Row], longest: u64) -> Figure {
    let x = Axis::factors("tick (units of time)", 1.0, 16.0);
    let y = Axis::factors("wrong calls (%)", 1.0, 100.0);
    let facts = format!("words of {VALUES} values; a call takes at most {longest} units");
    let mut chart = Chart::new("Wrong results of the routines as printed", &facts, x, y);
    let marks = [Mark::Ring, Mark::Diamond, Mark::Square];
    for (routine, (colour, mark)) in SERIES.into_iter().zip(marks).enumerate() {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row.routine == routine && row.tried.wrong > 0)
            .map(|row| (units(row.tick), about_a_wrap(row, longest)))
            .collect();
        let stroke = if routine == 0 { dashed(colour) } else { solid(colour) };
        chart.line(&points, stroke, "");
        chart.dots(&points, Dot { mark, colour }, WRONG[routine]);
    }
    Figure {
        name: "clock-routines".to_owned(),
        caption: "Mended routines and the latch have no point here, since they are never wrong. 1-Read as printed is right with a tick of one unit, the least time between two calls."
            .to_owned(),
        picture: chart.finish(),
    }
}

/// The evidence against the claim, and its numbers.
fn judge(rows: &[Row], longest: u64) -> (Vec<String>, String) {
    let mut against = Vec::new();
    let of = |routine: usize| rows.iter().filter(move |row| row.routine == routine);
    for row in rows.iter().filter(|row| row.routine >= 3 && row.tried.wrong > 0) {
        let (name, form, _) = ROUTINES[row.routine];
        against.push(format!("{name} {form} is wrong {} times at {}", row.tried.wrong, row.tick));
    }
    let about: Vec<f64> = of(1).map(|row| about_a_wrap(row, longest)).collect();
    if let [first, .., last] = about[..]
        && last < 2.0 * first
    {
        against.push(format!("4-Read is wrong in {last:.0} % about a wrap, after {first:.0} %"));
    }
    for row in of(1).filter(|row| row.tried.wrong_inside == 0) {
        against.push(format!("4-Read as printed is right with a tick of {}", row.tick));
    }
    let part = |row: &Row| percent(row.tried.wrong, row.tried.calls);
    let (short, long): (Vec<&Row>, Vec<&Row>) = of(2).partition(|row| row.tick == 1);
    for row in long.iter().filter(|row| part(row) < 25.0) {
        against.push(format!("1-Read as printed is wrong in {:.0} % only", part(row)));
    }
    for row in short.iter().filter(|row| row.tried.wrong > 0) {
        against
            .push(format!("1-Read as printed is wrong in {:.1} % without shared ticks", part(row)));
    }
    let range = |routine: usize| {
        let parts: Vec<f64> = of(routine).map(|row| about_a_wrap(row, longest)).collect();
        let (least, most) = (
            parts.iter().copied().fold(f64::INFINITY, f64::min),
            parts.iter().copied().fold(0.0, f64::max),
        );
        format!("{} to {} %", digits(least), digits(most))
    };
    let why = format!(
        "as printed, Varying-Read is wrong in {} of the calls about a wrap of the whole clock, 4-Read in {} about any other, 1-Read in {} of all; mended and latched, never",
        range(0),
        range(1),
        range(2)
    );
    (against, why)
}

fn notes(longest: u64) -> Vec<String> {
    vec![
        format!("A unit of time is the least distance of two references. References of a call are any times apart, {longest} units from first to last at most; calls of 1-Read are equally far apart, a low word less one tick at most, over {WORDS} low words."),
        "A call is right if the clock had the value that it returns at some moment from its first reference to its last. With words of 65,536 values wraps, and so wrong calls, are 8,192 times as rare, and a wrong 4-Read is wrong by a whole low word: 0.13 s. `About a wrap` counts calls that begin before one by the longest call's length or less.".to_owned(),
        "As printed, Varying-Read and 4-Read compare high words by `>`, which misses the wrap of the whole clock after 2.4 hours; 4-Read compares low words by `>`, where equal ones mean that the wrap was before; 1-Read counts a wrap where the low word did not change. Mended: `differs`, `>=` and `>`.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let ticks: &[u64] = settings.either(&TICKS, &QUICK);
    let longest = settings.either(8, 4);
    let mut rows = Vec::new();
    for (routine, (name, form, tried)) in ROUTINES.into_iter().enumerate() {
        (settings.progress)(&format!("{name} {form}"));
        for tick in ticks.iter().copied() {
            rows.push(Row { tick, routine, tried: tried(tick, longest) });
        }
    }
    let (against, why) = judge(&rows, longest);
    let raw = rows.iter().map(|Row { tick, routine, tried }| {
        let (name, form, _) = ROUTINES[*routine];
        record![name, form, tick, tried.calls, tried.wrong, tried.wrong_inside]
    });
    Ok(Findings {
        circumstances: vec![format!("sim: words of {VALUES} values, every moment")],
        tables: vec![table(&rows, longest)],
        figures: vec![figure(&rows, longest)],
        raw: vec![Raw::csv("clock-routines", "routine,form,tick,calls,wrong,wrong_inside", raw)],
        notes: notes(longest),
        verdict: Verdict::by(&against, &why),
    })
}
