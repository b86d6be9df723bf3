//! Keeps the best of the ready children on the processors that an instance has.
//!
//! Most schedulers define only the order of children (a [`Policy`]). From it this module derives which child runs
//! where, when one is preempted, and when processors are requested or released.
//!
//! Invariants, after an event has been handled and all requests have been answered: no ready child preempts a
//! running one; while a child is ready, every own VP is requested or runs, since each may have another parent;
//! while no child is ready, nothing is requested. Every operation is O(log n) in the number of children, and
//! allocates nothing. Requests are sent one at a time, each after the one before was not granted, because on an
//! idle machine one is enough. Code that every switch needs is inlined; requesting processors and withdrawing
//! requests is kept out of it (`benches/instructions.rs`).

mod own_set;

use crate::parts::policy::Policy;
use crate::parts::pool::own_set::OwnSet;
use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{ChildVp, Context, OwnVp, TimerId, View, VpState};

/// The pool's own timer, which fires at once after pending requests have been answered. Policies number their
/// timers from 1.
pub(crate) const SETTLED: TimerId = TimerId(0);

/// Ready children, running children, and own VPs by state.
#[derive(Clone)]
pub(crate) struct Pool<P: Policy> {
    ready: Heap<P::Key>,
    /// Running children by own VP, the worst first; empty if no child is ever preempted.
    running: Heap<Reverse<P::Key>>,
    waiting: OwnSet,
    requested: OwnSet,
    /// The own VP on which a child last ran, which is requested first (processor affinity, HLS 4.3.7.2).
    last: Vec<OwnVp>,
    /// Number of own VPs that are used.
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
    /// Starts with all own VPs waiting, and uses all of them.
    pub(crate) fn init(&mut self, context: &Context<'_>) {
        self.init_first(u16::MAX, context);
    }

    /// Starts with all own VPs waiting, and uses only the first `used`.
    pub(crate) fn init_first(&mut self, used: u16, context: &Context<'_>) {
        self.owns =
            u16::try_from(context.owns()).expect("own VPs are numbered by 16 bits").min(used);
        self.running.reserve(usize::from(self.owns));
        self.waiting = OwnSet::full(self.owns);
        self.requested = OwnSet::empty(self.owns);
    }

    /// Uses one more own VP, which waits.
    pub(crate) fn own_added(&mut self, own: OwnVp, policy: &mut P, context: &mut Context<'_>) {
        self.owns = own.0 + 1;
        self.running.reserve(usize::from(self.owns));
        self.waiting.grow(self.owns);
        self.requested.grow(self.owns);
        self.waiting.insert(own);
        if !self.ready.is_empty() {
            self.settled(policy, context);
        }
    }

    /// Makes room for a child.
    pub(crate) fn register(&mut self, child: ChildVp) {
        self.ready.reserve(child.index() + 1);
        if self.last.len() <= child.index() {
            self.last.resize(child.index() + 1, OwnVp(0));
        }
    }

    /// The best ready child.
    pub(crate) fn best(&self) -> Option<ChildVp> {
        self.ready.peek().map(|(_, child)| ChildVp(child))
    }

    /// The key of the best ready child.
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

    /// Continues after the requests made when [`SETTLED`] was set have been answered: sends the next request,
    /// restores the order, or withdraws requests that are not needed.
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

    /// Requests a processor, and sets [`SETTLED`] if there is more to do in case it is not granted.
    #[inline(never)]
    fn request_own(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.requested.insert(own);
        context.request(own);
        if !self.waiting.is_empty() || self.must_preempt() {
            context.set_timer(SETTLED, Some(context.now()));
        }
    }

    /// Makes a child a candidate, if eligible. The caller calls [`settled`](Self::settled) later.
    pub(crate) fn add(&mut self, child: ChildVp, policy: &P) {
        if policy.eligible(child) {
            self.ready.set(child.0, policy.key(child));
        }
    }

    /// A child begins to wait.
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

    /// Removes a ready child from the candidates.
    pub(crate) fn withdraw(&mut self, child: ChildVp, context: &mut Context<'_>) {
        self.ready.remove(child.0);
        self.trim(context);
    }

    /// Handles the grant of an own VP.
    #[inline]
    pub(crate) fn grant(&mut self, own: OwnVp, policy: &mut P, context: &mut Context<'_>) {
        self.requested.remove(own);
        self.fill(own, policy, context);
    }

    /// Handles the revocation of an own VP.
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

    /// Takes the processor from a running child, which stays a candidate if eligible, and grants it to the best
    /// candidate.
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

    /// A running child has had its turn and has another key: grants its processor to the best candidate if that
    /// goes before it. Returns whether it does.
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

    /// Updates the order after a child's key has changed.
    pub(crate) fn rerank(&mut self, child: ChildVp, policy: &mut P, context: &mut Context<'_>) {
        self.refresh(child, policy, context);
        self.preempt(policy, context);
    }

    /// Like [`rerank`](Self::rerank), but the caller restores the order later.
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

    /// The child that ran on `own` has stopped.
    #[inline]
    fn stopped(&mut self, own: OwnVp, child: ChildVp, policy: &mut P, context: &mut Context<'_>) {
        if P::PREEMPTS {
            self.running.remove(u32::from(own.0));
        }
        policy.stopped(child, own, context);
    }

    /// Grants the processor of `own`, which no child holds, to the best candidate, or releases it. Requests that
    /// are no longer needed stay until all are answered: one of them may be about to take away the processor that
    /// made it superfluous, and withdrawing and requesting again would not end.
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

    /// Withdraws all requests if there is no candidate.
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

    /// Checks the pool against the infrastructure's states.
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
