//! The candidates: in one order of all children; with bindings also in that of their set, with affinity in that of their
//! home.

use super::Pool;
use crate::parts::policy::Policy;
use windfall_hierarchy::{ChildVp, OwnVp};

impl<P: Policy> Pool<P> {
    /// Makes a child a candidate, with this home.
    #[inline(always)]
    pub(super) fn insert(&mut self, child: ChildVp, home: Option<OwnVp>, policy: &P) {
        if self.homes_are_kept() || self.binds() {
            self.insert_apart(child, home, policy);
        } else {
            self.ready.set(child.0, policy.key(child));
        }
    }

    /// The same where children are kept by home or by binding.
    #[inline(never)]
    fn insert_apart(&mut self, child: ChildVp, home: Option<OwnVp>, policy: &P) {
        match self.set_of(child) {
            Some(set) => self.bindings.ready.set(child, set, policy.key(child)),
            None => self.ready.set(child.0, policy.key(child)),
        }
        if self.homes_are_kept() {
            self.homes.set(child, self.queue_at(child, home), policy.key_at_home(child));
        }
    }

    /// Whether a child is a candidate.
    #[inline]
    pub(super) fn is_candidate(&self, child: ChildVp) -> bool {
        self.ready.contains(child.0) || P::BINDS && self.bindings.ready.get(child).is_some()
    }

    #[inline]
    pub(super) fn remove(&mut self, child: ChildVp) {
        self.ready.remove(child.0);
        if P::BINDS {
            self.bindings.ready.remove(child);
        }
        self.homes.remove(child);
    }
}
