//! A voter that finds a row at once: what bounds its queue.

use crate::experiments::digits;
use crate::findings::Table;
use crate::voting::{CONSTANT, GRANULARITIES, Pace, Trial};

const PERCENTS: [u64; 5] = [10, 20, 30, 50, 100];
/// Rows of a limited queue.
const LIMITS: [Option<u32>; 4] = [Some(16), Some(64), Some(256), None];

/// The most and the least rows that a slow subtask falls behind in a vote, when it is not held: the fast ones wait for two messages, and at most for a third, in each iteration.
#[expect(clippy::cast_precision_loss, reason = "shown; below 2^53")]
fn rates(granularity: u64, percent: u64) -> [f64; 2] {
    let (normal, message) = (granularity as f64, CONSTANT.message as f64);
    let more = normal * percent as f64 / 100.0;
    [3.0, 2.0].map(|messages| (more - messages * message) / (normal + more))
}

/// Whether it is held at one row.
const fn stays(granularity: u64, percent: u64) -> bool {
    percent * granularity <= 300 * CONSTANT.message
}

pub(super) fn tables(votes: usize) -> [Table; 2] {
    [climbs(votes), limited(votes)]
}

fn climbs(votes: usize) -> Table {
    let title = "constant voter (130 operations a message): rows after so many votes, rows a vote, and between which they are where the queue grows";
    let head =
        ["granularity", "% slower", "200", "2,000", "20,000", "rows a vote", "least", "most"];
    let mut table = Table::new(title, 0, &head);
    for granularity in GRANULARITIES {
        for percent in PERCENTS {
            let run = Trial::new(granularity, Pace::slower(percent), votes).cost(CONSTANT).run();
            let mut row = vec![granularity.to_string(), percent.to_string()];
            row.extend([200, 2_000, 20_000].map(|vote| super::at(&run, vote)));
            let last = f64::from(run.at(votes) - run.at(votes / 2));
            #[expect(clippy::cast_precision_loss, reason = "at most 20,000")]
            row.push(digits(last / (votes - votes / 2) as f64));
            let rates =
                if stays(granularity, percent) { [0.0; 2] } else { rates(granularity, percent) };
            row.extend(rates.map(digits));
            table.rows.push(row);
        }
    }
    table
}

fn limited(votes: usize) -> Table {
    let title = "constant voter, granularity 4,096, 50 % slower, with a queue of so many rows: rows at the end, and values of the slow subtask that came too late to be voted on";
    let mut table = Table::new(title, 1, &["queue", "rows", "late", "votes"]);
    for queue in LIMITS {
        let trial = Trial { queue, ..Trial::new(4_096, Pace::slower(50), votes).cost(CONSTANT) };
        let run = trial.run();
        let name = queue.map_or("never full".to_owned(), |rows| rows.to_string());
        table.rows.push(vec![
            name,
            run.at(votes).to_string(),
            run.late.to_string(),
            votes.to_string(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_voter_of_constant_cost_stays_at_one_row_or_climbs_without_end() {
        let mut judged = [0, 0];
        for granularity in GRANULARITIES {
            for percent in [1, 2, 5, 10, 20, 30, 40, 50, 75, 100, 150] {
                let run =
                    Trial::new(granularity, Pace::slower(percent), 2_000).cost(CONSTANT).run();
                if stays(granularity, percent) {
                    assert!(run.lengths.iter().all(|rows| *rows == 1), "{granularity} {percent}");
                    judged[0] += 1;
                } else {
                    let climbed = f64::from(run.at(2_000) - run.at(1_000));
                    let [least, most] = rates(granularity, percent).map(|rate| rate * 1_000.0);
                    assert!(
                        (least - 1.0..=most + 1.0).contains(&climbed),
                        "{granularity} {percent}: {climbed}"
                    );
                    judged[1] += 1;
                }
            }
        }
        assert!(judged.iter().all(|judged| *judged >= 10), "{judged:?}");
    }

    #[test]
    fn law_a_full_queue_bounds_it_and_loses_the_slow_subtask() {
        let trial = Trial::new(4_096, Pace::slower(50), 2_000).cost(CONSTANT);
        let full = Trial { queue: Some(64), ..trial }.run();
        assert!(full.lengths.iter().all(|rows| *rows <= 64) && full.at(2_000) == 64);
        assert!(full.late > 500, "{}", full.late);
        assert_eq!(trial.run().late, 0);
    }
}
