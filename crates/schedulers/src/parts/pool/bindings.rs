//! Children that may run on some own VPs only (decision 0021): the sets of own VPs, and the ready children of each.
//!
//! A bound child is a candidate on the own VPs of its set and nowhere else; on these it competes by the keys by which all others
//! compete. So a ready child waits only while each own VP of its set runs, or is requested for, a child that it does not preempt
//! ("weak" in Cerqueira, Gujarati and Brandenburg 2014): no running child is moved to make room for one that is bound. Every
//! decision looks at each different set once. Invariant: no set contains all own VPs; such a child is not bound.

use crate::parts::pool::own_set::OwnSet;
use crate::parts::pool::queues::Queues;
use alloc::vec::Vec;
use windfall_hierarchy::{AnswerError, ChildVp, OwnVp, ProcessorSet};

/// How many different sets an instance has at most.
const MOST_SETS: usize = 256;

#[derive(Clone)]
pub(crate) struct Bindings<K> {
    sets: Vec<Set>,
    /// By child: the number of its set.
    of: Vec<Option<u16>>,
    /// Number of bound children.
    bound: usize,
    /// Ready bound children, in one queue for each set, by the keys that count away from home.
    pub(super) ready: Queues<K>,
}

/// A set of own VPs; without members it is used for another binding.
#[derive(Clone)]
struct Set {
    own_vps: OwnSet,
    members: usize,
}

impl<K> Default for Bindings<K> {
    fn default() -> Bindings<K> {
        Bindings { sets: Vec::new(), of: Vec::new(), bound: 0, ready: Queues::default() }
    }
}

impl<K: Ord + Copy> Bindings<K> {
    /// Whether a child is bound.
    #[inline]
    pub(super) const fn are_any(&self) -> bool {
        self.bound > 0
    }

    /// Number of a child's set; `None` if it may run on every own VP.
    #[inline]
    pub(super) fn set_of(&self, child: ChildVp) -> Option<u16> {
        if self.bound == 0 {
            return None;
        }
        self.of.get(child.index()).copied().flatten()
    }

    /// The own VPs of a set.
    pub(super) fn own_vps(&self, set: u16) -> &OwnSet {
        &self.sets[usize::from(set)].own_vps
    }

    /// Whether a child may run on `own`.
    pub(super) fn allow(&self, child: ChildVp, own: OwnVp) -> bool {
        self.set_of(child).is_none_or(|set| self.own_vps(set).contains(own))
    }

    /// The sets that have members, by number.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u16> + '_ {
        let sets = (0..=u16::MAX).zip(&self.sets);
        sets.filter(|(_, set)| set.members > 0).map(|(number, _)| number)
    }

    /// The sets that contain `own`, by number.
    pub(super) fn on(&self, own: OwnVp) -> impl Iterator<Item = u16> + '_ {
        self.numbers().filter(move |set| self.own_vps(*set).contains(own))
    }

    /// The first ready bound child of all that may run on `own`, by keys that count away from home.
    pub(super) fn first_on(&self, own: OwnVp) -> Option<(K, ChildVp)> {
        self.on(own).filter_map(|set| self.ready.first(set)).min()
    }

    /// The first ready bound child.
    pub(super) fn first(&self) -> Option<(K, ChildVp)> {
        self.numbers().filter_map(|set| self.ready.first(set)).min()
    }

    /// Binds a child to these of `owns` own VPs, or to none if these are all. Returns whether another set has been made. Allocates.
    ///
    /// # Errors
    /// When one of them does not exist, none is named, or there would be too many sets.
    pub(super) fn bind(
        &mut self,
        child: ChildVp,
        (allowed, owns): (ProcessorSet, u16),
        slots: u32,
    ) -> Result<bool, AnswerError> {
        let what = "processors";
        if owns > ProcessorSet::ROOM {
            return Err(AnswerError::OutOfRange { what, allowed: "those of at most 192 in all" });
        }
        if allowed.is_empty() || allowed.iter().any(|own| own >= owns) {
            let allowed = "one or more of the scheduler's own virtual processors";
            return Err(AnswerError::OutOfRange { what, allowed });
        }
        let mut own_vps = OwnSet::empty(owns);
        allowed.iter().for_each(|own| own_vps.insert(OwnVp(own)));
        if (0..owns).all(|own| allowed.contains(own)) {
            self.forget(child);
            return Ok(false);
        }
        let (set, is_new) = self.number_of(own_vps, self.set_of(child))?;
        self.forget(child);
        let room = self.of.len().max(slots as usize);
        self.of.resize(room, None);
        self.ready.register(ChildVp(slots.saturating_sub(1)));
        self.of[child.index()] = Some(set);
        self.sets[usize::from(set)].members += 1;
        self.bound += 1;
        Ok(is_new)
    }

    /// The number of this set, and whether it has been made; `left` is the set that the child leaves.
    fn number_of(
        &mut self,
        own_vps: OwnSet,
        left: Option<u16>,
    ) -> Result<(u16, bool), AnswerError> {
        let numbered = || (0..=u16::MAX).zip(&self.sets);
        let same = numbered().find(|(_, set)| set.own_vps == own_vps);
        if let Some((number, _)) = same {
            return Ok((number, false));
        }
        let leaves = |number| usize::from(left == Some(number));
        let free = numbered().find(|(number, set)| set.members == leaves(*number));
        if let Some((number, _)) = free {
            self.sets[usize::from(number)].own_vps = own_vps;
            return Ok((number, false));
        }
        if self.sets.len() == MOST_SETS {
            return Err(AnswerError::Full { limit: "children are bound in at most 256 ways" });
        }
        let number = u16::try_from(self.sets.len()).expect("there are at most 256 sets");
        self.sets.push(Set { own_vps, members: 0 });
        self.ready.insert_queue(number);
        Ok((number, true))
    }

    /// Makes room for a child, which is not bound; allocates if others are.
    pub(super) fn register(&mut self, child: ChildVp) {
        self.forget(child);
        if !self.sets.is_empty() {
            self.ready.register(child);
        }
    }

    /// A child is not bound any longer.
    pub(super) fn forget(&mut self, child: ChildVp) {
        if let Some(set) = self.of.get_mut(child.index()).and_then(Option::take) {
            self.sets[usize::from(set)].members -= 1;
            self.bound -= 1;
        }
    }

    /// Makes room for one more own VP, to which nobody is bound.
    pub(super) fn grow(&mut self, owns: u16) {
        self.sets.iter_mut().for_each(|set| set.own_vps.grow(owns));
    }
}
