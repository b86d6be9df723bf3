//! This machine.
//!
//! A thread for each processor, kept there and above all ordinary threads where that is allowed; class and affinity end with it.

use super::gate::Gate;
use super::topology::Topology;
use super::{Body, Class, Core, Distance, Load, LoadKind, Machine, RoundTrip};
use crate::experiment::LabError;
use std::hint::{black_box, spin_loop};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
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
    topology: Topology,
    /// `None` where there is none to be trusted; then counters are CLOCK_MONOTONIC_RAW.
    counter: Option<Counter>,
    /// Of the calling thread, from which all others have theirs.
    own: Affinity,
}

impl Drop for Real {
    fn drop(&mut self) {
        // It was its own before, so a refusal is of a processor that has gone meanwhile.
        let _ = self.own.give(0);
    }
}

impl Real {
    /// Finds the processors that this process may use.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn new() -> Result<Real, LabError> {
        let own = Affinity::of(0).map_err(|why| refused("read the own affinity", &why))?;
        let processors: Vec<u16> = (0..1024).filter(|cpu| own.has(*cpu)).collect();
        let topology = Topology::read(Path::new("/"), &processors);
        Ok(Real { processors, topology, counter: Counter::new().ok(), own })
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
        let trips = std::sync::Mutex::new(Vec::new());
        let body = |processor: u16, core: &mut dyn Core| {
            if processor == to {
                for number in 1..=u64::from(count) {
                    while there.load(Ordering::Acquire) != number {
                        spin_loop();
                    }
                    seen.store(core.counter().as_nanos(), Ordering::Release);
                }
                return;
            }
            let mut own = Vec::new();
            for number in 1..=u64::from(count) {
                seen.store(0, Ordering::Relaxed);
                let sent = core.counter();
                there.store(number, Ordering::Release);
                let shown = loop {
                    match seen.load(Ordering::Acquire) {
                        0 => spin_loop(),
                        shown => break Instant::from_nanos(shown),
                    }
                };
                own.push(RoundTrip { sent, seen: shown, back: core.counter() });
            }
            if let Ok(mut trips) = trips.lock() {
                *trips = own;
            }
        };
        self.on_each(&[from, to], &body)?;
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

    fn leave_out(&mut self, processors: &[u16]) -> Result<(), LabError> {
        self.processors.retain(|cpu| !processors.contains(cpu));
        let left: Affinity = self.processors.iter().copied().collect();
        left.give(0).map_err(|why| refused("keep threads away from processors", &why))
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
        let mut machine = Real::new().unwrap();
        let &[first, ref others @ ..] = machine.processors() else { panic!("no processor") };
        let others = others.to_vec();
        machine.leave_out(&others).unwrap();
        assert_eq!(machine.processors(), [first]);
        let own = std::thread::spawn(|| Affinity::of(0).unwrap()).join().unwrap();
        assert_eq!(own, Affinity::one(first));
        drop(machine);
        assert_eq!(Affinity::of(0).unwrap(), before);
    }

    #[test]
    fn law_each_processor_runs_the_body_once() {
        let machine = Real::new().unwrap();
        let ran = std::sync::Mutex::new(Vec::new());
        machine.on_each(machine.processors(), &|cpu, _| ran.lock().unwrap().push(cpu)).unwrap();
        let mut ran = ran.into_inner().unwrap();
        ran.sort_unstable();
        assert_eq!(ran, machine.processors());
    }
}
