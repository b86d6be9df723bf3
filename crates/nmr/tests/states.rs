//! Replicas on threads whose value is a state of some kilobytes: a wrong one goes on with the state that was voted, one that panics returns by it, and one that serves a wrong state is named.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use windfall_nmr::redundant::{
    Ending, FaultKind, Injected, Outcome, Redundant, Remedy, Stateful, VoteError,
};
use windfall_nmr::{Digest, Iteration, Majority, ReplicaNumber, Settings};

const BYTES: usize = 40_000;
const FAULTY: ReplicaNumber = ReplicaNumber(2);

/// More than a thread falls behind while it waits for a processor.
fn three() -> Settings {
    Settings::new(3).queue(1 << 10).lag(1 << 40)
}

/// By how much a byte of the state grows in a step.
const fn growth(place: usize) -> u8 {
    place.to_le_bytes()[0] | 1
}

/// The next state.
fn step(state: &mut [u8]) {
    for (place, byte) in state.iter_mut().enumerate() {
        *byte = byte.wrapping_add(growth(place));
    }
}

/// Whether this is what all must agree on after so many steps.
fn is_right(state: &[u8], Iteration(steps): Iteration) -> bool {
    let right = |place| growth(place).wrapping_mul(steps.to_le_bytes()[0]);
    state.len() == BYTES && state.iter().enumerate().all(|(place, byte)| *byte == right(place))
}

/// So many steps; in those of `wrong` the last replica has one wrong byte. Every vote is held to the right state.
fn run(
    redundant: Redundant<Digest>,
    last: u64,
    wrong: impl Fn(u64) -> bool + Send + Sync + 'static,
) -> Outcome {
    redundant
        .start_states(move |replica: &mut Stateful<'_, Majority>| {
            let mut state = replica.state().map_or(vec![0; BYTES], <[u8]>::to_vec);
            while replica.iteration().0 <= last {
                let n = replica.iteration().0;
                step(&mut state);
                if replica.number() == FAULTY && wrong(n) {
                    state[usize::try_from(n).expect("few") % BYTES] ^= 4;
                }
                let vote = replica.vote(state)?;
                let (number, at) = (replica.number(), vote.iteration);
                assert!(is_right(&vote.value, at), "{number} in {at}");
                assert_eq!(replica.state(), Some(&*vote.value));
                state = vote.value.to_vec();
            }
            Ok(())
        })
        .expect("it begins")
}

fn voting() -> Redundant<Digest> {
    Redundant::new(three(), Majority::EXACT).patience(Duration::from_secs(2))
}

fn kinds(outcome: &Outcome, replica: usize) -> Vec<FaultKind> {
    outcome.replicas[replica].faults.iter().map(|(fault, _)| fault.kind).collect()
}

#[test]
fn law_one_with_a_wrong_state_goes_on_with_the_voted_one() {
    let outcome = run(voting().on_fault(|_| Remedy::Ignore), 60, |n| n % 10 == 3);
    assert!(outcome.is_whole, "{outcome:?}");
    let found = kinds(&outcome, 2);
    assert!(!found.is_empty() && found.iter().all(|kind| *kind == FaultKind::Wrong), "{outcome:?}");
    assert_eq!(outcome.replicas[2].ending, Some(Ending::Returned));
    assert!(outcome.replicas[..2].iter().all(|summary| summary.faults.is_empty()), "{outcome:?}");
}

#[test]
fn law_one_that_is_restarted_returns_by_the_voted_state() {
    let (end, back) = (Arc::new(AtomicU64::new(u64::MAX)), Arc::new(AtomicU64::new(0)));
    let counted = back.clone();
    let outcome = voting()
        .on_fault(|_| Remedy::Restart)
        .start_states(move |replica: &mut Stateful<'_, Majority>| {
            let mut state = replica.state().map_or(vec![0; BYTES], <[u8]>::to_vec);
            let begun = replica.iteration().0;
            assert!(is_right(&state, Iteration(begun - 1)), "{} at {begun}", replica.number());
            if replica.number() == FAULTY && begun > 1 {
                // The others go on until it has come back as often.
                let often = back.fetch_add(1, Ordering::SeqCst) + 1;
                assert!(often >= 20, "once more");
                end.fetch_min(begun + 100, Ordering::SeqCst);
            }
            while replica.iteration().0 <= end.load(Ordering::SeqCst) {
                step(&mut state);
                assert!(replica.number() != FAULTY || replica.iteration().0 != 50, "it panics");
                state = replica.vote(state)?.value.to_vec();
            }
            Ok(())
        })
        .expect("it begins");
    assert!(outcome.is_whole && kinds(&outcome, 2)[0] == FaultKind::Panicked, "{outcome:?}");
    assert_eq!(counted.load(Ordering::SeqCst), 20);
    assert_eq!(outcome.replicas[2].ending, Some(Ending::Returned), "{outcome:?}");
}

#[test]
fn law_one_that_serves_a_wrong_state_is_named_and_another_is_asked() {
    let all = (Iteration(1), Iteration(u64::MAX));
    for (fault, kind) in [
        (Injected::WrongState, Some(FaultKind::WrongState)),
        // That is no lie: nothing is there to hold against it.
        (Injected::HalfState, None),
        (Injected::LateState, None),
    ] {
        let voting = voting().on_fault(|_| Remedy::Ignore).inject(ReplicaNumber(0), all, fault);
        let outcome = run(voting, 100, |_| true);
        assert!(outcome.is_whole, "{fault:?}: {outcome:?}");
        let found = kinds(&outcome, 0);
        assert!(found.iter().all(|found| Some(*found) == kind), "{fault:?}: {outcome:?}");
        assert_eq!(found.is_empty(), kind.is_none(), "{fault:?}: {outcome:?}");
        assert_eq!(kinds(&outcome, 1), [], "{fault:?}: {outcome:?}");
        assert_eq!(outcome.replicas[2].ending, Some(Ending::Returned), "{fault:?}: {outcome:?}");
    }
}

#[test]
fn limit_a_state_that_nobody_serves_is_given_up() {
    let all = (Iteration(1), Iteration(u64::MAX));
    let waited = Arc::new(AtomicU64::new(0));
    let counted = waited.clone();
    let outcome = Redundant::new(three(), Majority::EXACT)
        .patience(Duration::from_millis(200))
        .on_fault(|_| Remedy::Ignore)
        .inject(ReplicaNumber(0), all, Injected::HalfState)
        .inject(ReplicaNumber(1), all, Injected::WrongState)
        .start_states(move |replica: &mut Stateful<'_, Majority>| {
            let value = if replica.number() == FAULTY { 1 } else { 2 };
            let voted = replica.vote(vec![value; 100]);
            if let Err(VoteError::NoState { iteration }) = voted {
                counted.fetch_add(iteration.0, Ordering::SeqCst);
            }
            // The others stay until it has given up, and go on to no other vote.
            while waited_for(&counted) {
                std::thread::sleep(Duration::from_millis(1));
            }
            voted.map(|_| ())
        })
        .expect("it begins");
    assert_eq!(waited.load(Ordering::SeqCst), 1);
    let ending = Some(Ending::GaveUp(VoteError::NoState { iteration: Iteration(1) }));
    assert_eq!(outcome.replicas[2].ending, ending, "{outcome:?}");
    assert_eq!(kinds(&outcome, 1), [FaultKind::WrongState], "{outcome:?}");
}

fn waited_for(counted: &AtomicU64) -> bool {
    counted.load(Ordering::SeqCst) == 0
}
