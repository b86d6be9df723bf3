//! Quanta: how long each child may still run before others have their turn, with a timer for each processor that
//! fires at the end.
//!
//! Invariant: while a child runs, the timer of its own VP is set to the end of its quantum. A preempted child keeps
//! the rest of its quantum. Timers are stopped only when a processor is released, so a switch costs one timer
//! operation, and a timer may fire although no quantum has ended.

use crate::parts::slots;
use alloc::vec::Vec;
use windfall_hierarchy::{AnswerError, ChildVp, Context, OwnVp, TimerId};
use windfall_time::{Instant, Span};

/// Number of timers of a scheduler with quanta: the pool's, then one for each own VP.
pub(crate) const fn timers(owns: usize) -> usize {
    1 + owns
}

/// The own VP of a quantum's timer.
pub(crate) const fn own_of(timer: TimerId) -> OwnVp {
    OwnVp(timer.0 - 1)
}

/// The timer of an own VP.
pub(crate) const fn timer_of(own: OwnVp) -> TimerId {
    TimerId(own.0 + 1)
}

/// Checks a length that a `quantum` message sets.
///
/// # Errors
/// When it is zero.
pub(crate) fn checked(length: Span) -> Result<Span, AnswerError> {
    if length.is_zero() {
        return Err(AnswerError::OutOfRange { what: "quantum", allowed: "above zero" });
    }
    Ok(length)
}

#[derive(Clone, Copy)]
struct Quantum {
    left: Span,
    started: Instant,
}

#[derive(Clone)]
pub(crate) struct Quanta {
    pub(crate) length: Span,
    slots: Vec<Quantum>,
}

impl Quanta {
    pub(crate) const fn new(length: Span) -> Quanta {
        Quanta { length, slots: Vec::new() }
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: ChildVp) {
        let fresh = Quantum { left: self.length, started: Instant::ZERO };
        slots::put(&mut self.slots, child, fresh);
    }

    /// Gives a child that does not run a whole quantum.
    pub(crate) fn renew(&mut self, child: ChildVp) {
        self.slots[child.index()].left = self.length;
    }

    /// Gives a child that does not run a quantum of this length.
    pub(crate) fn give(&mut self, child: ChildVp, left: Span) {
        self.slots[child.index()].left = left;
    }

    pub(crate) fn started(&mut self, child: ChildVp, own: OwnVp, context: &mut Context<'_>) {
        self.started_untimed(child, context.now());
        let end = context.now().saturating_add(self.slots[child.index()].left);
        context.set_timer(timer_of(own), Some(end));
    }

    /// A child begins to run. The caller sets the timer.
    pub(crate) fn started_untimed(&mut self, child: ChildVp, now: Instant) {
        self.slots[child.index()].started = now;
    }

    /// Skips whole quanta that passed while no other child was ready. The child gets the rest of the quantum that
    /// began last; returns its end.
    pub(crate) fn catch_up(&mut self, child: ChildVp, now: Instant) -> Instant {
        let slot = &mut self.slots[child.index()];
        let ran = now.saturating_since(slot.started);
        if ran >= slot.left {
            let rest = (ran - slot.left).as_nanos() % self.length.as_nanos();
            slot.started = now - Span::from_nanos(rest);
            slot.left = self.length;
        }
        slot.started.saturating_add(slot.left)
    }

    pub(crate) fn stopped(&mut self, child: ChildVp, context: &Context<'_>) {
        let slot = &mut self.slots[child.index()];
        let ran = context.now().saturating_since(slot.started);
        slot.left = slot.left.saturating_sub(ran);
    }

    /// Like [`stopped`](Self::stopped), but gives a whole quantum to a child whose quantum has ended. Returns
    /// whether it has.
    #[inline]
    pub(crate) fn stop(&mut self, child: ChildVp, now: Instant) -> bool {
        let slot = &mut self.slots[child.index()];
        let ran = now.saturating_since(slot.started);
        let is_over = ran >= slot.left;
        slot.left = if is_over { self.length } else { slot.left - ran };
        is_over
    }

    /// Like [`stopped`](Self::stopped), for a child that ran while no other was ready: skips whole quanta that
    /// passed.
    #[inline]
    pub(crate) fn stop_alone(&mut self, child: ChildVp, now: Instant) {
        let slot = &mut self.slots[child.index()];
        let ran = now.saturating_since(slot.started);
        slot.left = if ran >= slot.left {
            let rest = (ran - slot.left).as_nanos() % self.length.as_nanos();
            self.length - Span::from_nanos(rest)
        } else {
            slot.left - ran
        };
    }

    #[expect(clippy::unused_self, reason = "reads as the third of three")]
    pub(crate) fn idle(&mut self, own: OwnVp, context: &mut Context<'_>) {
        context.set_timer(timer_of(own), None);
    }

    /// The own VP, among these, on which a quantum has ended; of several, the one whose child ranks first. Quanta that
    /// end together are then ended in a fair order, whichever timer fires first.
    pub(crate) fn first_over<K: Ord>(
        &self,
        owns: impl Iterator<Item = OwnVp>,
        context: &Context<'_>,
        rank: impl Fn(ChildVp) -> K,
    ) -> Option<(OwnVp, ChildVp)> {
        let held = owns.filter_map(|own| Some((own, context.held_by(own)?)));
        let over = held.filter(|(_, child)| self.is_over(*child, context.now()));
        over.min_by_key(|(_, child)| rank(*child))
    }

    /// Whether the quantum of a running child has ended.
    pub(crate) fn is_over(&self, child: ChildVp, now: Instant) -> bool {
        let slot = &self.slots[child.index()];
        now.saturating_since(slot.started) >= slot.left
    }
}
