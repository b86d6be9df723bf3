//! States that are fetched while pieces are lost, from replicas that serve what they should not.

use super::*;
use windfall_ports::transport::{Faults, Network, Simulated, Transport};

const MS: Span = Span::from_millis(1);
const PATIENCE: Span = Span::from_secs(2);
const REPEAT: Span = Span::from_millis(30);

fn state(bytes: usize) -> Arc<[u8]> {
    (0..=250).cycle().take(bytes).collect()
}

/// Replica 0 fetches from the others, which have what is given. What it got, whom it found wrong, and when it was over.
fn fetches(
    network: &Network,
    digest: Digest,
    had: [Option<(Digest, Arc<[u8]>)>; 2],
) -> (Option<Arc<[u8]>>, Replicas, Instant) {
    let mut ends: Vec<Simulated> = (0..3).map(|member| network.member(member)).collect();
    let mut all = [(); 3].map(|()| States::new(PATIENCE));
    let mut now = Instant::ZERO;
    for (states, had) in all[1..].iter_mut().zip(had) {
        had.into_iter().for_each(|(digest, state)| states.keep(digest, state, now));
    }
    let others = Replicas::first(3).without(ReplicaNumber(0));
    all[0].fetch(digest, others, now);
    loop {
        for (own, (states, end)) in all.iter_mut().zip(&mut ends).enumerate() {
            while let Some((from, record)) = end.receive(now) {
                let head = Head::read(record[0]).expect("all is well formed");
                if head.kind == Kind::Want {
                    states.wanted(record, now, |piece| assert!(end.send(now, from, piece)));
                } else {
                    assert_eq!(own, 0);
                    let from = ReplicaNumber(u8::try_from(from).expect("one of three"));
                    states.piece(from, head.part, record, now);
                }
            }
        }
        match all[0].next(now, REPEAT) {
            Next::Whole(state) => return (Some(state), all[0].wrong, now),
            Next::Nobody => return (None, all[0].wrong, now),
            Next::Ask(to, wish) => assert!(ends[0].send(now, to.0.into(), wish)),
            Next::Wait(_) => {}
        }
        now = now.saturating_add(Span::from_nanos(100_000));
        assert!(now < Instant::from_nanos(60_000_000_000), "it takes too long");
    }
}

#[test]
fn law_states_of_any_size_are_fetched() {
    for bytes in [0, 1, 39, 40, 41, 1_279, 1_280, 1_281, 100_000] {
        let (network, state) = (Network::new(1, Faults::none(MS)), state(bytes));
        let digest = Digest::of(&state);
        let (got, wrong, now) = fetches(&network, digest, [Some((digest, state.clone())), None]);
        assert_eq!(got, Some(state), "{bytes}");
        assert_eq!(wrong, Replicas::NONE);
        // A round trip for each 32 pieces of 40 bytes, and no waiting.
        let trips = (bytes / 1_280 + 1) as u64;
        assert!(now <= Instant::from_nanos(trips * 2_200_000), "{bytes} bytes took until {now}");
    }
}

#[test]
fn law_lost_doubled_and_late_pieces_are_asked_for_again() {
    for seed in 0..20 {
        let mut bad = Faults::none(MS);
        (bad.jitter, bad.lost, bad.doubled) = (MS, 100, 100);
        let (network, state) = (Network::new(seed, bad), state(20_000));
        let digest = Digest::of(&state);
        let had = [Some((digest, state.clone())), Some((digest, state.clone()))];
        let (got, _, now) = fetches(&network, digest, had);
        assert_eq!(got, Some(state), "seed {seed}");
        // What was lost is asked for once the next piece shows it; a wait of 30 ms each time takes a hundred times as long.
        assert!(now < Instant::from_nanos(1_000_000_000), "seed {seed}: {now}");
        assert!(network.carried().lost > 20);
    }
}

#[test]
fn law_one_that_serves_another_state_is_named_and_the_next_one_asked() {
    let (network, right, wrong) = (Network::new(1, Faults::none(MS)), state(3_000), state(3_001));
    let digest = Digest::of(&right);
    let had = [Some((digest, wrong)), Some((digest, right.clone()))];
    let (got, named, _) = fetches(&network, digest, had);
    assert_eq!((got, named), (Some(right), Replicas::NONE.with(ReplicaNumber(1))));
}

#[test]
fn law_one_that_has_no_such_state_or_is_dead_is_not_waited_for() {
    let (network, state) = (Network::new(1, Faults::none(MS)), state(100));
    let digest = Digest::of(&state);
    let has = Some((digest, state.clone()));
    let (got, named, now) = fetches(&network, digest, [None, has.clone()]);
    assert_eq!((got, named), (Some(state.clone()), Replicas::NONE));
    assert!(now < Instant::from_nanos(10_000_000), "it says so at once: {now}");
    network.set_dead(1, true);
    let (got, _, now) = fetches(&network, digest, [None, has]);
    assert_eq!(got, Some(state));
    assert!(now >= Instant::ZERO.saturating_add(PATIENCE), "{now}");
    let (got, named, _) = fetches(&network, digest, [None, None]);
    assert_eq!((got, named), (None, Replicas::NONE));
}

#[test]
fn limit_of_the_states_that_are_kept_those_that_are_fetched_go_last() {
    let mut states = States::new(PATIENCE);
    let all: Vec<_> = (0..40).map(|bytes| (Digest::of(&state(bytes)), state(bytes))).collect();
    let wish = |digest: Digest| {
        let mut record = [head(Kind::Want, 0), 0, 0, 0, 0, 0, 0, 0];
        digest.put(&mut record[2..6]);
        record
    };
    let has = |states: &mut States, place: usize, now: Instant| {
        let mut parts = Vec::new();
        states.wanted(wish(all[place].0), now, |piece| {
            parts.push(Head::read(piece[0]).expect("a head").part);
        });
        parts == [0]
    };
    for (digest, state) in &all[..5] {
        states.keep(*digest, state.clone(), Instant::ZERO);
    }
    assert!(!has(&mut states, 0, Instant::ZERO) && has(&mut states, 1, Instant::ZERO));
    for (digest, state) in &all[5..15] {
        states.keep(*digest, state.clone(), Instant::ZERO);
    }
    assert!(has(&mut states, 1, Instant::ZERO), "it is being fetched");
    let later = Instant::ZERO.saturating_add(PATIENCE).saturating_add(PATIENCE);
    states.keep(all[20].0, all[20].1.clone(), later);
    assert!(!has(&mut states, 1, later), "nobody has asked for it for long");
    assert_eq!(states.kept.len(), KEPT);
}
