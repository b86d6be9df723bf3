//! A network that loses, doubles, delays and reorders Ethernet frames, by a seed: what `tc netem` does where the kernel has it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tun_tap::Iface;

/// What the network does to each frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults {
    pub(crate) latency: Duration,
    /// Up to so many microseconds more for each, so that frames overtake each other.
    pub(crate) jitter_us: u64,
    /// So many of a thousand.
    pub(crate) lost: u64,
    pub(crate) doubled: u64,
    /// So many of a thousand are late by so much.
    pub(crate) late: (u64, Duration),
}

impl Faults {
    pub(crate) const NONE: Faults = Faults {
        latency: Duration::ZERO,
        jitter_us: 0,
        lost: 0,
        doubled: 0,
        late: (0, Duration::ZERO),
    };
}

/// A frame on the way: when it is due, in which order it was sent, to which card.
type Frame = Reverse<(Instant, u64, usize, Vec<u8>)>;

struct State {
    random: u64,
    frames: BinaryHeap<Frame>,
    /// Carried, lost, doubled, late.
    counts: [u64; 4],
    is_over: bool,
}

pub(crate) struct Wire {
    faults: Faults,
    state: Mutex<State>,
    changed: Condvar,
}

impl State {
    /// Xorshift: below this limit.
    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % limit.max(1)
    }

    fn is_one_of(&mut self, of_a_thousand: u64) -> bool {
        self.below(1_000) < of_a_thousand
    }
}

impl Wire {
    pub(super) fn new(faults: Faults) -> Arc<Wire> {
        let (frames, random) = (BinaryHeap::new(), 0x9e37_79b9_7f4a_7c15);
        let state = Mutex::new(State { random, frames, counts: [0; 4], is_over: false });
        Arc::new(Wire { faults, state, changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn counts(&self) -> [u64; 4] {
        self.lock().counts
    }

    /// No more is carried.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Carries until its end. A thread waits at each card, and ends with it.
    pub(super) fn carry(self: Arc<Wire>, cards: Vec<Iface>) {
        let cards = Arc::new(cards);
        for card in 0..cards.len() {
            let (wire, cards) = (self.clone(), cards.clone());
            std::thread::spawn(move || {
                let mut frame = [0; 2_048];
                // A card that is down, or not up yet, has no frames.
                while !wire.lock().is_over {
                    match cards[card].recv(&mut frame) {
                        Ok(length) => wire.takes(card, cards.len(), &frame[..length]),
                        Err(_) => std::thread::sleep(Duration::from_millis(10)),
                    }
                }
            });
        }
        std::thread::spawn(move || self.delivers(&cards));
    }

    /// To each other card, whoever it is for: those drop what is not theirs.
    fn takes(&self, from: usize, cards: usize, frame: &[u8]) {
        let (mut state, faults) = (self.lock(), self.faults);
        for to in (0..cards).filter(|to| *to != from) {
            state.counts[0] += 1;
            if state.is_one_of(faults.lost) {
                state.counts[1] += 1;
                continue;
            }
            let is_doubled = state.is_one_of(faults.doubled);
            state.counts[2] += u64::from(is_doubled);
            for _ in 0..=u64::from(is_doubled) {
                let mut delay =
                    faults.latency + Duration::from_micros(state.below(faults.jitter_us));
                if state.is_one_of(faults.late.0) {
                    state.counts[3] += 1;
                    delay += faults.late.1;
                }
                let order = state.counts[0];
                state.frames.push(Reverse((Instant::now() + delay, order, to, frame.to_vec())));
            }
        }
        self.changed.notify_one();
    }

    fn delivers(&self, cards: &[Iface]) {
        let mut state = self.lock();
        while !state.is_over {
            let now = Instant::now();
            let due = state.frames.peek().map(|Reverse((due, ..))| *due);
            let wait = due.map_or(Duration::from_secs(1), |due| due.saturating_duration_since(now));
            if !wait.is_zero() {
                let waited = self.changed.wait_timeout(state, wait);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            let Some(Reverse((_, _, to, frame))) = state.frames.pop() else { continue };
            drop(state);
            // A machine whose cable is pulled gets nothing.
            _ = cards[to].send(&frame);
            state = self.lock();
        }
    }
}
