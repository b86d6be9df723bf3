//! Sources of interrupts. An interrupt takes time from the thread that runs; only schedulers that subscribe receive a report (HLS chapter 11).

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::Machine;
use windfall_programs::{Device, ProgramRuntime, Random};
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

impl<M: Machine> Host<M> {
    /// Generates a device's arrivals by a pattern, on a machine that does not produce them itself.
    pub fn arrivals(&mut self, interrupts: PlannedInterrupts, seed: u64) {
        let number = u32::try_from(self.arrivals.len()).expect("sources are numbered by 32 bits");
        let source = Interrupts::new(interrupts, seed);
        self.agenda.reserve(self.arrivals.len() + 1);
        if let Some(at) = source.at() {
            self.agenda.set(Due::Arrival(number), at);
        }
        self.arrivals.push(source);
    }

    /// Handles an arrival at the device of a source.
    pub(crate) fn arrival_due(&mut self, number: u32) {
        let source = &mut self.arrivals[number as usize];
        let _ = source.next_cost(); // a live machine has costs of its own
        let (device, next) = (source.planned.device, source.at());
        if let Some(at) = next {
            self.agenda.set(Due::Arrival(number), at);
        }
        if let Some((device, _)) = device {
            ProgramRuntime::arrival(self, device);
        }
    }

    /// Adds a device, whose posts carry this datum, or the number of the arrival.
    pub fn device(&mut self, device: Device, datum: Option<u64>) {
        self.programs.add_device(device, datum);
    }
}
