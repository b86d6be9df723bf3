//! Chrysalis, section 5: a monitor that tunes needs and slices and moves processes between nodes, which the report plans and nobody built.
//!
//! The report prints no figures for it. The criteria follow from the monitor's purpose (decision 0026): committed time is used, load is even, and
//! work that fits is done in time. Loads are those of the processes' programs, not those that the monitor measures.

mod run;

use super::{SERIES, dashed, digits, solid};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, Verdict, record};
use crate::units::{millis, seconds};
use run::{NODES, Seen, see};
use windfall_plot::chart::{Axis, Chart};
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "chrysalis-global",
    also: &[],
    title: "a monitor of four nodes: windfall and load before and after",
    source: "Chrysalis, BBN report 5285, section 5",
    question: "does a program that reads what each node committed, used and gave away, tunes needs and slices, and moves processes, leave less windfall and \
               uneven load behind?",
    claim: "in the second half of each run, at most a fifth of what is declared is windfall, no two nodes' loads differ by more than the largest process and a tenth \
            of a processor, all jobs are done in time, and the monitor has nothing more to request",
    hosts: &[Host::Sim],
    absent: "the verdict needs runs that differ in the monitor alone; a supervised run takes the same program",
    run: findings,
};

/// Processes of one sort.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sort {
    name: &'static str,
    count: u32,
    node: u16,
    /// Need and work in each epoch, in ms; work without end is `None`.
    need: u32,
    work: Option<u32>,
}

const fn sort(name: &'static str, (count, node): (u32, u16), need: u32, work: Option<u32>) -> Sort {
    Sort { name, count, node, need, work }
}

/// The state in which the nodes begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    name: &'static str,
    sorts: &'static [Sort],
}

const CASES: [Case; 4] = [
    Case {
        name: "lines on one node",
        sorts: &[
            sort("line", (6, 0), 15, Some(20)),
            sort("batch", (2, 0), 0, None),
            sort("archive", (2, 1), 40, Some(5)),
            sort("router", (1, 2), 30, Some(30)),
        ],
    },
    Case {
        name: "needs too large",
        sorts: &[
            sort("a", (3, 0), 30, Some(10)),
            sort("b", (3, 1), 30, Some(10)),
            sort("c", (3, 2), 30, Some(5)),
            sort("d", (2, 3), 45, Some(30)),
        ],
    },
    Case {
        name: "needs too small",
        sorts: &[
            sort("line", (4, 0), 5, Some(20)),
            sort("batch", (2, 0), 0, None),
            sort("other", (1, 1), 0, None),
        ],
    },
    Case { name: "spinners on one node", sorts: &[sort("batch", (8, 0), 0, None)] },
];

/// The evidence against the claim.
fn contradictions(name: &str, after: &Seen) -> Vec<String> {
    let mut against = Vec::new();
    let (windfall, declared) = (after.windfall(), after.declared());
    if windfall > declared / 5.0 {
        against.push(format!(
            "{name}: {} ms of {} ms declared are windfall",
            digits(windfall),
            digits(declared)
        ));
    }
    let (least, most) = after.loads();
    if most - least > after.largest + 0.1 {
        against.push(format!("{name}: loads from {} to {}", digits(least), digits(most)));
    }
    if after.in_time.is_some_and(|percent| percent < 100.0) {
        let percent = after.in_time.map_or_else(String::new, digits);
        against.push(format!("{name}: {percent} % of the jobs are in time"));
    }
    if after.last_request.is_some_and(|at| at > after.length / 2.0) || after.refused > 0 {
        let last = after.last_request.map_or_else(String::new, digits);
        against.push(format!(
            "{name}: {} requests are refused, and the last one is made at {last} s",
            after.refused
        ));
    }
    against
}

fn row(name: &str, before: &Seen, after: &Seen) -> Vec<String> {
    let loads = |seen: &Seen| {
        let (least, most) = seen.loads();
        format!("{least:.2} to {most:.2}")
    };
    let percent = |percent: Option<f64>| percent.map_or("-".to_owned(), digits);
    vec![
        name.to_owned(),
        digits(before.windfall()),
        digits(after.windfall()),
        digits(before.declared()),
        digits(after.declared()),
        loads(before),
        loads(after),
        percent(before.in_time),
        percent(after.in_time),
        digits(before.received),
        digits(after.received),
        after.requests.map(|count| count.to_string()).join(" / "),
        after.last_request.map_or("-".to_owned(), digits),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let length = Span::from_secs(settings.either(120, 30));
    let head = [
        "",
        "windfall before (ms)",
        "after",
        "declared before (ms)",
        "after",
        "loads before",
        "after",
        "in time before (%)",
        "after",
        "received before (%)",
        "after",
        "moves / needs / slices",
        "last at (s)",
    ];
    let mut table =
        Table::new("of the second half of each run, by epoch of 100 ms; four nodes", 1, &head);
    let (mut against, mut rows, mut figures) = (Vec::new(), Vec::new(), Vec::new());
    let mut by_node = None;
    for case in &CASES {
        (settings.progress)(case.name);
        let (before, after) = (see(case, false, length)?, see(case, true, length)?);
        against.extend(contradictions(case.name, &after));
        table.rows.push(row(case.name, &before, &after));
        for (which, seen) in [("before", &before), ("after", &after)] {
            rows.extend(seen.series.iter().map(|point| {
                let loads = point.loads.map(digits).join(" ");
                record![case.name, which, point.at, point.windfall, point.declared, loads]
            }));
        }
        if by_node.is_none() {
            by_node = Some(nodes(case.name, &before, &after));
            figures.push(windfall(case.name, &before, &after));
            figures.push(loads(case.name, &after));
        }
    }
    Ok(Findings {
        circumstances: vec![format!(
            "sim: {NODES} nodes, one processor each; epochs of 100 ms, slices of 10 ms; {} s each",
            digits(seconds(length))
        )],
        tables: std::iter::once(table).chain(by_node).collect(),
        figures,
        raw: vec![Raw::csv(
            "chrysalis-global",
            "case,run,at_s,windfall_ms_per_epoch,declared_ms,loads",
            rows,
        )],
        notes: vec![
            "The report has no figures for this: it expects that such programs will be needed. Before: the monitor only reads.".to_owned(),
            "A need is kept an eighth above the largest use, so some windfall remains where needs are used evenly.".to_owned(),
        ],
        verdict: Verdict::by(&against, "in every line"),
    })
}

/// The nodes of a case, before and after.
fn nodes(name: &str, before: &Seen, after: &Seen) -> Table {
    let head = [
        "",
        "load before",
        "after",
        "declared before (ms)",
        "after",
        "used before (ms)",
        "after",
        "windfall before (ms)",
        "after",
        "uncommitted before (ms)",
        "after",
    ];
    let mut table = Table::new(&format!("{name}: the same by node"), 1, &head);
    for (number, (was, is)) in before.nodes.iter().zip(&after.nodes).enumerate() {
        let pairs = [
            (was.load, is.load),
            (millis(was.declared), millis(is.declared)),
            (was.committed, is.committed),
            (was.windfall, is.windfall),
            (was.uncommitted, is.uncommitted),
        ];
        let cells = pairs.iter().flat_map(|(was, is)| [digits(*was), digits(*is)]);
        table.rows.push(std::iter::once(format!("node-{number}")).chain(cells).collect());
    }
    table
}

fn windfall(name: &str, before: &Seen, after: &Seen) -> Figure {
    let points = |seen: &Seen, of: fn(&run::Point) -> f64| -> Vec<(f64, f64)> {
        seen.series.iter().map(|point| (point.at, of(point))).collect()
    };
    let most = before.series.iter().chain(&after.series).map(|point| point.declared);
    let most = most.fold(0.0, f64::max);
    let mut chart = Chart::new(
        "Windfall before and after",
        &format!("{name}; all four nodes together, in each epoch of 100 ms"),
        Axis::until("time (s)", after.length.min(30.0)),
        Axis::covering("processor time in an epoch (ms)", most),
    );
    chart.line(&points(before, |point| point.declared), dashed(SERIES[0]), "declared, before");
    chart.line(&points(after, |point| point.declared), solid(SERIES[0]), "declared, after");
    chart.line(&points(before, |point| point.windfall), dashed(SERIES[1]), "windfall, before");
    chart.line(&points(after, |point| point.windfall), solid(SERIES[1]), "windfall, after");
    Figure {
        name: "chrysalis-global-windfall".to_owned(),
        caption: "Windfall is what is declared and not used. Needs that are not used fall after three windows of a second; those of the lines rise when they have \
                  caught up."
            .to_owned(),
        picture: chart.finish(),
    }
}

fn loads(name: &str, after: &Seen) -> Figure {
    let most = after.series.iter().flat_map(|point| point.loads).fold(0.0, f64::max);
    let mut chart = Chart::new(
        "Loads of the nodes under a monitor",
        &format!("{name}; a process that never waits is a load of 1"),
        Axis::until("time (s)", after.length.min(30.0)),
        Axis::covering("load (processors)", most),
    );
    for (node, colour) in SERIES.iter().enumerate() {
        let points: Vec<_> =
            after.series.iter().map(|point| (point.at, point.loads[node])).collect();
        chart.line(&points, solid(*colour), &format!("node-{node}"));
    }
    Figure {
        name: "chrysalis-global-loads".to_owned(),
        caption: "One process moves after each window, as long as a move lowers the larger of two loads by a tenth of a processor.".to_owned(),
        picture: chart.finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_part_of_the_claim_can_be_refuted() {
        let length = Span::from_secs(30);
        let after = see(&CASES[0], true, length).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(contradictions("x", &after), Vec::<String>::new());
        let before = see(&CASES[0], false, length).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(contradictions("x", &before).len(), 3, "windfall, loads, jobs in time");
        let late = Seen { last_request: Some(16.0), ..after };
        assert_eq!(contradictions("x", &late).len(), 1);
        let refused = Seen { last_request: None, refused: 1, ..late };
        assert_eq!(contradictions("x", &refused).len(), 1);
    }
}
