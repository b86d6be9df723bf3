//! The same on real threads, beside the simulation: only the order of the curves is looked at.

use crate::experiment::{LabError, Settings};
use crate::findings::{Findings, Raw, Table, record};
use crate::machine::here;
use crate::voting::{LINEAR, Measured, Pace, Trial, measure};

/// Granularities and per cent.
const SETTINGS: [(u64, u64); 4] = [(1_024, 10), (1_024, 50), (4_096, 10), (4_096, 50)];

/// The mean length in the last quarter, in tenths of a row.
fn last_quarter(lengths: &[u32]) -> u64 {
    let last = &lengths[lengths.len() - lengths.len() / 4..];
    last.iter().map(|rows| u64::from(*rows) * 10).sum::<u64>() / last.len() as u64
}

fn rows(tenths: u64) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Whether these come in the same order.
fn in_order(simulated: &[u64], measured: &[u64]) -> bool {
    let pairs = (0..simulated.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    pairs.into_iter().all(|(one, other)| {
        simulated[one].cmp(&simulated[other]) == measured[one].cmp(&measured[other])
    })
}

/// Measures, and adds a table, a note and the end of the verdict.
pub(super) fn add(settings: &Settings<'_>, all: &mut Findings) -> Result<(), LabError> {
    // 16 us, so that an iteration lasts several times what a thread runs at a stretch.
    let (votes, steps) = settings.either((100, 16_000), (40, 20));
    let title = "real threads on one processor: rows of the queue in the last quarter of the votes, in the mean, beside the simulated ones";
    let mut table = Table::new(title, 0, &["granularity", "% slower", "simulated", "here"]);
    let (mut simulated, mut measured, mut raw) = (Vec::new(), Vec::new(), Vec::new());
    for (granularity, percent) in SETTINGS {
        (settings.progress)(&format!("real threads: granularity {granularity} + {percent} %"));
        let pace = Pace::slower(percent);
        let run = Trial::new(granularity, pace, votes).run();
        let lengths = measure(&Measured { granularity, pace, cost: LINEAR, votes, steps })?;
        simulated.push(last_quarter(&run.lengths));
        measured.push(last_quarter(&lengths));
        let last = [&simulated, &measured].map(|all| rows(all[all.len() - 1]));
        table
            .rows
            .push([vec![granularity.to_string(), percent.to_string()], last.to_vec()].concat());
        let each = run.lengths.iter().zip(&lengths).enumerate();
        raw.extend(
            each.map(|(vote, (sim, here))| record![granularity, percent, vote + 1, sim, here]),
        );
    }
    let said = if settings.quick {
        "a quick run is too short to judge the order of real threads"
    } else if in_order(&simulated, &measured) {
        "real threads come in the same order"
    } else {
        "real threads come in another order: open here"
    };
    all.circumstances.push(format!("{}; six threads on one processor, {votes} votes, {steps} steps of counted work an operation", here()));
    all.tables.push(table);
    all.raw.push(Raw::csv("nmr-slower-threads", "granularity,percent,vote,simulated,here", raw));
    all.verdict.why = format!("{}; {said}", all.verdict.why);
    all.notes.push("Real threads: the kernel shares one processor among three subtasks and three voters, so each has an equal part while it can run. A queue differs from the simulated one by what a thread does at a stretch (some milliseconds, a fraction of an iteration in a full run). Times, rates and what caches do to a voter of its own processor are not shown; for that, six processors are needed.".to_owned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_an_order_is_the_same_if_each_pair_is() {
        assert!(in_order(&[1, 2, 3], &[10, 11, 40]) && in_order(&[1, 1], &[2, 2]));
        assert!(!in_order(&[1, 2, 3], &[10, 41, 40]) && !in_order(&[1, 2], &[1, 1]));
        assert_eq!((last_quarter(&[0, 0, 9, 9, 9, 9, 5, 6]), rows(55)), (55, "5.5".to_owned()));
    }

    #[test]
    fn law_each_vote_of_real_threads_has_a_length_of_a_row_or_more() {
        let trial = Measured {
            granularity: 256,
            pace: Pace::slower(50),
            cost: LINEAR,
            votes: 30,
            steps: 1,
        };
        let lengths = measure(&trial).expect("threads may be kept on a processor");
        assert_eq!(lengths.len(), 30);
        assert!((1..).zip(&lengths).all(|(vote, rows)| (1..=vote).contains(rows)), "{lengths:?}");
    }
}
