//! Many values of one replica at once: what is ordinary takes a short way, all else the one of `receive`.
//!
//! Invariant: state and reports are those of [`Voter::receive`] for each value in turn; `tests/batch.rs` holds that in every order of few values, and in drawn ones.
//!
//! Ordinary is, with a rule that votes what equals most: the first value of the next iteration while nobody is too far behind, or the next one of an open row in which all values so far are equal.

use super::Voter;
use crate::report::Report;
use crate::rows::Slot;
use crate::rule::Rule;
use crate::search::Search;
use crate::{Iteration, ReplicaNumber, Replicas};

/// The facts that hold while values of one replica come the short way.
struct Lane {
    from: ReplicaNumber,
    /// The same, as a set.
    only: Replicas,
    weight: u64,
    /// With a row up to this iteration, nobody is too far behind.
    until: Iteration,
    /// The highest iteration that a value came for.
    reached: Iteration,
}

impl<V, R: Rule<V>, S: Search> Voter<V, R, S> {
    /// Values of a replica have come, as if each were [received](Self::receive) in turn; faster where replicas agree.
    ///
    /// ```
    /// use windfall_nmr::{Iteration, Majority, ReplicaNumber, Report, Settings, Voter};
    ///
    /// let mut voter: Voter<u64, Majority> = Voter::new(&Settings::new(3), Majority::EXACT)?;
    /// let mut votes = 0;
    /// for replica in [0, 1, 2] {
    ///     let values = (1..=10).map(|n| (Iteration(n), n * n));
    ///     voter.receive_all(ReplicaNumber(replica), values, |report| {
    ///         votes += u32::from(matches!(report, Report::Voted { .. }));
    ///     });
    /// }
    /// assert_eq!((votes, voter.length()), (10, 0));
    /// # Ok::<(), windfall_nmr::SettingsError>(())
    /// ```
    pub fn receive_all(
        &mut self,
        from: ReplicaNumber,
        values: impl IntoIterator<Item = (Iteration, V)>,
        mut report: impl FnMut(Report<'_, V>),
    ) {
        let mut lane = self.lane(from);
        for (iteration, value) in values {
            let left = match &mut lane {
                Some(lane) if iteration > self.rows.top => self.opens_next(lane, iteration, value),
                Some(lane) => self.joins_row(lane, iteration, value, &mut report),
                None => Some(value),
            };
            if let Some(value) = left {
                self.leaves(lane);
                self.receive(from, iteration, value, &mut report);
                lane = self.lane(from);
            }
        }
        self.leaves(lane);
    }

    /// Writes the facts that were not written for each value.
    fn leaves(&mut self, lane: Option<Lane>) {
        if let Some(Lane { from, reached, .. }) = lane {
            self.members.reaches(from, reached);
        }
    }

    /// Whether values of this replica may be ordinary.
    fn lane(&self, from: ReplicaNumber) -> Option<Lane> {
        let members = &self.members;
        let can = R::EQUALS_DECIDE && members.active.has(from) && !self.is_joining;
        if !can || members.records[from.index()].is_lagging {
            return None;
        }
        let weight = members.weight(from);
        let others = members.active.without(from).iter();
        let reached = others.map(|other| members.records[other.index()].reached.0).min()?;
        let until = Iteration(reached.saturating_add(self.lag));
        // One that weighs most decides alone.
        let (only, reached) = (Replicas::NONE.with(from), Iteration::default());
        (weight * 2 <= members.total).then_some(Lane { from, only, weight, until, reached })
    }

    /// The first value of the next iteration; given back if that is not ordinary.
    #[inline(always)]
    fn opens_next(&mut self, lane: &mut Lane, iteration: Iteration, value: V) -> Option<V> {
        let low = self.rows.low_with(iteration);
        let is_next = iteration.0 == self.rows.top.0 + 1;
        let is_taken = is_next && iteration <= self.last_taken() && iteration <= lane.until;
        if !is_taken || low > self.rows.low && !self.rows.is_closed(low) {
            return Some(value);
        }
        self.looked = self.search.look(iteration);
        let place = self.rows.place(iteration);
        (self.rows.low, self.rows.top) = (low, iteration);
        self.rows.slots[place] = Slot {
            iteration,
            is_open: true,
            present: lane.only,
            expected: self.members.active,
            weight: lane.weight,
            total: self.members.total,
            ..Slot::default()
        };
        self.rows.set(place, lane.from, value);
        self.open += 1;
        self.search.opened(iteration);
        lane.reached = iteration;
        None
    }

    /// One more value of a row; given back if that is not ordinary.
    #[inline(always)]
    fn joins_row(
        &mut self,
        lane: &mut Lane,
        iteration: Iteration,
        value: V,
        report: &mut impl FnMut(Report<'_, V>),
    ) -> Option<V> {
        let (place, from) = (self.rows.place(iteration), lane.from);
        let slot = &self.rows.slots[place];
        let is_open = slot.is_open_for(iteration) && iteration > self.rows.low;
        let waits_for = slot.expected.but(slot.present.or(slot.left));
        if !is_open || lane.only.and(waits_for).is_empty() {
            return Some(value);
        }
        let (present, weight) = (slot.present.or(lane.only), slot.weight + lane.weight);
        let agrees = |other: ReplicaNumber| {
            self.rows.value(place, other).is_some_and(|other| self.rule.is_right(&value, other))
        };
        let is_complete = slot.expected.but(present).is_empty();
        let (right, votes) = match slot.voted {
            Some(whose) if agrees(whose) => (slot.right.or(lane.only), false),
            None if weight * 2 <= slot.total => (Replicas::NONE, false),
            // Equals of each other are equals of all.
            None if !slot.present.is_empty() && slot.present.iter().all(agrees) => (present, true),
            _ => return Some(value),
        };
        if is_complete && (right != present || !self.members.is_sure_of(right)) {
            return Some(value);
        }
        self.looked = self.search.look(iteration);
        self.rows.set(place, from, value);
        let slot = &mut self.rows.slots[place];
        (slot.present, slot.weight, slot.right) = (present, weight, right);
        if votes {
            (slot.voted, slot.agreed) = (Some(from), present);
            self.settled = self.settled.max(iteration);
            if let Some(value) = self.rows.value(place, from) {
                report(Report::Voted { iteration, value, agree: present });
            }
        }
        if is_complete {
            self.rows.slots[place].is_open = false;
            self.settled = self.settled.max(iteration);
            self.open -= 1;
            self.search.closed(iteration);
        }
        lane.reached = lane.reached.max(iteration);
        None
    }
}
