//! This machine.
//!
//! A thread for each processor, kept there and above all ordinary threads where that is allowed; class and affinity end with it.

use super::gate::Gate;
use super::spin::NoAnswerError;
use super::topology::Topology;
use super::{Body, Class, Core, Distance, Load, LoadKind, Machine, RoundTrip, Spin};
use crate::experiment::LabError;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, ScopedJoinHandle, scope};
use windfall_clocks::{Clock, Counter, SystemClock};
use windfall_cores::Check;
use windfall_os::probe::sleep_until;
use windfall_os::sched::{Affinity, Attributes};
use windfall_time::{Instant, Span};

/// Above the threads of a supervised run, below those of the kernel that must not wait.
const PRIORITY: u32 = 85;

/// This machine.
pub(crate) struct Real {
    processors: Vec<u16>,
    topology: Arc<Topology>,
    /// `None` where there is none to be trusted; then counters are CLOCK_MONOTONIC_RAW.
    counter: Option<Counter>,
    /// Threads that have ended their part of a measurement.
    measured: AtomicU64,
}

/// The processors of the calling thread, from which all others have theirs; they are its own again when this is dropped.
pub(crate) struct OwnAffinity(Affinity);

impl OwnAffinity {
    /// As they are.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn read() -> Result<OwnAffinity, LabError> {
        Affinity::of(0).map(OwnAffinity).map_err(|why| refused("read the own affinity", &why))
    }
}

impl Drop for OwnAffinity {
    fn drop(&mut self) {
        // They were its own before, so a refusal is of a processor that has gone meanwhile.
        let _ = self.0.give(0);
    }
}

impl Real {
    /// With these processors.
    pub(crate) fn new(own: &OwnAffinity) -> Real {
        let processors: Vec<u16> = (0..1024).filter(|cpu| own.0.has(*cpu)).collect();
        let topology = Arc::new(Topology::read(Path::new("/"), &processors));
        Real { processors, topology, counter: Counter::new().ok(), measured: AtomicU64::new(0) }
    }

    /// Goes to a processor, and above all ordinary threads if that is allowed.
    fn enter(processor: u16) -> Result<Class, LabError> {
        let kept = Affinity::one(processor).give(0);
        kept.map_err(|why| refused(&format!("keep a thread on processor {processor}"), &why))?;
        Ok(Attributes::fifo(PRIORITY).give(0).map_or(Class::Ordinary, |()| Class::RealTime))
    }

    fn core(&self) -> RealCore {
        RealCore { counter: self.counter }
    }
}

fn refused(asked: &str, why: &std::io::Error) -> LabError {
    LabError::Machine { asked: asked.to_owned(), why: why.to_string() }
}

impl Machine for Real {
    fn line(&self) -> String {
        let count = self.processors.len();
        let processors = if count == 1 { "processor" } else { "processors" };
        format!("{}, {count} {processors}", crate::machine::this())
    }

    fn processors(&self) -> &[u16] {
        &self.processors
    }

    fn distance(&self, one: u16, other: u16) -> Distance {
        self.topology.distance(one, other)
    }

    fn on_each(&self, processors: &[u16], body: &Body<'_>) -> Result<Class, LabError> {
        let gate = Gate::new(processors.len());
        let run = |processor: u16| {
            let entered = Real::enter(processor);
            if gate.passes(entered.is_ok()) {
                body(processor, &mut self.core());
            }
            self.measured.fetch_add(1, Ordering::Relaxed);
            entered
        };
        let all: Vec<_> = scope(|scope| {
            let mut threads = Vec::new();
            let mut refusal = None;
            for processor in processors {
                let run = || run(*processor);
                match Builder::new().name(format!("cpu-{processor}")).spawn_scoped(scope, run) {
                    Ok(thread) => threads.push(thread),
                    Err(why) => {
                        gate.cancel();
                        let asked = format!("start a thread for processor {processor}");
                        refusal = Some(Err(refused(&asked, &why)));
                        break;
                    }
                }
            }
            let ended = threads.into_iter().map(ScopedJoinHandle::join);
            let entered =
                ended.map(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            refusal.into_iter().chain(entered).collect()
        });
        let mut class = Class::RealTime;
        for entered in all {
            if entered? == Class::Ordinary {
                class = Class::Ordinary;
            }
        }
        Ok(class)
    }

    fn round_trips(&self, from: u16, to: u16, count: u32) -> Result<Vec<RoundTrip>, LabError> {
        // The number of the trip on its way there, and what the other counter showed on its way back.
        let (there, seen) = (AtomicU64::new(0), AtomicU64::new(0));
        let (trips, no_answer) = (std::sync::Mutex::new(Vec::new()), AtomicBool::new(false));
        let answers = |core: &mut dyn Core| {
            for number in 1..=u64::from(count) {
                let mut spin = Spin::default();
                while there.load(Ordering::Acquire) != number {
                    spin.waits()?;
                }
                seen.store(core.counter().as_nanos(), Ordering::Release);
            }
            Ok(())
        };
        let asks = |core: &mut dyn Core| {
            let mut own = Vec::new();
            for number in 1..=u64::from(count) {
                seen.store(0, Ordering::Relaxed);
                let sent = core.counter();
                there.store(number, Ordering::Release);
                let mut spin = Spin::default();
                let shown = loop {
                    match seen.load(Ordering::Acquire) {
                        0 => spin.waits()?,
                        shown => break Instant::from_nanos(shown),
                    }
                };
                own.push(RoundTrip { sent, seen: shown, back: core.counter() });
            }
            if let Ok(mut trips) = trips.lock() {
                *trips = own;
            }
            Ok(())
        };
        let body = |processor: u16, core: &mut dyn Core| {
            let done = if processor == to { answers(core) } else { asks(core) };
            no_answer.fetch_or(done == Err(NoAnswerError), Ordering::Relaxed);
        };
        self.on_each(&[from, to], &body)?;
        if no_answer.into_inner() {
            let asked = format!("have processors {from} and {to} answer each other");
            return Err(LabError::Machine { asked, why: NoAnswerError.to_string() });
        }
        Ok(trips.into_inner().unwrap_or_default())
    }

    fn load(&self, kinds: &[LoadKind]) -> Option<Load> {
        Some(Load::start(&self.processors, kinds))
    }

    fn stolen(&self) -> Option<Vec<(u16, Span)>> {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        Some(stolen(&text, &self.processors))
    }

    fn cores(&self) -> Check {
        Check::on(&self.processors)
    }

    fn without(&self, processors: &[u16]) -> Result<Arc<dyn Machine>, LabError> {
        let left = self.processors.iter().copied().filter(|cpu| !processors.contains(cpu));
        let processors: Vec<u16> = left.collect();
        let left: Affinity = processors.iter().copied().collect();
        left.give(0).map_err(|why| refused("keep threads away from processors", &why))?;
        let (topology, measured) = (self.topology.clone(), AtomicU64::new(0));
        Ok(Arc::new(Real { processors, topology, counter: self.counter, measured }))
    }

    fn measured(&self) -> u64 {
        self.measured.load(Ordering::Relaxed)
    }

    fn deadline(&self, length: Span) -> Span {
        Span::from_secs(30).saturating_add(length.saturating_mul(2))
    }

    fn is_here(&self) -> bool {
        true
    }
}

/// The column `steal` of /proc/stat, in ticks of 10 ms.
fn stolen(text: &str, processors: &[u16]) -> Vec<(u16, Span)> {
    let of = |line: &str| {
        let mut words = line.strip_prefix("cpu")?.split_ascii_whitespace();
        let number: u16 = words.next()?.parse().ok()?;
        let ticks: u64 = words.nth(7)?.parse().ok()?;
        let known = processors.contains(&number);
        known.then(|| (number, Span::from_millis(10).saturating_mul(ticks)))
    };
    text.lines().filter_map(of).collect()
}

struct RealCore {
    counter: Option<Counter>,
}

impl Core for RealCore {
    fn now(&mut self) -> Instant {
        SystemClock::Monotonic.now()
    }

    fn counter(&mut self) -> Instant {
        // In order, because it is compared with looks of another processor.
        self.counter.map_or_else(
            || SystemClock::MonotonicRaw.now(),
            |counter| Instant::from_nanos(counter.scale().span(counter.read().ticks).as_nanos()),
        )
    }

    fn sleep_until(&mut self, at: Instant) {
        sleep_until(at);
    }

    fn compute(&mut self, rounds: u64) -> u64 {
        // Each step needs the one before, so that no processor does several at once, and none can be left out.
        let mut word = black_box(rounds);
        for _ in 0..rounds {
            word = (word ^ (word >> 7)).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
        }
        black_box(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_kernels_own_text_of_stolen_time() {
        let text = "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 11 0 22 33 1 0 2 5 0 0\ncpu1 1 0 2 3 1 0 2 0 0 0\ncpu12 1 0 2 3 1 0 2 7 0 0\nintr 5\n";
        let ms = Span::from_millis;
        assert_eq!(stolen(text, &[0, 12]), [(0, ms(50)), (12, ms(70))]);
        assert_eq!(stolen("cpu0 1 2", &[0]), []);
    }

    #[test]
    fn law_no_thread_runs_on_a_processor_that_is_left_out_until_the_suite_ends() {
        let before = Affinity::of(0).unwrap();
        let own = OwnAffinity::read().unwrap();
        let machine = Real::new(&own);
        let &[first, ref others @ ..] = machine.processors() else { panic!("no processor") };
        let less = machine.without(others).unwrap();
        assert_eq!(less.processors(), [first]);
        let of_others = std::thread::spawn(|| Affinity::of(0).unwrap()).join().unwrap();
        assert_eq!(of_others, Affinity::one(first));
        drop(own);
        assert_eq!(Affinity::of(0).unwrap(), before);
    }

    #[test]
    fn law_each_processor_runs_the_body_once() {
        let machine = Real::new(&OwnAffinity::read().unwrap());
        let ran = std::sync::Mutex::new(Vec::new());
        machine.on_each(machine.processors(), &|cpu, _| ran.lock().unwrap().push(cpu)).unwrap();
        let mut ran = ran.into_inner().unwrap();
        ran.sort_unstable();
        assert_eq!(ran, machine.processors());
        assert_eq!(machine.measured(), ran.len() as u64);
    }
}
