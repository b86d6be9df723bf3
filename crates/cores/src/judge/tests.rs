use super::*;
use Digest::{Absent, Of, Panicked};

const KNOWN: u64 = 42;

/// A judge after one round for each row.
fn after(rows: &[&[Digest]]) -> Judge {
    let processors: Vec<u16> = (10..).take(rows[0].len()).collect();
    let mut judge = Judge::new(Kind::Integer, &processors).unwrap();
    for (row, round) in rows.iter().zip(1..) {
        judge.weigh(round, row, KNOWN);
    }
    judge
}

/// By processor: rounds, wrong, outvoted, common.
fn counts(judge: &Judge) -> Vec<[u64; 4]> {
    let counts =
        |result: &KindResult| [result.rounds, result.wrong, result.outvoted, result.common];
    judge.results.iter().map(counts).collect()
}

#[test]
fn law_sound_processors_are_not_named() {
    for count in [1, 2, 3, 64, 65, 130] {
        let row = vec![Of(KNOWN); count];
        let judge = after(&[&row, &row]);
        assert_eq!(counts(&judge), vec![[2, 0, 0, 0]; count]);
        let groups = if count == 1 { 0 } else { count.div_ceil(64) as u64 };
        assert_eq!((judge.votes.voted, judge.votes.without), (2 * groups, 0));
        assert!(judge.common.is_none());
    }
}

#[test]
fn law_one_of_three_is_named_by_the_vote_and_the_known_answer() {
    let judge = after(&[&[Of(KNOWN), Of(7), Of(KNOWN)], &[Of(KNOWN); 3]]);
    assert_eq!(counts(&judge), [[2, 0, 0, 0], [2, 1, 1, 0], [2, 0, 0, 0]]);
    let wrong = WrongDigest { round: 1, found: Some(7), known: KNOWN, voted: Some(KNOWN) };
    assert_eq!(judge.results[1].first, [wrong]);
}

#[test]
fn law_one_of_two_is_named_by_the_known_answer() {
    let judge = after(&[&[Of(KNOWN), Of(7)], &[Of(7), Of(8)]]);
    assert_eq!(counts(&judge), [[2, 1, 0, 0], [2, 2, 0, 0]]);
    assert_eq!((judge.votes.voted, judge.votes.without), (0, 2));
    assert!(judge.common.is_none());
}

#[test]
fn law_a_single_processor_is_compared_and_does_not_vote() {
    let judge = after(&[&[Of(7)], &[Of(KNOWN)]]);
    assert_eq!(counts(&judge), [[2, 1, 0, 0]]);
    assert_eq!((judge.votes.voted, judge.votes.without), (0, 0));
}

#[test]
fn law_a_majority_that_differs_from_the_known_answer_is_a_common_cause() {
    let judge = after(&[&[Of(7), Of(7), Of(KNOWN)], &[Of(9), Of(9), Of(8)], &[Of(KNOWN); 3]]);
    // Who agrees with the majority is not accused; who differs from both is.
    assert_eq!(counts(&judge), [[3, 0, 0, 2], [3, 0, 0, 2], [3, 1, 0, 0]]);
    let common = judge.common.unwrap();
    assert_eq!((common.rounds, common.first, common.voted, common.known), (2, 1, 7, KNOWN));
    assert_eq!(common.processors, [10, 11]);
}

#[test]
fn law_a_panic_is_a_wrong_answer_and_an_absence_none() {
    let judge = after(&[&[Of(KNOWN), Panicked, Of(KNOWN)], &[Of(KNOWN), Absent, Of(KNOWN)]]);
    assert_eq!(counts(&judge), [[2, 0, 0, 0], [1, 1, 1, 0], [2, 0, 0, 0]]);
    assert_eq!(judge.results[1].first[0].found, None);
    let alone = after(&[&[Absent, Panicked], &[Absent, Absent], &[Of(KNOWN), Of(KNOWN)]]);
    assert_eq!(counts(&alone), [[1, 0, 0, 0], [2, 1, 0, 0]]);
    assert_eq!((alone.votes.voted, alone.votes.without), (1, 2));
}

#[test]
fn law_a_wrong_one_of_many_groups_is_named() {
    let mut row = vec![Of(KNOWN); 130];
    row[100] = Of(1);
    let judge = after(&[&row]);
    let wrong: Vec<usize> = (0..130).filter(|place| judge.results[*place].wrong > 0).collect();
    assert_eq!(wrong, [100]);
    assert_eq!(judge.results[100].outvoted, 1);
}

#[test]
fn limit_the_first_wrong_digests_are_kept_and_all_are_counted() {
    let row: &[Digest] = &[Of(KNOWN), Of(1), Of(KNOWN)];
    let judge = after(&vec![row; 100]);
    assert_eq!((judge.results[1].wrong, judge.results[1].first.len()), (100, MOST_KEPT));
}
