//! Sources of interrupts. An interrupt takes time from the thread that runs; only schedulers that subscribe receive a report (HLS chapter 11).

use windfall_programs::Random;
use windfall_scenario::{PlannedInterrupts, PlannedPattern};
use windfall_time::{Instant, Span};

/// A source of interrupts during a run. On a simulated machine they take processor time. An interrupt of a device is an arrival there.
pub struct Interrupts {
    /// The source as planned.
    pub planned: PlannedInterrupts,
    random: Random,
    struck: usize,
    next: Option<(Instant, Span)>,
}

impl Interrupts {
    /// A source without an interrupt so far; equal seeds give equal interrupts.
    #[must_use]
    pub fn new(interrupts: PlannedInterrupts, seed: u64) -> Interrupts {
        let mut source =
            Interrupts { planned: interrupts, random: Random::new(seed), struck: 0, next: None };
        source.next = source.after(Instant::ZERO);
        source
    }

    /// The instant of its next interrupt.
    #[must_use]
    pub fn at(&self) -> Option<Instant> {
        self.next.map(|(at, _)| at)
    }

    /// Takes its next interrupt. Returns its cost.
    pub fn next_cost(&mut self) -> Span {
        let Some((at, cost)) = self.next else {
            return Span::ZERO;
        };
        self.struck += 1;
        self.next = self.after(at);
        cost
    }

    fn after(&mut self, last: Instant) -> Option<(Instant, Span)> {
        match &self.planned.pattern {
            PlannedPattern::Periodic { offset, period, cost } => {
                let at = if self.struck == 0 { *offset } else { last.checked_add(*period)? };
                Some((at, *cost))
            }
            PlannedPattern::Random { gap, cost } => {
                let mut draw = |(least, most): (Span, Span)| {
                    Span::from_nanos(self.random.between(least.as_nanos(), most.as_nanos()))
                };
                let gap = draw(*gap).max(Span::from_nanos(1));
                Some((last.checked_add(gap)?, draw(*cost)))
            }
            PlannedPattern::Recorded(strikes) => strikes.get(self.struck).copied(),
        }
    }
}
