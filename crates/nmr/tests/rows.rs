//! Values of all replicas at once, and one by one: equal votes, reports and states, for rows of every kind in every state of few values, and in drawn orders.

use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use windfall_nmr::{Iteration, Linear, Majority, ReplicaNumber, Report, Settings, Voter};

type Linearly = Voter<u64, Majority, Linear>;
type Record = (u64, u64);

const REPLICAS: [ReplicaNumber; 3] = [ReplicaNumber(0), ReplicaNumber(1), ReplicaNumber(2)];

/// Ends what borrows the value.
fn said(report: Report<'_, u64>) -> String {
    format!("{report:?}")
}

/// The order that is promised.
fn in_order(mut records: [&[Record]; 3]) -> Vec<(ReplicaNumber, Record)> {
    let mut order = Vec::new();
    let begin = records.iter().filter_map(|records| Some(records.first()?.0)).max();
    for (from, records) in REPLICAS.into_iter().zip(&mut records) {
        while let Some((first, later)) =
            records.split_first().filter(|(one, _)| Some(one.0) < begin)
        {
            order.push((from, *first));
            *records = later;
        }
    }
    while let [[one, ones @ ..], [two, twos @ ..], [three, threes @ ..]] = records
        && one.0 == two.0
        && one.0 == three.0
    {
        order.extend(REPLICAS.into_iter().zip([*one, *two, *three]));
        records = [ones, twos, threes];
    }
    for (from, records) in REPLICAS.into_iter().zip(records) {
        order.extend(records.iter().map(|record| (from, *record)));
    }
    order
}

/// All at once, and one by one. What both say.
fn both([at_once, in_turn]: [&mut Linearly; 2], records: [&[Record]; 3]) -> [Vec<String>; 2] {
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let read = |(iteration, value): &Record| (Iteration(*iteration), *value);
    at_once.receive_rows(REPLICAS, records, read, |report| one.push(said(report)));
    for (from, (iteration, value)) in in_order(records) {
        in_turn.receive(from, Iteration(iteration), value, |report| other.push(said(report)));
    }
    [one, other]
}

/// States that so many values lead to.
fn states(start: Vec<Linearly>, replicas: u8, values: u32) -> Vec<Linearly> {
    let mut known: HashSet<Linearly> = start.iter().cloned().collect();
    let mut all = start.clone();
    let mut frontier = start;
    for _ in 0..values {
        let mut next = Vec::new();
        for state in &frontier {
            for from in (0..replicas).map(ReplicaNumber) {
                for (iteration, value) in
                    (0..4).flat_map(|iteration| [(iteration, 7), (iteration, 8)])
                {
                    let mut state = state.clone();
                    state.receive(from, Iteration(iteration), value, |_| ());
                    if known.insert(state.clone()) {
                        next.push(state);
                    }
                }
            }
        }
        // A sample of these is enough to go on from.
        let every = next.len() / 60 + 1;
        frontier = next.iter().step_by(every).cloned().collect();
        all.extend(next);
    }
    all
}

#[test]
fn law_rows_of_every_kind_in_every_state_do_the_same_at_once() {
    let lists: [&[Record]; 10] = [
        &[],
        &[(1, 7)],
        &[(1, 8)],
        &[(1, 7), (2, 7)],
        &[(1, 7), (2, 8), (3, 7)],
        &[(2, 7), (3, 7)],
        &[(1, 7), (3, 7)],
        &[(1, 7), (1, 7), (2, 7)],
        &[(0, 7)],
        &[(3, 7), (9, 7)],
    ];
    let mut judged = 0;
    for settings in [
        Settings::new(3).queue(1).lag(1),
        Settings::new(3).queue(2).ahead(1).lag(1),
        Settings::new(3).queue(3).lag(2),
        Settings::new(3).queue(2).weights([2, 1, 1]),
        Settings::new(3).queue(2).weights([1, 1, 3]),
        Settings::new(3).queue(2).spares(1),
    ] {
        let start: Linearly = Voter::new(&settings, Majority::EXACT).expect("it can be");
        let joining = Voter::joining(&settings, Majority::EXACT).expect("it can be");
        let mut starts = vec![start.clone(), joining];
        if settings.spares > 0 {
            let mut other = start.clone();
            other.admit(ReplicaNumber(3)).expect("a spare");
            starts.push(other.clone());
            other.retire(ReplicaNumber(0), |_| ()).expect("three are left");
            starts.push(other);
        }
        let states = states(starts, settings.replicas + settings.spares, 3);
        let every = states.len() / 60 + 1;
        for state in states.iter().step_by(every) {
            for place in 0..1_000 {
                let records = [place / 100, place / 10 % 10, place % 10].map(|list| lists[list]);
                let (mut at_once, mut in_turn) = (state.clone(), state.clone());
                let said = both([&mut at_once, &mut in_turn], records);
                assert_eq!(said[0], said[1], "{records:?} in {state:?}");
                assert_eq!(at_once, in_turn, "{records:?} in {state:?}");
                judged += 1;
            }
        }
    }
    assert!(judged > 100_000, "{judged}");
}

/// What comes: so many more values of each, of which one may be another, or for another iteration.
type Step = ([usize; 3], Option<(usize, usize, u64)>);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let wrong = prop::option::weighted(0.2, (0_usize..3, 0_usize..20, 0_u64..3));
    let together = (0_usize..20).prop_map(|many| [many; 3]);
    let counts = prop_oneof![3 => together, 1 => prop::array::uniform3(0_usize..20)];
    prop::collection::vec((counts, wrong), 1..40)
}

static VOTES: AtomicU64 = AtomicU64::new(0);
static ERRORS: AtomicU64 = AtomicU64::new(0);

fn judge(settings: &Settings, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut at_once: Linearly = Voter::new(settings, Majority::EXACT).expect("it can be");
    let mut in_turn = at_once.clone();
    let mut sent = [0_u64; 3];
    for (counts, wrong) in steps {
        let mut records: [Vec<Record>; 3] = std::array::from_fn(|replica| {
            let next = sent[replica] + 1;
            (next..).take(counts[replica]).map(|n| (n, n * 3)).collect()
        });
        for (sent, count) in sent.iter_mut().zip(counts) {
            *sent += *count as u64;
        }
        if let Some((replica, place, how)) = *wrong
            && let Some((iteration, value)) = records[replica].get_mut(place)
        {
            match how {
                0 => *value += 1,
                1 => *iteration = iteration.wrapping_sub(3),
                _ => *iteration = iteration.saturating_add(40),
            }
        }
        let said =
            both([&mut at_once, &mut in_turn], records.each_ref().map(|records| &records[..]));
        prop_assert_eq!(&said[0], &said[1]);
        prop_assert!(at_once == in_turn, "{at_once:?}\n{in_turn:?}");
        for (counter, kind) in [(&VOTES, "Voted"), (&ERRORS, "Errors")] {
            let count = said[0].iter().filter(|said| said.starts_with(kind)).count();
            counter.fetch_add(count as u64, Ordering::Relaxed);
        }
        // Who is held back goes on where the others are.
        let last = at_once.last_taken().0;
        sent = sent.map(|sent| sent.min(last));
    }
    Ok(())
}

#[test]
fn law_rows_do_what_their_values_do_in_turn() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(3_000));
    let weights = prop::sample::select(vec![[1_u32; 3], [1, 2, 1], [1, 1, 3]]);
    let drawn = (steps(), 1_u32..40, 1_u64..30, weights);
    let judged = runner.run(&drawn, |(steps, queue, lag, weights)| {
        judge(&Settings::new(3).queue(queue).lag(lag).weights(weights), &steps)
    });
    judged.expect("it holds");
    for (counter, least) in [(&VOTES, 50_000), (&ERRORS, 10_000)] {
        let judged = counter.load(Ordering::Relaxed);
        assert!(judged > least, "{judged} of {least}");
    }
}
