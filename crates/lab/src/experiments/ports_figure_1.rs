//! PORTS, figure 1: what an admission to the original list costs, and its parts, against the slots before collection.

use super::{PAPER, SERIES, dashed, digits, solid};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{ClaimStatus, Figure, Findings, Raw, Table, Verdict, record};
use crate::machine::OPTIMISED;
use crate::slot_lists::{Found, Kind, Load, TAKEN, measure};
use crate::statistics::line;
use windfall_plot::chart::{Axis, Chart, Dot, Mark};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ports-figure-1",
    also: &[],
    title: "what an admission to a list of slots costs",
    source: "PORTS, 1994, 2.3, figure 1",
    question: "what do finding the place, finding the idle time, and inserting and updating cost against the slots of the list?",
    claim: "from 500 to 3,000 slots the original list's cost grows in proportion to the slots (a line explains 98 % of it), and the \
            three parts are most of it; whether a fifth of the tasks is refused or none",
    hosts: &[Host::Here],
    absent: "what is measured is the structure alone, which is the same code on each host",
    run: findings,
};

/// Slots as far as the paper's tables go, and beyond; shorter, what a few seconds allow.
const SLOTS: [u64; 14] = [
    100, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 10_000, 30_000, 100_000, 300_000,
    1_000_000,
];
const QUICK: [u64; 4] = [100, 500, 1_000, 3_000];
/// As far as the paper's tables go.
const PAPERS: u64 = 3_000;

/// How many tasks are offered: 25,000 as in the paper, and few where each takes long.
fn tasks(settings: &Settings<'_>, slots: u64) -> usize {
    settings.either(if slots <= PAPERS { 25_000 } else { 200 }, 1_000)
}

/// The loads, and of each the words for its table.
const LOADS: [(Load, &str); 2] = [
    (Load::Even, "cost of a task, in us"),
    (Load::All, "the same with deadlines so late that nearly all are accepted"),
];

/// A size: the list, and ours.
struct Row {
    slots: u64,
    load: Load,
    list: Found,
    tree: Found,
}

fn of_load(rows: &[Row], load: Load) -> impl Iterator<Item = &Row> {
    rows.iter().filter(move |row| row.load == load)
}

/// The colour of the line for the load of which nearly all is accepted.
const ALL: [u8; 3] = [0x6b, 0x6b, 0x1f];

/// A line's name, and its values.
type Curve = (&'static str, fn(&Found) -> f64);

const LINES: [Curve; 5] = [
    ("total, measured", |found| found.total),
    ("sum of the three", |found| found.parts.sum()),
    ("find place", |found| found.parts.find),
    ("idle time", |found| found.parts.idle),
    ("insert and update", |found| found.parts.insert),
];

#[expect(clippy::cast_precision_loss, reason = "at most a million slots")]
fn points(rows: &[Row], load: Load, most: u64, of: impl Fn(&Row) -> f64) -> Vec<(f64, f64)> {
    let within = of_load(rows, load).filter(|row| row.slots <= most);
    within.map(|row| (row.slots as f64, of(row) / 1_000.0)).collect()
}

/// The paper's figure in its own range on straight axes; all sizes on axes of equal factors.
fn figures(rows: &[Row]) -> Vec<Figure> {
    let chart = |x: Axis, most: u64, facts: &str| {
        let all = rows.iter().filter(|row| row.slots <= most);
        let (least, highest) = all.fold((f64::INFINITY, 0.0_f64), |(least, highest), row| {
            let values = LINES.map(|(_, of)| of(&row.list)).into_iter().chain([row.tree.total]);
            values.fold((least, highest), |(a, b), ns| (a.min(ns / 1e3), b.max(ns / 1e3)))
        });
        let y = "cost of a task (us)";
        let y = if x.logarithmic {
            Axis::factors(y, least.max(0.01), highest)
        } else {
            Axis::covering(y, highest)
        };
        let mut chart =
            Chart::new("Basic costs of an admission to the original list of slots", facts, x, y);
        let [grey, others @ ..] = [PAPER, SERIES[0], SERIES[1], SERIES[2], SERIES[3]];
        let colours = others.into_iter().chain([[0xb0, 0x24, 0x3f]]);
        let marks = [Mark::Ring, Mark::Diamond, Mark::Square, Mark::Ring, Mark::Diamond];
        for (((name, of), colour), mark) in LINES.into_iter().zip(colours).zip(marks) {
            let points = points(rows, Load::Even, most, |row| of(&row.list));
            chart.line(
                &points,
                if name.starts_with("sum") { dashed(colour) } else { solid(colour) },
                "",
            );
            chart.dots(&points, Dot { mark, colour }, name);
        }
        let all = points(rows, Load::All, most, |row| row.list.total);
        chart.line(&all, dashed(ALL), "total, nearly all accepted");
        let tree = points(rows, Load::Even, most, |row| row.tree.total);
        chart.line(&tree, dashed(grey), "beside it: the B+-tree, total");
        chart.finish()
    };
    let facts = "figure 1 has the same five lines in this order, for a KSR-1; its picture is lost";
    let straight = chart(Axis::until("slots before collection", 3_100.0), PAPERS, facts);
    let mut figures = vec![Figure {
        name: "ports-figure-1".to_owned(),
        caption: "In the paper's range the three parts grow alike, and are most of the total; updating later slots is a large part.".to_owned(),
        picture: straight,
    }];
    if rows.iter().any(|row| row.slots > PAPERS) {
        let x = Axis::factors("slots before collection", 100.0, 1e6);
        figures.push(Figure {
            name: "ports-figure-1-all".to_owned(),
            caption:
                "To a million slots. Steeper than in proportion where the list outgrows the caches."
                    .to_owned(),
            picture: chart(
                x,
                u64::MAX,
                "equal distances are equal factors; the paper's range is the left third",
            ),
        });
    }
    figures
}

fn table(rows: &[Row], (load, title): (Load, &str)) -> Table {
    let mut head = vec!["slots"];
    head.extend(LINES.map(|line| line.0));
    head.extend(["collection", "total, ns a slot", "accepted, %", "B+-tree, total"]);
    let mut table = Table::new(title, 0, &head);
    for Row { slots, list, tree, .. } in of_load(rows, load) {
        let mut row = vec![slots.to_string()];
        row.extend(LINES.map(|(_, of)| digits(of(list) / 1e3)));
        #[expect(clippy::cast_precision_loss, reason = "at most a million slots")]
        let each = list.total / *slots as f64;
        let accepted = list.parts.admitted * 100.0;
        row.extend([list.parts.collect / 1e3, each, accepted, tree.total / 1e3].map(digits));
        table.rows.push(row);
    }
    table
}

/// The evidence against the claim, and the numbers it is about.
fn judge(rows: &[Row]) -> (Vec<String>, String) {
    let (mut against, mut whys) = (Vec::new(), Vec::new());
    for (load, _) in LOADS {
        let total = points(rows, load, PAPERS, |row| row.list.total);
        let within: Vec<_> = total.into_iter().filter(|point| point.0 >= 500.0).collect();
        let (fit, name) = (line(&within), load.name());
        let explained = fit.explained * 100.0;
        if explained < 98.0 {
            against.push(format!(
                "a line explains {explained:.1} % from 500 to 3,000 slots, deadlines {name}"
            ));
        }
        let shares = of_load(rows, load)
            .filter(|row| row.slots <= PAPERS)
            .map(|row| row.list.parts.sum() / row.list.total);
        let least = shares.fold(f64::INFINITY, f64::min) * 100.0;
        if least < 50.0 {
            against.push(format!(
                "the three parts are only {least:.0} % of the total somewhere up to 3,000 slots, deadlines {name}"
            ));
        }
        whys.push(format!(
            "deadlines {name}: {:.2} ns a slot; a line explains {explained:.1} %; the three parts are at least {least:.0} % of the total",
            fit.slope * 1_000.0
        ));
    }
    (against, whys.join("; "))
}

/// Times of a program that was built without optimising say nothing of a structure.
pub(super) fn verdict(against: &[String], why: &str) -> Verdict {
    let verdict = Verdict::by(against, why);
    if OPTIMISED {
        return verdict;
    }
    Verdict {
        standing: ClaimStatus::Open,
        why: format!("built without optimising; {}", verdict.why),
    }
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let sizes: &[u64] = settings.either(&SLOTS, &QUICK);
    let mut rows = Vec::new();
    for slots in sizes.iter().copied() {
        (settings.progress)(&format!("{slots} slots"));
        let kinds = [
            (Kind::Original, tasks(settings, slots)),
            (Kind::Tree, settings.either(25_000, 1_000)),
        ];
        for (load, _) in LOADS {
            if let [list, tree] = measure(&kinds, slots, load)[..] {
                rows.push(Row { slots, load, list, tree });
            }
        }
    }
    let (against, why) = judge(&rows);
    let each = rows.iter().flat_map(|row| [row.list, row.tree].map(|found| (row, found)));
    let raw =
        each.map(|(row, found)| [record![row.slots, row.load.name()], found.cells()].concat());
    let names = format!("slots,deadlines,{}", Found::COLUMNS);
    Ok(Findings {
        circumstances: vec![
            crate::machine::here(),
            format!(
                "deadlines even up to 1.7 times the work of all slots later, and 2.5 times; {} tasks up to 3,000 slots, {} above; {TAKEN}",
                tasks(settings, 100),
                tasks(settings, 10_000)
            ),
        ],
        tables: LOADS.map(|load| table(&rows, load)).into(),
        figures: figures(&rows),
        raw: vec![Raw::csv("ports-figure-1", &names, raw)],
        notes: vec![
            "The total is measured without a clock between the parts, with collection; the parts with it, and what reading it takes is taken out. Collection comes when the list has \
             as many slots as the line says, and takes a tenth of them; above 3,000 slots the tasks do not fill the list, and nothing is collected."
                .to_owned(),
            "The picture of the paper's figure is lost. Its text says that the three parts are most of the total, and that updating later slots is a large part.".to_owned(),
        ],
        verdict: verdict(&against, &why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slot_lists::Parts;

    fn row(load: Load, slots: u64, total: f64, part: f64) -> Row {
        let parts = Parts { find: part, idle: part, insert: part, ..Parts::default() };
        let list = Found { kind: Kind::Original, total, parts };
        Row { slots, load, list, tree: Found { kind: Kind::Tree, ..list } }
    }

    #[test]
    fn law_a_bend_and_a_missing_part_refute_figure_1() {
        let rows = |[even, all]: [f64; 2], part: f64| {
            [(Load::Even, even), (Load::All, all)].map(|(load, bend)| {
                let sizes =
                    [(100, 300.0), (500, 1_500.0), (1_000, 3_000.0 * bend), (3_000, 9_000.0)];
                sizes.map(|(slots, total)| row(load, slots, total, total * part))
            })
        };
        let against = |bends, part| {
            let rows: Vec<Row> = rows(bends, part).into_iter().flatten().collect();
            judge(&rows).0.len()
        };
        assert_eq!(against([1.0, 1.0], 0.3), 0);
        assert_eq!(against([2.5, 1.0], 0.3), 1);
        assert_eq!(against([1.0, 2.5], 0.3), 1);
        assert_eq!(against([1.0, 1.0], 0.1), 2);
    }
}
