//! Interrupts: they take time from whoever runs, and no scheduler hears of it (HLS chapter 11).

use windfall_programs::Random;
use windfall_time::{Instant, Span};
use windfall_trace::Theft;

/// A source of interrupts on one processor.
#[derive(Clone, Debug)]
pub struct Interrupts {
    /// The processor that it strikes.
    pub cpu: u16,
    /// What it is called in the trace.
    pub kind: Theft,
    /// Its number in the trace.
    pub number: u16,
    /// When, and for how long.
    pub pattern: Pattern,
}

/// When interrupts come and how long each takes.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// At `offset` and then every `period`, each so long.
    Periodic {
        /// The first.
        offset: Instant,
        /// Time between two; above zero.
        period: Span,
        /// How long each takes.
        cost: Span,
    },
    /// After random gaps, each a random time long; both uniform, limits included.
    Random {
        /// Shortest and longest gap; above zero.
        gap: (Span, Span),
        /// Shortest and longest duration.
        cost: (Span, Span),
    },
    /// At these instants, in order, each so long: as recorded.
    Recorded(Vec<(Instant, Span)>),
}

/// A source under way.
pub(crate) struct Source {
    pub(crate) interrupts: Interrupts,
    random: Random,
    struck: usize,
    next: Option<(Instant, Span)>,
}

impl Source {
    pub(crate) fn new(interrupts: Interrupts, seed: u64) -> Source {
        let mut source = Source { interrupts, random: Random::new(seed), struck: 0, next: None };
        source.next = source.after(Instant::ZERO);
        source
    }

    /// When it strikes next.
    pub(crate) fn at(&self) -> Option<Instant> {
        self.next.map(|(at, _)| at)
    }

    /// It strikes: how long it takes.
    pub(crate) fn strike(&mut self) -> Span {
        let Some((at, cost)) = self.next else {
            return Span::ZERO;
        };
        self.struck += 1;
        self.next = self.after(at);
        cost
    }

    fn after(&mut self, last: Instant) -> Option<(Instant, Span)> {
        match &self.interrupts.pattern {
            Pattern::Periodic { offset, period, cost } => {
                let at = if self.struck == 0 { *offset } else { last.checked_add(*period)? };
                Some((at, *cost))
            }
            Pattern::Random { gap, cost } => {
                let mut draw = |(least, most): (Span, Span)| {
                    Span::from_nanos(self.random.between(least.as_nanos(), most.as_nanos()))
                };
                let gap = draw(*gap).max(Span::from_nanos(1));
                Some((last.checked_add(gap)?, draw(*cost)))
            }
            Pattern::Recorded(strikes) => strikes.get(self.struck).copied(),
        }
    }
}
