//! Children that have been ready for too long without running, and a timer that fires when there is one.
//!
//! Invariant: while a child is watched, the timer is set, and not later than the time at which the first of them
//! starves. It is set again only after it has fired, so a switch costs no timer operation.

use crate::parts::ticks::round_up;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{ChildVp, Context, TimerId, View, VpState};
use windfall_time::{Instant, Span};

#[derive(Clone)]
pub(crate) struct Starvation {
    /// The time after which a ready child starves; `None` if no child is watched.
    after: Option<Span>,
    /// Starved children are looked for only at multiples of this time.
    every: Span,
    /// The time since which each watched child has been ready.
    ready: Heap<(Instant, u32)>,
    pub(crate) timer: TimerId,
    armed: bool,
}

impl Starvation {
    pub(crate) fn new(after: Option<Span>) -> Starvation {
        Starvation::looked_for(after, Span::from_nanos(1))
    }

    /// Creates a watch that looks for starved children only at multiples of `every`.
    pub(crate) fn looked_for(after: Option<Span>, every: Span) -> Starvation {
        Starvation { after, every, ready: Heap::new(), timer: TimerId(0), armed: false }
    }

    /// The time at which a child that has been ready since then counts as starved.
    fn ends(&self, since: Instant) -> Instant {
        round_up(since.saturating_add(self.after.unwrap_or(Span::MAX)), self.every)
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: ChildVp) {
        self.ready.reserve(child.index() + 1);
    }

    /// Begins to watch a child that is ready from now on.
    pub(crate) fn watch(&mut self, child: ChildVp, context: &mut Context<'_>) {
        if self.after.is_none() {
            return;
        }
        self.ready.set(child.0, (context.now(), child.0));
        if !self.armed {
            self.armed = true;
            context.set_timer(self.timer, Some(self.ends(context.now())));
        }
    }

    /// Stops watching a child, because it runs, waits, or is not to be rescued.
    pub(crate) fn forget(&mut self, child: ChildVp) {
        self.ready.remove(child.0);
    }

    /// Handles the timer: returns the child that starved first, if any, and stops watching it. Sets the timer for
    /// the next one.
    pub(crate) fn starved(&mut self, context: &mut Context<'_>) -> Option<ChildVp> {
        let first = self.take(context.now());
        self.arm(context.now(), context);
        first
    }

    /// Returns the child that starved first, if any, and stops watching it. The caller then calls
    /// [`arm`](Self::arm).
    pub(crate) fn take(&mut self, now: Instant) -> Option<ChildVp> {
        let ((since, _), slot) = self.ready.peek()?;
        if self.ends(since) > now {
            return None;
        }
        self.ready.remove(slot);
        Some(ChildVp(slot))
    }

    /// Sets the timer for the next child to starve, not before `from`.
    pub(crate) fn arm(&mut self, from: Instant, context: &mut Context<'_>) {
        let next = self.ready.peek().map(|((since, _), _)| self.ends(since).max(from));
        self.armed = next.is_some();
        context.set_timer(self.timer, next);
    }

    /// Checks that only ready children are watched, and the timer is set for them.
    pub(crate) fn check(&self, view: &View<'_>) -> Result<(), &'static str> {
        let watched: Vec<_> =
            view.children().filter(|child| self.ready.contains(child.0)).collect();
        if watched.iter().any(|child| view.child(*child) != VpState::Ready) {
            return Err("a child that is not ready counts as starving");
        }
        if watched.len() != self.ready.len() {
            return Err("a child that is gone counts as starving");
        }
        if !self.ready.is_empty() && !self.armed {
            return Err("nobody watches for the starved");
        }
        Ok(())
    }
}
