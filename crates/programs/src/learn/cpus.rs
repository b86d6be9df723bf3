//! The thread on each processor, and the time that it had to itself.
//!
//! Invariant: `ran` is the time up to `since` that the processor's base had to itself, since it was last taken;
//! time under an overhead counts for nobody.

use super::stolen::Stolen;
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// The owner of a processor when no overhead runs there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// The thread that leaves at its first switch.
    First,
    /// A thread by index, or idle.
    Known(Option<usize>),
    /// Unknown until its next switch.
    Lost,
}

/// One processor.
#[derive(Clone, Debug)]
pub(super) struct Processor {
    pub(super) base: Base,
    /// The time at which its thread was last seen running there.
    pub(super) seen: Instant,
    since: Instant,
    ran: Span,
    overheads: Vec<(OverheadKind, u16)>,
    /// Overheads, with times relative to `origin`.
    pub(super) stolen: Vec<Stolen>,
    origin: Instant,
}

impl Processor {
    pub(super) fn new(origin: Instant, base: Base) -> Processor {
        let (overheads, stolen) = (Vec::new(), Vec::new());
        Processor { base, seen: origin, since: origin, ran: Span::ZERO, overheads, stolen, origin }
    }

    /// Accounts for the time up to `at`.
    fn advance(&mut self, at: Instant) {
        let passed = at.saturating_since(self.since);
        match self.overheads.last() {
            None => self.ran = self.ran.saturating_add(passed),
            Some(_) if passed.is_zero() => {}
            Some((kind, number)) => self.stolen.push(Stolen {
                at: Instant::ZERO.saturating_add(self.since.saturating_since(self.origin)),
                span: passed,
                kind: *kind,
                number: *number,
            }),
        }
        self.since = self.since.max(at);
    }

    /// Takes the time that the base had to itself since the last call, and records that it was seen here.
    pub(super) fn take_work(&mut self, at: Instant) -> Span {
        self.advance(at);
        self.seen = at;
        std::mem::take(&mut self.ran)
    }

    pub(super) fn begin_overhead(&mut self, at: Instant, kind: OverheadKind, number: u16) {
        self.advance(at);
        self.overheads.push((kind, number));
    }

    pub(super) fn end_overhead(&mut self, at: Instant) {
        self.advance(at);
        if self.overheads.pop().is_none() && self.base == Base::First {
            // The overhead began before the trace, so no thread had the processor until here.
            self.ran = Span::ZERO;
        }
    }

    /// From here on it is unknown which thread has the processor.
    pub(super) fn forget(&mut self, at: Instant) {
        self.advance(at);
        self.overheads.clear();
        self.ran = Span::ZERO;
        self.base = Base::Lost;
    }

    /// Closes the account at the trace's end.
    pub(super) fn finish(&mut self, at: Instant) {
        self.advance(at);
    }
}
