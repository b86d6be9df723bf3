//! CMU 1982, experiment 1 (1.5, figures 1-4 to 1-7): how far one of three subtasks falls behind that is always slower.
//!
//! Costs of the voter are chosen so that what 1.5 tells of granularities 256 and 1,024 comes out. The judgement is about the long run.

mod constant;
mod real;

use super::digits;
use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{ClaimStatus, Figure, Findings, Table, Verdict};
use crate::voting::{Cost, Curve, DRAWN, Drawn, LINEAR, Pace, Run, figure, records};

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "nmr-slower",
    also: &["nmr-figure-1-4", "nmr-figure-1-5", "nmr-figure-1-6", "nmr-figure-1-7"],
    title: "how far a subtask falls behind that is always slower than two others",
    source: "CMU 1982, 1.5, figures 1-4 to 1-7",
    question: "how long does a voter's queue become where one of three subtasks is always slower, and what bounds it?",
    claim: "at granularity 256 the queue stays at one row up to 50 %, and grows to a value beyond; at 1,024 it is bounded from 10 to 40 % and not at 50 %; at 4,096 and 16,384 it is not bounded",
    hosts: &[Host::Sim, Host::Here],
    absent: "what is measured is a voter, whose threads share one processor evenly, without any scheduler of ours",
    run: findings,
};

const PERCENTS: [u64; 8] = [10, 20, 30, 40, 50, 75, 100, 150];
/// The curves of figure 1-4.
const FIRST: [u64; 6] = [10, 30, 50, 75, 100, 150];
/// The curves of the others, as far as they are known.
const OTHERS: [u64; 5] = [10, 20, 30, 40, 50];

/// How the slow subtask is bound to be behind, in the long run.
///
/// While it is behind it does not wait, and takes g(1 + p) for an iteration. The others wait for two messages to be handled, which look at all n rows or one less, and are delayed by the slow one's message, which finds the
/// oldest row: they take g + 3a + 2bn. Where both are equal, n = (pg - 3a) / 2b; before a row is opened it is one less, so it is half a row more in the mean.
#[expect(clippy::cast_precision_loss, reason = "shown; below 2^53")]
fn bound(granularity: u64, percent: u64, cost: Cost) -> f64 {
    let more = (percent * granularity) as f64 / 100.0;
    ((more - 3.0 * cost.message as f64) / cost.row as f64).midpoint(1.0)
}

/// Whether the slow subtask never falls behind: its message comes late by less than three messages take, and delays the next two until it is in time.
const fn stays(granularity: u64, percent: u64, cost: Cost) -> bool {
    percent * granularity <= 300 * (cost.message + cost.row)
}

/// The bound in the long run, where it is 1 too.
fn expected(curve: &Curve) -> f64 {
    let Curve { granularity, percent, .. } = *curve;
    if stays(granularity, percent, LINEAR) { 1.0 } else { bound(granularity, percent, LINEAR) }
}

/// Whether a queue has come to its bound: it is as long as that within a row.
fn has_settled(curve: &Curve, vote: usize) -> bool {
    (f64::from(curve.run.at(vote)) - expected(curve)).abs() <= 1.0
}

fn at(run: &Run, vote: usize) -> String {
    run.lengths.get(vote - 1).map_or_else(|| "-".to_owned(), u32::to_string)
}

fn table(curves: &[Curve]) -> Table {
    let title = "linear voter (40 operations a message and 5 a row): rows of the queue after so many votes, what bounds it, and the part of that";
    let head = [
        "granularity",
        "% slower",
        "50",
        "100",
        "200",
        "2,000",
        "20,000",
        "bound",
        "at the end, of the bound",
    ];
    let mut table = Table::new(title, 0, &head);
    for curve in curves {
        let mut row = vec![curve.granularity.to_string(), curve.percent.to_string()];
        row.extend([50, 100, 200, 2_000, 20_000].map(|vote| at(&curve.run, vote)));
        let last = f64::from(curve.run.at(curve.run.lengths.len()));
        row.extend([expected(curve), last / expected(curve)].map(digits));
        table.rows.push(row);
    }
    table
}

fn label(granularity: &str, percent: u64) -> String {
    format!("granularity = {granularity} + {percent} % slower")
}

fn figures(curves: &[Curve]) -> Vec<Figure> {
    let drawn = |number, caption, rows| Drawn { number, differs: "", caption, rows, label };
    let of = |drawn: Drawn, granularity: u64, percents: &[u64]| {
        let here =
            |curve: &&Curve| curve.granularity == granularity && percents.contains(&curve.percent);
        let curves: Vec<&Curve> = curves.iter().filter(here).collect();
        figure(drawn, &curves)
    };
    vec![
        of(
            drawn(
                "1-4",
                "Granularity 256. Legend and axis are those of the paper. 10, 30 and 50 % lie on each other at one row; 75 % and more grow to a value.",
                30.0,
            ),
            256,
            &FIRST,
        ),
        of(
            drawn(
                "1-5",
                "Granularity 1,024. The legend of the paper is lost: 10 to 50 %, as in figure 1-9; and the axis: that of 1-4. 50 % leaves it before 200 votes.",
                30.0,
            ),
            1_024,
            &OTHERS,
        ),
        of(
            drawn(
                "1-6",
                "Granularity 4,096. Legend and axis of the paper are lost: 10 to 50 %, and the axis of 1-7.",
                50.0,
            ),
            4_096,
            &OTHERS,
        ),
        of(
            drawn(
                "1-7",
                "Granularity 16,384. Of the legend of the paper only 10 % is left; the axis is its own.",
                50.0,
            ),
            16_384,
            &OTHERS,
        ),
    ]
}

/// The parts of the claim that are contradicted, and those that agree.
fn judge(curves: &[Curve], votes: usize) -> (Vec<String>, String) {
    let mut against = Vec::new();
    for curve in curves {
        let Curve { granularity, percent, ref run } = *curve;
        let short = granularity == 256 && percent <= 50;
        if short && run.lengths.iter().any(|rows| *rows != 1) {
            against.push(format!("granularity {granularity} + {percent} % leaves one row"));
        }
        if granularity == 256 && !short && run.at(votes) <= 1 {
            against.push(format!("granularity {granularity} + {percent} % stays at one row"));
        }
        let unbounded = granularity > 1_024 || granularity == 1_024 && percent == 50;
        if unbounded && OTHERS.contains(&percent) && has_settled(curve, votes) {
            against.push(format!(
                "granularity {granularity} + {percent} % ends at {} rows",
                run.at(votes)
            ));
        }
    }
    let settled = curves.iter().filter(|curve| has_settled(curve, votes)).count();
    let why = format!(
        "after {votes} votes {settled} of {} settings are within a row of ((pg - 3a)/b + 1)/2",
        curves.len()
    );
    (against, why)
}

fn notes() -> Vec<String> {
    vec![
        "In 200 votes the queue does what 1.5 tells. That a queue is not bounded cannot be seen in 200 votes: with a linear search and a queue that is never full, each is bounded by ((pg - 3a)/b + 1)/2 rows, at which the fast subtasks wait for their voters as long as the slow one takes longer. It comes near that \
         with a time constant of g(1 + p)/2b votes, 4,096 of them at granularity 16,384 and 150 %."
            .to_owned(),
        "A voter that finds a row at once costs c for a message. Up to pg = 3c the slow subtask is never more than an iteration behind. Beyond, it falls behind by (pg - 2c)/(g + pg) rows a vote at most, and by (pg - 3c)/(g + pg) at least, without end: nothing in the cost depends on the queue. Only what the queue itself does \
         can bound it: a full queue pushes out rows, and from then on the values of the slow subtask are late, so that two subtasks are left and no fault is masked; or the fast ones wait while it is full, and all are as slow as the slowest. A limit on the lag reports the subtask as faulty before that, and changes nothing itself."
            .to_owned(),
        "Time is in operations, so that a queue depends on percent, granularity, a and b alone.".to_owned(),
    ]
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let votes = settings.either(20_000, 2_000);
    let mut all = Findings {
        circumstances: Vec::new(),
        tables: Vec::new(),
        figures: Vec::new(),
        raw: Vec::new(),
        notes: notes(),
        verdict: Verdict {
            standing: ClaimStatus::Open,
            why: "not simulated: real threads show only an order".to_owned(),
        },
    };
    if settings.on(Host::Sim) {
        (settings.progress)("simulated voters");
        let curves = Curve::all(&PERCENTS, votes, |trial| trial, Pace::slower);
        let (against, why) = judge(&curves, votes);
        let verdict = Verdict::by(&against, &why);
        all.verdict = Verdict { why: format!("{}; {why}", verdict.why), ..verdict };
        all.circumstances.push(format!("sim: {votes} votes, of which figures show {DRAWN}"));
        all.tables.push(table(&curves));
        all.tables.extend(constant::tables(votes));
        all.figures = figures(&curves);
        all.raw.push(records("nmr-slower", &curves));
    }
    if settings.on(Host::Here) {
        real::add(settings, &mut all)?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::{GRANULARITIES, Trial};

    /// Lengths after 2,000 votes of the same text as a model in another language has them.
    const KNOWN: [(u64, &[(u64, u32)]); 2] = [
        (256, &[(10, 1), (50, 1), (75, 8), (100, 14), (150, 27)]),
        (1_024, &[(10, 1), (20, 9), (30, 19), (40, 29), (50, 40)]),
    ];

    #[test]
    fn paper_1_5_small_granularities_have_the_lengths_that_its_text_leads_to() {
        for (granularity, lengths) in KNOWN {
            for (percent, rows) in lengths {
                let run = Trial::new(granularity, Pace::slower(*percent), 2_000).run();
                assert_eq!(run.at(2_000), *rows, "{granularity} + {percent} %");
            }
        }
    }

    #[test]
    fn law_a_queue_ends_within_a_row_of_its_bound_whatever_a_and_b() {
        let mut judged = [0, 0];
        for (message, row) in [(40, 5), (10, 20), (0, 1), (100, 3), (300, 40)] {
            let cost = Cost { message, row };
            for granularity in &GRANULARITIES[..2] {
                for percent in PERCENTS {
                    let run =
                        Trial::new(*granularity, Pace::slower(percent), 3_000).cost(cost).run();
                    let rows = f64::from(run.at(3_000));
                    if stays(*granularity, percent, cost) {
                        assert!(
                            run.lengths.iter().all(|rows| *rows == 1),
                            "{cost:?} {granularity} {percent}"
                        );
                        judged[0] += 1;
                    } else if granularity * (100 + percent) < 60_000 * row {
                        // At least ten time constants.
                        let bound = bound(*granularity, percent, cost);
                        assert!(
                            (rows - bound).abs() <= 1.0,
                            "{cost:?} {granularity} {percent}: {rows}, {bound}"
                        );
                        judged[1] += 1;
                    }
                }
            }
        }
        assert!(judged[0] >= 10 && judged[1] >= 20, "{judged:?}");
    }

    #[test]
    fn law_the_longest_queue_needs_more_than_20_000_votes_to_come_to_its_bound() {
        let run = Trial::new(16_384, Pace::slower(150), 32_000).run();
        let (granularity, percent) = (16_384, 150);
        let off = |vote| bound(granularity, percent, LINEAR) - f64::from(run.at(vote));
        assert!(off(20_000) > 10.0, "{}", off(20_000));
        assert!(off(32_000).abs() <= 1.0, "{}", off(32_000));
    }
}
