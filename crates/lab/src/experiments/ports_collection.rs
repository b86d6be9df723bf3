//! PORTS, section 3: how many slots the free pool should have, as predicted from what searches and collections cost, and as tried.

use super::ports_figure_1::verdict;
use super::{PAPER, SERIES, dashed, digits, solid};
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Raw, Table, record};
use crate::slot_lists::{Load, Paging, TAKEN, cycle, paging};
use windfall_admission::{Bound, Costs, Limits};
use windfall_plot::chart::{Axis, Chart, Dot, Mark};
use windfall_time::Span;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ports-collection",
    also: &[],
    title: "how many slots are taken between two collections",
    source: "PORTS, 1994, 2.2 and section 3",
    question: "which number of slots between two collections costs least, as predicted from what searches and collections cost while the list runs, and as tried?",
    claim: "with the predicted number of slots a slot costs at most 10 % more than with the best of all numbers that were tried",
    hosts: &[Host::Here],
    absent: "what is measured is the structure alone, which is the same code on each host",
    run: findings,
};

/// Slots that are not used up, about.
const LIVE: [u64; 3] = [30, 100, 1_000];
/// Slots between two collections that are tried, besides what is predicted.
const POOLS: [u32; 15] = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1_000];
const QUICK: [u32; 4] = [1, 5, 50, 500];
/// By how much the predicted pool may cost more than the best.
const CLOSE: f64 = 1.10;

struct Row {
    live: u64,
    load: Load,
    found: Paging,
}

impl Row {
    fn name(&self) -> String {
        format!("{} slots, deadlines {}", self.live, self.load.name())
    }

    fn of_best(&self) -> f64 {
        self.found.again[0] / self.found.again[1]
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
fn ns(pico: u64) -> f64 {
    pico as f64 / 1_000.0
}

/// The cost of a slot with this pool, in ns: `C / x + k + s0 + s1 (x - 1) / 2`.
fn model(costs: &Costs, pool: u32) -> f64 {
    let pool = f64::from(pool);
    ns(costs.fixed) / pool
        + ns(costs.each)
        + ns(costs.admission)
        + ns(costs.growth) * (pool - 1.0) / 2.0
}

/// Deadlines that pass a second.
fn a_second(costs: &Costs) -> f64 {
    costs.between.map_or(0.0, |between| 1e9 / ns(between))
}

fn measured(rows: &[Row]) -> Table {
    let head = [
        "slots",
        "deadlines",
        "e, us",
        "r, us",
        "s at 0, ns",
        "s a slot more, ns",
        "C, ns",
        "k, ns",
        "k, cycles",
        "k, 1994, us (cycles)",
        "n, a second",
        "k n",
        "longest (T_g), us",
        "most a second (g)",
        "x predicted",
        "x in rounds",
    ];
    let cycle = cycle();
    let mut table = Table::new("measured while the list runs, and what follows", 2, &head);
    for row in rows {
        let (costs, found) = (&row.found.costs, &row.found);
        let (each, n) = (ns(costs.each), a_second(costs));
        let values = [ns(costs.admission), ns(costs.growth), ns(costs.fixed), each, each / cycle];
        let mut cells = vec![row.live.to_string(), row.load.name().to_owned()];
        cells.extend([costs.execution, costs.speculation].map(|part| digits(ns(part) / 1e3)));
        cells.extend(values.map(digits));
        cells.extend(["3.55 (71)".to_owned(), digits(n), format!("{:.1e}", each * n / 1e9)]);
        cells.push(digits(found.met.longest.as_nanos() as f64 / 1e3));
        cells.push(digits(1e9 / found.met.apart.as_nanos().max(1) as f64));
        cells.extend([found.predicted.to_string(), format!("{} to {}", found.from, found.to)]);
        table.rows.push(cells);
    }
    table
}

fn beside(rows: &[Row]) -> Table {
    let head = [
        "slots",
        "deadlines",
        "x predicted",
        "costs, ns",
        "best x",
        "costs, ns",
        "predicted of best",
        "x = 1 of best",
        "x = 50 of best",
        "x = 500 of best",
    ];
    let mut table = Table::new("predicted and best x, a slot that is taken", 2, &head);
    for row in rows {
        let (found, (best, cost)) = (&row.found, row.found.best());
        let mut cells = vec![row.live.to_string(), row.load.name().to_owned()];
        cells.extend([found.predicted.to_string(), digits(found.again[0])]);
        cells.extend([best.to_string(), digits(found.again[1]), digits(row.of_best())]);
        cells.extend([1, 50, 500].map(|pool| {
            let tried = found.tried.iter().find(|(slots, _)| *slots == pool);
            tried.map_or_else(|| "-".to_owned(), |(_, tried)| digits(tried / cost))
        }));
        table.rows.push(cells);
    }
    table
}

fn curves(rows: &[Row]) -> Table {
    let mut head = vec!["x".to_owned()];
    head.extend(rows.iter().flat_map(|row| [row.name(), "by the relation".to_owned()]));
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table =
        Table::new("ns a slot that is taken, by the slots between two collections", 0, &head);
    let tried = rows.first().map_or(&[][..], |row| &row.found.tried);
    for pool in tried.iter().map(|(pool, _)| *pool) {
        let mut cells = vec![pool.to_string()];
        for row in rows {
            let tried = row.found.tried.iter().find(|(slots, _)| *slots == pool);
            let tried = tried.map_or_else(|| "-".to_owned(), |(_, cost)| digits(*cost));
            cells.extend([tried, digits(model(&row.found.costs, pool))]);
        }
        table.rows.push(cells);
    }
    table
}

/// The effect of limits on the pool, with the costs of one list; the time between collections is one over the paper's g.
fn limited(row: &Row) -> Table {
    let head = ["T_g", "1 / g", "x", "because of", "a collection takes", "between two"];
    let title = format!("within limits: {}", row.name());
    let mut table = Table::new(&title, 6, &head);
    let (us, ms) = (|us: u32| Span::from_nanos(u64::from(us) * 1_000), Span::from_millis);
    let pairs = [
        (us(100), Span::ZERO),
        (us(100), ms(1)),
        (us(100), ms(100)),
        (us(1), ms(100)),
        (Span::from_nanos(1), ms(1)),
        (us(100), Span::from_secs(1_000)),
    ];
    for (longest, apart) in pairs {
        let costs = &row.found.costs;
        let mut cells = vec![longest.to_string(), apart.to_string()];
        match costs.pool(&Limits { longest, apart, slots: 1 << 12 }) {
            Ok(pool) => {
                let bound = match pool.bound {
                    Bound::Cost => "least cost",
                    Bound::Apart => "1 / g",
                    Bound::Longest => "T_g",
                    Bound::Slots => "no more slots",
                };
                let time = |pico: Option<u128>| {
                    pico.map_or_else(String::new, |pico| {
                        Span::saturating_from_nanos(pico / 1_000).to_string()
                    })
                };
                cells.extend([pool.slots.to_string(), bound.to_owned()]);
                cells.extend([costs.collection(pool.slots), costs.cycle(pool.slots)].map(time));
            }
            Err(why) => cells.extend(["-", &why.to_string(), "", ""].map(str::to_owned)),
        }
        table.rows.push(cells);
    }
    table
}

fn figure(row: &Row) -> Figure {
    let points = |of: &dyn Fn(u32, f64) -> f64| -> Vec<(f64, f64)> {
        row.found.tried.iter().map(|(pool, cost)| (f64::from(*pool), of(*pool, *cost))).collect()
    };
    let tried = points(&|_, cost| cost);
    let relation = points(&|pool, _| model(&row.found.costs, pool));
    let values = || tried.iter().chain(&relation).map(|point| point.1);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let (x, y) = (
        Axis::factors("slots between two collections (x)", 1.0, 1_000.0),
        Axis::factors("cost of a slot (ns)", least, most),
    );
    let mut chart = Chart::new("Cost against slots between collections", &row.name(), x, y);
    chart.line(&tried, solid(SERIES[0]), "");
    chart.dots(&tried, Dot { mark: Mark::Ring, colour: SERIES[0] }, "tried");
    chart.line(&relation, dashed(SERIES[1]), "C / x + k + s0 + s1 (x - 1) / 2");
    let predicted = (f64::from(row.found.predicted), row.found.again[0]);
    chart.dots(&[predicted], Dot { mark: Mark::Diamond, colour: PAPER }, "predicted x");
    Figure {
        name: "ports-collection".to_owned(),
        caption: "Few slots between two collections: each pays for much of one. Many: each search passes what is used up.".to_owned(),
        picture: chart.finish(),
    }
}

/// The evidence against the claim, and its numbers.
fn judge(rows: &[Row]) -> (Vec<String>, String) {
    let words = |row: &Row| {
        let (found, best) = (&row.found, row.found.best().0);
        format!(
            "{}: x = {} predicted, {best} best, {} of its cost",
            row.name(),
            found.predicted,
            digits(row.of_best())
        )
    };
    let mut against: Vec<_> = rows.iter().filter(|row| row.of_best() > CLOSE).map(words).collect();
    if rows.is_empty() {
        against.push("no list was measured".to_owned());
    }
    (against, rows.iter().map(words).collect::<Vec<_>>().join("; "))
}

fn notes(rows: &[Row]) -> Vec<String> {
    let interrupted: u32 = rows.iter().map(|row| row.found.interrupted).sum();
    vec![
        "The list is the original with temporal paging: a search begins at its first slot and passes all that are used up. e + r is the time from one slot taken to the next: e the work of \
         the tasks, r what is undone and done again, a fifth of it where each deadline follows the last, as in speculation. x does not depend on how much of e + r is which. s is the cost of all searches for a slot that is taken, refused ones included: s0 right after a collection, s1 more for each slot taken \
         since. C is a collection that finds nothing, with what the first search after it takes longer, k each slot that it collects, n slots that can be collected, a second."
            .to_owned(),
        "What is tried has no clock inside, and includes drawing the tasks; what is predicted was measured with a clock around each search and collection, less what reading it takes. \
         Predicted and best x are measured once more, in turn, since the least of many numbers is low by chance, too. \
         The curves lie apart by what a clock costs beyond its reading; only their shape decides about x."
            .to_owned(),
        format!(
            "{interrupted} measurements of more than 50 us were left out as interrupted. x in rounds: the least and the largest that were predicted after any of ten rounds, whose median is taken."
        ),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let tasks = settings.either(25_000, 500);
    let mut rows = Vec::new();
    for live in settings.either(&LIVE[..], &LIVE[..2]).iter().copied() {
        for load in Load::BOTH {
            (settings.progress)(&format!("{live} slots, deadlines: {}", load.name()));
            let pools: &[u32] = settings.either(&POOLS, &QUICK);
            rows.extend(paging(live, load, pools, tasks).map(|found| Row { live, load, found }));
        }
    }
    let (against, why) = judge(&rows);
    let raw = rows.iter().flat_map(|row| {
        let each = row.found.tried.iter();
        each.map(|(pool, cost)| {
            record![row.live, row.load.name(), pool, cost, model(&row.found.costs, *pool)]
        })
    });
    let raw = Raw::csv("ports-collection", "slots,deadlines,x,ns,relation_ns", raw);
    let (mut tables, mut figures) =
        (vec![measured(&rows), beside(&rows), curves(&rows)], Vec::new());
    if let Some(row) = rows.get(2) {
        tables.push(limited(row));
        figures.push(figure(row));
    }
    Ok(Findings {
        circumstances: vec![
            crate::machine::here(),
            format!(
                "{tasks} slots are taken in a round to predict, {} for each x that is tried; {TAKEN}",
                tasks / 5
            ),
        ],
        tables,
        figures,
        raw: vec![raw],
        notes: notes(&rows),
        verdict: verdict(&against, &why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(predicted: u32) -> Row {
        let costs = Costs {
            execution: 100_000_000,
            speculation: 0,
            admission: 100_000,
            growth: 2_000,
            fixed: 100_000,
            each: 5_000,
            between: Some(100_000_000),
        };
        let tried = [1, 10, 100].map(|pool| (pool, model(&costs, pool))).to_vec();
        let again = [predicted, 10].map(|pool| model(&costs, pool));
        let met = Limits { longest: Span::ZERO, apart: Span::from_secs(1), slots: 1 };
        let found = Paging { costs, met, predicted, from: 8, to: 12, again, tried, interrupted: 0 };
        Row { live: 100, load: Load::Even, found }
    }

    #[test]
    fn law_a_pool_that_costs_a_tenth_more_refutes() {
        assert_eq!(judge(&[row(10)]).0, Vec::<String>::new());
        assert_eq!(judge(&[row(10), row(1), row(100)]).0.len(), 2);
        assert_eq!(judge(&[]).0.len(), 1);
    }

    #[test]
    fn law_limits_that_contradict_are_named() {
        let table = limited(&row(10));
        let because: Vec<_> = table.rows.iter().map(|row| row[3].as_str()).collect();
        assert_eq!([because[0], because[2]], ["least cost", "1 / g"]);
        assert!(because[4].contains("at least") && because[5].contains("apart"), "{because:?}");
    }
}
