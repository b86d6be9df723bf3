//! A computer module that reads the clock in pairs, and what it measures: the time from one reading to the next (3.2).

use windfall_programs::memo::{Report, report};
use windfall_programs::{Code, Process, ProcessError, Random, Work};
use windfall_time::{Instant, Span};

/// A tick of the clock.
const TICK: Span = Span::from_nanos(2_000);
/// Values of a word.
const VALUES: u64 = 1 << 16;
/// From one wrap of the low word to the next: 131 ms.
pub(crate) const WRAP: Span = Span::from_nanos(2_000 * (1 << 16));

/// A routine that reads the clock, as printed (3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Routine {
    Varying,
    Four,
    One,
}

impl Routine {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Routine::Varying => "Varying-Read",
            Routine::Four => "4-Read",
            Routine::One => "1-Read",
        }
    }

    /// How many references a reading makes, unless the low word wraps.
    pub(crate) const fn references(self) -> f64 {
        match self {
            Routine::Varying => 3.0,
            Routine::Four => 4.0,
            Routine::One => 1.0,
        }
    }
}

/// Two successive readings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sample {
    pub(crate) module: u16,
    /// The first reading.
    pub(crate) at: Span,
    /// From it to the second.
    pub(crate) elapsed: Span,
}

/// Reads the clock twice, and does something else, again and again.
#[derive(Clone)]
pub(crate) struct Module {
    pub(crate) number: u16,
    pub(crate) routine: Routine,
    /// The own time of each reference, between two limits.
    pub(crate) own: (Span, Span),
    /// The own time from pair to pair, between two limits.
    pub(crate) outside: (Span, Span),
    pub(crate) starts: Instant,
    pub(crate) pairs: u64,
    pub(crate) seen: Report<Sample>,
}

/// The seed of a module. Seeds that differ in few bits give streams that go up and down together.
const fn seed(number: u16) -> u64 {
    (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x0C35
}

impl Code for Module {
    const NAME: &'static str = "module";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut random = Random::new(seed(self.number));
        let outside = Work::Uniform(self.outside.0, self.outside.1);
        let mut last = Last::default();
        me.sleep_until(self.starts).await;
        // Modules that start together are not in step.
        me.compute(Span::from_nanos(random.between(0, 900_000))).await;
        for _ in 0..self.pairs {
            let first = self.reads(&mut me, &mut random, &mut last).await;
            let second = self.reads(&mut me, &mut random, &mut last).await;
            let elapsed = TICK.saturating_mul(second.saturating_sub(first));
            let at = TICK.saturating_mul(first);
            report(&self.seen, [Sample { module: self.number, at, elapsed }]);
            me.compute(random.work(outside)).await;
        }
        Ok(())
    }
}

/// The static variables of 1-Read.
#[derive(Default)]
struct Last {
    low: u64,
    high: u64,
}

impl Module {
    /// A reference to the clock: the ticks when its visit is over.
    async fn refers(&self, me: &mut impl Process, random: &mut Random) -> u64 {
        me.compute(random.work(Work::Uniform(self.own.0, self.own.1))).await;
        me.now().await.as_nanos() / TICK.as_nanos()
    }

    /// A reading of the clock, in ticks.
    async fn reads(&self, me: &mut impl Process, random: &mut Random, last: &mut Last) -> u64 {
        let (high, low) = (|ticks: u64| ticks / VALUES, |ticks: u64| ticks % VALUES);
        if self.routine == Routine::One {
            let now = low(self.refers(me, random).await);
            last.high += u64::from(last.low >= now);
            last.low = now;
            return last.high * VALUES + now;
        }
        let first_high = high(self.refers(me, random).await);
        let first_low = low(self.refers(me, random).await);
        let second_high = high(self.refers(me, random).await);
        if self.routine == Routine::Varying {
            if second_high > first_high {
                return second_high * VALUES + low(self.refers(me, random).await);
            }
            return first_high * VALUES + first_low;
        }
        let second_low = low(self.refers(me, random).await);
        let flipped_before = second_high > first_high && second_low > first_low;
        let taken = if flipped_before { second_high } else { first_high };
        taken * VALUES + first_low
    }
}
