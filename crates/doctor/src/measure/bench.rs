//! One measurement: its thread, its repetitions, and what they come to.

use windfall_clocks::Samples;
use windfall_os::LinuxError;
use windfall_os::clock;
use windfall_os::probe::sleep_until;
use windfall_os::sched::{Affinity, Attributes};
use windfall_time::{Instant, Span};

/// The priority of the measuring thread.
pub(super) const PRIORITY: u32 = 85;

/// The longest measurement without a pause.
pub(super) const STRETCH: Span = Span::from_millis(30);

/// The length of a pause.
pub(super) const PAUSE: Span = Span::from_millis(10);

/// A sample that takes so much longer than most lost its processor meanwhile.
pub(super) const GAP: Span = Span::from_nanos(200_000);

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

/// Where and how often.
#[derive(Clone, Copy)]
pub(super) struct Bench {
    pub(super) cpu: u16,
    pub(super) repetitions: usize,
}

impl Bench {
    /// The calling thread goes to the processor, at a priority.
    pub(super) fn enter(self, priority: u32) -> Result<(), LinuxError> {
        let there = Affinity::one(self.cpu).give(0);
        there.and_then(|()| Attributes::fifo(priority).give(0)).map_err(|e| {
            let remedy = "on kernels with RT_GROUP_SCHED, leave the cgroup; see `windfall doctor`";
            LinuxError::of("cannot become real-time", &e, remedy)
        })
    }

    /// Repeats a measurement; `sample` takes one sample, of `of` equal parts, `count` times a repetition.
    pub(super) fn repeat(
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
    pub(super) fn of(what: &'static str, repetitions: Vec<Samples>, of: u64) -> Cost {
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
pub(super) struct Pace(Instant);

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
pub(super) fn clock_cost() -> Span {
    Samples::of_looks(1_000, clock::now).median()
}
