//! The memo on the Multics traffic controller: nine measurements of two processes that wake each other.
//!
//! The costs of the simulated machine are the memo's, each taken out of one measurement; that all the others come back
//! shows that calls, decisions, switches and timers add up as the memo's did. Today's machine has its own.

mod hosts;
#[cfg(test)]
mod tests;

use super::digits;
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Findings, Raw, Table, Verdict, record};
use crate::statistics::{line, median, quantile};
use crate::units::{micros, us};
use hosts::{Place, Sample, Scripts, notified, run_out, scripts};
use std::collections::BTreeMap;
use windfall_programs::Costs;
use windfall_scenario::model;
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "multics",
    also: &[],
    title: "what the calls of a traffic controller cost",
    source: "Multics, Rappaport and Spier: timing test of the new traffic controller",
    question: "what do waking, blocking, waiting, notifying and running out of a quantum cost?",
    claim: "with the memo's costs the simulated machine gives each of its measurements back within 5 %, and its \
            interpretation; on a real machine, too, every call that gives the processor away costs more than each that keeps \
            it, and each further waiter makes a notification longer",
    hosts: &[Host::Sim, Host::Linux],
    absent: "it needs real-time threads",
    run: findings,
};

/// A measurement: its description, the steps that begin it, and the memo's figures in microseconds without the circled
/// ones.
struct Measurement {
    what: &'static str,
    steps: &'static [u32],
    paper: &'static [f64],
}

/// The memo's items 1 to 8. The scan has lost the table of item 5; what it says of it elsewhere is "about 200 plus
/// about 100 per process waiting".
const MEASUREMENTS: [Measurement; 8] = [
    Measurement {
        what: "wake a blocked process",
        steps: &[1, 3, 5, 7, 17],
        paper: &[
            879.0, 882.0, 882.0, 908.0, 904.0, 904.0, 877.0, 878.0, 911.0, 911.0, 911.0, 904.0,
            904.0, 904.0,
        ],
    },
    Measurement {
        what: "block",
        steps: &[2, 4, 6],
        paper: &[1379.0, 1389.0, 1389.0, 1407.0, 1407.0, 1379.0, 1379.0, 1379.0],
    },
    Measurement { what: "wait for something", steps: &[10], paper: &[1277.0; 3] },
    Measurement { what: "wait for nothing", steps: &[16], paper: &[230.0; 3] },
    Measurement { what: "notify, one waits", steps: &[11], paper: &[] },
    Measurement { what: "notify, nobody waits", steps: &[8, 13], paper: &[237.0; 6] },
    Measurement {
        what: "add an event",
        steps: &[9, 14],
        paper: &[231.0, 231.0, 231.0, 227.0, 227.0, 227.0],
    },
    Measurement { what: "delete an event", steps: &[15], paper: &[235.0; 3] },
];

/// Item 9, for processes A and B. The memo writes "msecs" there and in its last paragraph, and means microseconds.
const RUN_OUT: [f64; 2] = [1454.0, 1511.0];

/// The time of a mark's 15 additional instructions, at some 435,000 a second.
const METERING: Span = us(35);
/// Choosing a successor, of the 100 that each process takes that is notified.
const DECISION: Span = us(50);

/// The memo's costs. Giving the processor away is what waiting for something takes more than waiting for nothing:
/// 1277 - 230.
fn costs() -> (model::Costs, Costs) {
    let machine = model::Costs::default()
        .switch(us(1_277 - 230) - DECISION)
        .decision(DECISION)
        .timer(us(1_482) - DECISION);
    let calls = Costs::default()
        .now(METERING)
        .wakeup(us(895) - DECISION - METERING)
        .block(us(1_389 - (1_277 - 230)) - METERING)
        .wait_event(us(230) - METERING)
        .notify(us(237) - METERING)
        .notify_each(us(100) - DECISION)
        .add_event(us(229) - METERING)
        .del_event(us(235) - METERING);
    (machine, calls)
}

/// The measurements on one host.
struct Measured {
    place: Place,
    samples: Vec<Sample>,
    /// The cost of a mark.
    metering: f64,
    run_outs: Vec<f64>,
    /// The number of waiters, and the time to notify them.
    notified: Vec<(u32, f64)>,
    /// The disturbances of the host.
    disturbed: Vec<String>,
}

impl Measured {
    fn on(place: Place, settings: &Settings<'_>) -> Result<Measured, LabError> {
        let name = place.name();
        let loops = settings.either(10_000, 300);
        (settings.progress)(&format!("{name}: scripts A and B, {loops} loops"));
        let mut disturbed = Vec::new();
        let Scripts { samples, metering } = scripts(place, loops, &mut disturbed)?;
        (settings.progress)(&format!("{name}: running out of quanta, notifying 1 to 64 waiters"));
        let times = if place == Place::Simulated { 1 } else { settings.either(10, 1) };
        let run_outs = run_out(place, &mut disturbed)?;
        let notified = notified(place, times, &mut disturbed)?;
        Ok(Measured { place, samples, metering: micros(metering), run_outs, notified, disturbed })
    }

    /// The samples of one measurement without interrupts, and how many had one.
    fn of(&self, measurement: &Measurement) -> (Vec<f64>, usize) {
        let of = self.samples.iter().filter(|sample| measurement.steps.contains(&sample.step));
        let (circled, clear): (Vec<Sample>, Vec<Sample>) = of.partition(|sample| sample.circled);
        (clear.iter().map(|sample| sample.us).collect(), circled.len())
    }

    /// The nine, each the median of what has no interrupt in it, with a mark in it; a quantum's end has none.
    fn nine(&self) -> Vec<f64> {
        let medians = MEASUREMENTS.iter().map(|measurement| median(&self.of(measurement).0));
        medians.chain([median(&self.run_outs)]).collect()
    }

    /// The same without the cost of marks.
    fn without_metering(&self) -> Vec<f64> {
        let mut nine = self.nine();
        nine.iter_mut().take(MEASUREMENTS.len()).for_each(|us| *us -= self.metering);
        nine
    }

    /// All loops.
    fn distribution(&self) -> Table {
        let title = format!("{}: all loops (us)", self.place.name());
        let head = ["", "least", "1 %", "median", "99 %", "most", "samples", "circled"];
        let mut table = Table::new(&title, 1, &head);
        for measurement in &MEASUREMENTS {
            let (clear, circled) = self.of(measurement);
            let at = [0, 1, 50, 99, 100].map(|percent| digits(quantile(&clear, percent)));
            let circled = match self.place {
                Place::Supervised => "-".to_owned(),
                _ => circled.to_string(),
            };
            let counts = [clear.len().to_string(), circled];
            let words = [measurement.what.to_owned()];
            table.rows.push(words.into_iter().chain(at).chain(counts).collect());
        }
        table
    }

    /// The memo's tables: three loops in full.
    fn three_loops(&self) -> Table {
        let title = format!("{}: three loops (us)", self.place.name());
        let mut table = Table::new(&title, 2, &["", "from step", "loop 1", "loop 2", "loop 3"]);
        for Measurement { what, steps, .. } in &MEASUREMENTS {
            for step in *steps {
                let of = self.samples.iter().filter(|sample| sample.step == *step).take(3);
                let cells = of.map(|sample| match sample.circled {
                    true => format!("({})", digits(sample.us)),
                    false => digits(sample.us),
                });
                let words = [(*what).to_owned(), format!("T{step}")];
                table.rows.push(words.into_iter().chain(cells).collect());
            }
        }
        table
    }

    /// The memo's last paragraph.
    fn interpretation(&self) -> [f64; 6] {
        let mut by_waiters = BTreeMap::<u32, Vec<f64>>::new();
        for (waiters, us) in &self.notified {
            by_waiters.entry(*waiters).or_default().push(*us);
        }
        let points = by_waiters.iter().map(|(waiters, us)| (f64::from(*waiters), median(us)));
        let fit = line(&points.collect::<Vec<_>>());
        let (nine, mut marked) = (self.nine(), fit.at_zero);
        // The memo's own words are about its figures as they are.
        let nine = match self.place {
            Place::Simulated => nine,
            _ => {
                marked -= self.metering;
                self.without_metering()
            }
        };
        let [wakeup, block, wait, .., add, _, _] = *nine else { return [f64::NAN; 6] };
        [
            f64::midpoint(block, wait),
            wakeup,
            block + wakeup,
            marked,
            fit.slope,
            add + wait + marked + fit.slope,
        ]
    }
}

/// The memo's last paragraph: the operation, the memo's words, and the range that confirms them.
const INTERPRETATION: [(&str, &str, core::ops::Range<f64>); 6] = [
    ("give a processor away", "1300 to 1400", 1_250.0..1_450.0),
    ("wake a blocked process", "about 850", 800.0..950.0),
    ("block and wake", "about 2000", 1_900.0..2_400.0),
    ("notify, without waiters", "about 200", 180.0..260.0),
    ("notify, more for each waiter", "about 100", 95.0..105.0),
    ("add, wait and notify", "about 1800", 1_700.0..1_900.0),
];

/// The memo's figures of each measurement.
fn paper() -> impl Iterator<Item = (&'static str, &'static [f64])> {
    let eight = MEASUREMENTS.iter().map(|measurement| (measurement.what, measurement.paper));
    eight.chain([("run out of a quantum", RUN_OUT.as_slice())])
}

/// The least and the largest of the memo's figures, if it has any.
fn least_and_most(paper: &[f64]) -> Option<(f64, f64)> {
    let least = paper.iter().copied().reduce(f64::min)?;
    Some((least, paper.iter().copied().fold(least, f64::max)))
}

/// The memo's figures as it prints them.
fn printed(paper: &[f64]) -> String {
    match least_and_most(paper) {
        Some((least, most)) if least < most => format!("{} to {}", digits(least), digits(most)),
        Some((only, _)) => digits(only),
        None => "-".to_owned(),
    }
}

/// How far a figure is from the nearest of the memo's, in per cent of that.
fn off(found: f64, paper: &[f64]) -> Option<f64> {
    let (least, most) = least_and_most(paper)?;
    let nearest = if found.is_nan() { least } else { found.clamp(least, most) };
    Some((found - nearest) / nearest * 100.0)
}

/// Evidence of real threads against the claim.
fn of_a_real_machine(measured: &Measured) -> Vec<String> {
    let (nine, place) = (measured.without_metering(), measured.place.name());
    let [_, block, wait, wait_for_nothing, _, notify, add, delete, _] = *nine else {
        return vec![format!("{place}: nothing was measured")];
    };
    let keeps = [wait_for_nothing, notify, add, delete].into_iter().fold(f64::NAN, f64::max);
    let mut against = Vec::new();
    for (what, us) in [("block", block), ("wait for something", wait)] {
        if us.is_nan() || us <= keeps {
            against.push(format!("{place}, {what}: {} us, others {}", digits(us), digits(keeps)));
        }
    }
    let each = measured.interpretation()[4];
    if each.is_nan() || each <= 0.0 {
        against.push(format!("{place}: {} us for each further waiter", digits(each)));
    }
    against
}

/// The table of the nine measurements, and which contradict the memo's.
fn nine(measured: &[Measured]) -> (Table, Vec<String>) {
    let real: Vec<&str> = measured[1..].iter().map(|one| one.place.name()).collect();
    let simulated = &measured[0];
    let mut against = Vec::new();
    let head = ["", "paper", "sim", "off (%)", "without metering: sim"];
    let mut table = Table::new("the nine measurements (us)", 1, &[head.as_slice(), &real].concat());
    let (as_marked, columns): (Vec<f64>, Vec<Vec<f64>>) =
        (simulated.nine(), measured.iter().map(Measured::without_metering).collect());
    for (at, (what, paper)) in paper().enumerate() {
        let sim = as_marked[at];
        let off = off(sim, paper);
        if sim.is_nan() || off.is_some_and(|off| off.is_nan() || off.abs() > 5.0) {
            against.push(format!("{what}: {} us, the memo has {}", digits(sim), printed(paper)));
        }
        let off = off.map_or("-".to_owned(), digits);
        let words = [what.to_owned(), printed(paper), digits(sim), off];
        let cells = columns.iter().map(|column| digits(column[at]));
        table.rows.push(words.into_iter().chain(cells).collect());
    }
    (table, against)
}

/// The table of the memo's interpretation, and what contradicts it.
fn interpretation(measured: &[Measured]) -> (Table, Vec<String>) {
    let real: Vec<&str> = measured[1..].iter().map(|one| one.place.name()).collect();
    let mut against = Vec::new();
    let head = ["", "paper", "sim"];
    let mut table =
        Table::new("the memo's interpretation (us)", 2, &[head.as_slice(), &real].concat());
    let interpreted: Vec<[f64; 6]> = measured.iter().map(Measured::interpretation).collect();
    for (at, (what, paper, range)) in INTERPRETATION.iter().enumerate() {
        let sim = interpreted[0][at];
        if !range.contains(&sim) {
            against.push(format!("{what}: {} us where the memo has {paper}", digits(sim)));
        }
        let cells = interpreted.iter().map(|column| digits(column[at]));
        let words = [(*what).to_owned(), (*paper).to_owned()];
        table.rows.push(words.into_iter().chain(cells).collect());
    }
    (table, against)
}

fn notes(measured: &[Measured]) -> Vec<String> {
    let mut notes = vec![
        "The simulated costs are the memo's: each is what one measurement has left when decisions, switches and the \
         metering are taken out, so the table says that they add up, not that they were predicted.",
        "The paper's column is what the memo prints, from the least to the largest, without its circled figures; `off` is the \
         distance from the nearest. The scan has lost the table of item 5, notifying one that waits; what the memo says of \
         it is in its interpretation. Item 9 is printed in `msecs` and meant in microseconds.",
        "A figure in parentheses has an interrupt in it, which the memo circles; they count in no median.",
    ];
    if measured.len() > 1 {
        notes.push(
            "`hierarchy` are supervised threads below the same round-robin scheduler; running out of a quantum is \
             there what pieces of 1 ms take longer with quanta of 1 ms than with quanta of 500. `threads` are \
             real-time threads of one processor that block on futexes, among which the kernel decides: they have no \
             quanta. Their interrupts were recorded meanwhile (`windfall record`), which costs some 0.4 us a switch; \
             those of supervised threads are known by their length alone, so none is circled. Who notifies 1 to 64 \
             waiters has slept for 200 ms before, so that caches are cold and a whole notification takes more than among \
             the nine.",
        );
    }
    let mut notes: Vec<String> = notes.into_iter().map(str::to_owned).collect();
    notes.extend(measured.iter().flat_map(|one| {
        one.disturbed.iter().map(|why| format!("Disturbed: {}: {why}.", one.place.name()))
    }));
    notes
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let mut measured = vec![Measured::on(Place::Simulated, settings)?];
    if settings.on(Host::Linux) {
        measured.push(Measured::on(Place::Supervised, settings)?);
        measured.push(Measured::on(Place::Threads, settings)?);
    }
    let real = measured.len() > 1;
    let (nine, mut against) = nine(&measured);
    let (interpretation, contradictions) = interpretation(&measured);
    against.extend(contradictions);
    let mut tables = vec![nine, interpretation];
    tables.extend(measured.iter().flat_map(|one| [one.three_loops(), one.distribution()]));
    let right = format!("{} measurements within 5 %", paper().count() - 1);
    let metering = measured.iter().map(|one| {
        let loops = one.samples.len().div_ceil(18);
        format!("{}: {loops} loops, metering {} us a mark", one.place.name(), digits(one.metering))
    });
    let machine = real.then(crate::machine::this);
    let circumstances = metering.chain(machine).collect();
    let samples = measured.iter().flat_map(|one| {
        let row =
            |sample: &Sample| record![one.place.name(), sample.step, sample.us, sample.circled];
        one.samples.iter().map(row)
    });
    let notified = measured.iter().flat_map(|one| {
        one.notified.iter().map(|(waiters, us)| record![one.place.name(), waiters, us])
    });
    Ok(Findings {
        circumstances,
        tables,
        figures: Vec::new(),
        raw: vec![
            Raw::csv("multics", "place,step,us,interrupted", samples),
            Raw::csv("multics-notify", "place,waiters,us", notified),
        ],
        notes: notes(&measured),
        verdict: match &measured[1..] {
            [] => Verdict::by(&against, &right).calibrated(),
            real => {
                let against: Vec<_> = real.iter().flat_map(of_a_real_machine).collect();
                let disturbed = real.iter().flat_map(|one| one.disturbed.clone());
                let disturbed: Vec<_> = disturbed.collect();
                let why = "giving the processor away costs more than every call that keeps it";
                Verdict::of_runs(&against, &disturbed, why)
            }
        },
    })
}
