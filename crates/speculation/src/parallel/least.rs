//! Threads with the least room: one message fills a mail, and one event what is handed on, so that posts are held back all the time.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "../../tests/common/mod.rs"]
mod common;

use super::worker::{Share, Shared, Turn, Worker};
use super::{Limits, begin};
use crate::{Cancellation, Context, Key, Model, ProcessNumber, RunError, Saving, Sequential};
use common::mix;
use std::sync::mpsc;
use std::time::Duration;
use windfall_time::{Instant, Span};

const CANCELLATIONS: [Cancellation; 3] =
    [Cancellation::Aggressive, Cancellation::Lazy, Cancellation::WithoutRisk];
const SAVINGS: [Saving; 4] = [
    Saving::Log,
    Saving::Copies { every: 1 },
    Saving::Copies { every: 2 },
    Saving::Copies { every: 7 },
];
/// A run takes milliseconds. One that takes so long hangs.
const LIMIT: Duration = Duration::from_secs(60);
/// A run takes thousands of turns. One that takes so many hangs.
const TURNS: u32 = 1_000_000;
const MOST_THREADS: u64 = 8;

/// Processes that send several events at once, and often for the same time.
#[derive(Clone, Debug)]
struct Crowd {
    seed: u64,
    processes: u32,
    /// The most events that wait in order.
    most: usize,
}

impl Crowd {
    fn new(seed: u64) -> Crowd {
        let processes = 2 + u32::try_from(seed % 9).unwrap();
        let mut model = Crowd { seed, processes, most: 3 * processes as usize };
        // As much as a run in order needs.
        while matches!(in_order(&model).1, Err(RunError::Full { .. })) {
            model.most += 1;
        }
        model
    }

    fn send_one(&self, number: u64, state: u64, context: &mut Context<'_, Self>) {
        let draw = mix(state, number);
        let to = u32::try_from((draw >> 8) % u64::from(self.processes)).unwrap();
        let after = Span::from_nanos(1 + draw % 5 * 4);
        context.send(ProcessNumber(to), context.now() + after, draw % 3);
    }
}

impl Model for Crowd {
    type State = u64;
    type Event = u64;
    type Output = u64;
    type Change = u64;

    fn processes(&self) -> u32 {
        self.processes
    }

    fn start(&self, context: &mut Context<'_, Self>) -> u64 {
        let state = mix(self.seed, context.me().0.into());
        (0..3).for_each(|number| self.send_one(number, state, context));
        state
    }

    fn handle(&self, state: &mut u64, steps: &u64, context: &mut Context<'_, Self>) {
        // Many changes fill the log of what is done ahead.
        for step in 0..=steps + *state % 9 {
            context.log(*state);
            *state = mix(*state, step + context.now().as_nanos());
        }
        if state.is_multiple_of(2) {
            context.output(*state);
        }
        let many = [0, 0, 0, 1, 1, 1, 1, 5][(*state >> 32) as usize % 8];
        (0..many).for_each(|number| self.send_one(number, *state, context));
    }

    fn undo(&self, state: &mut u64, before: u64) {
        *state = before;
    }

    fn saving(&self, process: ProcessNumber) -> Saving {
        let draw = mix(self.seed, process.0.into()) % 4;
        SAVINGS[usize::try_from(draw).unwrap()]
    }
}

const END: Instant = Instant::from_nanos(70);

/// The outputs that were given away, and how it ended.
type Committed = (Vec<(Key, u64)>, Result<(), RunError>);

fn in_order(model: &Crowd) -> Committed {
    let mut given = Vec::new();
    let mut run = Sequential::new(model.clone(), model.most).unwrap();
    let ended = run.run_until(END, |key, output| given.push((key, output)));
    (given, ended.map(|_| ()))
}

/// The least room, and next to it.
const SHARES: [Share; 5] = [
    Share { ahead: 0, room: 1 },
    Share { ahead: 1, room: 1 },
    Share { ahead: 2, room: 2 },
    Share { ahead: 40, room: 1 },
    Share { ahead: 40, room: 2 },
];

/// A way to carry a run out.
#[derive(Clone, Copy, Debug)]
struct Way {
    cancellation: Cancellation,
    threads: u32,
    share: Share,
}

/// Each share with a number of threads and a cancellation; over the seeds, all of them together.
fn ways(seed: u64) -> impl Iterator<Item = Way> {
    SHARES.into_iter().zip(seed..).map(move |(share, draw)| Way {
        cancellation: CANCELLATIONS[(seed % 3) as usize],
        threads: 1 + u32::try_from(draw % MOST_THREADS).unwrap(),
        share,
    })
}

/// A run with so little room, which `drive` carries out.
fn run(
    model: &Crowd,
    way: Way,
    drive: impl FnOnce(&mut [Worker<Crowd>], &Shared<'_, Crowd, &mut (dyn FnMut(Key, u64) + Send)>),
) -> Committed {
    let Way { cancellation, threads, share } = way;
    let (parts, committer) = begin(model, threads, model.most, cancellation).unwrap();
    let mut workers: Vec<_> =
        (0..).zip(parts).map(|(index, part)| Worker::new(index, part)).collect();
    workers.iter_mut().for_each(|worker| worker.reserve(0, share).unwrap());
    let mut given = Vec::new();
    let mut take = |key, output| given.push((key, output));
    let take: &mut (dyn FnMut(Key, u64) + Send) = &mut take;
    let run = (model, Limits::new(END, model.most));
    let shared = Shared::new(run, (workers.len(), share), committer, take).unwrap();
    drive(&mut workers, &shared);
    let (.., error) = shared.end();
    (given, error.map_or(Ok(()), Err))
}

#[test]
fn law_with_the_least_room_the_same_is_committed_in_whatever_order_threads_take_turns() {
    let seeds = if cfg!(debug_assertions) { 200 } else { 2_000 };
    let (mut held, mut undone) = (0_u64, 0);
    for seed in 0..seeds {
        let model = Crowd::new(seed);
        let expected = in_order(&model);
        for way in ways(seed) {
            let found = run(&model, way, |workers, shared| {
                let (mut draw, mut turns) = (seed, 0);
                let mut over = vec![false; workers.len()];
                while over.contains(&false) {
                    draw = mix(draw, 1);
                    let index = usize::try_from(draw >> 8).unwrap() % workers.len();
                    over[index] |= workers[index].turn(shared) == Turn::Over;
                    held += u64::from(!workers[index].part.outgoing.is_empty());
                    turns += 1;
                    assert!(turns < TURNS, "seed {seed}, {way:?}: no end after {TURNS} turns");
                }
                undone += workers.iter().map(|worker| worker.part.counts().undone).sum::<u64>();
            });
            assert!(found == expected, "seed {seed}, {way:?}");
        }
    }
    assert!(held > 10_000 && undone > 10_000, "{held} were held back, {undone} undone");
}

#[test]
fn law_with_the_least_room_threads_commit_the_same_and_come_to_an_end() {
    let seeds = if cfg!(debug_assertions) { 30 } else { 300 };
    for seed in 0..seeds {
        let model = Crowd::new(seed);
        let expected = in_order(&model);
        for way in ways(seed) {
            let (model, (ends, ended)) = (model.clone(), mpsc::channel());
            std::thread::spawn(move || {
                let found = run(&model, way, |workers, shared| {
                    std::thread::scope(|scope| {
                        for worker in workers {
                            scope.spawn(|| worker.run(shared));
                        }
                    });
                });
                ends.send(found)
            });
            let found = ended.recv_timeout(LIMIT);
            assert!(found.is_ok(), "seed {seed}, {way:?}: no end after {LIMIT:?}, or a panic");
            assert!(found.as_ref() == Ok(&expected), "seed {seed}, {way:?}");
        }
    }
}
