//! What figure 6.2 costs: 200 periods by 200 amounts of the media player's reservation.
//!
//! `cargo bench -p windfall-analysis --bench figure`; the best of some rounds, on one core. The slow
//! way tests every point by itself, as the dissertation did.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

use std::hint::black_box;
use windfall_analysis::Task;
use windfall_analysis::local::Policy;
use windfall_analysis::search::{Application, Boundary, Kind};
use windfall_clocks::Lap;
use windfall_time::Span;

const SIDE: u64 = 200;

fn best(rounds: usize, mut work: impl FnMut() -> usize) -> (Span, usize) {
    let mut best = (Span::MAX, 0);
    for _ in 0..rounds {
        let lap = Lap::begin();
        let found = black_box(work());
        best = best.min((lap.passed(), found));
    }
    best
}

fn main() {
    let ms = Span::from_millis;
    let threads = [(1, 10), (2, 45), (4, 100), (3, 100), (7, 500), (25, 2_000)];
    let tasks = threads.map(|(work, period)| Task::implicit(ms(work), ms(period)));
    let axis = |to: u64| -> Vec<Span> {
        (1..=SIDE).map(|n| Span::from_micros(n * to / SIDE).unwrap()).collect()
    };
    let (periods, amounts) = (axis(10_000), axis(6_000));
    let enough = |grid: Vec<Vec<bool>>| grid.iter().flatten().filter(|point| **point).count();
    for policy in [Policy::RateMonotonic, Policy::EarliestDeadline] {
        for kind in [Kind::Basic, Kind::Continuous] {
            let granule = Span::from_micros(1).unwrap();
            let application = Application::new(&tasks, policy, kind, granule);
            let (fast, points) =
                best(20, || enough(Boundary::of(&application, &periods).grid(&amounts)));
            let one = |period: &Span, amount: &Span| {
                let supply = kind.resource(*period).and_then(|all| all.supply(*amount));
                supply.is_ok_and(|supply| policy.schedulable(&tasks, &supply) == Ok(true))
            };
            let column = |period: &Span| amounts.iter().map(|amount| one(period, amount)).collect();
            let (slow, same) = best(2, || enough(periods.iter().map(column).collect()));
            assert_eq!(points, same);
            let [fast, slow] = [fast, slow].map(|span| span.as_secs_f64() * 1e3);
            println!(
                "{policy:?} {kind:?}: boundary {fast:.2} ms, point by point {slow:.2} ms; \
                 {points} of {} points are enough",
                SIDE * SIDE
            );
        }
    }
}
