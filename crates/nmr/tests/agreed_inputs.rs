//! A source that tells each replica something else: the replicas agree on its value first (OM(1)), over rings, and then vote on what they compute from it.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use windfall_exchange::{Reader, Writer, ring};
use windfall_nmr::oral::Oral;
use windfall_nmr::redundant::{Outcome, Redundant, Remedy, Replica};
use windfall_nmr::{Majority, ReplicaNumber, Settings};

const REPLICAS: usize = 3;
/// The fourth participant.
const SOURCE: ReplicaNumber = ReplicaNumber(3);

/// Longer than a thread waits for a processor.
const PATIENCE: Duration = Duration::from_secs(5);

/// The ends of a replica: from the source, and from and to each replica. "Nothing" is said by a record as well, so that no clock decides what was not said.
struct Ends {
    source: Reader<2>,
    from: Vec<Reader<2>>,
    to: Vec<Writer<2>>,
}

/// The ends of all replicas, and what the source says in the first.
fn ends(says: [Option<u64>; REPLICAS]) -> Vec<Ends> {
    let mut all: Vec<Ends> = says
        .iter()
        .map(|says| {
            let (mut to, source) = ring(1);
            assert_eq!(to.write(&[record(*says)]), 1);
            Ends { source, from: Vec::new(), to: Vec::new() }
        })
        .collect();
    for one in 0..REPLICAS {
        for other in 0..REPLICAS {
            // From one to the other; that to itself is of no use.
            let (to, from) = ring(1);
            all[one].to.push(to);
            all[other].from.push(from);
        }
    }
    all
}

fn record(value: Option<u64>) -> [u64; 2] {
    [u64::from(value.is_some()), value.unwrap_or(0)]
}

fn hears(from: &mut Reader<2>) -> Option<u64> {
    let mut records = [[0; 2]];
    while from.read(&mut records) == 0 {
        std::thread::yield_now();
    }
    let [[is_some, value]] = records;
    (is_some == 1).then_some(value)
}

/// The input that all correct replicas have, whatever the source or one of them says.
fn agreed(me: ReplicaNumber, ends: &mut Ends) -> Option<u64> {
    let mut oral = Oral::new(4, SOURCE).expect("four are enough");
    let said = hears(&mut ends.source);
    said.map(|value| oral.hears(SOURCE, value));
    let others = || (0..3).map(ReplicaNumber).filter(|other| *other != me);
    for other in others() {
        assert_eq!(ends.to[usize::from(other.0)].write(&[record(said)]), 1);
    }
    for other in others() {
        let relayed = hears(&mut ends.from[usize::from(other.0)]);
        relayed.map(|value| oral.hears(other, value));
    }
    oral.decides().copied()
}

/// Three replicas, each of which computes from the input that it takes from its ends.
fn run(
    says: [Option<u64>; REPLICAS],
    input: fn(ReplicaNumber, &mut Ends) -> Option<u64>,
) -> Outcome {
    let ends: Vec<_> = ends(says).into_iter().map(Some).collect();
    let ends = Arc::new(Mutex::new(ends));
    Redundant::new(Settings::new(3), Majority::EXACT)
        .patience(PATIENCE)
        .on_fault(|_| Remedy::Ignore)
        .start(move |replica: &mut Replica<u64, Majority>| {
            let me = replica.number();
            let taken = ends.lock().expect("nobody panics")[usize::from(me.0)].take();
            let value = input(me, &mut taken.expect("one life each"));
            replica.vote(value.map_or(0, |value| value * 3 + 1)).map(|_| ())
        })
        .expect("it begins")
}

#[test]
fn law_replicas_vote_alike_whatever_a_two_faced_source_tells_them() {
    const SAYINGS: [Option<u64>; 3] = [None, Some(7), Some(9)];
    for way in 0..27_usize {
        let says = [SAYINGS[way % 3], SAYINGS[way / 3 % 3], SAYINGS[way / 9]];
        let outcome = run(says, agreed);
        assert_eq!((outcome.is_whole, outcome.exit_status()), (true, 0), "{says:?}: {outcome:?}");
    }
}

#[test]
fn limit_without_agreement_a_two_faced_source_leaves_no_majority() {
    let outcome = run([Some(7), Some(9), Some(11)], |_, ends| hears(&mut ends.source));
    assert_eq!((outcome.is_whole, outcome.exit_status()), (false, 2), "{outcome:?}");
}
