//! Keeps the best of the ready children on the processors that an instance has.
//!
//! Most schedulers define only the order of children (a [`Policy`]). From it this module derives which child runs
//! where, when one is preempted, and when processors are requested or released.
//!
//! Invariants, after an event has been handled and all requests have been answered: no ready child preempts a
//! running one; while a child is ready, every own VP is requested or runs, since each may have another parent;
//! while no child is ready, nothing is requested, unless an event went round. Every operation is O(log n) in the number of children, and
//! allocates nothing. Requests are sent one at a time, each after the one before was not granted, because on an
//! idle machine one is enough. Code that every switch needs is inlined; requesting processors and withdrawing
//! requests is kept out of it (`benches/instructions.rs`).
//!
//! Some children may be bound to some own VPs (`bindings.rs`). The invariants then hold for each own VP and the children
//! that may run there: it is requested while such a child is ready, and no such child preempts the one that runs there.
//!
//! With affinity, on several own VPs, a child counts on the one on which it last ran (its home) by a key of its own
//! ([`Policy::key_at_home`]), and "preempts" is meant by these keys; each preemption looks at each own VP once.

mod at_home;
mod bind;
mod bindings;
mod candidates;
mod check;
mod own_set;
mod queues;
mod requests;

use crate::parts::policy::Policy;
use crate::parts::pool::bindings::Bindings;
use crate::parts::pool::own_set::OwnSet;
use crate::parts::pool::queues::Queues;
use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_hierarchy::heap::Heap;
use windfall_hierarchy::{ChildVp, Context, OwnVp, TimerId, VpState};

/// The pool's own timer, which fires at once after pending requests have been answered. Policies number their
/// timers from 1.
pub(crate) const SETTLED: TimerId = TimerId(0);

/// Ready children, running children, and own VPs by state.
#[derive(Clone)]
pub(crate) struct Pool<P: Policy> {
    /// Ready children that may run on every own VP.
    ready: Heap<P::Key>,
    /// The other ready children, and where they may run.
    bindings: Bindings<P::Key>,
    /// With affinity, all ready children again, by home and by the keys that they have there.
    homes: Queues<P::Key>,
    /// Running children by own VP, the worst first; empty if no child is ever preempted. With affinity, by their keys
    /// at home.
    running: Heap<Reverse<P::Key>>,
    waiting: OwnSet,
    requested: OwnSet,
    /// Whether requests that no candidate needs have stayed, because an event went round.
    excess_stays: bool,
    /// The own VP on which a child last ran, which is requested first (processor affinity, HLS 4.3.7.2).
    last: Vec<Option<OwnVp>>,
    /// Number of own VPs that are used.
    owns: u16,
}

impl<P: Policy> Default for Pool<P> {
    fn default() -> Pool<P> {
        Pool {
            ready: Heap::new(),
            bindings: Bindings::default(),
            homes: Queues::default(),
            running: Heap::new(),
            waiting: OwnSet::default(),
            requested: OwnSet::default(),
            excess_stays: false,
            last: Vec::new(),
            owns: 0,
        }
    }
}

impl<P: Policy> Pool<P> {
    /// Starts with all own VPs waiting, and uses only the first `used`.
    pub(crate) fn init(&mut self, used: u16, context: &Context<'_>) {
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
        self.bindings.grow(self.owns);
        if self.homes_are_kept() {
            self.homes.insert_queue(own.0);
        }
        self.waiting.insert(own);
        if self.is_wanted(own) {
            self.settled(policy, context);
        }
    }

    /// Makes room for a child, which has never run.
    pub(crate) fn register(&mut self, child: ChildVp) {
        self.ready.reserve(child.index() + 1);
        if self.last.len() <= child.index() {
            self.last.resize(child.index() + 1, None);
        }
        self.last[child.index()] = None;
        self.bindings.register(child);
        if self.homes_are_kept() {
            self.homes.register(child);
        }
    }

    /// A child is removed.
    pub(crate) fn unregister(&mut self, child: ChildVp) {
        self.bindings.forget(child);
    }

    /// Whether children are kept on the own VPs on which they last ran.
    #[inline]
    const fn homes_are_kept(&self) -> bool {
        !self.homes.are_none()
    }

    #[inline]
    fn first(&self) -> Option<(P::Key, ChildVp)> {
        let free = self.ready.peek().map(|(key, child)| (key, ChildVp(child)));
        if self.binds() {
            return free.into_iter().chain(self.bindings.first()).min();
        }
        free
    }

    /// The best ready child.
    #[inline]
    pub(crate) fn best(&self) -> Option<ChildVp> {
        self.first().map(|(_, child)| child)
    }

    /// The key of the best ready child.
    #[inline]
    pub(crate) fn best_key(&self) -> Option<P::Key> {
        self.first().map(|(key, _)| key)
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
        let last = self.last[child.index()];
        let home =
            if self.homes_are_kept() { self.home_on_waking(child, last, policy) } else { None };
        self.insert(child, home, policy);
        match self.take_waiting_for(child, last) {
            Some(own) => self.request_own(own, context),
            None => self.preempt(policy, context),
        }
    }

    /// Continues after the requests made when [`SETTLED`] was set have been answered: sends the next request,
    /// restores the order, or withdraws requests that are not needed.
    #[inline(always)]
    pub(crate) fn settled(&mut self, policy: &mut P, context: &mut Context<'_>) {
        if self.is_nobody_ready() {
            self.trim(context);
        } else if let Some(own) = self.take_wanted() {
            self.request_own(own, context);
        } else {
            self.preempt(policy, context);
            if self.binds() {
                self.trim(context);
            }
        }
    }

    /// Makes a child a candidate, if eligible. The caller calls [`settled`](Self::settled) later.
    #[inline(always)]
    pub(crate) fn add(&mut self, child: ChildVp, policy: &P) {
        if policy.eligible(child) {
            self.insert(child, self.last[child.index()], policy);
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
        self.remove(child);
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
        self.add(child, policy);
        self.settled(policy, context);
    }

    /// Takes the processor from a running child, which stays a candidate if eligible, and grants it to the best
    /// candidate.
    pub(crate) fn rotate(&mut self, child: ChildVp, policy: &mut P, context: &mut Context<'_>) {
        let Some(own) = context.revoke(child) else {
            return;
        };
        self.stopped(own, child, policy, context);
        self.add(child, policy);
        self.fill(own, policy, context);
        if self.binds() {
            self.request_wanted(context);
        }
    }

    /// A running child has had its turn and has another key: grants its processor to the best candidate if that
    /// goes before it. Returns whether it does.
    pub(crate) fn pass(
        &mut self,
        child: ChildVp,
        policy: &mut P,
        context: &mut Context<'_>,
    ) -> bool {
        let held = context.held_through(child);
        let local = self.homes_are_kept() || self.binds();
        let passes = match held.filter(|_| local) {
            Some(own) => self.goes_first(own, &self.running_key(child, policy)),
            None => self.best_key().is_some_and(|best| best < policy.key(child)),
        };
        if passes {
            self.rotate(child, policy, context);
            // It may preempt another elsewhere, where the one that took its place may not run.
            if self.binds() {
                self.preempt(policy, context);
            }
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
        if self.is_candidate(child) {
            let home = self.homes.get(child).map(|(_, queue)| OwnVp(queue));
            self.insert(child, home.filter(|own| own.0 < self.owns), policy);
        } else if P::PREEMPTS
            && matches!(context.child(child), VpState::Running(_))
            && let Some(own) = context.held_through(child)
        {
            self.running.set(u32::from(own.0), Reverse(self.running_key(child, policy)));
        }
    }

    /// The key of a running child, which is at home.
    #[inline]
    fn running_key(&self, child: ChildVp, policy: &P) -> P::Key {
        if self.homes_are_kept() { policy.key_at_home(child) } else { policy.key(child) }
    }

    /// Restores the order: no ready child preempts a running one.
    pub(crate) fn preempt(&mut self, policy: &mut P, context: &mut Context<'_>) {
        while let Some(own) = self.preempted() {
            let Some(child) = context.held_by(own) else {
                return;
            };
            self.rotate(child, policy, context);
        }
    }

    /// The own VP on which a ready child preempts the running one.
    #[inline]
    fn preempted(&self) -> Option<OwnVp> {
        if !P::PREEMPTS {
            return None;
        }
        if self.binds() {
            return self.preempted_where_allowed();
        }
        let (best, _) = self.ready.peek()?;
        let (Reverse(worst), own) = self.running.peek()?;
        let own = OwnVp(u16::try_from(own).expect("own VPs are numbered by 16 bits"));
        let at_home =
            if self.homes_are_kept() { self.preempted_at_home(&worst, own) } else { None };
        at_home.or_else(|| P::preempts(&best, &worst).then_some(own))
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
        let next = if self.homes_are_kept() || self.binds() {
            self.take_for(own, policy)
        } else {
            self.ready.pop().map(|(key, child)| (key, ChildVp(child)))
        };
        if let Some((key, child)) = next {
            if P::PREEMPTS {
                self.running.set(u32::from(own.0), Reverse(key));
            }
            self.last[child.index()] = Some(own);
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
}
