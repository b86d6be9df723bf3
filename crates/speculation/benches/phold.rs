//! PHOLD without work: the run in order beside a bare heap of four children with equal entries.
//!
//! Rounds are interleaved, and each prints ratios of that round; only these count on a machine that others use, too.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/phold/mod.rs"]
mod phold;

use phold::{PRIME, Phold, State};
use std::hint::black_box;
use std::time::Instant as Clock;
use windfall_speculation::{Saving, Sequential};
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

/// Million events a second.
#[expect(clippy::cast_precision_loss, reason = "shown")]
fn rate(run: impl FnOnce() -> u64) -> f64 {
    let begins = Clock::now();
    let handled = black_box(run());
    handled as f64 / begins.elapsed().as_secs_f64() / 1e6
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    println!("processes, remote, start: bare heap and in order, million events a second; ratio");
    for (processes, remote, start) in [
        (1_000, 0, 1),
        (1_000, 250, 1),
        (1_000, 500, 1),
        (1_000, 250, 16),
        (10_000, 250, 1),
        (100_000, 250, 1),
    ] {
        let model = Phold { processes, remote, start, seed: 1, saving: Saving::Log };
        let end = 2_000_000 * 1_000 / (u64::from(processes) * u64::from(start));
        let (mut bare, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let mut heap = Bare::new(&model);
            bare.push(rate(|| heap.run(&model, end)));
            let mut run = Sequential::new(model.clone(), 4_000_000).expect("it begins");
            let until = Instant::from_nanos(end);
            ours.push(rate(|| run.run_until(until, |_, ()| ()).expect("it runs")));
            ratios.push(ours[ours.len() - 1] / bare[bare.len() - 1]);
        }
        let [bare, ours, ratio] = [bare, ours, ratios].map(|mut all| median(&mut all));
        println!("{processes}, {remote}, {start}: {bare:.2}, {ours:.2}; {ratio:.2}");
    }
}
