//! Keeps the best of the ready children on the processors that an instance has.
//!
//! Most schedulers say only who goes before whom (a [`Policy`]); which child runs where, when one
//! is preempted, and when a processor is asked for or given back follows from that, here.
//!
//! Invariants, whenever an event has been handled: no ready child ranks before a running one (while
//! a request for a further processor is under way, as soon as it has been answered); an own VP that
//! waits means that every ready child is asked for; never more requests than ready children.
//! Every operation is O(log n) in the number of children, and allocates nothing.

use crate::own_set::OwnSet;
use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{Child, Own, Port, TimerId, View, VpState};
use windfall_time::Instant;

/// The pool's own timer: an immediate call back once requests that are under way have been
/// answered. Policies number theirs from 1.
pub(crate) const SETTLED: TimerId = TimerId(0);

/// Who goes before whom, and what is to be done when a child starts and stops running.
pub(crate) trait Policy {
    /// A child that ranks lower goes first. Equal ranks: whoever runs stays; else the earlier
    /// `since`, then the lower slot.
    type Rank: Ord + Copy;

    /// The rank of a child that is ready, or that runs.
    fn rank(&self, child: Child) -> Self::Rank;

    /// Since when it stands at that rank: first come, first served among equals.
    fn since(&self, child: Child) -> Instant;

    /// The child runs from now on.
    fn started(&mut self, _child: Child, _own: Own, _port: &mut Port<'_>) {}

    /// The child no longer runs; it is ready or waits.
    fn stopped(&mut self, _child: Child, _own: Own, _port: &mut Port<'_>) {}
}

type Key<R> = (R, Instant, u32);

/// Ready children, running children, and own VPs by state.
pub(crate) struct Pool<R> {
    ready: Heap<Key<R>>,
    /// By own VP, the worst first.
    running: Heap<Reverse<Key<R>>>,
    waiting: OwnSet,
    requested: OwnSet,
    /// The own VP on which a child last ran: asked for first (processor affinity, HLS 4.3.7.2).
    last: Vec<Own>,
}

impl<R: Ord + Copy> Default for Pool<R> {
    fn default() -> Pool<R> {
        Pool {
            ready: Heap::new(),
            running: Heap::new(),
            waiting: OwnSet::default(),
            requested: OwnSet::default(),
            last: Vec::new(),
        }
    }
}

impl<R: Ord + Copy> Pool<R> {
    /// All own VPs are waiting.
    pub(crate) fn init(&mut self, port: &Port<'_>) {
        let owns = u16::try_from(port.owns()).unwrap_or(u16::MAX);
        self.running.reserve(usize::from(owns));
        self.waiting = OwnSet::full(owns);
        self.requested = OwnSet::empty(owns);
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: Child) {
        self.ready.reserve(child.index() + 1);
        if self.last.len() <= child.index() {
            self.last.resize(child.index() + 1, Own(0));
        }
    }

    /// The best of the ready children.
    pub(crate) fn best(&self) -> Option<Child> {
        self.ready.peek().map(|(_, child)| Child(child))
    }

    /// The rank of the best of the ready children.
    pub(crate) fn best_rank(&self) -> Option<R> {
        self.ready.peek().map(|(key, _)| key.0)
    }

    /// A child becomes ready.
    #[inline]
    pub(crate) fn request<P: Policy<Rank = R>>(
        &mut self,
        child: Child,
        policy: &mut P,
        port: &mut Port<'_>,
    ) {
        self.ready.set(child.0, key(policy, child));
        if self.waiting.is_empty() || self.requested.len() >= self.ready.len() {
            self.preempt(policy, port);
            return;
        }
        let own = self.waiting.take_preferring(self.last[child.index()]);
        if let Some(own) = own {
            self.requested.insert(own);
            port.request(own);
            if self.must_preempt() {
                port.set_timer(SETTLED, Some(port.now()));
            }
        }
    }

    /// A child waits from now on.
    #[inline]
    pub(crate) fn release<P: Policy<Rank = R>>(
        &mut self,
        child: Child,
        held: Option<Own>,
        policy: &mut P,
        port: &mut Port<'_>,
    ) {
        match held {
            Some(own) => {
                self.running.remove(u32::from(own.0));
                policy.stopped(child, own, port);
                self.fill(own, policy, port);
            }
            None => self.withdraw(child, port),
        }
    }

    /// A ready child is no longer a candidate.
    pub(crate) fn withdraw(&mut self, child: Child, port: &mut Port<'_>) {
        self.ready.remove(child.0);
        self.trim(port);
    }

    /// A request of ours was granted.
    #[inline]
    pub(crate) fn grant<P: Policy<Rank = R>>(
        &mut self,
        own: Own,
        policy: &mut P,
        port: &mut Port<'_>,
    ) {
        self.requested.remove(own);
        self.fill(own, policy, port);
    }

    /// A processor is taken from us.
    #[inline]
    pub(crate) fn revoke<P: Policy<Rank = R>>(
        &mut self,
        own: Own,
        child: Child,
        policy: &mut P,
        port: &mut Port<'_>,
    ) {
        port.revoke(child);
        self.running.remove(u32::from(own.0));
        policy.stopped(child, own, port);
        self.requested.insert(own);
        self.ready.set(child.0, key(policy, child));
        self.preempt(policy, port);
    }

    /// Takes the processor from a running child, which stays a candidate if `keep`, and gives it
    /// to the best.
    pub(crate) fn rotate<P: Policy<Rank = R>>(
        &mut self,
        child: Child,
        keep: bool,
        policy: &mut P,
        port: &mut Port<'_>,
    ) {
        let Some(own) = port.revoke(child) else {
            return;
        };
        self.running.remove(u32::from(own.0));
        policy.stopped(child, own, port);
        if keep {
            self.ready.set(child.0, key(policy, child));
        }
        self.fill(own, policy, port);
    }

    /// A child's rank has changed.
    pub(crate) fn rerank<P: Policy<Rank = R>>(
        &mut self,
        child: Child,
        policy: &mut P,
        port: &mut Port<'_>,
    ) {
        self.refresh(child, policy, port);
        self.preempt(policy, port);
    }

    /// As [`rerank`](Self::rerank), where the caller will have the order restored later.
    pub(crate) fn refresh<P: Policy<Rank = R>>(
        &mut self,
        child: Child,
        policy: &P,
        port: &Port<'_>,
    ) {
        if self.ready.contains(child.0) {
            self.ready.set(child.0, key(policy, child));
        } else if matches!(port.child(child), VpState::Running(_))
            && let Some(own) = port.held_through(child)
        {
            self.running
                .set(u32::from(own.0), Reverse(key(policy, child)));
        }
    }

    /// Restores the order: no ready child ranks before a running one.
    pub(crate) fn preempt<P: Policy<Rank = R>>(&mut self, policy: &mut P, port: &mut Port<'_>) {
        while self.must_preempt() {
            let Some((_, own)) = self.running.peek() else {
                return;
            };
            let own = Own(u16::try_from(own).unwrap_or(u16::MAX));
            let Some(child) = port.held_by(own) else {
                return;
            };
            self.rotate(child, true, policy, port);
        }
    }

    /// Whether a ready child ranks before a running one.
    pub(crate) fn must_preempt(&self) -> bool {
        match (self.ready.peek(), self.running.peek()) {
            (Some((best, _)), Some((Reverse(worst), _))) => best.0 < worst.0,
            _ => false,
        }
    }

    /// Gives the processor of `own`, which nobody holds, to the best or back.
    #[inline]
    fn fill<P: Policy<Rank = R>>(&mut self, own: Own, policy: &mut P, port: &mut Port<'_>) {
        if let Some((key, child)) = self.ready.pop() {
            let child = Child(child);
            self.running.set(u32::from(own.0), Reverse(key));
            self.last[child.index()] = own;
            port.grant(child, own);
            policy.started(child, own, port);
        } else {
            self.waiting.insert(own);
            port.release(own);
        }
        self.trim(port);
    }

    /// Withdraws requests that nobody needs.
    #[inline]
    fn trim(&mut self, port: &mut Port<'_>) {
        while self.requested.len() > self.ready.len() {
            let Some(own) = self.requested.take_last() else {
                return;
            };
            self.waiting.insert(own);
            port.release(own);
        }
    }

    /// Whether the pool agrees with the infrastructure.
    pub(crate) fn check(
        &self,
        view: &View<'_>,
        eligible: impl Fn(Child) -> bool,
    ) -> Result<(), &'static str> {
        let mut ready = 0;
        for child in view.children() {
            let is_ready = view.child(child) == VpState::Ready && eligible(child);
            if is_ready != self.ready.contains(child.0) {
                return Err("a ready child is not a candidate, or a candidate is not ready");
            }
            ready += usize::from(is_ready);
        }
        if ready != self.ready.len() {
            return Err("a candidate is not a child");
        }
        for own in (0..u16::try_from(view.owns()).unwrap_or(u16::MAX)).map(Own) {
            let (waits, asks) = (self.waiting.contains(own), self.requested.contains(own));
            let known = match view.own(own) {
                VpState::Waiting => waits && !asks,
                VpState::Ready => asks && !waits,
                VpState::Running(_) => !asks && !waits && self.running.contains(u32::from(own.0)),
            };
            if !known {
                return Err("an own VP is not in the state that the pool thinks");
            }
        }
        if self.must_preempt() {
            return Err("a ready child ranks before a running one");
        }
        if self.requested.len() > self.ready.len() {
            return Err("more requests than ready children");
        }
        if !self.waiting.is_empty() && self.requested.len() < self.ready.len() {
            return Err("a ready child is not asked for although an own VP waits");
        }
        Ok(())
    }
}

#[inline]
fn key<P: Policy>(policy: &P, child: Child) -> Key<P::Rank> {
    (policy.rank(child), policy.since(child), child.0)
}
