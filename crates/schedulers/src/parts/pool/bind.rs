//! Binding a child to some own VPs.

use super::Pool;
use crate::parts::policy::Policy;
use windfall_hierarchy::{Answer, ChildVp, Context, OwnVp, ProcessorSet, View, VpState};

impl<P: Policy> Pool<P> {
    /// Whether a child is bound.
    #[inline]
    pub(crate) const fn binds(&self) -> bool {
        P::BINDS && self.bindings.are_any()
    }

    /// Number of a child's set of own VPs; `None` if it may run on every own VP.
    #[inline]
    pub(super) fn set_of(&self, child: ChildVp) -> Option<u16> {
        if P::BINDS { self.bindings.set_of(child) } else { None }
    }

    /// Lets a child run on these own VPs only. One that runs elsewhere loses its processor at once.
    ///
    /// # Errors
    /// When an own VP does not exist, none is named, or children are bound in too many ways.
    pub(crate) fn bind(
        &mut self,
        child: ChildVp,
        allowed: ProcessorSet,
        policy: &mut P,
        context: &mut Context<'_>,
    ) -> Answer {
        let slots = context.child_slots();
        let was_candidate = self.is_candidate(child);
        let before = self.set_of(child);
        let is_new = self.bindings.bind(child, (allowed, self.owns), slots)?;
        if is_new && self.homes_are_kept() {
            let last = u16::try_from(self.homes.count());
            self.homes.insert_queue(last.expect("own VPs and sets are numbered by 16 bits"));
        }
        if was_candidate {
            self.remove(child);
        }
        let held = context.held_through(child);
        let left = held.filter(|own| !self.bindings.allow(child, *own));
        if let Some(own) = left {
            context.revoke(child);
            self.stopped(own, child, policy, context);
        }
        if before != self.set_of(child) {
            policy.rebound(child, self, context);
        }
        if let Some(own) = left {
            self.add(child, policy);
            self.fill(own, policy, context);
        } else if was_candidate {
            self.insert(child, self.last[child.index()], policy);
        } else {
            self.refresh(child, policy, context);
        }
        self.request_wanted(context);
        self.preempt(policy, context);
        self.trim(context);
        Ok(())
    }

    /// The level that a child which wakes, or is newly bound, is compared with. For each own VP on which it may run, take
    /// the least value among its competitors there; the level is the greatest of these. The least of all would be wrong:
    /// it may belong to children that share another own VP with many.
    pub(crate) fn level<T: Ord>(
        &self,
        child: ChildVp,
        value: impl Fn(ChildVp) -> Option<T>,
        context: &Context<'_>,
    ) -> Option<T> {
        let first = |own: OwnVp| {
            let free = self.ready.peek().map(|(_, child)| ChildVp(child));
            let sets = self.bindings.on(own).filter_map(|set| self.bindings.ready.first(set));
            free.into_iter().chain(sets.map(|(_, child)| child))
        };
        let least = |own: OwnVp| {
            let running = self.own_vps().filter_map(|own| context.held_by(own));
            let running = running.filter(|other| self.bindings.allow(*other, own));
            let competitors = running.chain(first(own)).filter(|other| *other != child);
            competitors.filter_map(&value).min()
        };
        let allowed = self.own_vps().filter(|own| self.bindings.allow(child, *own));
        allowed.filter_map(least).max()
    }

    /// Checks that every child runs where it may, and that own VPs are requested exactly where a candidate may run.
    pub(super) fn check_bindings(&self, view: &View<'_>) -> Result<(), &'static str> {
        for own in self.own_vps() {
            if view.held_by(own).is_some_and(|child| !self.bindings.allow(child, own)) {
                return Err("a child runs on an own VP to which it is not bound");
            }
            if view.own(own) == VpState::Ready && !self.is_wanted(own) && !self.excess_stays {
                return Err("a processor is asked for although nobody who may run there is ready");
            }
            if view.own(own) == VpState::Waiting && self.is_wanted(own) {
                return Err("somebody who may run there is ready although an own VP waits");
            }
        }
        Ok(())
    }
}
