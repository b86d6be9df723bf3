//! A clock whose reads cost what a load makes them cost, and whose truth is known: what methods are tried against.
//!
//! Reading takes a floor and a load. The load is Rayleigh's distribution, as the paper found it (figure 4): the length of a vector whose two coordinates are drawn, and of which each
//! read keeps a part from the read before. That part, `kept`, decides the correlation of successive reads. Interrupts come at equal distances, as those of a line clock do, and stretch whatever goes on.
//! Time passes only by reads and by [`Simulated::elapse`]; equal seeds give equal times. It ends, and stands still, after 213 days, which are 2^64 ps.

use crate::{Clock, Pairs, Reading, SampleError, Scale};
use core::fmt;
use std::cell::{Cell, RefCell};
use windfall_time::Span;

/// Time is kept in picoseconds, so that costs are finer than ticks.
const PER_NANO: u64 = 1_000;

/// The cost of reading a simulated clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Load {
    /// Every read takes at least this.
    pub floor: Span,
    /// The scale of what it takes more, in nanoseconds: on average 1.25 times as much.
    pub scale: f64,
    /// The part of the load that is left at the next read, 0 to 1: 0 forgets it at once, 1 keeps it for ever.
    pub kept: f64,
    /// A further cost of each read, hidden from all else: even from 0 to this, in nanoseconds.
    pub own: f64,
    /// Whether both halves of a read, before and after the clock's value is taken, take equally long, as (3) assumes; else a read is divided anywhere.
    pub equal_halves: bool,
}

/// Interrupts at equal distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupts {
    /// From the end of one to the beginning of the next.
    pub every: Span,
    /// How long each takes.
    pub length: Span,
}

/// Why a simulated clock cannot be.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum SimulatedError {
    /// A part of the load that is left at the next read, and is no part.
    Kept {
        /// As it was asked for.
        kept: f64,
    },
    /// A cost that is negative, or a second or more.
    Cost {
        /// Which: `scale` or `own`.
        name: &'static str,
        /// As it was asked for, in nanoseconds.
        ns: f64,
    },
    /// A tick that is no time, or longer than the clock goes on.
    Tick {
        /// As it was asked for.
        tick: Span,
    },
    /// No time between two interrupts.
    Interrupts,
}

impl fmt::Display for SimulatedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot simulate this clock: ")?;
        match self {
            SimulatedError::Kept { kept } => {
                write!(f, "a read keeps {kept} of the load; allowed: 0 to 1")
            }
            SimulatedError::Cost { name, ns } => {
                write!(f, "`{name}` of the load is {ns} ns; allowed: 0 to less than 1000000000")
            }
            SimulatedError::Tick { tick } => {
                write!(f, "it ticks every {tick}; allowed: 1 ns to {}", Simulated::END)
            }
            SimulatedError::Interrupts => {
                f.write_str("interrupts come every 0 ns; allowed: 1 ns or more")
            }
        }
    }
}

impl core::error::Error for SimulatedError {}

/// A simulated clock.
#[derive(Clone, Debug)]
pub struct Simulated {
    load: Load,
    tick: Span,
    interrupts: Option<Interrupts>,
    now: Cell<u64>,
    /// Picoseconds until the next interrupt.
    until_interrupt: Cell<u64>,
    vector: Cell<[f64; 2]>,
    random: RefCell<Random>,
}

impl Simulated {
    /// When its time ends.
    const END: Span = Span::from_nanos(u64::MAX / PER_NANO);

    /// A clock that advances by `tick` at once.
    ///
    /// # Errors
    /// When `kept` is not from 0 to 1, another number of `load` is negative or a second or more, or a tick is no time or longer than 213 days.
    pub fn new(load: Load, tick: Span, seed: u64) -> Result<Simulated, SimulatedError> {
        if !(0.0..=1.0).contains(&load.kept) {
            return Err(SimulatedError::Kept { kept: load.kept });
        }
        for (name, ns) in [("scale", load.scale), ("own", load.own)] {
            if !(0.0..1e9).contains(&ns) {
                return Err(SimulatedError::Cost { name, ns });
            }
        }
        if tick.is_zero() || tick > Simulated::END {
            return Err(SimulatedError::Tick { tick });
        }
        let mut random = Random(seed);
        let vector = Cell::new([random.normal(), random.normal()]);
        Ok(Simulated {
            load,
            tick,
            interrupts: None,
            now: Cell::new(0),
            until_interrupt: Cell::new(u64::MAX),
            vector,
            random: RefCell::new(random),
        })
    }

    /// The same with interrupts, the first after one distance.
    ///
    /// # Errors
    /// When there is no time between two of them.
    pub fn with_interrupts(self, interrupts: Interrupts) -> Result<Simulated, SimulatedError> {
        if interrupts.every.is_zero() {
            return Err(SimulatedError::Interrupts);
        }
        self.until_interrupt.set(picos(interrupts.every));
        Ok(Simulated { interrupts: Some(interrupts), ..self })
    }

    /// Lets time pass: the section that is measured. Interrupts in it add to what the clock shows.
    pub fn elapse(&self, truth: Span) {
        self.pass(picos(truth));
    }

    /// Time that passed since the beginning, rounded down: the truth, which no read disturbs.
    #[must_use]
    pub fn truth(&self) -> Span {
        Span::from_nanos(self.now.get() / PER_NANO)
    }

    fn pass(&self, time: u64) {
        let stretched = self.interrupts.map_or(0, |interrupts| self.interrupted(time, interrupts));
        self.now.set(self.now.get().saturating_add(time).saturating_add(stretched));
    }

    /// By how much interrupts stretch what takes so long, and how far the next one is then.
    fn interrupted(&self, time: u64, Interrupts { every, length }: Interrupts) -> u64 {
        let until = self.until_interrupt.get();
        let Some(after) = time.checked_sub(until) else {
            self.until_interrupt.set(until - time);
            return 0;
        };
        let every = picos(every);
        self.until_interrupt.set(every - after % every);
        picos(length).saturating_mul((after / every).saturating_add(1))
    }

    /// The cost of a read under the load of this moment.
    fn cost(&self) -> u64 {
        let [x, y] = self.vector.get();
        let own = self.random.borrow_mut().uniform() * self.load.own;
        let more = rounded(((x * x + y * y).sqrt() * self.load.scale + own) * 1e3);
        picos(self.load.floor).saturating_add(more)
    }

    /// The load moves on by one read.
    fn renew(&self) {
        let mut random = self.random.borrow_mut();
        let anew = (1.0 - self.load.kept * self.load.kept).sqrt();
        let moved = self.vector.get().map(|old| self.load.kept * old + anew * random.normal());
        self.vector.set(moved);
    }
}

impl Clock for Simulated {
    fn read(&self) -> Reading {
        let cost = self.cost();
        let first = if self.load.equal_halves {
            cost / 2
        } else {
            rounded(self.random.borrow_mut().uniform() * exact(cost))
        };
        self.pass(first);
        let ticks = self.now.get() / picos(self.tick);
        self.pass(cost.saturating_sub(first));
        self.renew();
        Reading { ticks, processor: Some(0) }
    }

    fn scale(&self) -> Scale {
        Scale::of(1, self.tick).expect("a tick that takes time")
    }

    /// Another processor, whose pairs are read under the load of the same moment, and take no time here.
    fn elsewhere(&self) -> Option<Box<dyn Pairs + '_>> {
        Some(Box::new(Elsewhere(self)))
    }
}

struct Elsewhere<'c>(&'c Simulated);

impl Elsewhere<'_> {
    /// One read of the pair ends and the next begins: together, one read, from some moment of a tick on.
    fn pair(&self) -> u64 {
        let tick = picos(self.0.tick);
        let phase = rounded(self.0.random.borrow_mut().uniform() * exact(tick));
        phase.saturating_add(self.0.cost()) / tick
    }
}

impl Pairs for Elsewhere<'_> {
    fn before(&mut self) -> Result<u64, SampleError> {
        Ok(self.pair())
    }

    fn after(&mut self) -> Result<u64, SampleError> {
        Ok(self.pair())
    }
}

fn picos(span: Span) -> u64 {
    span.as_nanos().saturating_mul(PER_NANO)
}

#[expect(clippy::cast_precision_loss, reason = "a draw; costs are far below 2^53 picoseconds")]
fn exact(picos: u64) -> f64 {
    picos as f64
}

#[expect(clippy::cast_possible_truncation, reason = "a draw below 2^53, as loads are")]
#[expect(clippy::cast_sign_loss, reason = "a draw that is not negative, as loads are")]
fn rounded(picos: f64) -> u64 {
    picos.round() as u64
}

/// Draws equal numbers for equal seeds (SplitMix64).
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    /// From 0 to 1, without 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        f64::from(u32::try_from((z ^ (z >> 31)) >> 32).expect("32 bits")) / 4_294_967_296.0
    }

    /// About normal, of mean 0 and variance 1: twelve uniform ones, without functions that differ from machine to machine.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
