//! The policy over model nodes, whose processes have constant loads or loads that change in each epoch.

use super::*;
use crate::control::{SchedulerView, ThreadChange, ThreadView};
use proptest::prelude::*;
use std::cell::Cell;
use windfall_time::Span;

const EPOCH: Span = Span::from_millis(100);

/// A process of a model node.
#[derive(Clone, Debug)]
struct Model {
    reading: ProcessReading,
    /// Time ready or running, and time that it would use, in each epoch.
    runnable: Span,
    demand: Span,
    node: usize,
}

#[derive(Clone, Debug)]
struct World {
    epochs: u64,
    nodes: usize,
    processes: Vec<Model>,
}

/// One process as it is drawn: node, need and demand in ms, whether it is always ready, whether it is fixed.
type Drawn = (usize, u32, u32, bool, bool);

fn drawn() -> impl Strategy<Value = Drawn> {
    let need = prop_oneof![2 => Just(0_u32), 3 => 1_u32..60];
    let demand = prop_oneof![1_u32..10, 1_u32..40];
    (0_usize..4, need, demand, any::<bool>(), prop::bool::weighted(0.1))
}

impl World {
    /// Needs that do not fit are left out, as the scheduler would refuse them.
    fn new(drawn: &[Drawn]) -> World {
        let mut world = World { epochs: 0, nodes: 4, processes: Vec::new() };
        for (at, (node, need, demand, always, fixed)) in drawn.iter().enumerate() {
            let demand = Span::from_millis(*demand);
            let need = Span::from_millis(*need);
            let need = if world.declared(*node) + need <= EPOCH { need } else { Span::ZERO };
            let slice = Span::from_millis(10);
            let (name, fixed) = (format!("p{at}"), *fixed);
            let reading =
                ProcessReading { name, fixed, need, slice, priority: 1, ..Default::default() };
            let runnable = if *always { EPOCH } else { demand };
            world.processes.push(Model { reading, runnable, demand, node: *node });
        }
        world
    }

    fn declared(&self, node: usize) -> Span {
        let here = self.processes.iter().filter(|process| process.node == node);
        here.fold(Span::ZERO, |sum, process| sum + process.reading.need)
    }

    fn run_epoch(&mut self) {
        self.epochs += 1;
        for Model { reading, runnable, demand, .. } in &mut self.processes {
            reading.runnable += *runnable;
            reading.ran += *demand;
            reading.given += reading.need.saturating_sub(*demand);
        }
    }

    fn readings(&self) -> Vec<NodeReading> {
        let node = |at: usize| NodeReading {
            name: format!("node-{at}"),
            epoch: EPOCH,
            useful: Span::from_nanos(300_000),
            declared: self.declared(at),
            epochs: self.epochs,
            processes: self
                .processes
                .iter()
                .filter(|process| process.node == at)
                .map(|process| process.reading.clone())
                .collect(),
            ..NodeReading::default()
        };
        (0..self.nodes).map(node).collect()
    }

    fn process(&mut self, name: &str) -> &mut Model {
        let mut all = self.processes.iter_mut();
        all.find(|process| process.reading.name == name).expect("a request is for a process")
    }

    fn carry_out(&mut self, request: &ThreadRequest) {
        let process = self.process(&request.thread);
        assert!(!process.reading.fixed, "{request}: it is fixed");
        match &request.change {
            ThreadChange::Need { amount, .. } => process.reading.need = *amount,
            ThreadChange::Slice(slice) => process.reading.slice = *slice,
            ThreadChange::Move(place) => {
                assert_eq!(place.need.map_or(Span::ZERO, |need| need.0), process.reading.need);
                process.node = place.to["node-".len()..].parse().unwrap();
                process.reading.slice = place.slice;
                (process.reading.ran, process.reading.given) = (Span::ZERO, Span::ZERO);
            }
        }
    }

    /// Runs one epoch, and carries out what is requested after it.
    fn step(&mut self, state: &mut State, policy: &Policy) -> Vec<ThreadRequest> {
        self.run_epoch();
        let requests = decide(&self.readings(), state, policy);
        requests.iter().for_each(|request| self.carry_out(request));
        requests
    }

    /// The loads of all nodes, in millionths.
    fn loads(&self) -> Vec<u64> {
        let of = |node| self.processes.iter().filter(move |process| process.node == node);
        (0..self.nodes).map(|node| of(node).map(load).sum()).collect()
    }
}

fn load(process: &Model) -> u64 {
    process.runnable.as_nanos() * PROCESSOR / EPOCH.as_nanos()
}

fn policy(window: u32, tunes: bool) -> Policy {
    Policy { window, tunes, ..Policy::DEFAULT }
}

/// Counts what random tests judged.
#[derive(Default)]
struct Seen {
    raised: Cell<u64>,
    lowered: Cell<u64>,
    moved_with_need: Cell<u64>,
    moved: Cell<u64>,
    blocked_by_room: Cell<u64>,
    slices: Cell<u64>,
}

fn count(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

fn check_all<S: Strategy>(strategy: S, test: impl Fn(S::Value)) {
    let config =
        ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let run = runner.run(&strategy, |value| {
        test(value);
        Ok(())
    });
    run.unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn law_no_round_declares_more_than_its_nodes_have_left() {
    let seen = Seen::default();
    check_all(prop::collection::vec(drawn(), 1..20), |drawn| {
        let (mut world, mut state) = (World::new(&drawn), State::default());
        for _ in 0..60 {
            world.run_epoch();
            let policy = Policy { window: 2, moves: 3, ..Policy::DEFAULT };
            let requests = decide(&world.readings(), &mut state, &policy);
            let mut more = [Span::ZERO; 4];
            for request in &requests {
                let process = world.process(&request.thread).clone();
                let need = process.reading.need;
                match &request.change {
                    ThreadChange::Need { amount, .. } if *amount > need => {
                        count(&seen.raised);
                        more[process.node] += amount.saturating_sub(need);
                    }
                    ThreadChange::Need { amount, .. } => {
                        count(&seen.lowered);
                        let used = need.min(process.demand);
                        assert!(*amount >= used, "{request}: it uses {used}");
                    }
                    ThreadChange::Move(place) => {
                        let to: usize = place.to["node-".len()..].parse().unwrap();
                        let moved =
                            if need.is_zero() { &seen.moved } else { &seen.moved_with_need };
                        count(moved);
                        more[to] += need;
                    }
                    ThreadChange::Slice(_) => count(&seen.slices),
                }
            }
            let spare = part(EPOCH, policy.spare, 100);
            for (node, more) in more.into_iter().enumerate() {
                let sum = world.declared(node) + more + spare;
                assert!(more.is_zero() || sum <= EPOCH, "node {node}: {sum} of {EPOCH}");
            }
            requests.iter().for_each(|request| world.carry_out(request));
        }
    });
    let all = [seen.raised, seen.lowered, seen.moved_with_need, seen.moved, seen.slices];
    assert!(all.iter().all(|seen| seen.get() > 20), "{all:?}");
}

#[test]
fn law_under_constant_load_it_settles_where_no_move_lowers_the_maximum() {
    let seen = Seen::default();
    check_all((prop::collection::vec(drawn(), 1..20), any::<bool>()), |(drawn, tunes)| {
        let (mut world, mut state) = (World::new(&drawn), State::default());
        let policy = policy(1, tunes);
        let mut last = 0;
        for round in 1..=1_500 {
            let requests = world.step(&mut state, &policy);
            let moves = requests.iter().filter(|request| request.destination().is_some());
            moves.for_each(|_| count(&seen.moved));
            if !requests.is_empty() {
                last = round;
            }
        }
        assert!(last < 500, "it still acts after {last} windows: {:?}", world.processes);
        let loads = world.loads();
        let margin = u64::from(policy.margin) * (PROCESSOR / 100);
        let spare = part(EPOCH, policy.spare, 100);
        let (least, most) = (loads.iter().min().unwrap(), loads.iter().max().unwrap());
        let mut largest = 0;
        let mut all_may_move = true;
        for process in &world.processes {
            largest = largest.max(load(process));
            let from = loads[process.node];
            for (to, there) in loads.iter().enumerate() {
                let need = process.reading.need;
                let fits = need.is_zero() || world.declared(to) + need + spare <= EPOCH;
                all_may_move &= fits && !process.reading.fixed;
                if !fits && there + load(process) + margin <= from {
                    count(&seen.blocked_by_room);
                }
                if fits && !process.reading.fixed && to != process.node {
                    assert!(
                        there + load(process) + margin > from,
                        "{} could move from {from} to {there}",
                        process.reading.name
                    );
                }
            }
        }
        if all_may_move {
            count(&seen.raised);
            assert!(most - least < largest + margin, "from {least} to {most}, largest {largest}");
        }
    });
    let all = [seen.moved, seen.blocked_by_room, seen.raised];
    assert!(all.iter().all(|seen| seen.get() >= 3), "{all:?}");
}

#[test]
fn law_a_process_moves_logarithmically_often_under_any_load() {
    let seen = Seen::default();
    let loads = prop::collection::vec(prop::collection::vec(1_u32..100, 8), 256);
    check_all((prop::collection::vec(drawn(), 8), loads), |(drawn, loads)| {
        let (mut world, mut state) = (World::new(&drawn), State::default());
        let mut moves = std::collections::BTreeMap::<String, u32>::new();
        let policy = Policy { moves: 4, ..policy(1, false) };
        for loads in &loads {
            for (process, load) in world.processes.iter_mut().zip(loads) {
                process.runnable = Span::from_millis(*load);
                process.demand = process.runnable;
            }
            for request in world.step(&mut state, &policy) {
                count(&seen.moved);
                *moves.entry(request.thread).or_default() += 1;
            }
        }
        // It rests for 2 + 4 + ... + 2^n windows between n + 1 moves.
        assert!(moves.values().all(|moves| *moves <= 8), "{moves:?}");
    });
    assert!(seen.moved.get() > 500, "{:?}", seen.moved);
}

#[test]
fn law_what_is_refused_is_repeated_logarithmically_often() {
    let drawn = [(0, 0, 40, true, false), (0, 0, 40, true, false), (0, 0, 40, true, false)];
    let (mut world, mut state) = (World::new(&drawn), State::default());
    let mut requested = std::collections::BTreeMap::<String, u32>::new();
    for _ in 0..1_000 {
        world.run_epoch();
        for request in decide(&world.readings(), &mut state, &policy(1, true)) {
            state.refused(&request);
            *requested.entry(request.thread).or_default() += 1;
        }
    }
    assert!(
        requested.len() == 3 && requested.values().all(|times| (2..=10).contains(times)),
        "{requested:?}"
    );
}

#[test]
fn law_what_is_seen_of_several_epochs_at_once_lowers_no_need() {
    let mut world = World::new(&[(0, 40, 10, false, false)]);
    let mut state = State::default();
    for _ in 0..40 {
        world.run_epoch();
        world.run_epoch();
        let requests = decide(&world.readings(), &mut state, &policy(1, true));
        assert!(requests.is_empty(), "{requests:?}");
    }
}

/// The need of a process after the policy has settled.
fn settled(drawn: Drawn) -> Span {
    let (mut world, mut state) = (World::new(&[drawn]), State::default());
    (0..100).for_each(|_| drop(world.step(&mut state, &policy(2, true))));
    world.processes[0].reading.need
}

#[test]
fn limit_needs_follow_what_is_used_of_them() {
    let ms = Span::from_millis;
    assert_eq!(settled((0, 40, 10, false, false)), ms(12), "10 ms and an eighth, in whole ms");
    assert_eq!(settled((0, 10, 20, false, false)), ms(23), "it waits at times, so 20 ms are all");
    assert_eq!(
        settled((0, 10, 39, true, false)),
        ms(10),
        "it never waits: no more than it began with"
    );
    assert_eq!(settled((0, 0, 39, true, false)), Span::ZERO, "it has declared none");
    assert_eq!(settled((0, 40, 10, false, true)), ms(40), "it is fixed");
}

#[test]
fn limit_a_lowered_need_comes_back_when_it_is_used_again() {
    let mut world = World::new(&[(0, 40, 5, false, false)]);
    let mut state = State::default();
    let policy = policy(2, true);
    (0..20).for_each(|_| drop(world.step(&mut state, &policy)));
    assert_eq!(world.processes[0].reading.need, Span::from_millis(6));
    (world.processes[0].demand, world.processes[0].runnable) = (Span::from_millis(39), EPOCH);
    (0..20).for_each(|_| drop(world.step(&mut state, &policy)));
    assert_eq!(world.processes[0].reading.need, Span::from_millis(40), "what it began with");
}

#[test]
fn limit_slices_share_half_an_epoch_among_the_busy() {
    // Three and six busy ones are served well enough by slices of 10 ms.
    for (busy, slice_ns) in
        [(1, 50_000_000), (2, 25_000_000), (3, 10_000_000), (6, 10_000_000), (11, 4_545_454)]
    {
        let drawn: Vec<Drawn> = (0..busy).map(|_| (0, 0, 9, true, true)).collect();
        let mut world = World::new(&drawn);
        world.nodes = 1;
        world.processes.iter_mut().for_each(|process| process.reading.fixed = false);
        let mut state = State::default();
        (0..10).for_each(|_| drop(world.step(&mut state, &policy(2, true))));
        let slices = world.processes.iter().map(|process| process.reading.slice);
        let wanted = Span::from_nanos(slice_ns);
        assert!(slices.clone().all(|slice| slice == wanted), "{busy} busy: {slices:?}");
    }
}

#[test]
fn refuses_a_scheduler_that_is_no_epoch_scheduler() {
    let view = SchedulerView::new("res", "rez", vec![("reserved".to_owned(), 1)]);
    let why = NodeReading::read(&view).unwrap_err().to_string();
    assert_eq!(
        why,
        "`res` is of kind `rez`, which keeps no `epoch_ns`; a monitor reads epoch schedulers"
    );
    let keys = ["epoch_ns", "useful_ns", "declared_ns", "epochs", "committed_ns", "uncommitted_ns"];
    let figures = keys.iter().chain(&["windfall_ns"]).map(|key| ((*key).to_owned(), 7)).collect();
    let mut view = SchedulerView::new("node", "epoch", figures);
    assert_eq!(NodeReading::read(&view).unwrap().epochs, 7);
    view.threads.push(ThreadView::new("a", Span::ZERO, Vec::new()));
    assert_eq!(NodeReading::read(&view).unwrap_err().lacks, "priority");
}
