//! Measured costs of this machine's switches, timers, interrupts, decisions and caches: a cost model for the
//! simulator.
//!
//! Everything runs at one real-time priority above all that a supervisor uses, pinned to one processor, in
//! stretches of at most 30 ms with pauses between, so that neither the throttle of real-time
//! threads nor a guardian's patience is touched. A sample that holds a gap above 200 us, which is more than any
//! interrupt takes, lost its processor meanwhile: it is counted and discarded.
//! Each measurement is repeated, and how far the repetitions' medians lie apart is part of the result.

mod cache;
mod date;
mod decision;
mod gaps;
mod others;
mod switch;
mod text;
mod wake;

pub use date::today;

use crate::Facts;
use windfall_clocks::Samples;
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::probe::{sleep_until, timer_resolution};
use windfall_os::sched::{Affinity, Attributes};
use windfall_time::{Instant, Span};

/// The priority of the measuring thread.
const PRIORITY: u32 = 85;
/// The longest measurement without a pause.
const STRETCH: Span = Span::from_millis(30);
/// The length of a pause.
const PAUSE: Span = Span::from_millis(10);
/// A sample that takes so much longer than most lost its processor meanwhile.
const GAP: Span = Span::from_nanos(200_000);

/// How to measure.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measuring {
    /// The processor; the last one that this process may use when absent.
    pub cpu: Option<u16>,
    /// Three short repetitions instead of nine.
    pub quick: bool,
}

/// One cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// The operation that was measured.
    pub what: &'static str,
    /// The middle of the repetitions' medians.
    pub median: Span,
    /// The 99th percentile of all samples.
    pub p99: Span,
    /// The least and the largest of the repetitions' medians.
    pub spread: (Span, Span),
    /// How many samples were kept.
    pub samples: usize,
    /// How many held a gap and were thrown away.
    pub discarded: usize,
}

/// Interrupts of one kind, as they come.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Interruption {
    /// Whether the processor was lost for longer than any interrupt takes.
    pub steal: bool,
    /// How many came while it was looked.
    pub count: usize,
    /// Mean time between two.
    pub every: Span,
    /// Shortest, mean and longest.
    pub cost: (Span, Span, Span),
}

/// The costs of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
// Fields: one for each thing that is measured.
#[non_exhaustive]
pub struct Costs {
    /// The machine in a line.
    pub machine: String,
    /// The processor that was measured.
    pub cpu: u16,
    /// Whether timers are kept finer than ticks; else how far ticks are apart.
    pub timer: Result<(), Span>,
    /// From one real-time thread to another on a processor.
    pub switch: Cost,
    /// The cost of sending a thread to another processor, if there is another.
    pub migration: Option<Cost>,
    /// One event reported to a hierarchy of two levels, with its notifications.
    pub event: Cost,
    /// Of that, without the notifications.
    pub decision: Span,
    /// Each notification.
    pub notification: Span,
    /// The cache that other threads empty, in KiB, and what filling costs for each KiB.
    pub cache: (u64, Cost),
    /// Everything else that is worth knowing, and has no place in the simulator's model.
    pub further: Vec<Cost>,
    /// Interruptions, which steal time.
    pub interruptions: Vec<Interruption>,
}

/// Measures.
///
/// # Errors
/// When the processor may not be used, or threads may not become real-time.
pub fn measure(how: Measuring) -> Result<Costs, LinuxError> {
    let facts = Facts::gather()?;
    let last = facts.allowed.last().copied().unwrap_or(0);
    let cpu = how.cpu.unwrap_or(last);
    if !facts.allowed.contains(&cpu) {
        let why = format!("this process may use {:?}", facts.allowed);
        return Err(LinuxError::new(
            format!("cannot use processor {cpu}"),
            why,
            "choose among these",
        ));
    }
    let bench = Bench { cpu, repetitions: if how.quick { 3 } else { 9 } };
    // On a thread of its own, whose class and affinity end with it.
    let thread = std::thread::spawn(move || bench.all(&facts));
    thread.join().unwrap_or_else(|_| {
        Err(LinuxError::new("cannot measure", "a measuring thread ended early", "report it"))
    })
}

/// Where and how often.
#[derive(Clone, Copy)]
struct Bench {
    cpu: u16,
    repetitions: usize,
}

impl Bench {
    fn all(self, facts: &Facts) -> Result<Costs, LinuxError> {
        self.enter(PRIORITY)?;
        let resolution = timer_resolution();
        let (event, decision, notification) = decision::cost(self)?;
        let elsewhere = facts.allowed.iter().copied().find(|other| *other != self.cpu);
        let (size, refill, in_order) = cache::cost(self);
        let further =
            vec![in_order, wake::lateness(self), wake::interrupt(self)?, others::raise(self)?];
        let migration = elsewhere.map(|elsewhere| others::migrate(self, elsewhere)).transpose()?;
        Ok(Costs {
            machine: facts.line(),
            cpu: self.cpu,
            timer: if resolution > Span::from_nanos(1_000) { Err(resolution) } else { Ok(()) },
            switch: switch::cost(self)?,
            migration,
            event,
            decision,
            notification,
            cache: (size, refill),
            further,
            interruptions: gaps::interruptions(self),
        })
    }

    /// The calling thread goes to the processor, at a priority.
    fn enter(self, priority: u32) -> Result<(), LinuxError> {
        let there = Affinity::one(self.cpu).give(0);
        there.and_then(|()| Attributes::fifo(priority).give(0)).map_err(|e| {
            let remedy = "on kernels with RT_GROUP_SCHED, leave the cgroup; see `windfall doctor`";
            LinuxError::of("cannot become real-time", &e, remedy)
        })
    }

    /// Repeats a measurement; `sample` takes one sample, of `of` equal parts, `count` times a repetition.
    fn repeat(
        self,
        what: &'static str,
        count: usize,
        of: u64,
        mut sample: impl FnMut() -> Span,
    ) -> Cost {
        let overhead = clock_cost();
        for _ in 0..count.div_ceil(10) {
            sample(); // what runs first finds caches empty
        }
        let mut pace = Pace::new();
        let mut repetitions = Vec::with_capacity(self.repetitions);
        for _ in 0..self.repetitions {
            let mut samples = Vec::with_capacity(count);
            for _ in 0..count {
                pace.keep();
                let taken = sample().as_nanos().saturating_sub(overhead.as_nanos());
                samples.push(Span::from_nanos(taken));
            }
            repetitions.push(Samples::of(samples));
        }
        Cost::of(what, repetitions, of)
    }
}

impl Cost {
    /// From samples of `of` equal parts each, a list for each repetition.
    fn of(what: &'static str, repetitions: Vec<Samples>, of: u64) -> Cost {
        let middle = Samples::of(repetitions.iter().map(Samples::median).collect());
        let limit = middle.median() + GAP;
        let (mut kept, mut discarded) = (Vec::new(), 0);
        let mut medians = Vec::new();
        for repetition in repetitions {
            let (whole, gapped) = repetition.up_to(limit);
            discarded += gapped;
            medians.push(whole.median());
            kept.extend(whole.into_times());
        }
        let (medians, kept) = (Samples::of(medians), Samples::of(kept));
        let part = |span: Span| Span::from_nanos((span.as_nanos() + of / 2) / of.max(1));
        Cost {
            what,
            median: part(medians.median()),
            p99: part(kept.quantile(99, 100)),
            spread: (part(medians.least()), part(medians.most())),
            samples: kept.count(),
            discarded,
        }
    }
}

/// Pauses in time.
struct Pace(Instant);

impl Pace {
    fn new() -> Pace {
        Pace(clock::now())
    }

    /// Pauses when a stretch is over; call it between samples.
    fn keep(&mut self) {
        if clock::now().saturating_since(self.0) >= STRETCH {
            sleep_until(clock::now() + PAUSE);
            self.0 = clock::now();
        }
    }
}

/// The time between two readings of the clock.
fn clock_cost() -> Span {
    Samples::of_looks(1_000, clock::now).median()
}
