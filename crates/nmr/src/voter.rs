//! The voter: takes values of replicas in any order, votes as soon as its rule can, and waits for none of them (CMU 1982, 1.1.2 and 1.4).
//!
//! Invariant: rows (`rows.rs`) go at most as far ahead of what was voted as settings say, so no minority pushes out a row that has not come to a vote. Nothing is allocated after construction (`tests/no_allocation.rs`), and no call takes longer than the queue is long.
//!
//! Absent: clocks, threads, and how values get here (`redundant.rs`).

mod batch;
mod whole;

use crate::members::Members;
use crate::report::{Received, Record, Report};
use crate::rows::{Rows, Slot};
use crate::rule::{Row, Rule};
use crate::search::{Constant, Search};
use crate::{Iteration, MembersError, ReplicaNumber, Replicas, Settings, SettingsError};

/// Votes on values of type `V` by a rule. Equal calls in equal order give equal reports.
///
/// ```
/// use windfall_nmr::{Iteration, Majority, ReplicaNumber, Report, Settings, Voter};
///
/// let mut voter: Voter<u64, Majority> = Voter::new(&Settings::new(3), Majority::EXACT)?;
/// let mut voted = None;
/// for (replica, value) in [(0, 42), (1, 13), (2, 42)] {
///     voter.receive(ReplicaNumber(replica), Iteration(1), value, |report| {
///         if let Report::Voted { value, .. } = report {
///             voted = Some(*value);
///         }
///     });
/// }
/// assert_eq!(voted, Some(42));
/// assert_eq!(voter.record(ReplicaNumber(1)).map(|record| record.wrong), Some(1));
/// # Ok::<(), windfall_nmr::SettingsError>(())
/// ```
// Fields: the rule, who takes part, the rows with their values and how they are found, and how far they go.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Voter<V, R, S = Constant> {
    rule: R,
    members: Members,
    rows: Rows<V>,
    search: S,
    ahead: u64,
    lag: u64,
    /// The last iteration that has come to a vote, or to none for good.
    settled: Iteration,
    is_joining: bool,
    open: u32,
    looked: u32,
}

impl<V, R: Rule<V>, S: Search> Voter<V, R, S> {
    /// A voter for iterations from 1 on.
    ///
    /// # Errors
    /// When the settings cannot be.
    pub fn new(settings: &Settings, rule: R) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Voter {
            rule,
            members: Members::new(settings),
            rows: Rows::new(settings.queue, settings.places()),
            search: S::new(settings.queue),
            ahead: settings.ahead.into(),
            lag: settings.lag,
            settled: Iteration::default(),
            is_joining: false,
            open: 0,
            looked: 0,
        })
    }

    /// A voter that joins others, as that of a replica which comes back: its iterations begin where values of a majority are. Until then, it takes none.
    ///
    /// # Errors
    /// When the settings cannot be.
    pub fn joining(settings: &Settings, rule: R) -> Result<Self, SettingsError> {
        Ok(Voter { is_joining: true, ..Voter::new(settings, rule)? })
    }

    /// A value of a replica for an iteration has come. Its effects are reported at once.
    pub fn receive(
        &mut self,
        from: ReplicaNumber,
        iteration: Iteration,
        value: V,
        mut report: impl FnMut(Report<'_, V>),
    ) -> Received {
        if !self.members.active.has(from) {
            return Received::NotActive;
        }
        if self.is_joining && (!self.has_joined(from, iteration) || iteration > self.last_taken()) {
            return Received::Ahead;
        }
        let is_first = iteration > self.rows.top;
        if is_first {
            if iteration > self.last_taken() {
                return self.is_ahead(from, iteration, &mut report);
            }
            self.moves_to(iteration, &mut report);
        }
        self.looked = self.search.look(iteration);
        let place = self.rows.place(iteration);
        let is_known = self.rows.slots[place].iteration == iteration;
        let slot = &self.rows.slots[place];
        let is_closed = is_known && (!slot.is_open || slot.left.has(from));
        if iteration <= self.rows.low || is_closed {
            return self.is_late(from, iteration, &mut report);
        }
        if !is_known {
            self.opens(place, iteration);
        }
        if self.rows.slots[place].present.has(from) {
            return self.is_twice(from, iteration, &mut report);
        }
        self.rows.store(place, from, self.members.weight(from), value);
        let was_voted = self.rows.slots[place].voted.is_some();
        if was_voted {
            self.compares(place, from);
        } else {
            self.decides(place, Some(from), false, &mut report);
        }
        if self.rows.slots[place].is_complete() {
            self.closes(place, &mut report);
        }
        self.comes_to(from, iteration, is_first, &mut report);
        if was_voted { Received::Compared } else { Received::Stored }
    }

    /// No more values are waited for in this iteration: it is voted on what has come, or never. Nothing happens if it is not open.
    pub fn give_up(&mut self, iteration: Iteration, mut report: impl FnMut(Report<'_, V>)) {
        let place = self.rows.place(iteration);
        if self.rows.slots[place].is_open_for(iteration) {
            self.closes(place, &mut report);
        }
    }

    /// A replica takes part no longer. Rows that only waited for it are complete, and where fewer make a majority now, they may come to a vote.
    ///
    /// # Errors
    /// When it takes no part, or one alone would be left.
    pub fn retire(
        &mut self,
        replica: ReplicaNumber,
        mut report: impl FnMut(Report<'_, V>),
    ) -> Result<(), MembersError> {
        self.members.retire(replica)?;
        for iteration in self.rows.low.0 + 1..=self.rows.top.0 {
            let place = self.rows.place(Iteration(iteration));
            if !self.rows.slots[place].is_open_for(Iteration(iteration)) {
                continue;
            }
            self.rows.leave_out(place, replica, self.members.weight(replica));
            self.decides(place, None, false, &mut report);
            if self.rows.slots[place].is_complete() {
                self.closes(place, &mut report);
            }
        }
        Ok(())
    }

    /// A replica comes back, or a spare takes part. It is not waited for in rows that are open.
    ///
    /// # Errors
    /// When it takes part already, or there is no such replica or spare.
    pub fn admit(&mut self, replica: ReplicaNumber) -> Result<(), MembersError> {
        let reached = self.members.frontier();
        self.members.admit(replica, reached)
    }

    /// The last iteration that is taken now: values for later ones are ahead.
    #[must_use]
    pub fn last_taken(&self) -> Iteration {
        Iteration(self.settled.0.saturating_add(self.ahead)).min(Iteration::LAST)
    }

    /// A voter that joins others has heard a claim. Whether it knows where a majority is.
    fn has_joined(&mut self, from: ReplicaNumber, iteration: Iteration) -> bool {
        self.members.reaches(from, iteration.min(Iteration::LAST));
        let frontier = self.members.frontier().0;
        if frontier > 0 {
            self.is_joining = false;
            let begun = Iteration(frontier - 1);
            self.rows.begin_after(begun);
            self.members.begin_after(begun);
            self.settled = begun;
        }
        frontier > 0
    }

    fn is_ahead(
        &mut self,
        replica: ReplicaNumber,
        iteration: Iteration,
        report: &mut impl FnMut(Report<'_, V>),
    ) -> Received {
        self.members.record(replica).ahead += 1;
        let last = self.last_taken();
        report(Report::Ahead { replica, iteration, last });
        Received::Ahead
    }

    fn is_twice(
        &mut self,
        replica: ReplicaNumber,
        iteration: Iteration,
        report: &mut impl FnMut(Report<'_, V>),
    ) -> Received {
        self.members.record(replica).twice += 1;
        report(Report::Twice { replica, iteration });
        Received::Twice
    }

    fn is_late(
        &mut self,
        replica: ReplicaNumber,
        iteration: Iteration,
        report: &mut impl FnMut(Report<'_, V>),
    ) -> Received {
        let slot = &self.rows.slots[self.rows.place(iteration)];
        if slot.iteration == iteration && slot.present.has(replica) {
            return self.is_twice(replica, iteration, report);
        }
        self.members.record(replica).late += 1;
        report(Report::Late { replica, iteration });
        self.comes_to(replica, iteration, false, report);
        Received::Late
    }

    /// A value of this replica was for this iteration, which may be the first of all for it.
    fn comes_to(
        &mut self,
        replica: ReplicaNumber,
        iteration: Iteration,
        is_first: bool,
        report: &mut impl FnMut(Report<'_, V>),
    ) {
        self.members.reaches(replica, iteration);
        if self.members.records[replica.index()].is_lagging {
            let frontier = self.members.frontier();
            let record = self.members.record(replica);
            record.is_lagging = frontier.0.saturating_sub(record.reached.0) > self.lag;
        }
        if is_first && self.members.is_any_behind(iteration, self.lag) {
            self.members
                .lags(self.lag, |replica, behind| report(Report::Lagging { replica, behind }));
        }
    }

    /// The rows go on to this iteration. Those that are no longer kept are closed.
    fn moves_to(&mut self, iteration: Iteration, report: &mut impl FnMut(Report<'_, V>)) {
        let low = self.rows.low_with(iteration).0;
        for gone in self.rows.low.0 + 1..=low {
            let gone = Iteration(gone);
            let place = self.rows.place(gone);
            if self.rows.slots[place].iteration != gone {
                let absent = self.members.active;
                self.members.judge(gone, Replicas::NONE, Replicas::NONE, absent);
                let wrong = Replicas::NONE;
                report(Report::Errors { iteration: gone, voted: false, wrong, absent });
            } else if self.rows.slots[place].is_open {
                self.closes(place, report);
            }
        }
        self.rows.low = Iteration(low);
        self.rows.top = iteration;
    }

    fn opens(&mut self, place: usize, iteration: Iteration) {
        let (expected, total) = (self.members.active, self.members.total);
        self.rows.slots[place] =
            Slot { iteration, is_open: true, expected, total, ..Slot::default() };
        self.open += 1;
        self.search.opened(iteration);
    }

    /// Whether a value is right that came after the vote: it agrees with what was voted, or with one of those that agreed with that. So a correct value is not wrong because one in the middle was voted.
    #[inline(always)]
    fn compares(&mut self, place: usize, from: ReplicaNumber) {
        let slot = &self.rows.slots[place];
        let Some(value) = self.rows.value(place, from) else { return };
        let agrees = |other: ReplicaNumber| {
            self.rows.value(place, other).is_some_and(|other| self.rule.is_right(value, other))
        };
        if slot.voted.is_some_and(agrees) || slot.agreed.iter().any(agrees) {
            let slot = &mut self.rows.slots[place];
            slot.right = slot.right.with(from);
        }
    }

    /// Comes to a vote, if there was none and the rule can.
    #[inline(always)]
    fn decides(
        &mut self,
        place: usize,
        came: Option<ReplicaNumber>,
        last: bool,
        report: &mut impl FnMut(Report<'_, V>),
    ) {
        let slot = &self.rows.slots[place];
        if slot.voted.is_some() {
            return;
        }
        let row = Row {
            values: self.rows.values(place),
            weights: &self.members.weights,
            present: slot.present,
            active: slot.expected,
            came,
            weight: slot.weight,
            total: slot.total,
        };
        let Some((whose, agree)) = self.rule.decide(&row, last) else { return };
        let slot = &mut self.rows.slots[place];
        (slot.voted, slot.right, slot.agreed) = (Some(whose), agree, agree);
        let (iteration, others) = (slot.iteration, slot.present.but(agree));
        for other in others.iter() {
            self.compares(place, other);
        }
        self.settled = self.settled.max(iteration);
        if let Some(value) = self.rows.value(place, whose) {
            report(Report::Voted { iteration, value, agree });
        }
    }

    /// A row is complete, or is not waited for any longer.
    fn closes(&mut self, place: usize, report: &mut impl FnMut(Report<'_, V>)) {
        self.decides(place, None, true, report);
        let Slot { iteration, present, expected, voted, right, .. } = self.rows.slots[place];
        // Without a vote nobody knows who is wrong.
        let wrong = if voted.is_some() { present.but(right) } else { Replicas::NONE };
        let absent = expected.but(present);
        self.members.judge(iteration, right, wrong, absent);
        self.rows.slots[place].is_open = false;
        self.settled = self.settled.max(iteration);
        self.open -= 1;
        self.search.closed(iteration);
        let voted = voted.is_some();
        if !voted || !wrong.is_empty() || !absent.is_empty() {
            report(Report::Errors { iteration, voted, wrong, absent });
        }
    }

    /// How many rows there are: of iterations that have begun and are not complete.
    #[must_use]
    pub const fn length(&self) -> u32 {
        self.open
    }

    /// How many rows were looked at for the last value.
    #[must_use]
    pub const fn looked(&self) -> u32 {
        self.looked
    }

    /// Those that take part.
    #[must_use]
    pub const fn active(&self) -> Replicas {
        self.members.active
    }

    /// The last iteration that a majority has reached.
    #[must_use]
    pub fn frontier(&self) -> Iteration {
        self.members.frontier()
    }

    /// The faults of a replica; `None` if there is no such replica or spare.
    #[must_use]
    pub fn record(&self, replica: ReplicaNumber) -> Option<&Record> {
        self.members.records.get(replica.index())
    }

    /// Whether the row of this iteration is kept, or still to come.
    #[must_use]
    pub fn keeps(&self, iteration: Iteration) -> bool {
        iteration > self.rows.low
    }

    /// Whether it does not know yet where a majority is.
    #[must_use]
    pub const fn is_joining(&self) -> bool {
        self.is_joining
    }

    /// Whether this iteration is over without a vote: all values are there, or none are waited for any longer.
    #[must_use]
    pub fn is_without_vote(&self, iteration: Iteration) -> bool {
        let slot = &self.rows.slots[self.rows.place(iteration)];
        slot.iteration == iteration && !slot.is_open && slot.voted.is_none()
    }

    /// The vote of an iteration, while its row is in the queue.
    #[must_use]
    pub fn voted(&self, iteration: Iteration) -> Option<&V> {
        let place = self.rows.place(iteration);
        let slot = &self.rows.slots[place];
        let whose = slot.voted.filter(|_| slot.iteration == iteration)?;
        self.rows.value(place, whose)
    }
}
