//! PHOLD without work: the run in order beside a bare heap of four children with equal entries.
//!
//! Rounds are interleaved, and ratios are those of a round; only these count on a machine that others use, too. On a virtual machine two processors may come to share a cache, or cease to, within seconds: figures of two threads are those of rounds
//! before and after which they were near each other, and how many these were is printed.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU32, Ordering};
use windfall_clocks::{Lap, median};
use windfall_speculation::phold::{Bare, Phold};
use windfall_speculation::{Cancellation, Parallel, Sequential};
use windfall_time::Instant;

const ROUNDS: usize = 11;
/// So many events are done ahead at most: what is undone stays in the caches, and a thread that has the processor alone does not go far.
const AHEAD: usize = 2_000;

/// Processors that hand a line to and fro in so many nanoseconds share a cache: it takes about 125 there, and 500 elsewhere.
const NEAR: f64 = 250.0;
const TRIPS: u32 = 2_000;

/// Nanoseconds in which two threads hand a cache line to and fro.
fn round_trip() -> f64 {
    let line = AtomicU32::new(0);
    let wait_for = |value| {
        while line.load(Ordering::Acquire) != value {
            spin_loop();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for trip in 0..TRIPS {
                wait_for(2 * trip + 1);
                line.store(2 * trip + 2, Ordering::Release);
            }
        });
        line.store(1, Ordering::Release);
        wait_for(2);
        let lap = Lap::begin();
        for trip in 1..TRIPS {
            line.store(2 * trip + 1, Ordering::Release);
            wait_for(2 * trip + 2);
        }
        lap.each((TRIPS - 1).into())
    })
}

#[expect(clippy::cast_precision_loss, reason = "shown")]
const fn shown(count: u64) -> f64 {
    count as f64
}

/// Million events a second.
fn rate(run: impl FnOnce() -> u64) -> f64 {
    let lap = Lap::begin();
    let handled = black_box(run());
    shown(handled) / lap.passed().as_secs_f64() / 1e6
}

/// The rates of one round, in million events a second.
struct Round {
    heap: f64,
    in_order: f64,
    threads: f64,
    /// Microseconds from one global virtual time to the next.
    gvt: f64,
    /// Of a thousand events.
    undone: u64,
    /// Whether both processors were near each other before two threads began and after they ended.
    is_near: bool,
}

/// A bare heap, a run in order, and one on two threads, one after the other.
fn round(model: &Phold, end: u64) -> Round {
    let until = Instant::from_nanos(end);
    let mut bare = Bare::new(model);
    let heap = rate(|| bare.run(model, end));
    let mut run = Sequential::new(model.clone(), model.waiting()).expect("it begins");
    let in_order = rate(|| run.run_until(until, |_, ()| ()).expect("it runs"));
    let run = Parallel::new(model.clone(), until, model.waiting(), Cancellation::Aggressive, 2);
    let mut run = run.expect("it begins").ahead(AHEAD);
    let before = round_trip();
    let lap = Lap::begin();
    let threads = rate(|| run.run(|_, ()| ()).expect("it runs"));
    let gvt = lap.passed().as_secs_f64() * 1e6 / shown(run.rounds());
    let is_near = before.max(round_trip()) < NEAR;
    let undone = run.counts().undone * 1_000 / run.counts().committed.max(1);
    Round { heap, in_order, threads, gvt, undone, is_near }
}

/// Medians over interleaved rounds; ratios are those of a round.
fn compare(model: &Phold, end: u64) {
    let rounds: Vec<Round> = (0..ROUNDS).map(|_| round(model, end)).collect();
    let of = |what: fn(&Round) -> f64| median(rounds.iter().map(what).collect());
    let near = rounds.iter().filter(|round| round.is_near).count();
    // Where no round counts, all are shown.
    let counts = |round: &&Round| round.is_near || near == 0;
    let of_near =
        |what: fn(&Round) -> f64| median(rounds.iter().filter(counts).map(what).collect());
    let undone = rounds.last().map_or(0, |last| last.undone);
    let Phold { processes, remote, start, grain, .. } = model;
    println!(
        "{processes}, {remote}, {start}, {grain}: {:.3}, {:.3}, {:.3}; {:.2}, {:.2}, {:.2}; {undone}, {:.1}; near in {near} of {ROUNDS}",
        of(|round| round.heap),
        of(|round| round.in_order),
        of_near(|round| round.threads),
        of(|round| round.in_order / round.heap),
        of_near(|round| round.threads / round.heap),
        of_near(|round| round.threads / round.in_order),
        of_near(|round| round.gvt),
    );
}

fn main() {
    println!(
        "processes, remote, start, grain: bare heap, in order, two threads, million events a second;"
    );
    println!(
        "in order and two threads by bare heap, two threads by in order; undone of a thousand, us a round of GVT; rounds in which the processors were near each other"
    );
    let model = |processes, remote, start, grain| {
        let mut model = Phold::new(processes, remote);
        (model.start, model.grain) = (start, grain);
        model
    };
    for (processes, remote, start) in [
        (1_000, 0, 1),
        (1_000, 250, 1),
        (1_000, 500, 1),
        (1_000, 250, 16),
        (10_000, 250, 1),
        (100_000, 250, 1),
    ] {
        let events = 2_000_000;
        let end = events * 1_000 / (u64::from(processes) * u64::from(start));
        compare(&model(processes, remote, start, 0), end);
    }
    for (grain, events) in [(150, 1_000_000), (1_000, 200_000), (5_000, 50_000), (20_000, 12_000)] {
        compare(&model(1_000, 250, 1, grain), events);
    }
}
