//! Global virtual time: before it nothing can come any longer, in any part.
//!
//! Time goes round by round. In each, every part reports once the least time of what waits there, and of all that it has put into another's mail since its last report. A part first takes what is in its mail, after it has seen
//! that the round goes. Then no event is overlooked: what was put there before the round, its receiver has taken; what was put there since and before the sender's report, that says so; and what is sent after
//! a report is later than its cause, which waited at the report, or came to the sender later and was not overlooked itself.

use crate::sync::{AtomicU64, Ordering};
use windfall_time::Instant;

/// A word on a cache line of its own.
#[derive(Debug)]
#[repr(align(128))]
struct Line(AtomicU64);

/// The time that all parts have reached.
#[derive(Debug)]
pub(crate) struct Gvt {
    round: Line,
    /// How many have not reported in this round.
    missing: Line,
    reports: Box<[Line]>,
    time: Line,
}

impl Gvt {
    pub(crate) fn new(parts: usize) -> Self {
        let line = |value| Line(AtomicU64::new(value));
        Gvt {
            round: line(1),
            missing: line(parts as u64),
            reports: (0..parts).map(|_| line(0)).collect(),
            time: line(0),
        }
    }

    /// The round that goes now.
    pub(crate) fn round(&self) -> u64 {
        self.round.0.load(Ordering::Acquire)
    }

    /// All before this is certain.
    pub(crate) fn time(&self) -> Instant {
        Instant::from_nanos(self.time.0.load(Ordering::Acquire))
    }

    /// A part reports, once in each round, after it has seen that and taken its mail. The last one ends the round.
    pub(crate) fn report(&self, part: usize, least: Instant) {
        self.reports[part].0.store(least.as_nanos(), Ordering::Relaxed);
        // Each report comes before the last of them, and the next round after that.
        if self.missing.0.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let reports = self.reports.iter().map(|report| report.0.load(Ordering::Relaxed));
        let least = reports.min().unwrap_or(u64::MAX);
        self.time.0.store(least, Ordering::Release);
        self.missing.0.store(self.reports.len() as u64, Ordering::Relaxed);
        self.round.0.fetch_add(1, Ordering::Release);
    }
}
