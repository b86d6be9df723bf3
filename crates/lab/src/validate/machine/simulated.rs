//! A machine in virtual time, with faults planted.
//!
//! A look at a clock takes 150 ns, a round of the task 1 ns of a sound processor, and each thread wakes 3 us late. Interrupts of 5 us come every 4 ms, those of different processors apart. Each processor's work is simulated by itself, so what processors do to each other is not here.

use super::{Body, Class, Core, Distance, Load, LoadKind, Machine, RoundTrip};
use crate::experiment::LabError;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use windfall_cores::{Check, Effect, Fault, Kind};
use windfall_time::{Instant, Span};

/// The time of a read of a clock.
const LOOK: u64 = 150;
/// The delay from a thread's time until it runs.
const WAKE: u64 = 3_000;
/// A batch of rounds, or an answer, may take so long: some ten times what it does.
const PATIENCE: Span = Span::from_secs(4);
/// A measurement takes less; if not, its processors are asked in vain.
const DEADLINE: Span = Span::from_secs(1);
/// Half of a round trip.
const HOP: u64 = 60;

/// Time that is taken from a processor again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Taken {
    pub(crate) every: Span,
    pub(crate) length: Span,
}

const TICK: Taken = Taken { every: Span::from_millis(4), length: Span::from_nanos(5_000) };

/// The planted fault of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Planted {
    /// By so many per cent more time it takes for all that it does.
    pub(crate) slower: u64,
    /// By so many parts in 10^9 its counter is too fast.
    pub(crate) drift_ppb: u32,
    /// So much longer a word is on its way to it and from it.
    pub(crate) farther: Span,
    /// The time that a hypervisor takes from it.
    pub(crate) stolen: Option<Taken>,
    /// Whether a bit of a sum is wrong now and then.
    pub(crate) wrong_adder: bool,
    /// Whether it stops in the middle of integer work.
    pub(crate) hangs: bool,
    /// Whether no thread gets there from the beginning.
    pub(crate) silent: bool,
    /// In which of its measurements it stops for good.
    pub(crate) stops_in: Option<u32>,
}

/// The machine.
pub(crate) struct Simulated {
    processors: Vec<u16>,
    planted: Vec<Planted>,
    /// How many measurements each processor has begun.
    begun: Arc<Vec<AtomicU32>>,
    measured: AtomicU64,
    /// When its last measurement ended.
    at: Mutex<u64>,
}

impl Simulated {
    /// With a processor for each of these.
    pub(crate) fn new(planted: Vec<Planted>) -> Simulated {
        let processors = (0..).take(planted.len()).collect();
        let begun = planted.iter().map(|_| AtomicU32::new(0)).collect();
        let (begun, at) = (Arc::new(begun), Mutex::new(1_000_000_000));
        Simulated { processors, planted, begun, measured: AtomicU64::new(0), at }
    }

    fn has_stopped(&self, processor: u16) -> bool {
        let place = usize::from(processor);
        let begun = self.begun[place].load(Ordering::Relaxed);
        self.planted[place].stops_in.is_some_and(|stops_in| begun >= stops_in)
    }

    /// A processor begins a measurement, which does not end if it stops there.
    fn begins(&self, processor: u16) {
        self.begun[usize::from(processor)].fetch_add(1, Ordering::Relaxed);
        while self.has_stopped(processor) {
            std::thread::park();
        }
    }

    fn core(&self, processor: u16, at: u64) -> SimulatedCore {
        let planted = self.planted[usize::from(processor)];
        let mut core = SimulatedCore { at, number: processor, planted, next: (0, 0) };
        core.next = core.next_after(at);
        core
    }

    fn at(&self) -> u64 {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn goes_on_at(&self, at: u64) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }
}

impl Machine for Simulated {
    fn line(&self) -> String {
        format!("a simulated machine of {} processors", self.processors.len())
    }

    fn processors(&self) -> &[u16] {
        &self.processors
    }

    fn distance(&self, _: u16, _: u16) -> Distance {
        Distance::Cache
    }

    fn on_each(&self, processors: &[u16], body: &Body<'_>) -> Result<Class, LabError> {
        let begun = self.at();
        let ends = processors.iter().map(|processor| {
            self.begins(*processor);
            let mut core = self.core(*processor, begun);
            body(*processor, &mut core);
            self.measured.fetch_add(1, Ordering::Relaxed);
            core.at
        });
        self.goes_on_at(ends.max().unwrap_or(begun));
        Ok(Class::RealTime)
    }

    fn round_trips(&self, from: u16, to: u16, count: u32) -> Result<Vec<RoundTrip>, LabError> {
        [from, to].into_iter().for_each(|processor| self.begins(processor));
        let mut here = self.core(from, self.at());
        let more = |processor| self.planted[usize::from(processor)].farther.as_nanos();
        let hop = HOP + more(from) + more(to);
        let trip = |_| {
            let sent = here.counter();
            let mut there = self.core(to, here.at + hop);
            let seen = there.counter();
            here.goes_on_at(there.at + hop);
            RoundTrip { sent, seen, back: here.counter() }
        };
        let trips = (0..count).map(trip).collect();
        self.goes_on_at(here.at);
        Ok(trips)
    }

    fn load(&self, _: &[LoadKind]) -> Option<Load> {
        None
    }

    fn stolen(&self) -> Option<Vec<(u16, Span)>> {
        None
    }

    fn cores(&self) -> Check {
        let planted = |cpu: &u16| self.planted[usize::from(*cpu)];
        let faults = self.processors.iter().flat_map(|cpu| {
            let integer = |is_planted: bool, rounds, effect| {
                is_planted.then(|| Fault::new(*cpu, Kind::Integer, rounds, effect))
            };
            // A bit of an intermediate result, in one round of eight.
            let wrong = integer(planted(cpu).wrong_adder, 3..=3, Effect::Bits(1 << 7));
            [wrong, integer(planted(cpu).hangs, 5..=5, Effect::Hang)].into_iter().flatten()
        });
        let is_silent = |cpu: &u16| planted(cpu).silent || self.has_stopped(*cpu);
        let silent = self.processors.iter().copied().filter(is_silent);
        let check = Check::on(&self.processors).kinds(&[Kind::Integer, Kind::Float]);
        let check = check.anywhere().faults(faults.collect()).deadline(PATIENCE);
        check.silent(&silent.collect::<Vec<_>>())
    }

    fn without(&self, processors: &[u16]) -> Result<Arc<dyn Machine>, LabError> {
        let left = self.processors.iter().copied().filter(|cpu| !processors.contains(cpu));
        let (processors, planted) = (left.collect(), self.planted.clone());
        let (begun, at) = (self.begun.clone(), Mutex::new(self.at()));
        Ok(Arc::new(Simulated { processors, planted, begun, measured: AtomicU64::new(0), at }))
    }

    fn measured(&self) -> u64 {
        self.measured.load(Ordering::Relaxed)
    }

    fn deadline(&self, _: Span) -> Span {
        DEADLINE
    }

    fn is_here(&self) -> bool {
        false
    }
}

/// A processor of it.
struct SimulatedCore {
    /// True time, in nanoseconds.
    at: u64,
    number: u16,
    planted: Planted,
    /// When something is taken next, and for how long.
    next: (u64, u64),
}

impl SimulatedCore {
    /// The time that is taken from it, and its distance from other processors.
    fn taken(&self) -> impl Iterator<Item = (Taken, u64)> {
        let apart = u64::from(self.number) * 700_000;
        [Some(TICK), self.planted.stolen].into_iter().flatten().map(move |taken| (taken, apart))
    }

    /// When something is taken next, after this time, and for how long.
    fn next_after(&self, after: u64) -> (u64, u64) {
        let next = |(taken, apart): (Taken, u64)| {
            let every = taken.every.as_nanos();
            let turn = (after.saturating_sub(apart) / every) + 1;
            (turn * every + apart, taken.length.as_nanos())
        };
        // Of two that begin at once the longer one covers the other.
        let first = |(at, length): &(u64, u64)| (*at, Reverse(*length));
        self.taken().map(next).min_by_key(first).unwrap_or((u64::MAX, 0))
    }

    fn goes_on_at(&mut self, at: u64) {
        self.at = at;
        self.next = self.next_after(at);
    }

    /// Works for so long, without what is taken meanwhile.
    fn works(&mut self, ns: u64) {
        let mut left = ns + ns * self.planted.slower / 100;
        while self.at + left >= self.next.0 {
            let (at, length) = self.next;
            left -= at - self.at;
            self.goes_on_at(at + length);
        }
        self.at += left;
    }
}

impl Core for SimulatedCore {
    fn now(&mut self) -> Instant {
        self.works(LOOK);
        Instant::from_nanos(self.at)
    }

    fn counter(&mut self) -> Instant {
        self.works(LOOK);
        let gained = u128::from(self.at) * u128::from(self.planted.drift_ppb) / 1_000_000_000;
        Instant::saturating_from_nanos(u128::from(self.at) + gained)
    }

    fn sleep_until(&mut self, at: Instant) {
        let at = at.as_nanos().max(self.at);
        // What is taken while it sleeps delays it only if it goes on when the thread is to wake.
        let lasts = self.taken().filter_map(|(taken, apart)| {
            let (every, length) = (taken.every.as_nanos(), taken.length.as_nanos());
            let since = at.checked_sub(apart)? % every;
            (at >= apart + every && since < length).then(|| at - since + length)
        });
        self.goes_on_at(lasts.max().unwrap_or(at));
        self.works(WAKE);
    }

    fn compute(&mut self, rounds: u64) -> u64 {
        self.works(rounds);
        rounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_time_that_is_taken_is_added_to_work() {
        let stolen = Some(Taken { every: Span::from_millis(100), length: Span::from_millis(5) });
        let machine = Simulated::new(vec![Planted { stolen, ..Planted::default() }]);
        let took = Mutex::new(Vec::new());
        let body = |_, core: &mut dyn Core| {
            let begun = core.now();
            core.compute(1_000_000_000);
            took.lock().unwrap().push(core.now().since(begun).unwrap());
        };
        machine.on_each(&[0], &body).unwrap();
        let took = took.into_inner().unwrap()[0];
        // Ten times 5 ms, and 5 us each 4 ms.
        let (least, most) = (Span::from_millis(1_049), Span::from_millis(1_053));
        assert!(least < took && took < most, "{took}");
    }

    #[test]
    fn law_a_slow_processor_takes_longer_and_a_fast_counter_shows_more() {
        let slow = Planted { slower: 25, drift_ppb: 200_000, ..Planted::default() };
        let machine = Simulated::new(vec![Planted::default(), slow]);
        let took = Mutex::new(Vec::new());
        let body = |_, core: &mut dyn Core| {
            let (begun, counted) = (core.now(), core.counter());
            core.compute(100_000_000);
            let ends = (core.now(), core.counter());
            let both = (ends.0.since(begun).unwrap(), ends.1.since(counted).unwrap());
            took.lock().unwrap().push(both);
        };
        machine.on_each(&[0, 1], &body).unwrap();
        let took = took.into_inner().unwrap();
        let ns = |span: Span| span.as_nanos();
        assert!(ns(took[1].0) * 100 > ns(took[0].0) * 124, "{took:?}");
        assert!(
            ns(took[1].1) - ns(took[1].0) > 24_000
                && took[0].1.as_nanos().abs_diff(ns(took[0].0)) < 10_000,
            "{took:?}"
        );
    }
}
