//! The voter and its rules: what they answer, and what they refuse.

use proptest::prelude::*;
use windfall_nmr::rule::RuleError;
use windfall_nmr::{
    Constant, Iteration, Linear, Majority, Median, MembersError, Plurality, Received,
    ReplicaNumber, Replicas, Report, Rule, Search, Settings, SettingsError, Voter, Within,
};

const fn replica(number: u8) -> ReplicaNumber {
    ReplicaNumber(number)
}

fn set(numbers: &[u8]) -> Replicas {
    numbers.iter().copied().map(ReplicaNumber).collect()
}

/// What a voter says, without borrowing.
#[derive(Clone, PartialEq, Debug)]
enum Said<V> {
    Voted(u64, V, Replicas),
    Errors(u64, bool, Replicas, Replicas),
    Other(String),
}

fn said<V: Clone + std::fmt::Debug>(report: Report<'_, V>) -> Said<V> {
    match report {
        Report::Voted { iteration, value, agree } => Said::Voted(iteration.0, value.clone(), agree),
        Report::Errors { iteration, voted, wrong, absent } => {
            Said::Errors(iteration.0, voted, wrong, absent)
        }
        other => Said::Other(format!("{other:?}")),
    }
}

/// Offers values in order, and takes what is said.
fn offer<V: Clone + std::fmt::Debug, R: Rule<V>, S: Search>(
    voter: &mut Voter<V, R, S>,
    values: &[(u8, u64, V)],
) -> Vec<Said<V>> {
    let mut all = Vec::new();
    for (from, iteration, value) in values {
        let report = |report: Report<'_, V>| all.push(said(report));
        voter.receive(replica(*from), Iteration(*iteration), value.clone(), report);
    }
    all
}

fn voter<V, R: Rule<V>>(settings: &Settings, rule: R) -> Voter<V, R> {
    Voter::new(settings, rule).expect("it can be")
}

#[test]
fn paper_a_majority_votes_and_the_row_reports_errors_when_it_is_complete() {
    let mut voter = voter(&Settings::new(3), Majority::EXACT);
    let said = offer(&mut voter, &[(0, 1, 7), (2, 1, 8), (1, 1, 7)]);
    assert_eq!(said[0], Said::Voted(1, 7, set(&[0, 1])));
    assert_eq!(said[1], Said::Errors(1, true, set(&[2]), set(&[])));
    assert_eq!((voter.length(), voter.voted(Iteration(1))), (0, Some(&7)));
}

#[test]
fn paper_a_full_queue_pushes_out_its_oldest_row_and_reports_who_is_absent() {
    let mut voter = voter(&Settings::new(3).queue(2).ahead(1), Majority::EXACT);
    let mut values = Vec::new();
    for iteration in 1..=3 {
        values.extend([(0, iteration, iteration), (1, iteration, iteration)]);
    }
    let said = offer(&mut voter, &values);
    assert!(said.contains(&Said::Errors(1, true, set(&[]), set(&[2]))), "{said:?}");
    assert_eq!(voter.length(), 2);
    let late = voter.receive(replica(2), Iteration(1), 1, |_| ());
    assert_eq!(late, Received::Late);
    assert_eq!(voter.receive(replica(2), Iteration(2), 2, |_| ()), Received::Compared);
}

#[test]
fn paper_a_queue_of_length_one_is_synchronous_voting() {
    let mut voter = voter(&Settings::new(3).queue(1), Majority::EXACT);
    let said = offer(&mut voter, &[(0, 1, 1), (1, 1, 1), (0, 2, 2), (2, 1, 1)]);
    assert_eq!(said[1], Said::Errors(1, true, set(&[]), set(&[2])));
    assert!(matches!(&said[2], Said::Other(late) if late.starts_with("Late")), "{said:?}");
}

#[test]
fn law_a_wrong_iteration_is_stored_nowhere_and_reported() {
    let mut voter = voter(&Settings::new(3).queue(4), Majority::EXACT);
    for wrong in [3, 100, u64::MAX / 2 + 1, u64::MAX] {
        let mut ahead = 0;
        let count =
            |report: Report<'_, u64>| ahead += u32::from(matches!(report, Report::Ahead { .. }));
        assert_eq!(voter.receive(replica(0), Iteration(wrong), 1, count), Received::Ahead);
        assert_eq!((ahead, voter.length()), (1, 0));
    }
    assert_eq!(voter.receive(replica(0), Iteration(0), 1, |_| ()), Received::Late);
    assert_eq!(voter.record(replica(0)).expect("it is one").ahead, 4);
}

#[test]
fn law_who_was_wrong_since_when() {
    let mut voter = voter(&Settings::new(3), Majority::EXACT);
    for iteration in 1..=9 {
        let bad = if (4..=6).contains(&iteration) { 1 } else { 0 };
        offer(&mut voter, &[(0, iteration, 0), (1, iteration, 0), (2, iteration, bad)]);
        let record = voter.record(replica(2)).expect("it is one");
        let since = (4..=6).contains(&iteration).then_some(Iteration(4));
        assert_eq!(record.since, since, "{iteration}");
    }
    let record = voter.record(replica(2)).expect("it is one");
    let bounds = (record.first, record.last);
    assert_eq!((record.wrong, bounds), (3, (Some(Iteration(4)), Some(Iteration(6)))));
}

#[test]
fn law_five_degrade_to_three_and_two() {
    let mut voter = voter(&Settings::new(5), Majority::EXACT);
    // Two of five are no majority; without two others, they are one of three.
    assert_eq!(offer(&mut voter, &[(0, 1, 7), (1, 1, 7)]), []);
    let mut all = Vec::new();
    voter.retire(replica(4), |report| all.push(said(report))).expect("four are left");
    assert_eq!(all, []);
    voter.retire(replica(3), |report| all.push(said(report))).expect("three are left");
    assert_eq!(all, [Said::Voted(1, 7, set(&[0, 1]))]);
    voter.retire(replica(2), |_| ()).expect("two are left");
    assert_eq!(voter.length(), 0);
    // Two that differ notice it, and cannot say who is right.
    let said = offer(&mut voter, &[(0, 2, 1), (1, 2, 2)]);
    assert_eq!(said, [Said::Errors(2, false, set(&[]), set(&[]))]);
    let left = voter.retire(replica(1), |_| ());
    assert_eq!(left, Err(MembersError::TooFew { active: set(&[0, 1]) }));
    voter.admit(replica(3)).expect("it comes back");
    let said = offer(&mut voter, &[(0, 3, 5), (3, 3, 5), (1, 3, 6)]);
    assert_eq!(said[1], Said::Errors(3, true, set(&[1]), set(&[])));
}

#[test]
fn law_a_spare_is_not_waited_for_where_it_was_not_there() {
    let settings = Settings::new(3).spares(1);
    let mut voter = voter(&settings, Majority::EXACT);
    offer(&mut voter, &[(0, 1, 1), (1, 1, 1)]);
    voter.admit(replica(3)).expect("a spare");
    voter
        .retire(replica(2), |report| assert!(matches!(report, Report::Voted { .. }), "{report:?}"))
        .expect("three are left");
    assert_eq!((voter.length(), voter.active()), (0, set(&[0, 1, 3])));
}

#[test]
fn law_a_joining_voter_begins_where_a_majority_is() {
    let settings = Settings::new(3);
    let mut voter: Voter<u64, Majority> =
        Voter::joining(&settings, Majority::EXACT).expect("it can be");
    // One alone, be it far away, says nothing.
    assert_eq!(voter.receive(replica(2), Iteration(u64::MAX), 9, |_| ()), Received::Ahead);
    let said = offer(&mut voter, &[(0, 500, 5), (1, 500, 5), (0, 501, 6), (1, 501, 6)]);
    assert_eq!(said.last(), Some(&Said::Voted(501, 6, set(&[0, 1]))));
}

#[test]
fn law_giving_up_votes_on_what_has_come() {
    let mut voter = voter(&Settings::new(3), Median(Within::words(1)));
    let said = offer(&mut voter, &[(0, 1, 10_u64), (1, 1, 12)]);
    assert_eq!(said, []);
    let mut all = Vec::new();
    voter.give_up(Iteration(1), |report| all.push(self::said(report)));
    let (voted, errors) =
        (Said::Voted(1, 10, set(&[0])), Said::Errors(1, true, set(&[1]), set(&[2])));
    assert_eq!(all, [voted, errors]);
    // Too few are there.
    offer(&mut voter, &[(0, 2, 10)]);
    voter.give_up(Iteration(2), |report| all.push(self::said(report)));
    assert_eq!(all.last(), Some(&Said::Errors(2, false, set(&[]), set(&[1, 2]))));
}

#[test]
fn law_weights_decide() {
    let settings = Settings::new(3).weights([3, 1, 1]);
    let mut voter = voter(&settings, Majority::EXACT);
    let said = offer(&mut voter, &[(1, 1, 7), (2, 1, 7), (0, 1, 8)]);
    assert_eq!(said[0], Said::Voted(1, 8, set(&[0])));
}

#[test]
fn limit_nan_agrees_with_nothing() {
    let tolerance = Within::new(0.5).expect("a distance");
    let mut voter = voter(&Settings::new(3), Majority(tolerance));
    let said = offer(&mut voter, &[(0, 1, f64::NAN), (1, 1, f64::NAN), (2, 1, f64::NAN)]);
    assert!(matches!(said[..], [Said::Errors(1, false, ..)]), "{said:?}");
    let said = offer(&mut voter, &[(0, 2, f64::NAN), (1, 2, 1.0), (2, 2, 1.25)]);
    assert!(matches!(said[0], Said::Voted(2, value, _) if value == 1.25), "{said:?}");
    let mut median = self::voter(&Settings::new(3), Median(tolerance));
    let said = offer(&mut median, &[(0, 1, f64::NAN), (1, 1, 1.0), (2, 1, 2.0)]);
    assert!(matches!(said[0], Said::Voted(1, value, _) if value == 1.0), "{said:?}");
}

#[test]
fn limit_a_tolerance_counts_who_is_in_the_middle() {
    // 0 and 2 do not agree with each other, and both with 1.
    let mut voter = voter(&Settings::new(5), Majority(Within::words(1)));
    let said = offer(&mut voter, &[(0, 1, 1_u64), (1, 1, 0), (2, 1, 2)]);
    assert_eq!(said[0], Said::Voted(1, 1, set(&[0, 1, 2])));
}

#[test]
fn limit_plurality_waits_until_it_cannot_be_overtaken_and_breaks_ties_by_number() {
    let mut voter = voter(&Settings::new(5), Plurality);
    let said = offer(&mut voter, &[(0, 1, 7), (1, 1, 7), (2, 1, 8)]);
    assert_eq!(said, []);
    assert_eq!(offer(&mut voter, &[(3, 1, 9)]), []);
    let said = offer(&mut voter, &[(4, 1, 8)]);
    assert_eq!(said[0], Said::Voted(1, 7, set(&[0, 1])), "two against two");
}

#[test]
fn refuses_voters_that_cannot_be() {
    let refused = |settings: Settings| settings.check().expect_err("it cannot be");
    assert_eq!(refused(Settings::new(0)), SettingsError::Replicas { replicas: 0 });
    assert_eq!(refused(Settings::new(1)), SettingsError::Replicas { replicas: 1 });
    assert_eq!(refused(Settings::new(60).spares(9)), SettingsError::TooMany { places: 69 });
    assert_eq!(refused(Settings::new(3).queue(0)), SettingsError::Queue { rows: 0 });
    assert_eq!(refused(Settings::new(3).ahead(65)), SettingsError::Ahead { ahead: 65, queue: 64 });
    assert_eq!(refused(Settings::new(3).lag(0)), SettingsError::Lag);
    let weights = SettingsError::Weights { places: 3, weights: 2 };
    assert_eq!(refused(Settings::new(3).weights([1, 1])), weights);
    assert_eq!(refused(Settings::new(3).weights([1, 0, 1])), SettingsError::NoWeight { place: 1 });
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        let error = Within::new(tolerance).expect_err("no distance");
        let RuleError::Tolerance { tolerance: asked } = error else { panic!("{error:?}") };
        assert!(asked.to_bits() == tolerance.to_bits() && error.to_string().contains("0 or more"));
    }
}

#[test]
fn accepts_the_smallest_and_the_largest() {
    for settings in [
        Settings::new(2).queue(1).lag(1),
        Settings::new(64),
        Settings::new(32).spares(32).queue(1 << 12),
    ] {
        assert_eq!(settings.check(), Ok(()));
    }
}

proptest! {
    /// Both ways to find a row answer alike; the linear one looks at more rows, and never at more than there are.
    #[test]
    fn law_both_searches_answer_alike(
        values in prop::collection::vec((0_u8..4, 0_u64..40, 0_u64..3), 0..200),
        queue in 1_u32..9,
    ) {
        let settings = Settings::new(3).spares(1).queue(queue);
        let mut constant: Voter<u64, Majority, Constant> =
            Voter::new(&settings, Majority::EXACT).expect("it can be");
        let mut linear: Voter<u64, Majority, Linear> =
            Voter::new(&settings, Majority::EXACT).expect("it can be");
        // Mostly in order, as replicas go.
        for (place, (from, jump, value)) in values.into_iter().enumerate() {
            let iteration = if jump < 20 { place as u64 / 4 + 1 } else { jump };
            let one = [(from, iteration, value)];
            prop_assert_eq!(offer(&mut constant, &one), offer(&mut linear, &one));
            prop_assert!(constant.length() == linear.length() && linear.length() <= queue);
            prop_assert!(linear.looked() <= queue);
        }
    }

    /// The median lies between values of correct replicas, whatever a minority says.
    #[test]
    fn law_the_median_lies_among_correct_values(
        correct in prop::collection::vec(100_u64..200, 3),
        faulty in prop::collection::vec(any::<u64>(), 2),
        order in Just(vec![0_u8, 1, 2, 3, 4]).prop_shuffle(),
    ) {
        let mut voter = voter(&Settings::new(5), Median(Within::words(0)));
        let all: Vec<u64> = correct.iter().chain(&faulty).copied().collect();
        let values: Vec<_> =
            order.iter().map(|from| (*from, 1, all[usize::from(*from)])).collect();
        let said = offer(&mut voter, &values);
        let Some(Said::Voted(1, value, _)) = said.first() else { panic!("{said:?}") };
        let (least, most) = (correct.iter().min(), correct.iter().max());
        prop_assert!(Some(value) >= least && Some(value) <= most);
    }

    /// A plurality comes to the same value in every order, once all are there.
    #[test]
    fn law_plurality_does_not_depend_on_the_order(
        values in prop::collection::vec(0_u64..3, 5),
        order in Just(vec![0_u8, 1, 2, 3, 4]).prop_shuffle(),
    ) {
        let vote = |order: &[u8]| {
            let mut voter = voter(&Settings::new(5), Plurality);
            let offered: Vec<_> =
                order.iter().map(|from| (*from, 1, values[usize::from(*from)])).collect();
            let said = offer(&mut voter, &offered);
            said.iter().find_map(|said| match said { Said::Voted(_, value, _) => Some(*value), _ => None })
        };
        let counts = |value| values.iter().filter(|other| **other == value).count();
        let voted = vote(&order).expect("all are there");
        prop_assert_eq!(Some(voted), vote(&[0, 1, 2, 3, 4]));
        prop_assert!((0..3).all(|other| counts(other) <= counts(voted)));
    }
}

#[test]
fn law_a_silent_replica_lags_once() {
    let mut voter = voter(&Settings::new(3).queue(64).lag(100), Majority::EXACT);
    offer(&mut voter, &[(2, 1, 1)]);
    let mut lagging = Vec::new();
    for iteration in 1..=300 {
        for from in [0, 1] {
            voter.receive(replica(from), Iteration(iteration), 1, |report| {
                if let Report::Lagging { replica, behind } = report {
                    lagging.push((iteration, replica, behind));
                }
            });
        }
    }
    assert_eq!(lagging, [(103, replica(2), 101)]);
    assert!(voter.record(replica(2)).expect("it is one").is_lagging);
    for iteration in 2..=300 {
        voter.receive(replica(2), Iteration(iteration), 1, |_| ());
    }
    assert!(!voter.record(replica(2)).expect("it is one").is_lagging);
}

#[test]
fn law_what_was_voted_stays_whoever_comes_back() {
    let mut voter = voter(&Settings::new(5), Majority::EXACT);
    offer(&mut voter, &[(0, 1, 7), (1, 1, 7), (2, 1, 7)]);
    voter.retire(replica(2), |_| ()).expect("four are left");
    voter.admit(replica(2)).expect("it comes back");
    assert_eq!(voter.receive(replica(2), Iteration(1), 8, |_| ()), Received::Late);
    assert_eq!(voter.voted(Iteration(1)), Some(&7));
    assert_eq!(offer(&mut voter, &[(3, 1, 7), (4, 1, 7)]), []);
}

#[test]
fn limit_with_a_tolerance_no_correct_replica_is_wrong_though_a_faulty_value_is_voted() {
    let mut voter = voter(&Settings::new(3), Majority(Within::words(1)));
    // 10 and 11 are correct; 12 is not, and agrees with 11.
    let said = offer(&mut voter, &[(1, 1, 11_u64), (2, 1, 12), (0, 1, 10)]);
    assert_eq!(said, [Said::Voted(1, 12, set(&[1, 2]))]);
}

#[test]
fn law_a_claim_before_joining_hides_no_lag() {
    let settings = Settings::new(3).lag(100);
    let mut voter: Voter<u64, Majority> =
        Voter::joining(&settings, Majority::EXACT).expect("it can be");
    voter.receive(replica(2), Iteration(u64::MAX), 9, |_| ());
    let mut lagging = 0;
    for iteration in 1..=300 {
        for from in [0, 1] {
            voter.receive(replica(from), Iteration(iteration), 1, |report| {
                lagging += u32::from(matches!(report, Report::Lagging { .. }));
            });
        }
    }
    assert_eq!(lagging, 1);
}

#[test]
fn law_records_are_by_iteration_whatever_closes_first() {
    let mut voter = voter(&Settings::new(3), Majority::EXACT);
    offer(&mut voter, &[(0, 1, 7), (1, 1, 7), (0, 2, 7), (1, 2, 7), (2, 2, 7), (2, 1, 8)]);
    let record = voter.record(replica(2)).expect("it is one");
    assert_eq!((record.first, record.last), (Some(Iteration(1)), Some(Iteration(1))));
    offer(&mut voter, &[(0, 3, 7), (1, 3, 7), (2, 3, 7)]);
    assert_eq!(voter.record(replica(2)).expect("it is one").since, None);
}
