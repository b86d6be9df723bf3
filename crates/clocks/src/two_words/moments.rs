//! Tries a routine at every moment of a small clock: all moments at which its references can come.
//!
//! Small words suffice: what a routine returns depends on whether words moved on between references, and on how they compare, not on how many values there are.

use super::{Form, Latch, OneRead, TwoWords};
use core::cell::Cell;

/// A clock whose references come at given times.
#[derive(Clone, Debug)]
pub struct Scripted {
    values: u32,
    tick: u64,
    times: [u64; 4],
    made: Cell<usize>,
}

impl Scripted {
    /// A clock of two words of `values` values each, 2 at least, that ticks once in `tick` units of time, 1 at least; of its references each of the first four is made at its time, and all later ones at the last.
    #[must_use]
    pub const fn new(values: u32, tick: u64, times: [u64; 4]) -> Scripted {
        Scripted { values, tick, times, made: Cell::new(0) }
    }

    /// High and low word at a time.
    fn at(&self, time: u64) -> (u32, u32) {
        let values = self.low_values();
        let ticks = (time / self.tick.max(1)) % (values * values);
        let word = |of: u64| u32::try_from(of).expect("below the number of values of a word");
        (word(ticks / values), word(ticks % values))
    }

    fn refer(&self) -> (u32, u32) {
        let made = self.made.get();
        self.made.set(made + 1);
        self.at(self.times[made.min(3)])
    }

    /// When its last reference so far was made, or the first will be.
    fn last(&self) -> u64 {
        self.times[self.made.get().saturating_sub(1).min(3)]
    }
}

impl TwoWords for Scripted {
    fn high(&self) -> u32 {
        self.refer().0
    }

    fn low(&self) -> u32 {
        self.refer().1
    }

    fn low_values(&self) -> u64 {
        u64::from(self.values.max(2))
    }
}

impl Latch for Scripted {
    fn latch(&self) -> (u32, u32) {
        self.refer()
    }
}

/// The outcome of all calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Tried {
    /// How many there were.
    pub calls: u64,
    /// Those that returned no value that the clock had from their first reference to their last.
    pub wrong: u64,
    /// Those of the wrong ones during which the whole clock did not wrap.
    pub wrong_inside: u64,
}

/// Calls a routine of at most four references at every moment, its references any times apart with `longest` from the first to the fourth at most.
pub fn every_moment(
    values: u32,
    tick: u64,
    longest: u64,
    routine: impl Fn(&Scripted) -> u64,
) -> Tried {
    let mut tried = Tried::default();
    let whole = u64::from(values.max(2)).pow(2);
    for start in 0..whole * tick.max(1) {
        for second in 0..=longest {
            for third in second..=longest {
                for fourth in third..=longest {
                    let times = [start, start + second, start + third, start + fourth];
                    let clock = Scripted::new(values, tick, times);
                    let got = routine(&clock);
                    let (first, last) = (start / tick.max(1), clock.last() / tick.max(1));
                    let right = (first..=last).any(|ticks| ticks % whole == got);
                    tried.calls += 1;
                    tried.wrong += u64::from(!right);
                    let wraps = first / whole < last / whole;
                    tried.wrong_inside += u64::from(!right && !wraps);
                }
            }
        }
    }
    tried
}

/// Calls 1-Read at equal distances of up to `apart` over `words` low words, from every moment of the first on; right is the clock's value at its one reference.
#[must_use]
pub fn every_distance(values: u32, tick: u64, apart: u64, words: u64, form: Form) -> Tried {
    let mut tried = Tried::default();
    let word = u64::from(values.max(2)) * tick.max(1);
    for first in 0..word {
        for step in 1..=apart {
            let mut routine = OneRead::new(form);
            let mut time = first;
            while time < words * word {
                let got = routine.read(&Scripted::new(values, tick, [time; 4]));
                let right = got == time / tick.max(1);
                tried.calls += 1;
                tried.wrong += u64::from(!right);
                tried.wrong_inside += u64::from(!right);
                time += step;
            }
        }
    }
    tried
}
