//! PHOLD without work: the run in order beside a bare heap of four children with equal entries.
//!
//! Rounds are interleaved, and each prints ratios of that round; only these count on a machine that others use, too.

use std::hint::black_box;
use std::time::Instant as Clock;
use windfall_speculation::phold::{Bare, Phold};
use windfall_speculation::{Cancellation, Parallel, Sequential};
use windfall_time::Instant;

const ROUNDS: usize = 11;
/// So many events are done ahead at most: what is undone stays in the caches, and a thread that has the processor alone does not go far.
const AHEAD: usize = 2_000;

#[expect(clippy::cast_precision_loss, reason = "shown")]
const fn shown(count: u64) -> f64 {
    count as f64
}

/// Million events a second.
fn rate(run: impl FnOnce() -> u64) -> f64 {
    let begins = Clock::now();
    let handled = black_box(run());
    shown(handled) / begins.elapsed().as_secs_f64() / 1e6
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A bare heap, a run in order, and one on two threads, each by turns; the ratios to the bare heap are those of a round.
fn compare(model: &Phold, end: u64) {
    let until = Instant::from_nanos(end);
    let mut rates = [const { Vec::new() }; 3];
    let (mut ratios, mut undone, mut rounds) = ([const { Vec::new() }; 2], 0, Vec::new());
    for _ in 0..ROUNDS {
        let mut heap = Bare::new(model);
        rates[0].push(rate(|| heap.run(model, end)));
        let mut run = Sequential::new(model.clone(), model.waiting()).expect("it begins");
        rates[1].push(rate(|| run.run_until(until, |_, ()| ()).expect("it runs")));
        let aggressive = Cancellation::Aggressive;
        let run = Parallel::new(model.clone(), until, model.waiting(), aggressive, 2);
        let mut run = run.expect("it begins").ahead(AHEAD);
        let begins = Clock::now();
        rates[2].push(rate(|| run.run(|_, ()| ()).expect("it runs")));
        rounds.push(begins.elapsed().as_secs_f64() * 1e6 / shown(run.rounds()));
        undone = run.counts().undone * 1_000 / run.counts().committed.max(1);
        for (ratios, rates) in ratios.iter_mut().zip([&rates[1], &rates[2]]) {
            ratios.push(rates[rates.len() - 1]);
        }
    }
    for ratios in &mut ratios {
        ratios.iter_mut().zip(&rates[0]).for_each(|(ratio, bare)| *ratio /= bare);
    }
    let mut threads: Vec<f64> =
        ratios[1].iter().zip(&ratios[0]).map(|(two, one)| two / one).collect();
    let [bare, ours, two] = rates.map(|mut all| median(&mut all));
    let [one_to_bare, two_to_bare] = ratios.map(|mut all| median(&mut all));
    let two_to_one = median(&mut threads);
    let round = median(&mut rounds);
    let Phold { processes, remote, start, grain, .. } = model;
    println!(
        "{processes}, {remote}, {start}, {grain}: {bare:.3}, {ours:.3}, {two:.3}; {one_to_bare:.2}, {two_to_bare:.2}, {two_to_one:.2}; {undone}, {round:.1}"
    );
}

fn main() {
    println!(
        "processes, remote, start, grain: bare heap, in order, two threads, million events a second;"
    );
    println!(
        "in order and two threads by bare heap, two threads by in order; undone of a thousand, us a round of GVT"
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
