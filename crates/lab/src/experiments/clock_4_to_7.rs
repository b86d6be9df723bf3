//! Figures 4 to 7: how the time from one reading to the next is spread, by the number of modules that read the clock, under two operating systems.

use super::{SERIES, digits};
use crate::cmstar::{Elapsed, Readers, Routine, System};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::units::{micros, us};
use windfall_plot::Stroke;
use windfall_plot::chart::{Axis, Chart};
use windfall_time::Span;

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "clock-4",
    also: &["clock-5", "clock-6", "clock-7"],
    title: "how readings of the clock of Cm* are spread, by the number of modules",
    source: "CMU 1982, Measuring Time in Multiprocessor Systems, 3.2.1 and 3.2.2, figures 4 to 7",
    question: "which of what the paper saw of 4-Read and 1-Read follows from a path that serves one reference at a time, and from interrupts?",
    claim: "4-Read takes longer with more modules, and its deviation rises steeply until the path is saturated, by 16 modules; from there on Medusa's falls, while that of StarOS, whose interrupts add to it, rises; 1-Read hardly takes longer; interrupts, and they alone, make second peaks, about 630 to 760 us and from 470 us on",
    hosts: &[Host::Sim],
    absent: "the machine is Cm*, whose clock is behind a path that serves one reference at a time",
    run: findings,
};

const COUNTS: [u16; 9] = [1, 4, 8, 12, 16, 20, 24, 28, 32];
/// The curves, with a colour each.
const DRAWN: [u16; 4] = [1, 8, 16, 28];

/// A figure of the paper.
struct Case {
    number: u16,
    system: System,
    routine: Routine,
    /// Whether the rest of the loop always takes the same.
    is_regular: bool,
}

const CASES: [Case; 5] = [
    Case { number: 4, system: System::StarOs, routine: Routine::Four, is_regular: false },
    Case { number: 5, system: System::StarOs, routine: Routine::One, is_regular: false },
    Case { number: 6, system: System::Medusa, routine: Routine::Four, is_regular: false },
    Case { number: 7, system: System::Medusa, routine: Routine::One, is_regular: false },
    Case { number: 6, system: System::Medusa, routine: Routine::Four, is_regular: true },
];

impl Case {
    /// The least own time of a reference: 310 and 320 us for four of them and their service are the least in the paper; that of 1-Read is 310 us less than where its second peak begins.
    const fn between(&self) -> Span {
        match (self.routine, self.system) {
            (Routine::One, _) => Span::from_nanos(140_000),
            (_, System::StarOs) => Span::from_nanos(67_100),
            (_, System::Medusa) => Span::from_nanos(69_600),
        }
    }

    /// Own time from pair to pair, which gives 8 modules of Medusa 64 and 23 thousand references a second (`clock-1`).
    const fn outside(&self) -> Span {
        match self.routine {
            Routine::One => us(385),
            _ => us(312),
        }
    }

    fn readers(&self, count: u16, length: Span) -> Readers {
        Readers {
            count,
            routine: self.routine,
            system: self.system,
            between: self.between(),
            outside: self.outside(),
            is_regular: self.is_regular,
            apart: Span::ZERO,
            pairs: None,
            length,
        }
    }

    fn name(&self) -> String {
        let regular = if self.is_regular { ", regular" } else { "" };
        format!("{} {}{regular}", self.system.name(), self.routine.name())
    }

    /// From where on a reading holds an interrupt when the path is hardly used.
    const fn second(&self) -> f64 {
        match self.routine {
            Routine::One => 420.0,
            _ => 590.0,
        }
    }
}

/// Elapsed times of a figure, by the number of modules.
struct Found {
    case: &'static Case,
    by_count: Vec<(u16, Elapsed)>,
}

impl Found {
    fn of(&self, count: u16) -> Option<&Elapsed> {
        self.by_count.iter().find(|(of, _)| *of == count).map(|(_, elapsed)| elapsed)
    }

    /// The deviation with so many modules.
    fn deviation(&self, count: u16) -> f64 {
        self.of(count).map_or(f64::NAN, Elapsed::deviation)
    }

    fn mean(&self, count: u16) -> f64 {
        self.of(count).map_or(f64::NAN, Elapsed::mean)
    }

    /// The readings of few modules that hold an interrupt: their part, and the mean.
    fn interrupted(&self) -> Option<(f64, f64)> {
        self.of(4)?.between(self.case.second(), 1e6)
    }
}

fn found(case: &'static Case, settings: &Settings<'_>) -> Result<Found, LabError> {
    let length = settings.either(Span::from_secs(2), Span::from_millis(200));
    let mut by_count = Vec::new();
    for count in COUNTS {
        let readings = case.readers(count, length).run()?;
        // Those of the beginning, when not all are there, are left out.
        let settled = readings.samples.iter().filter(|sample| micros(sample.at) > 5_000.0);
        let elapsed = Elapsed::of(settled);
        let nothing = || LabError::Run("no module has read the clock twice".to_owned());
        by_count.push((count, elapsed.ok_or_else(nothing)?));
    }
    Ok(Found { case, by_count })
}

fn table(all: &[Found], title: &str, of: impl Fn(&Elapsed) -> f64) -> Table {
    let counts = COUNTS.map(|count| count.to_string());
    let head: Vec<&str> =
        ["figure", "what"].into_iter().chain(counts.iter().map(String::as_str)).collect();
    let mut table = Table::new(title, 2, &head);
    for found in all {
        let mut row = vec![found.case.number.to_string(), found.case.name()];
        row.extend(found.by_count.iter().map(|(_, elapsed)| digits(of(elapsed))));
        table.rows.push(row);
    }
    table
}

fn second_peaks(all: &[Found]) -> Table {
    let head = ["figure", "what", "1982, us", "per cent of readings", "mean of them, us"];
    let mut table = Table::new("readings of 4 modules that hold an interrupt", 3, &head);
    let peaks = ["630 to 760", "470 to 550", "none", "none"];
    for (found, in_1982) in all.iter().zip(peaks) {
        let (part, mean) = found.interrupted().unwrap_or((0.0, f64::NAN));
        table.rows.push(vec![
            found.case.number.to_string(),
            found.case.name(),
            in_1982.to_owned(),
            digits(100.0 * part),
            digits(mean),
        ]);
    }
    table
}

fn figure(found: &Found) -> Figure {
    let (wide, until) = match found.case.routine {
        Routine::One => (10.0, 700.0),
        _ => (20.0, 1_600.0),
    };
    let curves: Vec<(u16, Vec<(f64, f64)>)> = DRAWN
        .iter()
        .filter_map(|count| Some((*count, found.of(*count)?.histogram(wide, until))))
        .collect();
    let all = curves.iter().flat_map(|(_, curve)| curve.iter().map(|(_, part)| *part));
    let highest = all.fold(0.0, f64::max);
    let x = Axis::until("from one reading to the next (us)", until);
    let y = Axis::factors("part of the readings (%)", 0.01, highest.max(10.0));
    let name = found.case.name();
    let facts = format!("parts of {wide} us each; every curve has the same area");
    let mut chart = Chart::new(&format!("{name}: how readings are spread"), &facts, x, y);
    let dashes = [None, Some((8.0, 5.0)), Some((2.5, 3.5)), Some((12.0, 3.0))];
    for ((count, curve), (colour, dash)) in curves.iter().zip(SERIES.into_iter().zip(dashes)) {
        let points: Vec<(f64, f64)> =
            curve.iter().map(|(middle, part)| (*middle, part.max(0.005))).collect();
        let modules = if *count == 1 { "module" } else { "modules" };
        let stroke = Stroke { colour, wide: 1.8, dash };
        chart.line(&points, stroke, &format!("{count} {modules}"));
    }
    Figure {
        name: format!("clock-{}", found.case.number),
        caption: "The paper draws all numbers of modules into one picture, which is lost. Parts are drawn by factors, so that those with an interrupt can be seen.".to_owned(),
        picture: chart.finish(),
    }
}

/// The evidence against the claim, and its numbers.
fn judge(all: &[Found]) -> (Vec<String>, String) {
    let mut against = Vec::new();
    let [four, one, medusa_four, medusa_one, _] = all else {
        return (vec!["a figure is missing".to_owned()], String::new());
    };
    for found in [four, medusa_four] {
        let rises =
            found.mean(28) > 2.0 * found.mean(1) && found.deviation(16) > 1.2 * found.deviation(4);
        if !rises {
            against.push(format!("{} does not rise with the modules", found.case.name()));
        }
    }
    for found in [one, medusa_one] {
        let more = found.mean(28) / found.mean(1) - 1.0;
        if more > 0.1 {
            let name = found.case.name();
            against.push(format!("{name} takes {:.0} % longer with 28 modules", 100.0 * more));
        }
    }
    for (found, least) in [(four, 310.0), (medusa_four, 320.0)] {
        // Short runs hold few readings whose references are all brief.
        let seen = found.of(4).map_or(0.0, Elapsed::least);
        if !(least - 2.0..least + 30.0).contains(&seen) {
            against.push(format!("{} takes {} us at least", found.case.name(), digits(seen)));
        }
    }
    for (found, range) in [(four, 630.0..800.0), (one, 470.0..640.0)] {
        match found.interrupted() {
            Some((_, mean)) if range.contains(&mean) => {}
            other => against.push(format!("{}: interrupts give {other:?}", found.case.name())),
        }
    }
    for found in [medusa_four, medusa_one] {
        if found.interrupted().is_some() {
            against.push(format!("{} has a second peak", found.case.name()));
        }
    }
    let [before, at, after] = [8, 16, 24].map(|count| medusa_four.deviation(count));
    if at < 3.0 * before || after > 0.95 * at {
        let said = [before, at, after].map(digits).join(", ");
        against.push(format!("deviations of Medusa are {said} us with 8, 16, 24 modules"));
    }
    if four.deviation(28) < four.deviation(16) {
        against.push("the deviation of StarOS falls as well".to_owned());
    }
    let why = format!(
        "4-Read of Medusa deviates by {}, {}, {} us with 8, 16, 24 modules; 1-Read takes {:.0} % longer with 28 than with 1",
        digits(before),
        digits(at),
        digits(after),
        100.0 * (medusa_one.mean(28) / medusa_one.mean(1) - 1.0)
    );
    (against, why)
}

fn notes() -> Vec<String> {
    vec![
        "StarOS has the line clock's interrupts, sixty a second on every processor at once, of 320 to 450 us each; Medusa's processes have none, as the text has it. A word's own time is spread as the paper found it under light load: a deviation of 7.1 us under StarOS and of 2.3 under Medusa. Nothing else differs.".to_owned(),
        "Between pairs a module does something for 312 us (385 with 1-Read) in the mean, evenly from nothing to twice that; `regular` always takes the same.".to_owned(),
        "In the paper Medusa's deviation starts to fall \"at some point between 16 and 20\" modules, which it calls \"some complicated queuing mechanisms at the Kmap\". One server is enough. From 15 modules on the path is never idle, and a reference takes as long as the services of those that are not between their pairs. How many are there varies as much with any number of modules, since pairs are made at the rate of the path; but a reading takes longer with more modules, so it is a mean over more of these changes. With a loop that always takes the same the deviation is a fifth, and stays.".to_owned(),
        "The paper's StarOS is slower than Medusa under load. Here both have the same path, and it is not: what StarOS does at the Kmap is not in the text.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let mut all = Vec::new();
    for case in &CASES {
        (settings.progress)(&case.name());
        all.push(found(case, settings)?);
    }
    let (against, why) = judge(&all);
    let raw = all.iter().flat_map(|found| {
        found.by_count.iter().map(|(count, elapsed)| {
            let name = found.case.name();
            record![name, count, elapsed.mean(), elapsed.deviation(), elapsed.least()]
        })
    });
    Ok(Findings {
        circumstances: vec![
            "sim: 50 processors in five clusters, whose Kmaps are stations of 10.4 us".to_owned(),
        ],
        tables: vec![
            table(&all, "mean time from one reading to the next, us, by modules", Elapsed::mean),
            table(&all, "its standard deviation, us", Elapsed::deviation),
            second_peaks(&all),
        ],
        figures: all.iter().filter(|found| !found.case.is_regular).map(figure).collect(),
        raw: vec![Raw::csv("clock-4-to-7", "what,modules,mean_us,deviation_us,least_us", raw)],
        notes: notes(),
        verdict: Verdict::by(&against, &why),
    })
}
