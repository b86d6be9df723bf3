//! Counts the instructions of a simulation under valgrind, and fails beyond the limit of case A (docs/benchmarks/simulation.md).
//!
//! `cargo bench -p windfall-sim --bench instructions`; needs valgrind and gungraun-runner of the version in
//! Cargo.lock (`cargo xtask bench` installs it).

#![expect(missing_docs, reason = "the macros make modules without")]

mod cases;

use cases::{Case, case, events, run};
use gungraun::{
    Callgrind, EventKind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main,
};
use std::hint::black_box;
use windfall_scenario::outcome::Outcome;

/// Job events of case A.
const EVENTS: u64 = 669_311;
/// The most instructions that one may take.
const AN_EVENT: u64 = 1_200;

fn case_a() -> Case {
    let Some(case) = case("A") else { panic!("case A has a file") };
    case
}

/// The limit is for so many events.
fn counted(outcome: Outcome) {
    assert_eq!(events(&outcome), EVENTS, "job events of case A");
}

#[library_benchmark(
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::default().hard_limits([(EventKind::Ir, EVENTS * AN_EVENT)]))
)]
#[bench::case_a(args = (), setup = case_a, teardown = counted)]
fn simulate(case: Case) -> Outcome {
    run(black_box(&case), None)
}

library_benchmark_group!(name = simulations, benchmarks = [simulate]);
main!(library_benchmark_groups = simulations);
