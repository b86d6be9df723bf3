//! Decisions of a pool by own VP: where a child that wakes is at home, which child goes first on an own VP, and which is preempted
//! there. Called with affinity on several own VPs, or with bound children, only, but for [`Pool::keep_homes`] and
//! [`Pool::next_on`].

use super::Pool;
use crate::parts::policy::Policy;
use crate::parts::pool::queues::Queues;
use core::cmp::Reverse;
use windfall_hierarchy::{ChildVp, OwnVp};

impl<P: Policy> Pool<P> {
    /// Keeps children at home, if there are several own VPs. Called after [`init`](Self::init), before children come.
    pub(crate) fn keep_homes(&mut self) {
        if self.owns > 1 {
            self.homes = Queues::new(self.owns + 1);
        }
    }

    /// The queue of a child's home: one for each own VP, one for children that are at home everywhere, and one for each set of
    /// own VPs, for bound children that are at home everywhere in it.
    pub(super) fn queue_at(&self, child: ChildVp, home: Option<OwnVp>) -> u16 {
        match (home.filter(|own| self.bindings.allow(child, *own)), self.bindings.set_of(child)) {
            (Some(own), _) => own.0,
            (None, None) => self.owns,
            (None, Some(set)) => self.owns + 1 + set,
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

    /// The first child of those that are at home on `own`, by the keys that they have there.
    fn first_at_home(&self, own: OwnVp) -> Option<(P::Key, ChildVp)> {
        let here = [self.homes.first(own.0), self.homes.first(self.owns)];
        let here = here.into_iter().flatten().min();
        if self.homes.are_none() || !self.bindings.are_any() {
            return here;
        }
        let within = self.bindings.on(own).filter_map(|set| self.homes.first(self.owns + 1 + set));
        here.into_iter().chain(within).min()
    }

    /// The first child of those that may run on `own`, by keys that count away from home.
    fn first_away(&self, own: OwnVp) -> Option<(P::Key, ChildVp)> {
        let free = self.ready.peek().map(|(key, child)| (key, ChildVp(child)));
        free.into_iter().chain(self.bindings.first_on(own)).min()
    }

    /// Whether a ready child goes before one with this key that is at home on `own`.
    pub(super) fn goes_first(&self, own: OwnVp, key: &P::Key) -> bool {
        let first = [self.first_at_home(own), self.first_away(own)];
        first.into_iter().flatten().any(|(first, _)| first < *key)
    }

    /// The own VP on which a child that is at home there preempts the running one.
    #[inline(never)]
    pub(super) fn preempted_at_home(&self, worst: &P::Key, own: OwnVp) -> Option<OwnVp> {
        let first = |own: &OwnVp| self.homes.first(own.0);
        let at_home = self
            .own_vps()
            .find(|own| first(own).is_some_and(|(first, _)| self.runs_worse_than(&first, *own)));
        let anywhere = self.homes.first(self.owns).map(|(first, _)| P::preempts(&first, worst));
        at_home.or_else(|| (anywhere == Some(true)).then_some(own))
    }

    /// With bound children: the own VP on which the worst child runs that a ready one preempts.
    #[inline(never)]
    pub(super) fn preempted_where_allowed(&self) -> Option<OwnVp> {
        let preempted = |own: &OwnVp| {
            let first = [self.first_at_home(*own), self.first_away(*own)];
            first.into_iter().flatten().any(|(first, _)| self.runs_worse_than(&first, *own))
        };
        let running = |own: &OwnVp| self.running.key(u32::from(own.0)).map(|Reverse(key)| key);
        self.own_vps().filter(preempted).max_by_key(running)
    }

    /// The child that goes first on `own`, by the keys that count there.
    pub(crate) fn next_on(&self, own: OwnVp) -> Option<ChildVp> {
        let (best, child) = self.first_away(own)?;
        let here = self.first_at_home(own).filter(|(first, _)| *first <= best);
        Some(here.map_or(child, |(_, child)| child))
    }

    /// Takes the child that goes first on `own`, with the key that it has while it runs there.
    #[inline(never)]
    pub(super) fn take_for(&mut self, own: OwnVp, policy: &P) -> Option<(P::Key, ChildVp)> {
        let child = self.next_on(own)?;
        self.remove(child);
        Some((self.running_key(child, policy), child))
    }
}
