//! Counts the instructions of a decision under valgrind, which do not depend on what else the machine does, and fails beyond the limit of
//! a level (docs/benchmarks/hierarchy.md).
//!
//! `cargo bench -p windfall-schedulers --bench instructions`; needs valgrind and gungraun-runner of the version in
//! Cargo.lock (`cargo xtask bench` installs it).

#![expect(missing_docs, reason = "the macros make modules without")]

mod tree;

use gungraun::{
    Callgrind, EventKind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main,
};
use std::hint::black_box;
use tree::{Chains, Crowd, Shared};

/// Number of operations in one measurement.
const TIMES: usize = 1_000;

fn warm(depth: usize) -> Chains {
    let mut chains = Chains::new(depth);
    for _ in 0..TIMES {
        chains.switch();
    }
    chains
}

/// The most instructions that a level of hierarchy may take.
const A_LEVEL: u64 = 700;

/// The most that a switch between two chains of so many levels may take. What the root and the threads take is counted, too, so
/// levels keep to their limit if the whole does.
fn at_most(levels: u64) -> LibraryBenchmarkConfig {
    let most = levels * A_LEVEL * TIMES as u64;
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(Callgrind::default().hard_limits([(EventKind::Ir, most)]));
    config
}

#[library_benchmark]
#[bench::depth_1(args = (1), setup = warm)]
#[bench::depth_2(args = (2), setup = warm)]
#[bench::depth_16(args = (16), setup = warm, config = at_most(16))]
fn switch_1000_times(mut chains: Chains) -> Chains {
    for _ in 0..TIMES {
        black_box(&mut chains).switch();
    }
    chains
}

fn crowd(kind: &'static str) -> Crowd {
    Crowd::new(kind, 2 * TIMES)
}

#[library_benchmark]
#[bench::round_robin(args = ("round-robin"), setup = crowd)]
#[bench::edf(args = ("edf"), setup = crowd)]
fn block_1000_times(mut crowd: Crowd) -> Crowd {
    for _ in 0..TIMES {
        black_box(&mut crowd).block();
    }
    crowd
}

fn reserving(kind: &'static str) -> Crowd {
    Crowd::reserving(kind, 64)
}

#[library_benchmark]
#[bench::rez(args = ("rez"), setup = reserving)]
#[bench::epoch(args = ("epoch"), setup = reserving)]
fn nap_1000_times(mut crowd: Crowd) -> Crowd {
    for _ in 0..TIMES {
        black_box(&mut crowd).nap();
    }
    crowd
}

#[library_benchmark]
#[bench::rez(args = ("rez"), setup = reserving)]
#[bench::epoch(args = ("epoch"), setup = reserving)]
fn turn_1000_times(mut crowd: Crowd) -> Crowd {
    for _ in 0..TIMES {
        black_box(&mut crowd).turn();
    }
    crowd
}

/// Five spinners on two processors, after their first 1,000 turns.
fn shared(kind: &'static str, affinity: &'static str) -> Shared {
    let mut shared = Shared::new(kind, affinity, 2, 5);
    for _ in 0..TIMES {
        shared.turn();
    }
    shared
}

#[library_benchmark]
#[bench::proportional_share_none(args = ("proportional-share", "none"), setup = shared)]
#[bench::proportional_share_weak(args = ("proportional-share", "weak"), setup = shared)]
#[bench::proportional_share_strong(args = ("proportional-share", "strong"), setup = shared)]
#[bench::round_robin_none(args = ("round-robin", "none"), setup = shared)]
#[bench::round_robin_weak(args = ("round-robin", "weak"), setup = shared)]
#[bench::round_robin_strong(args = ("round-robin", "strong"), setup = shared)]
#[bench::time_sharing_none(args = ("time-sharing", "none"), setup = shared)]
#[bench::time_sharing_strong(args = ("time-sharing", "strong"), setup = shared)]
fn turn_on_two_processors_1000_times(mut shared: Shared) -> Shared {
    for _ in 0..TIMES {
        black_box(&mut shared).turn();
    }
    shared
}

library_benchmark_group!(
    name = decisions,
    benchmarks = [
        switch_1000_times,
        block_1000_times,
        nap_1000_times,
        turn_1000_times,
        turn_on_two_processors_1000_times
    ]
);
main!(library_benchmark_groups = decisions);
