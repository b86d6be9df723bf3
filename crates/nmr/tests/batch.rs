//! Values in batches and one by one: equal votes, reports and states, in every order of few values, and in drawn ones.

use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use windfall_nmr::{
    Exact, Iteration, Linear, Majority, Median, ReplicaNumber, Report, Rule, Settings, Voter,
    Within,
};

type Linearly = Voter<u64, Majority, Linear>;

/// Ends what borrows the value.
fn said(report: Report<'_, u64>) -> String {
    format!("{report:?}")
}

/// All at once, and one by one. What both say.
fn both<R: Rule<u64>>(
    [at_once, in_turn]: [&mut Voter<u64, R, Linear>; 2],
    from: u8,
    values: &[(u64, u64)],
) -> [Vec<String>; 2] {
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let from = ReplicaNumber(from);
    let batch = values.iter().map(|(iteration, value)| (Iteration(*iteration), *value));
    at_once.receive_all(from, batch.clone(), |report| one.push(said(report)));
    for (iteration, value) in batch {
        in_turn.receive(from, iteration, value, |report| other.push(said(report)));
    }
    [one, other]
}

#[test]
fn law_every_value_in_every_state_does_the_same_at_once() {
    let mut states = 0;
    for (settings, spare) in [
        (Settings::new(3).queue(1).lag(1), false),
        (Settings::new(3).queue(2).ahead(1).lag(1), false),
        (Settings::new(3).queue(3).lag(2), false),
        (Settings::new(2).queue(2), false),
        (Settings::new(3).queue(2).weights([2, 1, 1]), false),
        (Settings::new(3).queue(2).spares(1), true),
    ] {
        let start: Linearly = Voter::new(&settings, Majority::EXACT).expect("it can be");
        let joining = Voter::joining(&settings, Majority::EXACT).expect("it can be");
        let mut starts = vec![start.clone(), joining];
        if spare {
            let mut other = start.clone();
            other.admit(ReplicaNumber(3)).expect("a spare");
            starts.push(other.clone());
            other.retire(ReplicaNumber(0), |_| ()).expect("three are left");
            starts.push(other);
        }
        let mut known: HashSet<Linearly> = starts.iter().cloned().collect();
        let mut frontier = starts;
        for _ in 0..5 {
            let mut next = Vec::new();
            for state in &frontier {
                for from in 0..settings.replicas + settings.spares {
                    for one in (0..5).flat_map(|iteration| [(iteration, 7), (iteration, 8)]) {
                        let (mut at_once, mut in_turn) = (state.clone(), state.clone());
                        let said = both([&mut at_once, &mut in_turn], from, &[one]);
                        assert_eq!(said[0], said[1], "{from} {one:?} in {state:?}");
                        assert_eq!(at_once, in_turn, "{from} {one:?} in {state:?}");
                        if known.insert(at_once.clone()) {
                            next.push(at_once);
                        }
                    }
                }
            }
            frontier = next;
            // A sample of what is reached after three values is enough to go on from.
            let every = frontier.len() / 3_000 + 1;
            frontier = frontier.into_iter().step_by(every).collect();
        }
        states += known.len();
    }
    assert!(states > 100_000, "{states} states");
}

/// What comes to a voter.
#[derive(Clone, Debug)]
enum Step {
    /// A replica sends so many more values, of which one may be another, or for another iteration.
    Batch(u8, usize, Option<(usize, u64)>),
    Retire(u8),
    Admit(u8),
    GiveUp(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let wrong = prop::option::weighted(0.2, (0_usize..20, 0_u64..3));
    let step = prop_oneof![
        20 => (0_u8..5, 0_usize..20, wrong).prop_map(|(from, many, wrong)| Step::Batch(from, many, wrong)),
        1 => (0_u8..5).prop_map(Step::Retire),
        1 => (0_u8..5).prop_map(Step::Admit),
        1 => (0_u64..60).prop_map(Step::GiveUp),
    ];
    prop::collection::vec(step, 1..60)
}

static VOTES: AtomicU64 = AtomicU64::new(0);
static ERRORS: AtomicU64 = AtomicU64::new(0);
static LAGS: AtomicU64 = AtomicU64::new(0);

/// Counts what was judged.
fn counts(said: &[String]) {
    for (counter, kind) in [(&VOTES, "Voted"), (&ERRORS, "Errors"), (&LAGS, "Lagging")] {
        let count = said.iter().filter(|said| said.starts_with(kind)).count();
        counter.fetch_add(count as u64, Ordering::Relaxed);
    }
}

fn judge<R: Rule<u64> + Clone + PartialEq + std::fmt::Debug>(
    rule: R,
    settings: &Settings,
    steps: &[Step],
) -> Result<(), TestCaseError> {
    let mut at_once: Voter<u64, R, Linear> = Voter::new(settings, rule).expect("it can be");
    let mut in_turn = at_once.clone();
    let mut sent = [0_u64; 5];
    for step in steps {
        match *step {
            Step::Batch(from, many, wrong) => {
                let next = &mut sent[usize::from(from)];
                let mut values: Vec<(u64, u64)> =
                    (*next + 1..).take(many).map(|n| (n, n * 3)).collect();
                *next += many as u64;
                if let Some((place, how)) = wrong
                    && let Some((iteration, value)) = values.get_mut(place)
                {
                    match how {
                        0 => *value += 1,
                        1 => *iteration = iteration.wrapping_sub(3),
                        _ => *iteration = iteration.saturating_add(40),
                    }
                }
                let said = both([&mut at_once, &mut in_turn], from, &values);
                prop_assert_eq!(&said[0], &said[1]);
                counts(&said[0]);
                // Who is held back goes on where the others are.
                let last = at_once.last_taken().0;
                sent[usize::from(from)] = sent[usize::from(from)].min(last);
            }
            Step::Retire(replica) => {
                let replica = ReplicaNumber(replica);
                prop_assert_eq!(at_once.retire(replica, |_| ()), in_turn.retire(replica, |_| ()));
            }
            Step::Admit(replica) => {
                let replica = ReplicaNumber(replica);
                prop_assert_eq!(at_once.admit(replica), in_turn.admit(replica));
            }
            Step::GiveUp(iteration) => {
                at_once.give_up(Iteration(iteration), |_| ());
                in_turn.give_up(Iteration(iteration), |_| ());
            }
        }
        prop_assert!(at_once == in_turn, "{at_once:?}\n{in_turn:?}");
    }
    Ok(())
}

#[test]
fn law_batches_do_what_their_values_do_in_turn() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(3_000));
    let weights = prop::sample::select(vec![[1_u32; 5], [1, 2, 1, 3, 1], [5, 1, 1, 1, 1]]);
    let drawn = (steps(), 1_u32..40, 1_u64..30, weights);
    let judged = runner.run(&drawn, |(steps, queue, lag, weights)| {
        let settings = Settings::new(4).spares(1).queue(queue).lag(lag).weights(weights);
        judge(Majority(Exact), &settings, &steps)?;
        judge(Majority(Within::words(1)), &settings, &steps)?;
        judge(Median(Within::words(1)), &settings, &steps)
    });
    judged.expect("it holds");
    for (counter, least) in [(&VOTES, 50_000), (&ERRORS, 10_000), (&LAGS, 1_000)] {
        let judged = counter.load(Ordering::Relaxed);
        assert!(judged > least, "{judged} of {least}");
    }
}
