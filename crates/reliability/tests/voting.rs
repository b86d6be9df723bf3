//! The model of a vote: against all cases of small rows, and against the voter of `windfall-nmr` that is fed with drawn errors.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use windfall_nmr::{Iteration, Majority, ReplicaNumber, Report, Settings, Voter};
use windfall_reliability::{Vote, Voting, VotingError};

/// The content of a replica's place in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    Empty,
    Right,
    /// Agrees with those of the same number: 0 the common wrong value, others the values of an iteration that strayed.
    Wrong(usize),
    /// Agrees with none.
    Alone,
}

/// Where a message may lie, by how many rows it is off, and nowhere; each with its chance.
fn ways(model: &Voting) -> Vec<(Option<i32>, f64)> {
    let comes = 1.0 - model.absent;
    let elsewhere = 1.0 - model.ahead - model.behind;
    let mut ways = vec![
        (Some(0), comes * (1.0 - model.iteration)),
        (None, model.absent + comes * model.iteration * elsewhere),
    ];
    for off in 1..=i32::from(model.rows) {
        let each = comes * model.iteration / f64::from(model.rows);
        ways.push((Some(off), each * model.ahead));
        ways.push((Some(-off), each * model.behind));
    }
    ways
}

/// As many kinds of values as agree with each other and are wrong: the common one, and two of each iteration that strays.
fn groups(model: &Voting) -> usize {
    1 + 4 * usize::from(model.rows)
}

/// All that may lie in a place: the messages of one replica for the iterations around this one, each in all its ways, in order.
fn cells(model: &Voting) -> Vec<(Cell, f64)> {
    // What it says: 0 right, 1 the common wrong value, 2 one of its own.
    let says =
        [1.0 - model.value, model.value * model.collude, model.value * (1.0 - model.collude)];
    let reach = i32::from(model.rows);
    let ways = ways(model);
    let messages: Vec<i32> = (-reach..=reach).collect();
    let mut all = Vec::new();
    for number in 0..ways.len().pow(u32::try_from(messages.len()).expect("few")) {
        let (mut chance, mut rest, mut first) = (1.0, number, None);
        for (place, of) in messages.iter().enumerate() {
            let (off, of_way) = ways[rest % ways.len()];
            rest /= ways.len();
            chance *= of_way;
            if off == Some(-of) && first.is_none() {
                first = Some((place, *of));
            }
        }
        let Some((place, of)) = first else {
            all.push((Cell::Empty, chance));
            continue;
        };
        for (said, of_said) in says.into_iter().enumerate() {
            let cell = match (of, said) {
                (0, 0) => Cell::Right,
                (_, 2) => Cell::Alone,
                (0, _) => Cell::Wrong(0),
                // Those after this iteration are one place further on than they would be without it.
                _ => Cell::Wrong(1 + 2 * (place - usize::from(of > 0)) + said),
            };
            all.push((cell, chance * of_said));
        }
    }
    let kinds = [Cell::Empty, Cell::Right, Cell::Alone].into_iter();
    let share = |kind: Cell| {
        (kind, all.iter().filter(|(cell, _)| *cell == kind).map(|(_, chance)| chance).sum())
    };
    let shares: Vec<_> = kinds.chain((0..groups(model)).map(Cell::Wrong)).map(share).collect();
    let total: f64 = shares.iter().map(|(_, share)| share).sum();
    assert!((total - 1.0).abs() < 1e-12, "{total}");
    shares
}

/// Every row of so many replicas, slowly.
fn enumerated(model: &Voting) -> [f64; 3] {
    let cells = cells(model);
    let mut sums = [0.0; 3];
    let count = usize::from(model.replicas);
    for mut number in 0..cells.len().pow(u32::from(model.replicas)) {
        let (mut chance, mut row) = (1.0, Vec::new());
        for _ in 0..count {
            let (cell, of_cell) = cells[number % cells.len()];
            number /= cells.len();
            chance *= of_cell;
            row.push(cell);
        }
        let wins = |kind: Cell| row.iter().filter(|cell| **cell == kind).count() * 2 > count;
        let outcome = if wins(Cell::Right) {
            0
        } else {
            1 + usize::from(!(0..groups(model)).any(|group| wins(Cell::Wrong(group))))
        };
        sums[outcome] += chance;
    }
    sums
}

fn as_array(vote: Vote) -> [f64; 3] {
    [vote.right, vote.wrong, vote.none]
}

fn models() -> [Voting; 7] {
    let all =
        |replicas: u8| Voting::new(replicas).value(0.1).collude(0.7).absent(0.05).iteration(0.2);
    [
        Voting::new(3).value(0.2).collude(1.0),
        all(3).ahead(0.5).behind(0.3),
        all(5).ahead(0.2).behind(0.8),
        all(4).ahead(1.0),
        all(2),
        all(3).iteration(0.6).ahead(0.9).behind(0.1).rows(2),
        all(3).iteration(0.8).ahead(0.3).behind(0.7).rows(2),
    ]
}

#[test]
fn law_the_model_is_the_sum_over_all_rows() {
    for model in models() {
        let (found, slow) = (as_array(model.vote().unwrap()), enumerated(&model));
        let is_close = found.iter().zip(slow).all(|(found, slow)| (found - slow).abs() < 1e-12);
        assert!(is_close, "{model:?}: {found:?} {slow:?}");
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

/// More than 0, at most 1.
fn unit(random: &mut Pcg64Mcg) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    let unit = ((random.next_u64() >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
    unit
}

/// Right values are multiples of this, and the common wrong value is one more.
const RIGHT: u64 = 1 << 20;

/// Feeds a voter with drawn errors: what each iteration came to that has all its neighbours, 0 a right vote, 1 a wrong one, 2 none.
fn drawn(model: &Voting, iterations: u64, seed: u64) -> Vec<usize> {
    let mut random = Pcg64Mcg::new(seed.into());
    let settings = Settings::new(model.replicas).queue(256).ahead(200);
    let mut voter: Voter<u64, Majority> =
        Voter::new(&settings, Majority::EXACT).expect("it can be");
    let rows = u64::from(model.rows);
    let mut outcomes = vec![2; usize::try_from(iterations - 2 * rows).expect("few")];
    for iteration in 1..=iterations {
        for replica in 0..model.replicas {
            if unit(&mut random) <= model.absent {
                continue;
            }
            let mut value = iteration * RIGHT;
            if unit(&mut random) <= model.value {
                let common = unit(&mut random) <= model.collude;
                value += if common { 1 } else { 2 + u64::from(replica) };
            }
            let mut says = Iteration(iteration);
            if unit(&mut random) <= model.iteration {
                let (where_to, by) = (unit(&mut random), 1 + random.next_u64() % rows);
                says = Iteration(if where_to <= model.ahead {
                    iteration + by
                } else if where_to <= model.ahead + model.behind {
                    iteration.saturating_sub(by)
                } else {
                    iteration + 1_000_000
                });
            }
            voter.receive(ReplicaNumber(replica), says, value, |report| {
                let Report::Voted { iteration, value, .. } = report else { return };
                let place =
                    iteration.0.checked_sub(rows + 1).and_then(|at| usize::try_from(at).ok());
                if let Some(outcome) = place.and_then(|place| outcomes.get_mut(place)) {
                    *outcome = usize::from(*value != iteration.0 * RIGHT);
                }
            });
        }
    }
    outcomes
}

#[test]
fn law_the_voter_votes_as_often_right_wrong_and_not_as_the_model_says() {
    let spread = Voting::new(5).value(0.1).collude(0.5).absent(0.1).iteration(0.3);
    let spread = spread.ahead(0.6).behind(0.4).rows(3);
    for (seed, model) in (1..).zip(models().into_iter().chain([spread])) {
        let iterations = 60_000;
        let mut counts = [0_u32; 3];
        drawn(&model, iterations, seed).into_iter().for_each(|outcome| counts[outcome] += 1);
        let expected = as_array(model.vote().unwrap());
        for (count, chance) in counts.into_iter().zip(expected) {
            let (count, n) = (f64::from(count), f64::from(counts.iter().sum::<u32>()));
            // Rows next to each other share messages: at most `rows` on each side.
            let neighbours = f64::from(1 + 2 * model.rows);
            let deviation = (n * chance * (1.0 - chance) * neighbours).sqrt();
            assert!(count > 20.0 || chance < 1e-3, "{model:?} saw {counts:?}");
            assert!(
                (count - n * chance).abs() < 4.0 * deviation + 1.0,
                "{model:?}: {counts:?} of {n}, expected shares {expected:?}"
            );
        }
    }
}

#[test]
fn law_missions_of_the_voter_keep_their_bound_and_are_independent_without_strays() {
    let model = Voting::new(3).value(0.03).absent(0.02).iteration(0.04);
    let length = 5;
    for (seed, model, is_independent) in [(11, model, true), (12, model.ahead(1.0), false)] {
        let mission = model.vote().unwrap().mission(length);
        let outcomes = drawn(&model, 100_000, seed);
        let missions = outcomes.chunks_exact(usize::try_from(length).expect("few"));
        let all = f64::from(u32::try_from(missions.len()).expect("few"));
        let right = missions.filter(|mission| mission.iter().all(|outcome| *outcome == 0)).count();
        let share = f64::from(u32::try_from(right).expect("few")) / all;
        let deviation = (share * (1.0 - share) / all).sqrt();
        assert!(share > mission.at_least - 4.0 * deviation, "{share} {mission:?}");
        assert!(mission.at_least > 0.5 && share < 0.99, "{share} {mission:?}");
        // A message that strays spoils two rows at once, so more missions go without any.
        let off = (share - mission.independent) / deviation;
        let is_as_said = if is_independent { off.abs() < 4.0 } else { off > 4.0 };
        assert!(is_as_said, "{off} deviations: {share} {mission:?}");
    }
}

#[test]
fn limit_a_vote_without_wrong_iterations_is_3r2_less_2r3() {
    for value in [0.0, 0.001, 0.1, 0.5, 1.0_f64] {
        let r = 1.0 - value;
        let vote = Voting::new(3).value(value).vote().unwrap();
        assert!((vote.right - (3.0 * r * r - 2.0 * r * r * r)).abs() < 1e-15);
        assert_eq!(vote.wrong, 0.0);
        let colluding = Voting::new(3).value(value).collude(1.0).vote().unwrap();
        assert!((colluding.right + colluding.wrong - 1.0).abs() < 1e-15 && colluding.none < 1e-15);
    }
}

#[test]
fn paper_the_iteration_has_its_share() {
    // A wrong iteration in a row to come spoils two rows, one outside the rows spoils one.
    let errs = |model: Voting| 1.0 - model.vote().unwrap().right;
    let small = 1e-4;
    let value = errs(Voting::new(3).value(small));
    let outside = errs(Voting::new(3).iteration(small));
    let ahead = errs(Voting::new(3).iteration(small).ahead(1.0));
    assert!((outside / value - 1.0).abs() < 1e-3, "{outside} {value}");
    assert!((ahead / value - 4.0).abs() < 1e-2, "{ahead} {value}");
    // Behind, the place is taken already: it does no more harm than outside.
    let behind = errs(Voting::new(3).iteration(small).behind(1.0));
    assert!((behind / outside - 1.0).abs() < 1e-3, "{behind} {outside}");
    // But it may make a wrong vote of two that strayed together.
    assert!(Voting::new(3).iteration(small).ahead(1.0).vote().unwrap().wrong > 2.9e-8);
}

#[test]
fn law_small_probabilities_keep_their_digits_and_missions_their_bound() {
    let vote = Voting::new(3).value(1e-9).vote().unwrap();
    assert!((vote.none / 3e-18 - 1.0).abs() < 1e-6, "{vote:?}");
    let mission = vote.mission(1_000_000_000_000);
    assert!((1.0 - mission.independent - 3e-6).abs() < 1e-9, "{mission:?}");
    assert!(mission.at_least <= mission.independent && mission.at_least > 0.999_99);
    assert_eq!(vote.mission(0).independent, 1.0);
    let never = Voting::new(3).value(1.0).vote().unwrap().mission(1_000);
    assert_eq!((never.independent, never.at_least), (0.0, 0.0));
}

#[test]
fn refuses_what_is_no_probability_and_votes_that_cannot_be() {
    assert_eq!(Voting::new(1).vote(), Err(VotingError::Replicas { replicas: 1 }));
    assert_eq!(Voting::new(3).rows(0).vote(), Err(VotingError::Rows { rows: 0 }));
    for value in [-0.1, 1.1, f64::NAN] {
        let error = Voting::new(3).absent(value).vote().unwrap_err().to_string();
        assert!(error.contains("absent") && error.contains("allowed: 0 to 1"), "{error}");
    }
    let shares = Voting::new(3).ahead(0.6).behind(0.6).vote();
    assert_eq!(shares, Err(VotingError::Shares { ahead: 0.6, behind: 0.6 }));
}
