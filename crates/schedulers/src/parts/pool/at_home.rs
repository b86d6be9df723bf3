//! Decisions of a pool by homes: where a child that wakes is at home, which child goes first on an own VP, and which is preempted
//! there. Called with affinity on several own VPs only, but for [`Pool::keep_homes`] and [`Pool::next_on`].

use super::Pool;
use crate::parts::policy::Policy;
use crate::parts::pool::homes::Homes;
use core::cmp::Reverse;
use windfall_hierarchy::{ChildVp, OwnVp};

impl<P: Policy> Pool<P> {
    /// Keeps children at home, if there are several own VPs. Called after [`init`](Self::init), before children come.
    pub(crate) fn keep_homes(&mut self) {
        if self.owns > 1 {
            self.homes = Homes::new(self.owns);
        }
    }

    /// A child that wakes is at home where it last ran if it preempts the child that runs there, else everywhere.
    #[inline(never)]
    pub(super) fn home_on_waking(
        &self,
        child: ChildVp,
        last: Option<OwnVp>,
        policy: &P,
    ) -> Option<OwnVp> {
        let key = policy.key_at_home(child);
        last.filter(|own| self.runs_worse_than(&key, *own))
    }

    /// Whether a child with this key preempts the one that runs on `own`.
    fn runs_worse_than(&self, key: &P::Key, own: OwnVp) -> bool {
        let running = self.running.key(u32::from(own.0));
        running.is_some_and(|Reverse(running)| P::preempts(key, &running))
    }

    /// Whether a ready child goes before one with this key at home on `own`.
    pub(super) fn goes_first(&self, own: OwnVp, key: &P::Key) -> bool {
        let here = [self.homes.first(own), self.homes.first_anywhere()];
        let here = here.into_iter().flatten().map(|(first, _)| first);
        here.chain(self.best_key()).any(|first| first < *key)
    }

    /// The own VP on which a child that is at home there preempts the running one.
    #[inline(never)]
    pub(super) fn preempted_at_home(&self, worst: &P::Key, own: OwnVp) -> Option<OwnVp> {
        let first = |own: &OwnVp| self.homes.first(*own);
        let at_home = self
            .own_vps()
            .find(|own| first(own).is_some_and(|(first, _)| self.runs_worse_than(&first, *own)));
        let anywhere = self.homes.first_anywhere().map(|(first, _)| P::preempts(&first, worst));
        at_home.or_else(|| (anywhere == Some(true)).then_some(own))
    }

    /// The child that goes first on `own`, by the keys that count there.
    pub(crate) fn next_on(&self, own: OwnVp) -> Option<ChildVp> {
        let (best, child) = self.ready.peek()?;
        let here = [self.homes.first(own), self.homes.first_anywhere()];
        let here = here.into_iter().flatten().min();
        Some(here.filter(|(first, _)| *first <= best).map_or(ChildVp(child), |(_, child)| child))
    }

    /// Takes the child that goes first on `own`, with the key that it has while it runs there.
    #[inline(never)]
    pub(super) fn take_for(&mut self, own: OwnVp, policy: &P) -> Option<(P::Key, ChildVp)> {
        let child = self.next_on(own)?;
        self.ready.remove(child.0);
        self.homes.remove(child);
        Some((policy.key_at_home(child), child))
    }
}
