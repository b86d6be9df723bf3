//! A network that takes its time, loses, doubles and delays records, and whose members die: the same for the same seed.

use super::{Record, Transport};
use core::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use windfall_time::{Instant, Span};

/// The faults of a network, in parts of 1,000 records.
///
/// ```
/// use windfall_ports::transport::Faults;
/// use windfall_time::Span;
///
/// let ms = Span::from_millis;
/// let faults = Faults::none(ms(1)).jitter(ms(2)).lost(20).doubled(10).late(5, ms(40));
/// assert_eq!((faults.jitter, faults.late), (ms(2), (5, ms(40))));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Faults {
    /// The least time on the way.
    pub latency: Span,
    /// At most so much more, evenly; so records overtake each other.
    pub jitter: Span,
    /// Records that are lost.
    pub lost: u64,
    /// Records that arrive twice.
    pub doubled: u64,
    /// Records that are late, and by how much.
    pub late: (u64, Span),
}

impl Faults {
    /// Nothing but latency.
    #[must_use]
    pub const fn none(latency: Span) -> Faults {
        Faults { latency, jitter: Span::ZERO, lost: 0, doubled: 0, late: (0, Span::ZERO) }
    }

    /// Each record takes at most so much longer.
    #[must_use]
    pub const fn jitter(self, jitter: Span) -> Faults {
        Faults { jitter, ..self }
    }

    /// So many of 1,000 records are lost.
    #[must_use]
    pub const fn lost(self, lost: u64) -> Faults {
        Faults { lost, ..self }
    }

    /// So many of 1,000 records arrive twice.
    #[must_use]
    pub const fn doubled(self, doubled: u64) -> Faults {
        Faults { doubled, ..self }
    }

    /// So many of 1,000 records are late, by so much.
    #[must_use]
    pub const fn late(self, late: u64, by: Span) -> Faults {
        Faults { late: (late, by), ..self }
    }
}

/// Counts of records by outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Carried {
    /// Records that were handed over.
    pub sent: u64,
    /// Those that were lost.
    pub lost: u64,
    /// Those that arrive twice.
    pub doubled: u64,
    /// Arrivals that are late.
    pub late: u64,
    /// Those that were for, or from, a dead member.
    pub dead: u64,
}

#[derive(Debug)]
struct State {
    faults: Faults,
    seed: u64,
    sent: u64,
    /// By arrival and number: for whom, from whom, and what.
    flying: BTreeMap<(Instant, u64), (usize, usize, Record)>,
    dead: BTreeSet<usize>,
    carried: Carried,
}

impl State {
    /// The next number of the seed (splitmix64).
    fn draw(&mut self, below: u64) -> u64 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below.max(1)
    }
}

/// The network.
#[derive(Clone, Debug)]
pub struct Network(Rc<RefCell<State>>);

impl Network {
    /// With nothing on its way.
    #[must_use]
    pub fn new(seed: u64, faults: Faults) -> Network {
        let (flying, dead, carried) = (BTreeMap::new(), BTreeSet::new(), Carried::default());
        Network(Rc::new(RefCell::new(State { faults, seed, sent: 0, flying, dead, carried })))
    }

    /// A member's end.
    #[must_use]
    pub fn member(&self, own: usize) -> Simulated {
        Simulated { network: self.clone(), own }
    }

    /// Records from and to a dead member are lost. It keeps its memory.
    pub fn set_dead(&self, member: usize, dead: bool) {
        let mut state = self.0.borrow_mut();
        if dead {
            state.dead.insert(member)
        } else {
            state.dead.remove(&member)
        };
    }

    /// When the next record arrives.
    #[must_use]
    pub fn next_arrival(&self) -> Option<Instant> {
        self.0.borrow().flying.keys().next().map(|(at, _)| *at)
    }

    /// Counts of records so far, by outcome.
    #[must_use]
    pub fn carried(&self) -> Carried {
        self.0.borrow().carried
    }
}

/// A member's end of a simulated network.
#[derive(Debug)]
pub struct Simulated {
    network: Network,
    own: usize,
}

impl Transport for Simulated {
    fn send(&mut self, now: Instant, to: usize, record: Record) -> bool {
        let mut state = self.network.0.borrow_mut();
        state.carried.sent += 1;
        if state.dead.contains(&self.own) {
            state.carried.dead += 1;
            return true;
        }
        let faults = state.faults;
        if state.draw(1_000) < faults.lost {
            state.carried.lost += 1;
            return true;
        }
        let doubled = state.draw(1_000) < faults.doubled;
        state.carried.doubled += u64::from(doubled);
        for _ in 0..=u64::from(doubled) {
            let jitter = state.draw(faults.jitter.as_nanos().saturating_add(1));
            let late = state.draw(1_000) < faults.late.0;
            state.carried.late += u64::from(late);
            let late = if late { faults.late.1 } else { Span::ZERO };
            let way = faults.latency.saturating_add(Span::from_nanos(jitter)).saturating_add(late);
            state.sent += 1;
            let key = (now.saturating_add(way), state.sent);
            state.flying.insert(key, (to, self.own, record));
        }
        true
    }

    fn receive(&mut self, now: Instant) -> Option<(usize, Record)> {
        let mut state = self.network.0.borrow_mut();
        loop {
            let mut arrived = state.flying.range(..=(now, u64::MAX));
            let key = *arrived.find(|(_, (to, ..))| *to == self.own)?.0;
            let (_, from, record) = state.flying.remove(&key)?;
            if !state.dead.contains(&self.own) {
                return Some((from, record));
            }
            state.carried.dead += 1;
        }
    }
}
