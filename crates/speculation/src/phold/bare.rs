//! PHOLD without an engine: what an engine is compared with.

use super::{Phold, State};
use crate::ProcessNumber;
use windfall_time::Instant;

/// The loop that somebody writes who wants nothing but this model: no numbers, no checks, ties as they come.
#[derive(Debug)]
pub struct Bare {
    heap: Vec<Entry>,
    states: Vec<State>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    time: u64,
    to: u32,
    from: u32,
    _rest: [u64; 2],
}

impl Bare {
    /// The model at its beginning.
    #[must_use]
    pub fn new(model: &Phold) -> Bare {
        let states = (0..model.processes).map(|process| model.state(process)).collect();
        let mut bare = Bare { heap: Vec::new(), states };
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

    /// Handles all events before this time, in nanoseconds. How many they were.
    pub fn run(&mut self, model: &Phold, end: u64) -> u64 {
        let mut handled = 0;
        while self.heap.first().is_some_and(|first| first.time < end)
            && let Some(Entry { time, to, from, .. }) = self.pop()
        {
            let state = &mut self.states[to as usize];
            let (me, from, now) =
                (ProcessNumber(to), ProcessNumber(from), Instant::from_nanos(time));
            let (ProcessNumber(next), at) = model.go(state, me, from, now);
            let time = at.as_nanos();
            self.push(Entry { time, to: next, from: to, _rest: [0; 2] });
            handled += 1;
        }
        handled
    }
}
