//! When values come too late for their row, on the simulated structure of three subtasks and three voters (CMU 1982, 1.2 to 1.4): the first subtask is delayed once, or is slower all the time.

use crate::voting::{LINEAR, Pace, Trial, WHOLE};

/// Operations of a subtask for a value: so many that voters are never busy for long.
const GRANULARITY: u64 = 16_384;
/// Delays are told in parts of an iteration.
pub(super) const TENTHS: u64 = 10;
/// The longest delay that is looked for, in iterations.
const LONGEST: u64 = 40;
/// Votes in which a slower subtask may come too late.
pub(super) const VOTES: u64 = 5_000;

/// The least of `1..=most` for which this holds; it holds for all larger ones, too. Looks at small ones first, since large ones take longer.
fn least(most: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut below, mut least) = (0, 1);
    while !holds(least) {
        if least == most {
            return None;
        }
        (below, least) = (least, (2 * least).min(most));
    }
    while least - below > 1 {
        let middle = below + (least - below) / 2;
        if holds(middle) {
            least = middle;
        } else {
            below = middle;
        }
    }
    Some(least)
}

/// Whether a value of the first subtask comes too late.
fn is_late(pace: Pace, queue: u32, votes: u64) -> bool {
    let votes = usize::try_from(votes).expect("some thousands");
    let trial = Trial { queue: Some(queue), ..Trial::new(GRANULARITY, pace, votes).cost(LINEAR) };
    trial.run().late > 0
}

/// One iteration takes so many tenths of an iteration longer, and no other.
fn delayed(tenths: u64) -> Pace {
    let once = WHOLE + WHOLE / TENTHS * tenths;
    Pace::of([once, WHOLE]).long(1, VOTES)
}

/// The least delay, in tenths of an iteration, with which values come too late for a queue of so many rows.
pub(super) fn least_delay(queue: u32) -> Option<u64> {
    let late = |tenths| is_late(delayed(tenths), queue, 2 * LONGEST);
    least(LONGEST * TENTHS, late)
}

/// In which vote the first value comes too late, where each iteration takes so many per cent longer; `None`: not in [`VOTES`]. The more rows a voter looks at, the longer others wait for its vote, too, so that a subtask that is little slower keeps up.
pub(super) fn first_late(queue: u32, percent: u64) -> Option<u64> {
    least(VOTES, |votes| is_late(Pace::slower(percent), queue, votes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_the_least_is_found() {
        for wanted in 1..=40 {
            assert_eq!(least(40, |tried| tried >= wanted), Some(wanted));
        }
        assert_eq!(least(40, |_| false), None);
    }

    #[test]
    fn law_a_longer_delay_is_never_less_late() {
        for queue in [1, 3] {
            let late = |tenths| is_late(delayed(tenths), queue, 2 * LONGEST);
            let lost: Vec<bool> = (1..60).map(late).collect();
            assert!(lost.is_sorted() && lost[58] && !lost[0], "{queue}: {lost:?}");
        }
    }

    #[test]
    fn law_each_row_allows_for_an_iteration_of_delay() {
        for queue in [1, 2, 4, 8, 16] {
            let delay = least_delay(queue).unwrap();
            let whole = u64::from(queue) * TENTHS;
            assert!((whole..whole + TENTHS).contains(&delay), "{queue} rows: {delay} tenths");
        }
    }

    #[test]
    fn law_who_is_slower_all_the_time_is_lost_the_sooner_the_slower_and_the_fewer_rows() {
        let lost = |(queue, percent)| first_late(queue, percent).unwrap_or(u64::MAX);
        let votes = [(1, 10), (1, 1), (8, 10), (8, 1)].map(lost);
        assert!(votes[0] < votes[1] && votes[0] < votes[2] && votes[2] < votes[3], "{votes:?}");
    }
}
