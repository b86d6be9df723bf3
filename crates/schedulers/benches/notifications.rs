//! Measures the cost of a decision: against depth (HLS 10.3.2, figure 10.3), and against the number of threads.
//!
//! `cargo bench -p windfall-schedulers --bench notifications`; the last lines are the slope per level by least
//! squares.

#![expect(clippy::disallowed_methods, reason = "a benchmark has a clock")]

mod tree;

use criterion::{BenchmarkId, Criterion};
use std::hint::black_box;
use std::time::{Duration, Instant};
use tree::{Chains, Crowd, Slots};

/// Number of blocks that are timed before all threads are woken again.
const BATCH: usize = 32;

fn depth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("switch by depth");
    for depth in [1, 2, 4, 8, 16] {
        group.bench_function(BenchmarkId::from_parameter(depth), |bencher| {
            let mut chains = Chains::new(depth);
            bencher.iter(|| chains.switch());
        });
    }
    group.finish();
}

fn crowd(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("block and switch, two levels");
    for kind in ["round-robin", "fixed-priority", "edf", "proportional-share", "time-sharing"] {
        for threads in [64, 10_000] {
            let id = BenchmarkId::new(kind, threads);
            group.bench_function(id, |bencher| {
                let mut crowd = Crowd::new(kind, threads);
                bencher.iter_custom(|rounds| {
                    let mut spent = Duration::ZERO;
                    let mut left = rounds;
                    while left > 0 {
                        let batch = left.min(BATCH as u64);
                        let begun = Instant::now();
                        for _ in 0..batch {
                            crowd.block();
                        }
                        spent += begun.elapsed();
                        black_box(&mut crowd).wake_all();
                        left -= batch;
                    }
                    spent
                });
            });
        }
    }
    group.finish();
}

/// A temporal query to a list of slots, and the same through a tree; asked: at most 60 ns more.
fn queries(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("idle time before a deadline");
    for count in [1_000, 100_000] {
        let mut slots = Slots::new(count, false);
        let mut at = 0_usize;
        group.bench_function(BenchmarkId::new("by itself", count), |bencher| {
            bencher.iter(|| {
                at = at.wrapping_add(7);
                slots.direct(at)
            });
        });
        group.bench_function(BenchmarkId::new("through a tree", count), |bencher| {
            bencher.iter(|| {
                at = at.wrapping_add(7);
                slots.through_tree(at)
            });
        });
    }
    for count in [100, 1_000] {
        let mut slots = Slots::new(count, true);
        let mut at = 0_usize;
        group.bench_function(BenchmarkId::new("with exact", count), |bencher| {
            bencher.iter(|| {
                at = at.wrapping_add(7);
                slots.through_tree(at)
            });
        });
    }
    group.finish();
}

/// A task of a child that has many: withdrawn and submitted again.
fn tasks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a task again");
    for count in [1_000, 100_000] {
        let mut slots = Slots::new(count, false);
        let mut at = 0_usize;
        group.bench_function(BenchmarkId::new("of one child", count), |bencher| {
            bencher.iter(|| {
                at = at.wrapping_add(7);
                slots.again(at);
            });
        });
    }
    group.finish();
}

/// The epoch scheduler beside the reservation scheduler; it may take at most 1.5 times as long.
fn reserving(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("64 reservations, two levels");
    for kind in ["rez", "epoch"] {
        group.bench_function(BenchmarkId::new(kind, "nap"), |bencher| {
            let mut crowd = Crowd::reserving(kind, 64);
            bencher.iter(|| crowd.nap());
        });
        group.bench_function(BenchmarkId::new(kind, "turn"), |bencher| {
            let mut crowd = Crowd::reserving(kind, 64);
            bencher.iter(|| crowd.turn());
        });
    }
    group.finish();
}

/// The nanoseconds of a processor cycle, from a chain of dependent steps that take one cycle each.
#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
fn cycle() -> f64 {
    const ROUNDS: u32 = 25_000;
    let (a, b) = (black_box(0x9e37_79b9_7f4a_7c15_u64), black_box(0x1234_5678_9abc_def1_u64));
    let step = |x: u64| x.wrapping_add(a) ^ b;
    let mut x = black_box(1);
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        x = step(step(step(step(step(step(step(step(x))))))));
    }
    let time = begun.elapsed();
    black_box(x);
    time.as_nanos() as f64 / f64::from(ROUNDS * 16)
}

/// The slope of switch time against depth, in ns and in cycles. Depths are interleaved in one run; each counts by
/// its best round, and so does the chain that measures the cycle.
#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
fn slope() {
    const ROUNDS: usize = 200;
    const SWITCHES: u32 = 2_000;
    let mut chains: Vec<Chains> = (1..=16).map(Chains::new).collect();
    let mut best = [f64::INFINITY; 16];
    let mut best_cycle = f64::INFINITY;
    for _ in 0..ROUNDS {
        for (chains, best) in chains.iter_mut().zip(&mut best) {
            let begun = Instant::now();
            for _ in 0..SWITCHES {
                chains.switch();
            }
            *best = best.min(begun.elapsed().as_nanos() as f64 / f64::from(SWITCHES));
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

fn main() {
    let mut criterion = Criterion::default()
        .without_plots()
        .measurement_time(Duration::from_secs(1))
        .warm_up_time(Duration::from_millis(300))
        .configure_from_args();
    depth(&mut criterion);
    crowd(&mut criterion);
    reserving(&mut criterion);
    queries(&mut criterion);
    tasks(&mut criterion);
    criterion.final_summary();
    slope();
}
