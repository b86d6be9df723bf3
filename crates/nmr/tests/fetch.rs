//! States that are fetched: whoever lies, ends in the middle or is slow, what comes out is the state of the majority, and only liars are named.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;
use windfall_nmr::{
    Digest, Fetch, Fetched, Iteration, Majority, ReplicaNumber, Replicas, Report, Settings, Voter,
};

/// How a replica serves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Server {
    Right,
    /// One byte is another.
    Lies,
    /// It says less than there is, and then serves all.
    Longer,
    /// It changes its mind on how much there is.
    Unsure,
    /// Nothing comes after the first half.
    Ends,
    /// Nothing comes before it was asked twice.
    Slow,
    /// It ended before.
    Gone,
}

const SERVERS: [Server; 7] = [
    Server::Right,
    Server::Lies,
    Server::Longer,
    Server::Unsure,
    Server::Ends,
    Server::Slow,
    Server::Gone,
];

const fn replica(number: u8) -> ReplicaNumber {
    ReplicaNumber(number)
}

/// What a server sends when it is asked for the so manieth time: pieces, each with the length that it says.
fn serves(server: Server, state: &[u8], piece: usize, asked: u32) -> Vec<(usize, Vec<u8>)> {
    let mut sent = state.to_vec();
    match server {
        Server::Lies => sent.last_mut().into_iter().for_each(|byte| *byte ^= 1),
        Server::Ends => sent.truncate(state.len() / 2),
        Server::Gone => sent.clear(),
        Server::Slow if asked < 2 => sent.clear(),
        _ => {}
    }
    let length = if server == Server::Longer { state.len() - 1 } else { state.len() };
    let mut pieces: Vec<(usize, Vec<u8>)> =
        sent.chunks(piece).map(|piece| (length, piece.to_vec())).collect();
    if server == Server::Unsure {
        pieces.last_mut().into_iter().for_each(|(length, _)| *length += 1);
        // With one piece, the second says another length.
        pieces.insert(0, (length, Vec::new()));
    }
    pieces
}

/// How often each kind of server was asked, and how often the state came from it.
static ASKED: Mutex<BTreeMap<Server, (u32, u32)>> = Mutex::new(BTreeMap::new());

/// The vote on the hashes of these states, and whose agree.
fn voted(states: &[&[u8]]) -> (Digest, Replicas) {
    let count = u8::try_from(states.len()).expect("few");
    let mut voter: Voter<Digest, Majority> =
        Voter::new(&Settings::new(count), Majority::EXACT).expect("it can be");
    let mut vote = None;
    for (number, state) in (0..).zip(states) {
        voter.receive(replica(number), Iteration(1), Digest::of(state), |report| {
            if let Report::Voted { value, agree, .. } = report {
                vote = Some((*value, agree));
            }
        });
    }
    vote.expect("a majority agrees")
}

/// What came of it, and who was named.
fn fetches(
    (digest, agree): (Digest, Replicas),
    servers: &[Server],
    state: &[u8],
    piece: usize,
) -> (Option<Vec<u8>>, Replicas) {
    let mut fetch = Fetch::new(digest, agree, 1 << 16);
    let mut often = vec![0; servers.len()];
    for _ in 0..3 {
        while let Some(asked) = fetch.source() {
            assert_eq!(fetch.source(), Some(asked), "one at a time");
            let server = servers[usize::from(asked.0)];
            often[usize::from(asked.0)] += 1;
            ASKED.lock().expect("no panic").entry(server).or_default().0 += 1;
            for (length, bytes) in serves(server, state, piece, often[usize::from(asked.0)]) {
                match fetch.receive(asked, length, &bytes) {
                    Fetched::Whole(state) => {
                        ASKED.lock().expect("no panic").entry(server).or_default().1 += 1;
                        return (Some(state), fetch.wrong());
                    }
                    Fetched::Incomplete => {}
                    Fetched::Wrong => break,
                    Fetched::NotSource => panic!("{asked} is asked"),
                    _ => panic!("nothing else"),
                }
            }
            if fetch.source() == Some(asked) {
                fetch.give_up();
            }
        }
        fetch.add(agree);
    }
    (None, fetch.wrong())
}

fn is_liar(server: Server) -> bool {
    matches!(server, Server::Lies | Server::Longer | Server::Unsure)
}

#[test]
fn law_what_is_fetched_is_the_state_of_a_majority() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(2_000));
    let drawn = (
        prop::collection::vec(any::<u8>(), 1..400),
        1_usize..500,
        prop::collection::vec(prop::sample::select(&SERVERS[..]), 2..5),
        any::<u8>(),
    );
    let judged = runner.run(&drawn, |(state, piece, servers, place)| {
        // The last replicas are a minority with another state, and serve that truthfully.
        let minority = servers.len() - 1;
        let mut other = state.clone();
        other[usize::from(place) % state.len()] ^= 0x10;
        let states: Vec<&[u8]> = std::iter::repeat_n(&state[..], servers.len())
            .chain(std::iter::repeat_n(&other[..], minority))
            .collect();
        let vote = voted(&states);
        let agree: Replicas = (0..).map(replica).take(servers.len()).collect();
        prop_assert_eq!(vote, (Digest::of(&state), agree));
        let (got, wrong) = fetches(vote, &servers, &state, piece);
        for (number, server) in (0..).zip(&servers) {
            prop_assert!(is_liar(*server) || !wrong.has(replica(number)), "{server:?} is named");
        }
        let can = servers.iter().any(|server| matches!(server, Server::Right | Server::Slow));
        prop_assert_eq!(got.is_some(), can);
        match got {
            Some(got) => prop_assert_eq!(got, state),
            // All were asked.
            None => {
                let liars = (0..).zip(&servers).filter(|(_, server)| is_liar(**server));
                let liars: Replicas = liars.map(|(number, _)| replica(number)).collect();
                prop_assert_eq!(wrong, liars);
            }
        }
        Ok(())
    });
    judged.expect("it holds");
    let asked = ASKED.lock().expect("no panic");
    for server in SERVERS {
        let (often, got) = asked.get(&server).copied().unwrap_or_default();
        let serves = matches!(server, Server::Right | Server::Slow);
        assert!(often > 100 && (got > 50) == serves, "{server:?}: {often}, {got}");
    }
}

#[test]
fn refuses_what_nobody_asked_for_and_what_is_too_long() {
    let state = [7; 10];
    let mut fetch = Fetch::new(Digest::of(&state), Replicas::first(3), 10);
    assert_eq!(fetch.receive(replica(0), 10, &state), Fetched::NotSource, "not yet");
    assert_eq!(fetch.source(), Some(replica(0)));
    assert_eq!(fetch.receive(replica(1), 10, &state), Fetched::NotSource);
    assert_eq!(fetch.receive(replica(0), usize::MAX, &state), Fetched::Wrong, "no memory for it");
    fetch.add(Replicas::first(1));
    assert_eq!(
        fetch.source(),
        Some(replica(1)),
        "one that served something else is not asked again"
    );
    assert_eq!(fetch.receive(replica(1), 10, &state[..6]), Fetched::Incomplete);
    fetch.give_up();
    assert_eq!(fetch.source(), Some(replica(2)));
    assert_eq!(fetch.receive(replica(2), 10, &state[..4]), Fetched::Incomplete);
    assert_eq!(fetch.receive(replica(2), 10, &state[..7]), Fetched::Wrong, "a byte too many");
    assert_eq!(
        (fetch.source(), fetch.wrong()),
        (None, [replica(0), replica(2)].into_iter().collect())
    );
    // What it served before is forgotten.
    fetch.add(Replicas::first(2));
    assert_eq!(fetch.source(), Some(replica(1)));
    assert_eq!(fetch.receive(replica(1), 10, &state), Fetched::Whole(state.to_vec()));
}

#[test]
fn accepts_an_empty_state_and_one_as_long_as_allowed() {
    for state in [&[][..], &[1; 64]] {
        let mut fetch = Fetch::new(Digest::of(state), Replicas::first(1), 64);
        assert_eq!(fetch.source(), Some(replica(0)));
        assert_eq!(fetch.receive(replica(0), state.len(), state), Fetched::Whole(state.to_vec()));
    }
}
