//! Who has been ready for too long without running, and a timer that tells when there is somebody.
//!
//! Invariant: while anybody is watched, the timer is set, and not later than when the first of them
//! starves. It is set again only when it has come, so a switch costs no timer operation.

use crate::parts::ticks::round_up;
use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{ChildVp, Context, TimerId, View, VpState};
use windfall_time::{Instant, Span};

pub(crate) struct Starvation {
    /// After how long, if anybody is watched at all.
    after: Option<Span>,
    /// Somebody looks only at multiples of this.
    every: Span,
    /// Since when each has been ready.
    ready: Heap<(Instant, u32)>,
    pub(crate) timer: TimerId,
    armed: bool,
}

impl Starvation {
    pub(crate) fn new(after: Option<Span>) -> Starvation {
        Starvation::looked_for(after, Span::from_nanos(1))
    }

    /// Where somebody looks for the starved only `every` so often.
    pub(crate) fn looked_for(after: Option<Span>, every: Span) -> Starvation {
        Starvation { after, every, ready: Heap::new(), timer: TimerId(0), armed: false }
    }

    /// When a child that has been ready since then counts as starved.
    fn ends(&self, since: Instant) -> Instant {
        round_up(since.saturating_add(self.after.unwrap_or(Span::MAX)), self.every)
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: ChildVp) {
        self.ready.reserve(child.index() + 1);
    }

    /// A child is ready from now on.
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

    /// A child runs, waits, or is not to be rescued.
    pub(crate) fn forget(&mut self, child: ChildVp) {
        self.ready.remove(child.0);
    }

    /// The timer has come: whoever starved first, if anybody does; not watched any longer. Sets the
    /// timer for the next.
    pub(crate) fn starved(&mut self, context: &mut Context<'_>) -> Option<ChildVp> {
        let first = self.take(context.now());
        self.arm(context.now(), context);
        first
    }

    /// Whoever starved first, if anybody does; not watched any longer. [`arm`](Self::arm) follows.
    pub(crate) fn take(&mut self, now: Instant) -> Option<ChildVp> {
        let ((since, _), slot) = self.ready.peek()?;
        if self.ends(since) > now {
            return None;
        }
        self.ready.remove(slot);
        Some(ChildVp(slot))
    }

    /// Sets the timer for the next to starve, not before `from`.
    pub(crate) fn arm(&mut self, from: Instant, context: &mut Context<'_>) {
        let next = self.ready.peek().map(|((since, _), _)| self.ends(since).max(from));
        self.armed = next.is_some();
        context.set_timer(self.timer, next);
    }

    /// Whether those watched are ready children, and are watched indeed.
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
