//! Every order in which values of three replicas may come to a voter, lost or twice, with one replica faulty in each way; more replicas by drawn orders.
//!
//! What must hold: a vote is the value of the correct replicas, once for each iteration; no correct replica is called wrong, or behind by more than it is; nothing blocks while no value of a correct replica is lost.

use std::collections::{BTreeSet, HashSet};
use windfall_nmr::{Iteration, Majority, ReplicaNumber, Report, Settings, Voter};

/// What the faulty replica, the last one, does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Fault {
    /// Nothing after so many values, be it none.
    Stops { after: u64 },
    /// Its values are wrong.
    Value,
    /// Its values are right, and their iterations one too high.
    Iteration,
    /// It sends anything for any iteration.
    Babbles,
}

const ITERATIONS: u64 = 3;
const LAG: u64 = 1;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Message {
    from: u8,
    iteration: u64,
    value: u64,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    voter: Voter<u64, Majority>,
    /// On their way, in order of their words, since they come in any order.
    flying: Vec<Message>,
    /// What each replica sends next.
    next: Vec<u64>,
    /// The last iteration of each replica that has arrived.
    arrived: Vec<u64>,
    voted: BTreeSet<u64>,
    losses: u8,
    doubles: u8,
    babbles: u8,
    /// Whether a value of a correct replica was lost.
    is_lossy: bool,
}

struct Model {
    replicas: u8,
    fault: Fault,
    settings: Settings,
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Send(u8),
    Babble(u64, u64),
    Deliver(usize),
    Double(usize),
    Lose(usize),
}

const fn right(iteration: u64) -> u64 {
    iteration * 10
}

impl Model {
    fn new(replicas: u8, fault: Fault, queue: u32, ahead: u32) -> Model {
        let settings = Settings::new(replicas).queue(queue).ahead(ahead).lag(LAG);
        Model { replicas, fault, settings }
    }

    fn start(&self, (losses, doubles, babbles): (u8, u8, u8)) -> State {
        let voter = Voter::new(&self.settings, Majority::EXACT).expect("it can be");
        let all = usize::from(self.replicas);
        State {
            voter,
            flying: Vec::new(),
            next: vec![1; all],
            arrived: vec![0; all],
            voted: BTreeSet::new(),
            losses,
            doubles,
            babbles,
            is_lossy: false,
        }
    }

    fn faulty(&self) -> u8 {
        self.replicas - 1
    }

    /// What may happen, of which each way is tried.
    fn moves(&self, state: &State) -> Vec<Move> {
        let mut moves = Vec::new();
        for replica in 0..self.replicas {
            let next = state.next[usize::from(replica)];
            let is_silent = match self.fault {
                Fault::Stops { after } => next > after,
                Fault::Babbles => true,
                Fault::Value | Fault::Iteration => false,
            };
            let silent = replica == self.faulty() && is_silent;
            // What comes next depends on what was voted.
            if next <= ITERATIONS && (next == 1 || state.voted.contains(&(next - 1))) && !silent {
                moves.push(Move::Send(replica));
            }
        }
        if self.fault == Fault::Babbles && state.babbles > 0 {
            for iteration in [0, 1, 2, 3, 4, 5, 7, u64::MAX] {
                for value in [right(iteration.min(9)), 1] {
                    moves.push(Move::Babble(iteration, value));
                }
            }
        }
        for place in 0..state.flying.len() {
            if place > 0 && state.flying[place] == state.flying[place - 1] {
                continue;
            }
            moves.push(Move::Deliver(place));
            if state.doubles > 0 {
                moves.push(Move::Double(place));
            }
            if state.losses > 0 {
                moves.push(Move::Lose(place));
            }
        }
        moves
    }

    fn step(&self, mut state: State, step: Move, judged: &mut Judged) -> State {
        match step {
            Move::Send(from) => {
                let iteration = state.next[usize::from(from)];
                state.next[usize::from(from)] += 1;
                let mut message = Message { from, iteration, value: right(iteration) };
                if from == self.faulty() {
                    match self.fault {
                        Fault::Value => message.value = 1,
                        Fault::Iteration => message.iteration += 1,
                        Fault::Stops { .. } | Fault::Babbles => {}
                    }
                }
                state.flying.push(message);
                state.flying.sort();
            }
            Move::Babble(iteration, value) => {
                state.babbles -= 1;
                state.flying.push(Message { from: self.faulty(), iteration, value });
                state.flying.sort();
            }
            Move::Deliver(place) => {
                let message = state.flying.remove(place);
                self.deliver(&mut state, &message, judged);
            }
            Move::Double(place) => {
                state.doubles -= 1;
                let message = state.flying[place].clone();
                self.deliver(&mut state, &message, judged);
            }
            Move::Lose(place) => {
                state.losses -= 1;
                let message = state.flying.remove(place);
                state.is_lossy |= message.from != self.faulty();
            }
        }
        state
    }

    fn deliver(&self, state: &mut State, message: &Message, judged: &mut Judged) {
        let Message { from, iteration, value } = *message;
        let correct = |replica: ReplicaNumber| replica.0 != self.faulty();
        let arrived = &mut state.arrived[usize::from(from)];
        *arrived = (*arrived).max(iteration);
        let (arrived, sent, voted) = (&state.arrived, &state.next, &mut state.voted);
        let furthest =
            (0..self.faulty()).map(|replica| sent[usize::from(replica)] - 1).max().unwrap_or(0);
        let (replica, at) = (ReplicaNumber(from), Iteration(iteration));
        state.voter.receive(replica, at, value, |report| match report {
            Report::Voted { iteration, value, agree } => {
                judged.votes += 1;
                assert_eq!(*value, right(iteration.0), "a vote is a correct one's value");
                assert!(agree.iter().any(correct));
                assert!(voted.insert(iteration.0), "voted once");
            }
            Report::Errors { wrong, .. } => {
                judged.errors += 1;
                assert!(!wrong.iter().any(correct), "a correct replica is not wrong");
            }
            Report::Lagging { replica, behind } => {
                judged.lagging += 1;
                let came = arrived[usize::from(replica.0)];
                let is_behind = || came + LAG < furthest && came + behind <= furthest;
                assert!(!correct(replica) || is_behind(), "{replica} is {behind} behind");
            }
            Report::Ahead { .. } => judged.ahead += 1,
            Report::Late { .. } => judged.late += 1,
            Report::Twice { .. } => judged.twice += 1,
            _ => {}
        });
        assert!(state.voter.length() <= self.settings.queue);
    }

    /// Nothing more happens.
    fn ends(&self, state: &State, judged: &mut Judged) {
        judged.ends += 1;
        if !state.is_lossy {
            let all: BTreeSet<u64> = (1..=ITERATIONS).collect();
            assert!(state.voted.is_superset(&all), "blocked: {state:?} with {:?}", self.fault);
        }
    }
}

#[derive(Default, Debug, PartialEq, Eq)]
struct Judged {
    states: u64,
    ends: u64,
    votes: u64,
    errors: u64,
    lagging: u64,
    ahead: u64,
    late: u64,
    twice: u64,
}

/// All ways of one model.
fn explore(model: &Model, budgets: (u8, u8, u8), judged: &mut Judged) {
    let start = model.start(budgets);
    let (mut seen, mut left) = (HashSet::from([start.clone()]), vec![start]);
    while let Some(state) = left.pop() {
        judged.states += 1;
        let moves = model.moves(&state);
        if moves.is_empty() {
            model.ends(&state, judged);
        }
        for step in moves {
            let next = model.step(state.clone(), step, judged);
            if seen.insert(next.clone()) {
                left.push(next);
            }
        }
    }
}

#[test]
fn law_three_replicas_vote_right_in_every_order() {
    let mut judged = Judged::default();
    for queue in 1..=3 {
        for ahead in 1..=queue {
            let mut all = |fault, budgets: &[(u8, u8, u8)]| {
                let model = Model::new(3, fault, queue, ahead);
                budgets.iter().for_each(|budgets| explore(&model, *budgets, &mut judged));
            };
            let stops = [0, 1].map(|after| Fault::Stops { after });
            for fault in stops.into_iter().chain([Fault::Value, Fault::Iteration]) {
                all(fault, &[(1, 1, 0)]);
            }
            all(Fault::Stops { after: 2 }, &[(1, 0, 0), (0, 1, 0)]);
            // A babbler has enough ways of its own.
            all(Fault::Babbles, &[(0, 0, 2)]);
            if queue <= 2 {
                all(Fault::Babbles, &[(1, 1, 1)]);
            }
        }
    }
    assert_eq!(judged.states, 806_827, "{judged:?}");
    let Judged { ends, votes, errors, lagging, ahead, late, twice, .. } = judged;
    let counts = [ends, votes, errors, lagging, ahead, late, twice];
    assert!(counts.iter().all(|count| *count > 1_000), "{judged:?}");
}

/// A generator of numbers (PCG's step), so that equal seeds draw equal ways.
fn draw(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).expect("31 bits") % below
}

#[test]
fn law_four_and_five_replicas_vote_right_in_drawn_orders() {
    let mut judged = Judged::default();
    let mut seed = 18;
    for replicas in [4, 5] {
        for fault in [Fault::Stops { after: 1 }, Fault::Value, Fault::Iteration, Fault::Babbles] {
            for round in 0..2_000_u32 {
                let queue = 1 + round % 3;
                let ahead = 1 + round / 3 % queue;
                let model = Model::new(replicas, fault, queue, ahead);
                let lossy = u8::from(round % 4 == 3);
                let mut state = model.start((lossy, 2, 8));
                loop {
                    judged.states += 1;
                    let moves = model.moves(&state);
                    if moves.is_empty() {
                        model.ends(&state, &mut judged);
                        break;
                    }
                    let step = moves[draw(&mut seed, moves.len())];
                    state = model.step(state, step, &mut judged);
                }
            }
        }
    }
    let Judged { ends, votes, errors, lagging, ahead, late, twice, .. } = judged;
    assert_eq!(ends, 16_000);
    let counts = [votes, errors, lagging, ahead, late, twice];
    assert!(counts.iter().all(|count| *count > 500), "{judged:?}");
}
