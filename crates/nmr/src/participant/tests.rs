//! One replica's part in votes.

use super::*;
use crate::Majority;

/// All participants of so many, linked.
fn parts(settings: &Settings) -> Vec<Participant<u64, Majority>> {
    let mut links: Vec<Vec<_>> = (0..settings.replicas).map(|_| Vec::new()).collect();
    for one in 0..settings.replicas {
        for other in one + 1..settings.replicas {
            let (here, there) = link(1, 1, settings);
            links[usize::from(one)].push((ReplicaNumber(other), here));
            links[usize::from(other)].push((ReplicaNumber(one), there));
        }
    }
    let all = Replicas::first(settings.replicas);
    let rule = (settings, Majority::EXACT);
    let part = |(number, links)| Participant::new(ReplicaNumber(number), rule, all, false, links);
    (0..).zip(links).map(part).collect()
}

#[test]
fn law_a_vote_is_heard_though_its_row_is_gone_at_once() {
    let mut parts = parts(&Settings::new(3).queue(1));
    // Wrong in the first iteration, and there is a second at once.
    parts[2].sends(99, None, |_| ());
    parts[2].next = Iteration(2);
    parts[2].sends(99, None, |_| ());
    parts[0].sends(10, None, |_| ());
    assert_eq!(parts[0].polls(Iteration(1)), None);
    parts[1].sends(10, None, |_| ());
    let vote = Some(Vote { iteration: Iteration(1), value: 10 });
    assert_eq!((parts[0].polls(Iteration(1)), parts[1].polls(Iteration(1))), (vote, vote));
}

#[test]
fn law_one_that_missed_votes_is_not_called_wrong_for_the_next() {
    let mut parts = parts(&Settings::new(5).queue(8));
    for part in &mut parts {
        part.sends(1, None, |_| ());
    }
    let vote = Vote { iteration: Iteration(1), value: 1 };
    assert!(parts.iter_mut().all(|part| part.polls(Iteration(1)) == Some(vote)));
    // It has waited for the next one, and heard of one far ahead.
    parts[0].sends(1, None, |_| ());
    let vote = Vote { iteration: Iteration(100), value: 1 };
    parts[0].goes_on(Heard { vote, agreed: Replicas::NONE });
    parts[0].sends(1, None, |_| ());
    parts[1].sends(1, None, |_| ());
    parts[1].polls(Iteration(2));
    assert_eq!(parts[1].take_found(), []);
}

#[test]
fn law_a_wrong_number_is_found_each_time() {
    let mut parts = parts(&Settings::new(3).queue(4).lag(100));
    for iteration in 1..=5 {
        parts[2].sends(1, Some(Injected::WrongIteration { by: 100 }), |_| ());
        parts[2].next = Iteration(iteration + 1);
        for place in [0, 1] {
            parts[place].sends(1, None, |_| ());
        }
        for place in [0, 1, 0] {
            parts[place].polls(Iteration(iteration));
        }
        let found = parts[0].take_found();
        let kinds: Vec<_> = found.iter().map(|found| (found.replica.0, found.kind)).collect();
        assert_eq!(kinds, [(2, FaultKind::WrongIteration)], "{iteration}");
    }
}
