//! Figures 1 to 3: how long reading the clock takes while many modules do it, from the start of the first to the end of the last.

mod figures;

use super::digits;
use crate::cmstar::{Elapsed, Readers, Readings, Routine, Sample, System, WRAP};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Findings, Raw, Table, Verdict, record};
use crate::units::{micros, millis, us};
use windfall_time::Span;

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "clock-1",
    also: &["clock-2", "clock-3"],
    title: "reading the one clock of Cm* by up to 30 modules",
    source: "CMU 1982, Measuring Time in Multiprocessor Systems, 3.2, figures 1 to 3",
    question: "does one station on the path to the clock explain what many modules see that read it with each of the three routines?",
    claim: "with one station of 10.4 us and what 8 modules show, 30, 30 and 28 modules make 96, 96 and 75 to 78 thousand references a second; Varying-Read rises to 800 us and falls again, with peaks and troughs 131 ms apart \
            where the low word wraps; 4-Read has none; 1-Read takes the same with 28 modules as with 8",
    hosts: &[Host::Sim],
    absent: "the machine is Cm*, whose clock is behind a path that serves one reference at a time",
    run: findings,
};

/// A figure of the paper.
pub(super) struct Case {
    pub(super) number: u16,
    pub(super) routine: Routine,
    /// The least own time of a reference, in ns.
    between: u64,
    pub(super) many: u16,
    /// References a second of 8 modules, and of many, in the paper.
    paper: [f64; 2],
    /// The rates that many must reach, by one station: 96, 96 and 75 to 78 thousand, in whole thousands where only those are known.
    expected: (f64, f64),
}

/// Own times of references: Varying-Read's leaves 366 us to 8 modules, 4-Read's 320 us to one; that of 1-Read is in no text, and 310 us less than where StarOS has its second peak.
pub(super) const CASES: [Case; 3] = [
    Case {
        number: 1,
        routine: Routine::Varying,
        between: 106_000,
        many: 30,
        paper: [53_000.0, 90_000.0],
        expected: (95_000.0, 97_000.0),
    },
    Case {
        number: 2,
        routine: Routine::Four,
        between: 69_600,
        many: 30,
        paper: [64_000.0, 96_000.0],
        expected: (95_000.0, 97_000.0),
    },
    Case {
        number: 3,
        routine: Routine::One,
        between: 140_000,
        many: 28,
        paper: [23_000.0, 76_000.0],
        expected: (74_500.0, 78_500.0),
    },
];

/// The results of a figure's modules.
pub(super) struct Found {
    pub(super) case: &'static Case,
    /// Own time from pair to pair, which gives 8 modules the paper's rate.
    outside: Span,
    /// References a second in the long run, of 8 modules and of many.
    rates: [f64; 2],
    /// Elapsed times while all run, in the long run, of 8 modules and of many.
    steady: [Elapsed; 2],
    /// From the start of the first module to the end of the last.
    pub(super) drawn: [Vec<Sample>; 2],
    /// When all have started and none has ended, of many modules.
    pub(super) all_run: (Span, Span),
}

fn nothing() -> LabError {
    LabError::Run("no module has read the clock twice".to_owned())
}

fn found(case: &'static Case, settings: &Settings<'_>) -> Result<Found, LabError> {
    let eight = Readers {
        count: 8,
        routine: case.routine,
        system: System::Medusa,
        between: Span::from_nanos(case.between),
        outside: us(300),
        is_regular: false,
        apart: Span::ZERO,
        pairs: None,
        length: settings.either(Span::from_secs(2), Span::from_millis(200)),
    };
    let outside = eight.fitted(case.paper[0])?;
    let mut steady = Vec::new();
    let mut rates = Vec::new();
    let mut drawn = Vec::new();
    let mut all_run = (Span::ZERO, Span::MAX);
    for count in [8, case.many] {
        let readers = Readers { count, outside, ..eight };
        rates.push(readers.rate()?);
        steady.push(Elapsed::of(&readers.run()?.samples).ok_or_else(nothing)?);
        // Modules are started one after the other, and each makes as many readings.
        let apart = settings.either(Span::from_millis(20), Span::from_millis(8));
        let pairs = settings.either(900, 420);
        let length = Span::from_secs(6);
        let Readings { samples, .. } =
            Readers { apart, pairs: Some(pairs), length, ..readers }.run()?;
        let of_first = samples.iter().filter(|sample| sample.module == 0);
        let ends = of_first.map(|sample| sample.at).max().ok_or_else(nothing)?;
        all_run = (apart.saturating_mul(count.into()) + Span::from_millis(2), ends);
        drawn.push(samples);
    }
    let two = || LabError::Run("a figure has two numbers of modules".to_owned());
    Ok(Found {
        case,
        outside,
        rates: rates.try_into().map_err(|_| two())?,
        steady: steady.try_into().map_err(|_| two())?,
        drawn: drawn.try_into().map_err(|_| two())?,
        all_run,
    })
}

/// Readings that stand out while all modules run: when, and whether they took long.
pub(super) fn outstanding(found: &Found) -> Vec<(Span, bool)> {
    let (from, to) = found.all_run;
    let [_, many] = &found.drawn;
    let some = many.iter().filter(|sample| sample.at > from && sample.at < to);
    let some: Vec<&Sample> = some.collect();
    let Some(elapsed) = Elapsed::of(some.iter().copied()) else { return Vec::new() };
    let mean = elapsed.mean();
    let is_long = |sample: &&Sample| {
        let part = micros(sample.elapsed) / mean;
        (!(0.78..1.35).contains(&part)).then_some((sample.at, part > 1.0))
    };
    some.iter().filter_map(is_long).collect()
}

/// How far from the nearest wrap of the low word, in ms; a reading begins up to two readings before what it meets.
fn from_wrap(at: Span) -> f64 {
    let into = at.as_nanos() % WRAP.as_nanos();
    millis(Span::from_nanos(into.min(WRAP.as_nanos() - into)))
}

/// Of the wraps while all modules run: how many there are, at how many some reading took long, and at how many some was short.
fn wraps(found: &Found) -> [usize; 3] {
    let (from, to) = found.all_run;
    let margin = Span::from_millis(3);
    let first = (from + margin).as_nanos().div_ceil(WRAP.as_nanos());
    let last = to.saturating_sub(margin).as_nanos() / WRAP.as_nanos();
    let stand_out = outstanding(found);
    let near = |wrap: u64, long: bool| {
        let at = |at: Span| at.as_nanos().abs_diff(wrap * WRAP.as_nanos()) < 3_000_000;
        stand_out.iter().any(|(when, is_long)| *is_long == long && at(*when))
    };
    let all: Vec<u64> = (first..=last).collect();
    let having = |long: bool| all.iter().filter(|wrap| near(**wrap, long)).count();
    [all.len(), having(true), having(false)]
}

fn table(all: &[Found]) -> Table {
    let head = [
        "figure",
        "routine",
        "modules",
        "1982, 1000/s",
        "1000/s",
        "mean, us",
        "deviation, us",
        "least, us",
    ];
    let mut table =
        Table::new("references to the clock, and from one reading to the next", 2, &head);
    for found in all {
        for (at, modules) in [8, found.case.many].into_iter().enumerate() {
            let elapsed = &found.steady[at];
            let mut row = vec![
                found.case.number.to_string(),
                found.case.routine.name().to_owned(),
                modules.to_string(),
                digits(found.case.paper[at] / 1e3),
            ];
            let numbers = [found.rates[at] / 1e3, elapsed.mean(), elapsed.deviation()];
            row.extend(numbers.into_iter().chain([elapsed.least()]).map(digits));
            table.rows.push(row);
        }
    }
    table
}

fn of_wraps(all: &[Found]) -> Table {
    let head = [
        "routine",
        "wraps",
        "with a peak",
        "with a trough",
        "stand out",
        "farthest from a wrap, ms",
    ];
    let title = "readings of many modules that take 1.35 times the mean or more, or 0.78 or less, while all run";
    let mut table = Table::new(title, 1, &head);
    for found in all {
        let stand_out = outstanding(found);
        let farthest = stand_out.iter().map(|(at, _)| from_wrap(*at)).fold(0.0, f64::max);
        let mut row = vec![found.case.routine.name().to_owned()];
        row.extend(wraps(found).map(|count| count.to_string()));
        row.extend([stand_out.len().to_string(), digits(farthest)]);
        table.rows.push(row);
    }
    table
}

/// The evidence against the claim, and its numbers.
fn judge(all: &[Found]) -> (Vec<String>, String) {
    let mut against = Vec::new();
    for found in all {
        let (least, most) = found.case.expected;
        if !(least..=most).contains(&found.rates[1]) {
            let name = found.case.routine.name();
            against.push(format!("{name}: {} thousand a second", digits(found.rates[1] / 1e3)));
        }
    }
    let [varying, four, one] = all else { return (against, String::new()) };
    let [few, many] = [0, 1].map(|at| varying.steady[at].mean());
    if many < 790.0 || !(340.0..390.0).contains(&few) {
        against.push(format!("Varying-Read takes {} and {} us", digits(few), digits(many)));
    }
    let edges = figures::edges(varying);
    if edges.iter().any(|edge| *edge > 450.0) {
        against.push(format!("it begins and ends at {:?} us", edges.map(digits)));
    }
    let [seen, peaks, troughs] = wraps(varying);
    if seen < 2 || peaks < seen || troughs < seen {
        against.push(format!("of {seen} wraps {peaks} have a peak and {troughs} a trough"));
    }
    let far = outstanding(varying).iter().filter(|(at, _)| from_wrap(*at) > 3.0).count();
    if far > 0 {
        against.push(format!("{far} readings stand out that are far from a wrap"));
    }
    let wrong = outstanding(four).iter().filter(|(at, _)| from_wrap(*at) < 3.0).count();
    if wrong > outstanding(four).len() / 4 {
        against.push(format!("{wrong} readings by 4-Read stand out at wraps"));
    }
    let apart = one.steady[1].mean() / one.steady[0].mean() - 1.0;
    if apart > 0.1 {
        against.push(format!("1-Read takes {:.0} % longer with 28 modules", 100.0 * apart));
    }
    let rates: Vec<String> = all.iter().map(|found| digits(found.rates[1] / 1e3)).collect();
    let why = format!(
        "{} thousand a second; Varying-Read takes {} us with 8 modules and {} with 30, and all {seen} wraps have peaks and troughs; 1-Read takes {:.0} % longer with 28",
        rates.join(", "),
        digits(few),
        digits(many),
        100.0 * apart
    );
    (against, why)
}

fn notes(all: &[Found]) -> Vec<String> {
    let outside: Vec<String> = all.iter().map(|found| digits(micros(found.outside))).collect();
    vec![
        format!("A module reads the clock twice and does something else, again and again. What it does between pairs, {} us in the mean and evenly from nothing to twice that, is fitted to the rates of 8 modules; the own time of a reference to 366 us (Varying-Read) and to the least of 320 us (4-Read). Everything about 28 and 30 modules follows.", outside.join(", ")),
        "The station is the Kmap of the clock's cluster with the way behind it. Its 10.4 us are what 96,000 references a second leave, the most that the paper saw; so the rate of 4-Read is put in, and those of the others are not.".to_owned(),
        "The paper has 90 thousand for Varying-Read, and says \"around\", from \"a simple calculation\". A saturated path serves 96 whatever the routine is, so the number is that of a run whose modules did not all run all the time, as in figure 1.".to_owned(),
        "A peak is a second reading that meets a wrap between its two high words: it reads the low word again, two references later. A trough is a first reading that does.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let mut all = Vec::new();
    for case in &CASES {
        (settings.progress)(case.routine.name());
        all.push(found(case, settings)?);
    }
    let (against, why) = judge(&all);
    let drawn = |found: &Found| {
        let counts = found.drawn.iter().zip([8, found.case.many]);
        let number = found.case.number;
        let lines = counts.flat_map(|(samples, modules)| {
            samples.iter().map(move |Sample { module, at, elapsed }| {
                record![number, modules, module, at.as_nanos(), elapsed.as_nanos()]
            })
        });
        lines.collect::<Vec<_>>()
    };
    let raw = all.iter().flat_map(drawn);
    let raw = Raw::csv("clock-1-to-3", "figure,modules,module,at_ns,elapsed_ns", raw);
    Ok(Findings {
        circumstances: vec![
            "sim: 50 processors in five clusters, whose Kmaps are stations of 10.4 us; Medusa"
                .to_owned(),
        ],
        tables: vec![table(&all), of_wraps(&all)],
        figures: all.iter().map(figures::figure).collect(),
        raw: vec![raw],
        notes: notes(&all),
        verdict: Verdict::by(&against, &why),
    })
}
