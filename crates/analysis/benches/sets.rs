//! What an analysis costs: microseconds a set, over a thousand sets of 20 tasks at 80 %.
//!
//! `cargo bench -p windfall-analysis --bench sets`; the best of many rounds through all sets, the
//! analyses in turn, so that each meets the same machine.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

use std::hint::black_box;
use std::path::Path;
use windfall_analysis::edf::{self, Deadlines, Verdict};
use windfall_analysis::{Resource, Task, fixed_priority, resource_fixed_priority};
use windfall_clocks::Lap;
use windfall_time::Span;

const ROUNDS: usize = 30;

/// Something done to a set; the answer is a number that must not be optimised away.
type Analysis = (&'static str, fn(&[Task]) -> u64);

const ANALYSES: [Analysis; 4] = [
    ("fixed-priority response times", |tasks| {
        let responses = fixed_priority::response_times(tasks);
        responses.iter().flatten().map(|worst| worst.as_nanos()).sum()
    }),
    ("EDF by QPA", |tasks| u64::from(edf::schedulable(tasks) == Verdict::Schedulable)),
    ("EDF response times", |tasks| {
        let responses = edf::response_times(tasks, Deadlines::FromRelease);
        responses.iter().flatten().map(|worst| worst.as_nanos()).sum()
    }),
    ("least amount of a periodic resource of 5 ms, fixed priorities, to 1 us", |tasks| {
        let resource = Resource::periodic(Span::from_millis(5)).unwrap();
        let least =
            resource_fixed_priority::least_amount(tasks, &resource, Span::from_nanos(1_000));
        least.map_or(0, Span::as_nanos)
    }),
];

/// The sets, each in decreasing order of priority (deadline monotonic).
fn sets() -> Vec<Vec<Task>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let text = std::fs::read_to_string(path.join("bulk_1000x20_u080.json")).unwrap();
    let sets: Vec<Vec<[u64; 3]>> = serde_json::from_str(&text).unwrap();
    let task = |numbers: &[u64; 3]| {
        let [work, period, deadline] = numbers.map(|us| Span::from_micros(us).unwrap());
        Task::implicit(work, period).deadline(deadline)
    };
    sets.iter().map(|set| set.iter().map(task).collect()).collect()
}

fn main() {
    let sets = sets();
    let mut best = [f64::INFINITY; ANALYSES.len()];
    for _ in 0..ROUNDS {
        for ((_, analysis), best) in ANALYSES.iter().zip(&mut best) {
            let lap = Lap::begin();
            for set in &sets {
                black_box(analysis(black_box(set)));
            }
            *best = best.min(lap.each(sets.len() as u64) / 1e3);
        }
    }
    for ((name, _), best) in ANALYSES.iter().zip(best) {
        println!("{name}: {best:.2} us a set");
    }
}
