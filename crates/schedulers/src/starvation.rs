//! Who has been ready for too long without running, and a timer that tells when there is somebody.
//!
//! Invariant: while anybody is watched, the timer is set, and not later than when the first of them
//! starves. It is set again only when it has come, so a switch costs no timer operation.

use alloc::vec::Vec;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Child, Port, TimerId, View, VpState};
use windfall_time::{Instant, Span};

pub(crate) struct Starvation {
    /// After how long, if anybody is watched at all.
    after: Option<Span>,
    /// Since when each has been ready.
    ready: Heap<(Instant, u32)>,
    pub(crate) timer: TimerId,
    armed: bool,
}

impl Starvation {
    pub(crate) fn new(after: Option<Span>) -> Starvation {
        Starvation { after, ready: Heap::new(), timer: TimerId(0), armed: false }
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: Child) {
        self.ready.reserve(child.index() + 1);
    }

    /// A child is ready from now on.
    pub(crate) fn watch(&mut self, child: Child, port: &mut Port<'_>) {
        let Some(after) = self.after else {
            return;
        };
        self.ready.set(child.0, (port.now(), child.0));
        if !self.armed {
            self.armed = true;
            port.set_timer(self.timer, Some(port.now().saturating_add(after)));
        }
    }

    /// A child runs, waits, or is not to be rescued.
    pub(crate) fn forget(&mut self, child: Child) {
        self.ready.remove(child.0);
    }

    /// The timer has come: whoever starved first, if anybody does; not watched any longer.
    pub(crate) fn starved(&mut self, port: &mut Port<'_>) -> Option<Child> {
        let ends = |since: Instant| since.saturating_add(self.after.unwrap_or(Span::MAX));
        let first = self.ready.peek().filter(|((since, _), _)| ends(*since) <= port.now());
        if let Some((_, slot)) = first {
            self.ready.remove(slot);
        }
        let next = self.ready.peek().map(|((since, _), _)| ends(since));
        self.armed = next.is_some();
        port.set_timer(self.timer, next);
        first.map(|(_, slot)| Child(slot))
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
