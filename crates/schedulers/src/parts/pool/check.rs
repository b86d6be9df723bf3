//! Checks a pool against the states that the infrastructure keeps.

use super::Pool;
use crate::parts::policy::Policy;
use windfall_hierarchy::{OwnVp, View, VpState};

impl<P: Policy> Pool<P> {
    /// Checks the pool against the infrastructure's states.
    pub(crate) fn check(&self, policy: &P, view: &View<'_>) -> Result<(), &'static str> {
        let mut ready = 0;
        for child in view.children() {
            let is_ready = view.child(child) == VpState::Ready && policy.eligible(child);
            if is_ready != self.is_candidate(child) {
                return Err("a ready child is not a candidate, or a candidate is not ready");
            }
            if self.homes_are_kept() {
                let key = is_ready.then(|| policy.key_at_home(child));
                if self.homes.get(child).map(|(key, _)| key) != key {
                    return Err("a ready child is not at home, or has another key there");
                }
            }
            ready += usize::from(is_ready);
        }
        if ready != self.ready.len() + self.bindings.ready.len() {
            return Err("a candidate is not a child");
        }
        for own in
            (0..u16::try_from(view.owns()).expect("own VPs are numbered by 16 bits")).map(OwnVp)
        {
            let (waits, requests) = (self.waiting.contains(own), self.requested.contains(own));
            if own.0 >= self.owns {
                if view.own(own) != VpState::Waiting {
                    return Err("an own VP that is not used is not waiting");
                }
                continue;
            }
            let known = match view.own(own) {
                VpState::Waiting => waits && !requests,
                VpState::Ready => requests && !waits,
                VpState::Running(_) => {
                    let ranked = self.running.contains(u32::from(own.0));
                    !requests && !waits && ranked == P::PREEMPTS
                }
            };
            if !known {
                return Err("an own VP is not in the state that the pool thinks");
            }
        }
        if self.preempted().is_some() {
            return Err("a ready child should have preempted a running one");
        }
        self.check_bindings(view)
    }
}
