//! Who has each processor, and how much of its time nobody stole.
//!
//! Invariant: `ran` is the time up to `since` that the processor's base had to itself, since it was
//! last taken; time under an overhead counts for nobody.

use super::replay::Stolen;
use windfall_time::{Instant, Span};
use windfall_trace::OverheadKind;

/// Who has a processor when nobody steals it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// Whoever leaves at its first switch.
    First,
    /// A thread by index, or nobody.
    Known(Option<usize>),
    /// Nobody knows, until its next switch.
    Lost,
}

/// One processor.
#[derive(Clone, Debug)]
pub(super) struct Processor {
    pub(super) base: Base,
    /// When its thread was last seen running there.
    pub(super) seen: Instant,
    since: Instant,
    ran: Span,
    overheads: Vec<(OverheadKind, u16)>,
    /// Relative to `origin`.
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

    /// What the base had to itself since the last call; it is seen there.
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
            // It began before the trace: nobody had the processor until here.
            self.ran = Span::ZERO;
        }
    }

    /// From here on nobody knows who has it.
    pub(super) fn forget(&mut self, at: Instant) {
        self.advance(at);
        self.overheads.clear();
        self.ran = Span::ZERO;
        self.base = Base::Lost;
    }

    /// Closes it at the trace's end.
    pub(super) fn finish(&mut self, at: Instant) {
        self.advance(at);
    }
}
