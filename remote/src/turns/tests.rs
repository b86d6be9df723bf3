//! Replicas over a simulated network that loses, doubles, delays and reorders records.

use super::*;
use crate::fault::{Fault, FaultKind};
use windfall_nmr::{Iteration, Majority};
use windfall_ports::transport::{Faults, Network, Simulated};

const LAST: u64 = 400;
const LIE: u64 = 100;
const MS: Span = Span::from_millis(1);

const fn right(iteration: u64) -> u64 {
    iteration * (iteration + 1) / 2
}

struct Node {
    turns: Turns<u64, Majority>,
    end: Simulated,
    lies: bool,
    due: Instant,
    begun_leaving: Option<Instant>,
    has_left: bool,
    votes: Vec<u64>,
    faults: Vec<Fault>,
}

impl Node {
    fn new(number: u8, network: &Network, now: Instant) -> Node {
        let settings = Settings::new(3).queue(16);
        let patience = Span::from_secs(2);
        let own = ReplicaNumber(number);
        let turns = Turns::new(own, settings, Majority::EXACT, patience, now);
        let mut node = Node {
            turns: turns.expect("it can be"),
            end: network.member(number.into()),
            lies: number == 2,
            due: now,
            begun_leaving: None,
            has_left: false,
            votes: Vec::new(),
            faults: Vec::new(),
        };
        node.offers(now);
        node
    }

    fn offers(&mut self, now: Instant) {
        let (iteration, last) = (self.turns.voting.next.0, self.turns.voting.last);
        let lie = u64::from(self.lies && iteration == LIE);
        let sum = last.map_or(0, |vote| vote.value) + iteration + lie;
        self.turns.offer(sum, now, &mut self.end);
    }

    fn runs(&mut self, now: Instant) {
        if let Some(begun) = self.begun_leaving {
            let due = self.turns.leave(begun, now, &mut self.end);
            (self.has_left, self.due) = (due.is_none(), due.unwrap_or(Instant::MAX));
            return;
        }
        match self.turns.turn(now, &mut self.end) {
            Turn::Over(vote) => {
                assert_eq!(vote.value, right(vote.iteration.0), "{}", vote.iteration);
                self.votes.push(vote.iteration.0);
                self.faults.extend(self.turns.voting.take_found());
                self.due = now;
                if vote.iteration >= Iteration(LAST) {
                    self.begun_leaving = Some(now);
                } else {
                    self.offers(now);
                }
            }
            Turn::Failed { silent, .. } => panic!("no vote; silent: {silent}"),
            Turn::Wait { until } => self.due = until,
        }
    }
}

/// Runs three to the end; one of them dies in one iteration and begins anew, knowing nothing, in another.
fn run(network: &Network, dies: Option<(u64, u64)>) -> Vec<Node> {
    let mut now = Instant::ZERO;
    let mut nodes: Vec<Node> = (0..3).map(|number| Node::new(number, network, now)).collect();
    let mut is_dead = false;
    while !nodes.iter().all(|node| node.has_left) {
        let reached = nodes[0].votes.last().copied().unwrap_or(0);
        if let Some((from, until)) = dies
            && is_dead != (from..until).contains(&reached)
        {
            is_dead = !is_dead;
            network.set_dead(1, is_dead);
            if !is_dead {
                nodes[1] = Node::new(1, network, now);
            }
        }
        for (number, node) in nodes.iter_mut().enumerate() {
            if node.has_left || is_dead && number == 1 {
                while node.end.receive(now).is_some() {}
            } else {
                node.runs(now);
            }
        }
        let alive = nodes.iter().enumerate().filter(|(number, _)| !(is_dead && *number == 1));
        let due = alive.map(|(_, node)| node.due).min().expect("two are alive");
        // Ten microseconds for each turn, and more where nothing is due.
        let soon = now.saturating_add(Span::from_nanos(10_000));
        let arrival = network.next_arrival().unwrap_or(Instant::MAX);
        now = soon.max(due.min(arrival));
        assert!(now < Instant::from_nanos(600_000_000_000), "it takes too long");
    }
    nodes
}

fn bad(latency: Span) -> Faults {
    let mut faults = Faults::none(latency);
    (faults.jitter, faults.lost, faults.doubled) = (MS, 100, 100);
    faults.late = (50, Span::from_millis(40));
    faults
}

#[test]
fn law_a_network_without_faults_leads_to_every_vote() {
    let network = Network::new(1, Faults::none(MS));
    for node in run(&network, None) {
        assert_eq!(node.votes, (1..=LAST).collect::<Vec<_>>());
        let replica = ReplicaNumber(2);
        let lie = Fault { replica, kind: FaultKind::Wrong, iteration: Iteration(LIE) };
        assert_eq!(node.faults, [lie]);
    }
}

#[test]
fn law_lost_doubled_late_and_reordered_messages_change_no_vote() {
    let mut named = 0;
    for seed in 0..20 {
        let network = Network::new(seed, bad(MS));
        for node in run(&network, None) {
            assert_eq!(node.votes.last(), Some(&LAST), "seed {seed}");
            let others = node.faults.iter().filter(|fault| fault.replica != ReplicaNumber(2));
            assert_eq!(others.count(), 0, "seed {seed}: {:?}", node.faults);
            named += usize::from(!node.faults.is_empty());
        }
        let carried = network.carried();
        assert!(carried.lost > 50 && carried.doubled > 50 && carried.late > 50, "{carried:?}");
    }
    // The lie is lost in a tenth of the runs, and nobody asks for it, since there is a vote.
    assert!(named > 45, "{named} of 60 name the liar");
}

#[test]
fn law_one_that_begins_anew_comes_back_though_messages_are_lost() {
    for seed in 0..20 {
        let network = Network::new(seed, bad(MS));
        let nodes = run(&network, Some((150, 250)));
        for node in &nodes {
            assert_eq!(node.votes.last(), Some(&LAST), "seed {seed}");
        }
        assert!(nodes[1].votes[0] >= 240, "seed {seed}: {:?}", nodes[1].votes);
        assert!(nodes[1].votes.len() > 50, "seed {seed}: it takes part again");
        // While it was dead, the other two had to ask for all that was lost between them.
        let alone = |vote: &&u64| (170..240).contains(*vote);
        assert_eq!(nodes[0].votes.iter().filter(alone).count(), 70, "seed {seed}");
    }
}

#[test]
fn law_one_that_begins_anew_settles_what_the_others_disagree_on() {
    for seed in 0..20 {
        let network = Network::new(seed, bad(MS));
        // It is back just when one of the others lies, so that those two have no majority.
        let nodes = run(&network, Some((50, LIE - 1)));
        assert!(nodes[1].votes[0] >= LIE - 2, "seed {seed}: {:?}", nodes[1].votes);
        assert!(nodes[0].votes.contains(&LIE), "seed {seed}");
        assert!(nodes.iter().all(|node| node.votes.last() == Some(&LAST)), "seed {seed}");
    }
}

#[test]
fn limit_one_alone_gives_up_in_time() {
    let network = Network::new(1, Faults::none(MS));
    let mut node = Node::new(0, &network, Instant::ZERO);
    let over = Instant::ZERO.saturating_add(Span::from_secs(2));
    let mut now = Instant::ZERO;
    while now < over {
        let Turn::Wait { until } = node.turns.turn(now, &mut node.end) else {
            panic!("nobody else votes")
        };
        assert!(until > now && until <= over.saturating_add(MS), "{until}");
        now = until;
    }
    let silent = Replicas::first(3).without(ReplicaNumber(0));
    assert_eq!(
        node.turns.turn(now, &mut node.end),
        Turn::Failed { silent, other_size: Replicas::NONE }
    );
}

#[test]
fn law_one_that_gave_up_votes_when_another_is_back() {
    let network = Network::new(1, Faults::none(MS));
    let mut node = Node::new(0, &network, Instant::ZERO);
    let over = Instant::ZERO.saturating_add(Span::from_secs(2));
    let silent = Replicas::first(3).without(ReplicaNumber(0));
    assert_eq!(
        node.turns.turn(over, &mut node.end),
        Turn::Failed { silent, other_size: Replicas::NONE }
    );
    // Its body waits again, with the value that it has sent.
    node.offers(over);
    let mut other = Node::new(1, &network, over);
    let soon = over.saturating_add(MS).saturating_add(MS);
    let vote = Vote { iteration: Iteration(1), value: right(1) };
    assert_eq!(node.turns.turn(soon, &mut node.end), Turn::Over(vote));
    assert_eq!(other.turns.turn(soon, &mut other.end), Turn::Over(vote));
}
