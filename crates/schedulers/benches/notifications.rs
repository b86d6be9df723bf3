//! Measures the cost of a decision: against depth (HLS 10.3.2, figure 10.3), and against the number of threads.
//!
//! `cargo bench -p windfall-schedulers --bench notifications`; the last lines are the slope per level by least
//! squares.

mod tree;

use std::hint::black_box;
use tree::{Chains, Crowd, Slots};
use windfall_clocks::{Lap, median, quantile};
use windfall_time::Span;

/// Number of blocks that are timed before all threads are woken again.
const BATCH: u32 = 32;
/// Calls in a round, and rounds; of the first ones nothing is shown.
const CALLS: u32 = 1_024;
const ROUNDS: usize = 1_001;
const FIRST: usize = 200;

/// Shows the median and the least of all rounds, in ns a call.
fn show(group: &str, what: &str, round: impl FnMut(usize) -> f64) {
    let all: Vec<f64> = (0..FIRST + ROUNDS).map(round).skip(FIRST).collect();
    let least = quantile(all.clone(), 0, 1);
    println!("{group}, {what}: {:.1} ns, least {least:.1} ns", median(all));
}

/// Shows what a call takes.
fn calls<T>(group: &str, what: &str, mut call: impl FnMut() -> T) {
    show(group, what, |_| {
        let lap = Lap::begin();
        for _ in 0..CALLS {
            black_box(call());
        }
        lap.each(CALLS.into())
    });
}

fn depth(group: &str) {
    for depth in [1, 2, 4, 8, 16] {
        let mut chains = Chains::new(depth);
        calls(group, &depth.to_string(), || chains.switch());
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
fn crowd(group: &str) {
    let nothing = Lap::of_nothing();
    for kind in ["round-robin", "fixed-priority", "edf", "proportional-share", "time-sharing"] {
        for threads in [64, 10_000] {
            let mut crowd = Crowd::new(kind, threads);
            show(group, &format!("{kind}, {threads}"), |_| {
                let mut spent = Span::ZERO;
                for _ in 0..CALLS / BATCH {
                    let lap = Lap::begin();
                    for _ in 0..BATCH {
                        crowd.block();
                    }
                    spent += lap.passed().saturating_sub(nothing);
                    black_box(&mut crowd).wake_all();
                }
                spent.as_nanos() as f64 / f64::from(CALLS)
            });
        }
    }
}

/// A temporal query to a list of slots, and the same through a tree; asked: at most 60 ns more.
fn queries(group: &str) {
    let mut at = 0_usize;
    let mut next = || {
        at = at.wrapping_add(7);
        at
    };
    for count in [1_000, 100_000] {
        let mut slots = Slots::new(count, false);
        calls(group, &format!("by itself, {count}"), || slots.direct(next()));
        calls(group, &format!("through a tree, {count}"), || slots.through_tree(next()));
    }
    for count in [100, 1_000] {
        let mut slots = Slots::new(count, true);
        calls(group, &format!("with exact, {count}"), || slots.through_tree(next()));
    }
}

/// A task of a child that has many: withdrawn and submitted again.
fn tasks(group: &str) {
    for count in [1_000, 100_000] {
        let mut slots = Slots::new(count, false);
        let mut at = 0_usize;
        calls(group, &format!("of one child, {count}"), || {
            at = at.wrapping_add(7);
            slots.again(at);
        });
    }
}

/// The epoch scheduler beside the reservation scheduler; it may take at most 1.5 times as long.
fn reserving(group: &str) {
    for kind in ["rez", "epoch"] {
        let mut crowd = Crowd::reserving(kind, 64);
        calls(group, &format!("{kind}, nap"), || crowd.nap());
        let mut crowd = Crowd::reserving(kind, 64);
        calls(group, &format!("{kind}, turn"), || crowd.turn());
    }
}

/// The nanoseconds of a processor cycle, from a chain of dependent steps that take one cycle each.
fn cycle() -> f64 {
    const ROUNDS: u32 = 25_000;
    let (a, b) = (black_box(0x9e37_79b9_7f4a_7c15_u64), black_box(0x1234_5678_9abc_def1_u64));
    let step = |x: u64| x.wrapping_add(a) ^ b;
    let mut x = black_box(1);
    let lap = Lap::begin();
    for _ in 0..ROUNDS {
        x = step(step(step(step(step(step(step(step(x))))))));
    }
    black_box(x);
    lap.each((ROUNDS * 16).into())
}

/// The slope of switch time against depth, in ns and in cycles. Depths are interleaved in one run; each counts by
/// its best round, and so does the chain that measures the cycle.
#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
fn slope(_: &str) {
    const ROUNDS: usize = 200;
    const SWITCHES: u32 = 2_000;
    let mut chains: Vec<Chains> = (1..=16).map(Chains::new).collect();
    let mut best = [f64::INFINITY; 16];
    let mut best_cycle = f64::INFINITY;
    for _ in 0..ROUNDS {
        for (chains, best) in chains.iter_mut().zip(&mut best) {
            let lap = Lap::begin();
            for _ in 0..SWITCHES {
                chains.switch();
            }
            *best = best.min(lap.each(SWITCHES.into()));
        }
        best_cycle = best_cycle.min(cycle());
    }
    let mean_depth = 8.5;
    let mean = best.iter().sum::<f64>() / 16.0;
    let (mut above, mut below) = (0.0, 0.0);
    for (index, time) in best.iter().enumerate() {
        let depth = index as f64 + 1.0 - mean_depth;
        above += depth * (time - mean);
        below += depth * depth;
        println!("depth {:>2}: {time:7.1} ns a switch", index + 1);
    }
    let slope = above / below;
    println!("slope: {slope:.1} ns a level (HLS: 961 ns at 500 MHz)");
    println!("cycle: {best_cycle:.4} ns, so {:.0} cycles a level", slope / best_cycle);
}

/// What is measured, by its name, which is shown before each line.
type Group = (&'static str, fn(&str));

const GROUPS: [Group; 6] = [
    ("switch by depth", depth),
    ("block and switch, two levels", crowd),
    ("64 reservations, two levels", reserving),
    ("idle time before a deadline", queries),
    ("a task again", tasks),
    ("slope", slope),
];

/// A word chooses the groups whose names it is part of; without any, all are measured.
fn main() {
    // `cargo bench` adds an option of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    for (name, measure) in GROUPS {
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            measure(name);
        }
    }
}
