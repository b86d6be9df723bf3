//! A clock that ticks: while a child runs on a processor, its timer fires at every multiple of the tick, like the
//! clock interrupt of kernels that charge whatever runs at that moment.
//!
//! Invariant: while a child holds an own VP, its timer is set. It is stopped only when the processor is released,
//! so a switch costs no timer operation.

use crate::parts::quantum::timer_of;
use alloc::vec::Vec;
use windfall_hierarchy::{Context, OwnVp};
use windfall_time::{Instant, Span};

#[derive(Clone)]
pub(crate) struct Ticks {
    /// Above zero.
    length: Span,
    /// Whether the timer is set, by own VP.
    set: Vec<bool>,
}

impl Ticks {
    pub(crate) const fn new(length: Span) -> Ticks {
        Ticks { length, set: Vec::new() }
    }

    pub(crate) fn init(&mut self, owns: usize) {
        self.set.resize(owns, false);
    }

    /// A child has begun to run on `own`.
    pub(crate) fn started(&mut self, own: OwnVp, context: &mut Context<'_>) {
        if !self.set[own.index()] {
            self.next(own, context);
        }
    }

    /// The timer of `own` has fired, and the child that runs there has been charged.
    pub(crate) fn next(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.set[own.index()] = true;
        context.set_timer(timer_of(own), Some(self.after(context.now())));
    }

    /// No child runs on `own` any longer.
    pub(crate) fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.set[own.index()] = false;
        context.set_timer(timer_of(own), None);
    }

    /// The first tick after `now`.
    fn after(&self, now: Instant) -> Instant {
        round_up(now.saturating_add(Span::from_nanos(1)), self.length)
    }
}

/// The first multiple of `length`, which is above zero, not before `at`.
pub(crate) fn round_up(at: Instant, length: Span) -> Instant {
    let ns = length.as_nanos().max(1);
    let ticks = at.as_nanos().div_ceil(ns);
    ticks.checked_mul(ns).map_or(Instant::MAX, Instant::from_nanos)
}
