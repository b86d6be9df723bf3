//! PORTS, table 1: what it costs to find a slot's place and insert it, by the way of searching.

use super::digits;
use super::ports_figure_1::verdict;
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Findings, Raw, Table, record};
use crate::slot_lists::{Found, Kind, Load, TAKEN, cycle, measure};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ports-table-1",
    also: &[],
    title: "what hashing and best guess save of an insertion",
    source: "PORTS, 1994, 2.6, table 1",
    question: "what does it cost to find a slot's place and insert it, from the first slot on, by adaptive hashing, and by best guess?",
    claim: "at 1,000 slots hashing and best guess take at most a third of the original's time each, whether deadlines are even or each follows \
            the last, as in speculation",
    hosts: &[Host::Here],
    absent: "what is measured is the structure alone, which is the same code on each host",
    run: findings,
};

/// Slots, and the paper's columns in microseconds: original, hash, best guess, hash-time.
const PAPER: [(u64, [f64; 4]); 4] = [
    (3_000, [3_350.0, 780.0, 595.0, 32.0]),
    (1_000, [1_130.0, 284.0, 342.0, 29.8]),
    (500, [683.0, 220.0, 167.0, 24.65]),
    (100, [130.0, 53.0, 69.0, 55.0]),
];
const COLUMNS: [&str; 4] = ["original", "hash", "best guess", "hash-time"];
const KINDS: [Kind; 3] = [Kind::Original, Kind::Hash, Kind::Guess];
/// Cycles of the KSR-1 in a microsecond.
pub(super) const KSR_1: f64 = 20.0;

/// The table's columns in nanoseconds. Hash-time is by how much collection takes longer, where the buckets are set anew.
fn columns(found: &[Found]) -> [f64; 4] {
    let insertion = |place: usize| found[place].parts.insertion;
    let anew = found[1].parts.collect - found[0].parts.collect;
    [insertion(0), insertion(1), insertion(2), anew.max(0.0)]
}

/// Of each size, the columns by load.
type Here = [(u64, [[f64; 4]; 2])];

fn table(here: &Here, cycle: f64) -> Table {
    let head = [
        "slots",
        "",
        "1994, us",
        "cycles",
        "of original",
        "even, ns",
        "cycles",
        "of original",
        "each follows, ns",
        "cycles",
        "of original",
    ];
    let mut table =
        Table::new("table 1: find the place and insert, a task that is admitted", 2, &head);
    for ((slots, paper), (_, loads)) in PAPER.iter().zip(here) {
        for (column, name) in COLUMNS.iter().enumerate() {
            let mut row = vec![slots.to_string(), (*name).to_owned()];
            let mut part = |value: f64, cycles: f64, original: f64| {
                row.extend([value, cycles, value / original].map(digits));
            };
            part(paper[column], paper[column] * KSR_1, paper[0]);
            for load in loads {
                part(load[column], load[column] / cycle, load[0]);
            }
            table.rows.push(row);
        }
    }
    table
}

/// The evidence against the claim, and its numbers.
fn judge(here: &Here) -> (Vec<String>, String) {
    let Some((_, [even, follows])) = here.iter().find(|(slots, _)| *slots == 1_000) else {
        return (vec!["1,000 slots were not measured".to_owned()], String::new());
    };
    let parts = [
        ("hash, even deadlines", even[1] / even[0]),
        ("best guess, even deadlines", even[2] / even[0]),
        ("hash, each follows", follows[1] / follows[0]),
        ("best guess, each follows", follows[2] / follows[0]),
    ];
    let words =
        |(name, part): &(&str, f64)| format!("{name}: {} of the original's time", digits(*part));
    let against = parts.iter().filter(|part| part.1 > 1.0 / 3.0).map(words);
    (against.collect(), parts.iter().map(words).collect::<Vec<_>>().join("; "))
}

fn notes(here: &Here) -> Vec<String> {
    let guess =
        here.iter().map(|(slots, [even, _])| format!("{} at {slots}", digits(even[2] / even[0])));
    vec![
        format!(
            "Where deadlines are even, best guess takes {} of the original's time. It does not know where the next slot comes, but the way there from another slot is shorter than from the \
             first one, the more so as tasks with early deadlines are refused more often.",
            guess.collect::<Vec<_>>().join(", ")
        ),
        "Hash-time here is by how much a collection takes longer than the original's, a task that is offered: the buckets are mended and set anew there. The paper does not say what its \
         column is; at 100 slots it exceeds `hash`, so it is no part of that. The paper sets them anew at each collection; here it is done when half as many slots came and went as \
         are there, so that small lists do not pay for it at each."
            .to_owned(),
        "A reading of the clock between the parts takes about as long as an insertion by hashing here. What it takes at least is taken out, so that times of some 10 ns may be too long.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let (tasks, cycle) = (settings.either(25_000, 1_000), cycle());
    let (mut here, mut raw) = (Vec::new(), Vec::new());
    for (slots, _) in PAPER {
        let loads = Load::BOTH.map(|load| {
            (settings.progress)(&format!("{slots} slots, deadlines: {}", load.name()));
            let found = measure(&KINDS.map(|kind| (kind, tasks)), slots, load);
            raw.extend(found.iter().map(|found| {
                let parts = found.parts;
                record![
                    slots,
                    load.name(),
                    found.kind.name(),
                    parts.insertion,
                    parts.find,
                    parts.collect,
                    parts.admitted
                ]
            }));
            columns(&found)
        });
        here.push((slots, loads));
    }
    let (against, why) = judge(&here);
    let names = "slots,deadlines,structure,insertion_ns,find_ns,collect_ns,admitted";
    Ok(Findings {
        circumstances: vec![
            crate::machine::here(),
            format!("{tasks} tasks, {TAKEN}; a cycle of {} ns here, 50 ns in 1994", digits(cycle)),
        ],
        tables: vec![table(&here, cycle)],
        figures: Vec::new(),
        raw: vec![Raw::csv("ports-table-1", names, raw)],
        notes: notes(&here),
        verdict: verdict(&against, &why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_more_than_a_third_refutes_table_1() {
        let of = |hash: f64, guess: f64| {
            let load = [300.0, hash, guess, 5.0];
            judge(&[(1_000, [load; 2])]).0.len()
        };
        assert_eq!([of(90.0, 90.0), of(90.0, 110.0), of(110.0, 110.0)], [0, 2, 4]);
        assert_eq!(judge(&[]).0.len(), 1);
    }
}
