//! Which own VPs are requested, and which requests are withdrawn: an own VP is wanted while a candidate may run there.

use super::{Pool, SETTLED};
use crate::parts::policy::Policy;
use windfall_hierarchy::{ChildVp, Context, OwnVp};

impl<P: Policy> Pool<P> {
    /// Whether no child is a candidate.
    #[inline]
    pub(super) fn is_nobody_ready(&self) -> bool {
        self.ready.is_empty() && !(P::BINDS && self.bindings.ready.len() > 0)
    }

    /// Whether a candidate may run on `own`.
    #[inline]
    pub(super) fn is_wanted(&self, own: OwnVp) -> bool {
        !self.ready.is_empty() || P::BINDS && self.bindings.first_on(own).is_some()
    }

    /// Takes an own VP that waits and on which a child may run: `last` if possible.
    #[inline]
    pub(super) fn take_waiting_for(
        &mut self,
        child: ChildVp,
        last: Option<OwnVp>,
    ) -> Option<OwnVp> {
        match self.set_of(child) {
            None => self.waiting.take_preferring(last.unwrap_or(OwnVp(0))),
            Some(set) => self.waiting.take_common(self.bindings.own_vps(set), last),
        }
    }

    /// Takes an own VP that waits and on which a candidate may run.
    #[inline(always)]
    pub(super) fn take_wanted(&mut self) -> Option<OwnVp> {
        if self.waiting.is_empty() { None } else { self.take_wanted_of_some() }
    }

    #[inline(never)]
    fn take_wanted_of_some(&mut self) -> Option<OwnVp> {
        if !self.ready.is_empty() {
            return self.waiting.take_first();
        }
        if !P::BINDS {
            return None;
        }
        let (bindings, waiting) = (&self.bindings, &mut self.waiting);
        let mut ready = bindings.numbers().filter(|set| bindings.ready.first(*set).is_some());
        ready.find_map(|set| waiting.take_common(bindings.own_vps(set), None))
    }

    /// Requests a processor, and sets [`SETTLED`] if there is more to do in case it is not granted.
    #[inline(never)]
    pub(super) fn request_own(&mut self, own: OwnVp, context: &mut Context<'_>) {
        self.requested.insert(own);
        context.request(own);
        if !self.waiting.is_empty() || self.preempted().is_some() {
            context.set_timer(SETTLED, Some(context.now()));
        }
    }

    /// Requests an own VP that waits although a candidate may run there. The others are requested in turn.
    #[inline(never)]
    pub(super) fn request_wanted(&mut self, context: &mut Context<'_>) {
        if let Some(own) = self.take_wanted() {
            self.request_own(own, context);
        }
    }

    /// Withdraws the requests that no candidate needs. If the event goes round, they stay until they are granted, and are released then: a
    /// parent may take a processor away because another request was withdrawn (`smart`, whose choice between two urgent children depends on a
    /// third that is not urgent), so that it would be requested again, and withdrawn again.
    #[inline(never)]
    pub(super) fn trim(&mut self, context: &mut Context<'_>) {
        if !self.ready.is_empty() || self.requested.is_empty() {
            return;
        }
        self.excess_stays = context.view().goes_round();
        if self.excess_stays {
            return;
        }
        for own in (0..self.owns).rev().map(OwnVp) {
            if self.requested.contains(own) && !self.is_wanted(own) {
                self.requested.remove(own);
                self.waiting.insert(own);
                context.release(own);
            }
        }
    }
}
