//! Keeps the best of the ready children on the processors that an instance has.
//!
//! Most schedulers say only who goes before whom (a [`Policy`]); which child runs where, when one
//! is preempted, and when a processor is asked for or given back follows from that, here.
//!
//! Invariants, whenever an event has been handled and all requests have been answered: no ready
//! child preempts a running one; while a child is ready every own VP is asked for or runs, since
//! each may have another parent; while none is, nothing is asked for.
//! Every operation is O(log n) in the number of children, and allocates nothing. Requests go out
//! one at a time, each when the one before was not granted: on an idle machine one is enough.
//! What every switch needs is inlined; asking for processors and withdrawing requests is kept out of it
//! (`benches/instructions.rs`).

mod own_set;

use crate::parts::policy::Policy;
use crate::parts::pool::own_set::OwnSet;
use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{ChildVp, Context, OwnVp, TimerId, View, VpState};

/// The pool's own timer: an immediate call back once requests that are under way have been
/// answered. Policies number theirs from 1.
pub(crate) const SETTLED: TimerId = TimerId(0);

/// Ready children, running children, and own VPs by state.
pub(crate) struct Pool<P: Policy> {
    ready: Heap<P::Key>,
    /// By own VP, the worst first; empty where nobody is preempted.
    running: Heap<Reverse<P::Key>>,
    waiting: OwnSet,
    requested: OwnSet,
    /// The own VP on which a child last ran: asked for first (processor affinity, HLS 4.3.7.2).
    last: Vec<OwnVp>,
    /// How many own VPs are used.
    owns: u16,
}

impl<P: Policy> Default for Pool<P> {
    fn default() -> Pool<P> {
        Pool {
            ready: Heap::new(),
            running: Heap::new(),
            waiting: OwnSet::default(),
            requested: OwnSet::default(),
            last: Vec::new(),
            owns: 0,
        }
    }
}

impl<P: Policy> Pool<P> {
    /// All own VPs are waiting, and all are used.
    pub(crate) fn init(&mut self, context: &Context<'_>) {
        self.init_first(u16::MAX, context);
    }

    /// All own VPs are waiting; only so many are used.
    pub(crate) fn init_first(&mut self, used: u16, context: &Context<'_>) {
        self.owns =
            u16::try_from(context.owns()).expect("own VPs are numbered by 16 bits").min(used);
        self.running.reserve(usize::from(self.owns));
        self.waiting = OwnSet::full(self.owns);
        self.requested = OwnSet::empty(self.owns);
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: ChildVp) {
        self.ready.reserve(child.index() + 1);
        if self.last.len() <= child.index() {
            self.last.resize(child.index() + 1, OwnVp(0));
        }
    }

    /// The best of the ready children.
    pub(crate) fn best(&self) -> Option<ChildVp> {
        self.ready.peek().map(|(_, child)| ChildVp(child))
    }

    /// The key of the best of the ready children.
    pub(crate) fn best_key(&self) -> Option<P::Key> {
        self.ready.peek().map(|(key, _)| key)
    }

    /// The own VPs that are used.
    pub(crate) fn own_vps(&self) -> impl Iterator<Item = OwnVp> + use<P> {
        (0..self.owns).map(OwnVp)
    }

    /// A child becomes ready, or eligible while ready.
    #[inline]
    pub(crate) fn request(&mut self, child: ChildVp, policy: &mut P, context: &mut Context<'_>) {
        if !policy.eligible(child) {
            return;
        }
        self.ready.set(child.0, policy.key(child));
        let last = self.last[child.index()];
        match self.waiting.take_preferring(last) {
            Some(own) => self.request_own(own, context),
            None => self.preempt(policy, context),
        }
    }

    /// What was asked for when [`SETTLED`] was set has been answered: asks on, or restores the
    /// order, or withdraws what nobody needs.
    #[inline(always)]
    pub(crate) fn settled(&mut self, policy: &mut P, context: &mut Context<'_>) {
        if self.ready.is_empty() {
            self.trim(context);
        } else if let Some(own) = self.waiting.take_first() {
            self.request_own(own, context);
        } else {
            self.preempt(policy, context);
        }
    }

    /// Asks for a processor, and to be called back when that has been answered, if there is more
    /// to do in case it was not granted.
    #[inline(never)]
    fn request_own(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.requested.insert(own);
        context.request(own);
        if !self.waiting.is_empty() || self.must_preempt() {
            context.set_timer(SETTLED, Some(context.now()));
        }
    }

    /// A child becomes a candidate, if eligible, where the caller calls [`settled`](Self::settled) later.
    pub(crate) fn add(&mut self, child: ChildVp, policy: &P) {
        if policy.eligible(child) {
            self.ready.set(child.0, policy.key(child));
        }
    }

    /// A child waits from now on.
    #[inline]
    pub(crate) fn release(
        &mut self,
        child: ChildVp,
        held: Option<OwnVp>,
        policy: &mut P,
        context: &mut Context<'_>,
    ) {
        match held {
            Some(own) => {
                self.stopped(own, child, policy, context);
                self.fill(own, policy, context);
            }
            None => self.withdraw(child, context),
        }
    }

    /// A ready child is no longer a candidate.
    pub(crate) fn withdraw(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.ready.remove(child.0);
        self.trim(context);
    }

    /// A request of ours was granted.
    #[inline]
    pub(crate) fn grant(&mut self, own: OwnVp, policy: &mut P, context: &mut Context<'_>) {
        self.requested.remove(own);
        self.fill(own, policy, context);
    }

    /// A processor is taken from us.
    #[inline]
    pub(crate) fn revoke(
        &mut self,
        own: OwnVp,
        child: ChildVp,
        policy: &mut P,
        context: &mut Context<'_>,
    ) {
        context.revoke(child);
        self.stopped(own, child, policy, context);
        policy.idle(own, context);
        self.requested.insert(own);
        if policy.eligible(child) {
            self.ready.set(child.0, policy.key(child));
        }
        self.settled(policy, context);
    }

    /// Takes the processor from a running child, which stays a candidate if eligible, and gives it
    /// to the best.
    pub(crate) fn rotate(&mut self, child: ChildVp, policy: &mut P, context: &mut Context<'_>) {
        let Some(own) = context.revoke(child) else {
            return;
        };
        self.stopped(own, child, policy, context);
        if policy.eligible(child) {
            self.ready.set(child.0, policy.key(child));
        }
        self.fill(own, policy, context);
    }

    /// A running child has had its turn and has another key: gives its processor to the best if
    /// that goes before it. Whether it did.
    pub(crate) fn pass(
        &mut self,
        child: ChildVp,
        policy: &mut P,
        context: &mut Context<'_>,
    ) -> bool {
        if self.best_key().is_some_and(|best| best < policy.key(child)) {
            self.rotate(child, policy, context);
            return true;
        }
        self.refresh(child, policy, context);
        false
    }

    /// A child's key has changed.
    pub(crate) fn rerank(&mut self, child: ChildVp, policy: &mut P, context: &mut Context<'_>) {
        self.refresh(child, policy, context);
        self.preempt(policy, context);
    }

    /// As [`rerank`](Self::rerank), where the caller will have the order restored later.
    pub(crate) fn refresh(&mut self, child: ChildVp, policy: &P, context: &Context<'_>) {
        if self.ready.contains(child.0) {
            self.ready.set(child.0, policy.key(child));
        } else if P::PREEMPTS
            && matches!(context.child(child), VpState::Running(_))
            && let Some(own) = context.held_through(child)
        {
            self.running.set(u32::from(own.0), Reverse(policy.key(child)));
        }
    }

    /// Restores the order: no ready child preempts a running one.
    pub(crate) fn preempt(&mut self, policy: &mut P, context: &mut Context<'_>) {
        while self.must_preempt() {
            let Some((_, own)) = self.running.peek() else {
                return;
            };
            let own = OwnVp(u16::try_from(own).expect("own VPs are numbered by 16 bits"));
            let Some(child) = context.held_by(own) else {
                return;
            };
            self.rotate(child, policy, context);
        }
    }

    /// Whether a ready child preempts a running one.
    pub(crate) fn must_preempt(&self) -> bool {
        match (self.ready.peek(), self.running.peek()) {
            (Some((best, _)), Some((Reverse(worst), _))) => P::preempts(&best, &worst),
            _ => false,
        }
    }

    /// The child that ran on `own` no longer does.
    #[inline]
    fn stopped(&mut self, own: OwnVp, child: ChildVp, policy: &mut P, context: &mut Context<'_>) {
        if P::PREEMPTS {
            self.running.remove(u32::from(own.0));
        }
        policy.stopped(child, own, context);
    }

    /// Gives the processor of `own`, which nobody holds, to the best or back. Requests that nobody
    /// needs any longer stay until all is answered: one of them may be about to take away the very
    /// processor that made it needless, and whoever withdraws and asks again goes round in circles.
    #[inline(always)]
    fn fill(&mut self, own: OwnVp, policy: &mut P, context: &mut Context<'_>) {
        if let Some((key, child)) = self.ready.pop() {
            let child = ChildVp(child);
            if P::PREEMPTS {
                self.running.set(u32::from(own.0), Reverse(key));
            }
            self.last[child.index()] = own;
            context.grant(child, own);
            policy.started(child, own, context);
        } else {
            self.waiting.insert(own);
            policy.idle(own, context);
            context.release(own);
        }
        if self.ready.is_empty() && !self.requested.is_empty() {
            context.set_timer(SETTLED, Some(context.now()));
        }
    }

    /// Withdraws all requests when nobody is a candidate.
    #[inline(never)]
    fn trim(&mut self, context: &mut Context<'_>) {
        if !self.ready.is_empty() {
            return;
        }
        while let Some(own) = self.requested.take_last() {
            self.waiting.insert(own);
            context.release(own);
        }
    }

    /// Whether the pool agrees with the infrastructure.
    pub(crate) fn check(&self, policy: &P, view: &View<'_>) -> Result<(), &'static str> {
        let mut ready = 0;
        for child in view.children() {
            let is_ready = view.child(child) == VpState::Ready && policy.eligible(child);
            if is_ready != self.ready.contains(child.0) {
                return Err("a ready child is not a candidate, or a candidate is not ready");
            }
            ready += usize::from(is_ready);
        }
        if ready != self.ready.len() {
            return Err("a candidate is not a child");
        }
        for own in
            (0..u16::try_from(view.owns()).expect("own VPs are numbered by 16 bits")).map(OwnVp)
        {
            let (waits, asks) = (self.waiting.contains(own), self.requested.contains(own));
            if own.0 >= self.owns {
                if view.own(own) != VpState::Waiting {
                    return Err("an own VP that is not used is not waiting");
                }
                continue;
            }
            let known = match view.own(own) {
                VpState::Waiting => waits && !asks,
                VpState::Ready => asks && !waits,
                VpState::Running(_) => {
                    let ranked = self.running.contains(u32::from(own.0));
                    !asks && !waits && ranked == P::PREEMPTS
                }
            };
            if !known {
                return Err("an own VP is not in the state that the pool thinks");
            }
        }
        if self.must_preempt() {
            return Err("a ready child should have preempted a running one");
        }
        if self.ready.is_empty() && !self.requested.is_empty() {
            return Err("a processor is asked for although nobody is ready");
        }
        if !self.ready.is_empty() && !self.waiting.is_empty() {
            return Err("somebody is ready although an own VP waits");
        }
        Ok(())
    }
}
