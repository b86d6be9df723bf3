//! CMU 1982, experiment 3 (1.7, figures 1-12 to 1-14): a subtask that is slower for 20 iterations and then as fast as the others: how it catches up.

use crate::experiment::{Experiment, Host, LabError, Settings};
use crate::findings::{Figure, Findings, Table, Verdict};
use crate::voting::{
    CONSTANT, Cost, Curve, Drawn, FREE, GRANULARITIES, LINEAR, Pace, Run, Trial, figure,
    lengths_table, records,
};

pub(super) static EXPERIMENT: Experiment = Experiment {
    name: "nmr-recovering",
    also: &["nmr-figure-1-12", "nmr-figure-1-13", "nmr-figure-1-14"],
    title: "a subtask that is slower for 20 iterations and then as fast as the others",
    source: "CMU 1982, 1.7, figures 1-12 to 1-14",
    question: "does a subtask catch up that is no faster than the others, and how fast?",
    claim: "while all are as fast the queue becomes shorter, by what the voter costs the others, and given long enough it comes to one row",
    hosts: &[Host::Sim],
    absent: "periods of 20 iterations are shorter than what a thread runs at a stretch",
    run: findings,
};

const PERCENTS: [u64; 5] = [10, 20, 30, 40, 50];
/// A voter, by name.
const VOTERS: [(&str, Cost); 3] = [("40 + 5 a row", LINEAR), ("130", CONSTANT), ("0", FREE)];
/// Longer than any of these subtasks takes to catch up, if it does.
const LONG: usize = 4_000;

fn label(granularity: &str, percent: u64) -> String {
    format!("granularity = {granularity} + {percent} %, 0 every 20 votes")
}

fn figures(curves: &[Curve]) -> Vec<Figure> {
    let each = [
        (1_024, "1-12", "Granularity 1,024. Legend and axis are those of the paper."),
        (
            4_096,
            "1-13",
            "Granularity 4,096. The caption of the paper is lost; granularity, legend and axis are as 1-12 and the other experiments lead to expect.",
        ),
        (16_384, "1-14", "Granularity 16,384. The caption of the paper is lost, too."),
    ];
    let draw = |(granularity, number, caption)| {
        let here = curves.iter().filter(|curve| curve.granularity == granularity);
        figure(Drawn { number, differs: "", caption, rows: 40.0, label }, &here.collect::<Vec<_>>())
    };
    each.map(draw).into()
}

/// A subtask that is slower for 20 iterations once.
fn once(granularity: u64, percent: u64, cost: Cost) -> Run {
    // Its second period does not end.
    Trial::new(granularity, Pace::recovering(percent).long(20, 1 << 40), LONG).cost(cost).run()
}

/// The longest queue, and in how many votes after that it comes to one row for good; `None` if it does not.
fn recovery(run: &Run) -> (u32, Option<usize>) {
    let most = run.lengths.iter().copied().max().unwrap_or(1);
    let top = run.lengths.iter().rposition(|rows| *rows == most).unwrap_or(0);
    let last = run.lengths.iter().rposition(|rows| *rows > 1);
    let restored = last.map_or(0, |last| last + 1);
    (most, (restored < run.lengths.len()).then(|| restored.saturating_sub(top)))
}

/// The evidence against the claim, and the table of recoveries.
fn recoveries() -> (Vec<String>, Table) {
    let title = "slower for 20 iterations once, then as fast: the longest queue, in rows, and in how many votes it comes to one row from there, for 10, 30 and 50 %";
    let head = [
        "voter",
        "granularity",
        "10 %: rows",
        "votes",
        "30 %: rows",
        "votes",
        "50 %: rows",
        "votes",
    ];
    let mut table = Table::new(title, 1, &head);
    let mut against = Vec::new();
    for (name, cost) in VOTERS {
        for granularity in GRANULARITIES {
            let mut row = vec![name.to_owned(), granularity.to_string()];
            for percent in [10, 30, 50] {
                let (most, votes) = recovery(&once(granularity, percent, cost));
                if votes.is_none() && cost != FREE {
                    against.push(format!("voter {name}, granularity {granularity}, {percent} %: not restored in {LONG} votes"));
                }
                row.push(most.to_string());
                row.push(votes.map_or_else(|| "never".to_owned(), |votes| votes.to_string()));
            }
            table.rows.push(row);
        }
    }
    (against, table)
}

fn findings(settings: &Settings<'_>) -> Result<Findings, LabError> {
    let until: &[usize] = settings.either(&[200, 2_000, 20_000], &[200, 2_000]);
    let votes = until[until.len() - 1];
    (settings.progress)("simulated voters");
    let curves = Curve::all(&PERCENTS, votes, |trial| trial, Pace::recovering);
    (settings.progress)("slower once");
    let (against, recoveries) = recoveries();
    let title = "least and largest queue, in rows, in the 40 votes before each";
    let longest = recoveries.rows.iter().filter(|row| row[0] == VOTERS[0].0).map(|row| &row[7]);
    let longest: Vec<&str> = longest.map(String::as_str).collect();
    let why = format!(
        "after 20 iterations at 50 % it comes to one row in {} votes at granularities 256 to 16,384; a voter that takes no time restores nothing",
        longest.join(", ")
    );
    Ok(Findings {
        circumstances: vec![format!("sim: {votes} votes, linear voter (40 operations a message and 5 a row)")],
        tables: vec![lengths_table(title, until, &curves), recoveries],
        figures: figures(&curves),
        raw: vec![records("nmr-recovering", &curves)],
        notes: vec!["20 normal iterations are not long enough for what 20 slow ones did, but at small granularities: the queue increases until the voter's cost at that length hides the slower half in the mean, which is about the bound of experiment 1 with half of the per cent. That increase is one that follows from the paper's words; figure 1-11's does not.".to_owned()],
        verdict: Verdict::by(&against, &why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_queue_never_grows_while_all_are_as_fast() {
        let mut shorter = 0;
        for (_, cost) in VOTERS {
            for granularity in GRANULARITIES {
                let run = once(granularity, 50, cost);
                let after = &run.lengths[40..];
                // A message of the slow subtask may come just before a row or just after.
                assert!(after.windows(2).all(|two| two[1] <= two[0] + 1), "{granularity} {cost:?}");
                let lowest = after.iter().scan(u32::MAX, |low, rows| {
                    *low = (*low).min(*rows);
                    Some(*low)
                });
                assert!(
                    after.iter().zip(lowest).all(|(rows, low)| *rows <= low + 1),
                    "{granularity} {cost:?}"
                );
                shorter += u32::from(after[after.len() - 1] < run.lengths[30]);
                assert_eq!(recovery(&run).1.is_some(), cost != FREE || granularity == 0);
            }
        }
        assert!(shorter >= 4, "{shorter}");
    }
}
