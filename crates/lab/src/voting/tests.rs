//! The model of voters against a model in another language, and against what the paper tells in words.

use super::pace::Counted;
use super::{Cost, Pace, Trial, least_and_most};

/// Lengths by message, row, experiment, how periods are counted, granularity and per cent: after 50, 100, 200 and 2,000 votes where the subtask is always slower; else least and largest of votes 161 to 200, and of 1,961 to 2,000.
const REFERENCE: &str = include_str!("../../tests/reference/voters.csv");

#[test]
fn paper_lengths_are_those_of_a_model_of_its_text() {
    let mut judged = [0; 5];
    for line in REFERENCE.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |place: usize| fields[place].parse::<u64>().unwrap();
        let percent = number(5);
        let (kind, pace) = match (fields[2], fields[3]) {
            ("slower", _) => (0, Pace::slower(percent)),
            ("oscillating", "own") => (1, Pace::oscillating(percent)),
            ("oscillating", _) => (2, Pace::oscillating(percent).counted(Counted::Votes)),
            ("recovering", "own") => (3, Pace::recovering(percent)),
            _ => (4, Pace::recovering(percent).counted(Counted::Votes)),
        };
        let cost = Cost { message: number(0), row: number(1) };
        let run = Trial::new(number(4), pace, 2_000).cost(cost).run();
        let ours: Vec<u64> = if kind == 0 {
            [50, 100, 200, 2_000].map(|vote| run.at(vote).into()).to_vec()
        } else {
            let ends = [200, 2_000].map(|vote| least_and_most(&run, vote));
            ends.iter().flat_map(|(least, most)| [u64::from(*least), u64::from(*most)]).collect()
        };
        let theirs: Vec<u64> = (6..10).map(number).collect();
        // The other model begins with an iteration of the second period where periods are counted in votes, which is half a row that is never made up for; and if voters take no time,
        // its roundings say which of the messages of one instant comes first.
        let most = u64::from(kind == 4 || number(0) == 0);
        let close = ours.iter().zip(&theirs).all(|(one, other)| one.abs_diff(*other) <= most);
        assert!(close, "{line}: {ours:?}");
        judged[kind] += 1;
    }
    assert_eq!(judged, [96, 36, 36, 36, 36]);
}
