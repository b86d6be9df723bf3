//! PHOLD without work: the run in order beside a bare heap of four children with equal entries.
//!
//! Rounds are interleaved, and each prints ratios of that round; only these count on a machine that others use, too.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/phold/mod.rs"]
mod phold;

use phold::{PRIME, Phold, State, work};
use std::hint::black_box;
use std::time::Instant as Clock;
use windfall_speculation::{Cancellation, Parallel, Saving, Sequential};
use windfall_time::Instant;

const ROUNDS: usize = 11;

/// The loop that somebody writes who wants nothing but this model: no numbers, no checks, ties as they come.
struct Bare {
    heap: Vec<Entry>,
    states: Vec<State>,
}

#[derive(Clone, Copy)]
struct Entry {
    time: u64,
    to: u32,
    from: u32,
    _rest: [u64; 2],
}

impl Bare {
    fn new(model: &Phold) -> Bare {
        let mut bare = Bare { heap: Vec::new(), states: Vec::new() };
        // The states are those of the model's own beginning.
        let run = Sequential::new(model.clone(), usize::MAX).expect("it begins");
        bare.states.extend(run.states());
        for (process, mut state) in (0..).zip(bare.states.clone()) {
            for _ in 0..model.start {
                let time = state.delay().as_nanos();
                bare.push(Entry { time, to: process, from: process, _rest: [0; 2] });
            }
        }
        bare
    }

    #[inline]
    fn push(&mut self, entry: Entry) {
        let heap = &mut self.heap;
        let mut at = heap.len();
        heap.push(entry);
        while at > 0 && entry.time < heap[(at - 1) / 4].time {
            heap[at] = heap[(at - 1) / 4];
            at = (at - 1) / 4;
        }
        heap[at] = entry;
    }

    #[inline]
    fn pop(&mut self) -> Option<Entry> {
        let heap = &mut self.heap;
        let first = *heap.first()?;
        let last = heap.pop()?;
        let (mut at, len) = (0, heap.len());
        if len == 0 {
            return Some(first);
        }
        loop {
            let child = at * 4 + 1;
            if child >= len {
                break;
            }
            let mut least = child;
            for other in child + 1..(child + 4).min(len) {
                if heap[other].time < heap[least].time {
                    least = other;
                }
            }
            if last.time <= heap[least].time {
                break;
            }
            heap[at] = heap[least];
            at = least;
        }
        heap[at] = last;
        Some(first)
    }

    fn run(&mut self, model: &Phold, end: u64) -> u64 {
        let mut handled = 0;
        while let Some(Entry { time, to, from, .. }) = self.pop() {
            if time >= end {
                break;
            }
            let state = &mut self.states[to as usize];
            work(model.grain, state.hash);
            let said = time.wrapping_mul(31).wrapping_add(from.into());
            state.hash = (state.hash ^ said).wrapping_mul(PRIME);
            let remote = state.uniform(1_000) < model.remote;
            let other = if remote { state.uniform(model.processes.into()) } else { to.into() };
            let next = u32::try_from(other).unwrap_or(0);
            let time = time + state.delay().as_nanos();
            self.push(Entry { time, to: next, from: to, _rest: [0; 2] });
            handled += 1;
        }
        handled
    }
}

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
        let mut run = Sequential::new(model.clone(), 4_000_000).expect("it begins");
        rates[1].push(rate(|| run.run_until(until, |_, ()| ()).expect("it runs")));
        let aggressive = Cancellation::Aggressive;
        let run = Parallel::new(model.clone(), until, 4_000_000, aggressive, 2);
        let mut run = run.expect("it begins");
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
    let model = |processes, remote, start, grain| Phold {
        processes,
        remote,
        start,
        seed: 1,
        saving: Saving::Log,
        grain,
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
