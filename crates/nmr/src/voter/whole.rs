//! Values of all replicas at once: a row whose values are all there and agree is looked at once, all else goes the way of [`Voter::receive_all`].
//!
//! Invariant: state and reports are those of [`Voter::receive`] for each value in the order that [`Voter::receive_rows`] says; `tests/rows.rs` holds that.

use super::Voter;
use crate::report::Report;
use crate::rows::Slot;
use crate::rule::Rule;
use crate::search::Search;
use crate::{Iteration, ReplicaNumber, Replicas};

/// The facts that hold while whole rows come.
struct Whole<const N: usize> {
    from: [ReplicaNumber; N],
    /// A row whose values agree comes to a vote with that of this place.
    decisive: usize,
    /// The state of such a row, but for its iteration.
    slot: Slot,
    /// A row up to this iteration is taken, and with it nobody is too far behind.
    until: Iteration,
    /// Rows are kept after this one, up to that.
    low: Iteration,
    top: Iteration,
}

impl<V, R: Rule<V>, S: Search> Voter<V, R, S> {
    /// Values of several replicas have come, as if each were [received](Self::receive): first, replica by replica, those before the highest of the first iterations; then, while all replicas have a value for the same iteration, row by row;
    /// then the rest, replica by replica. Faster where they agree. `read`: what a record says.
    ///
    /// Nobody is waited for: what is not there yet may come in a later call.
    ///
    /// ```
    /// use windfall_nmr::{Iteration, Majority, ReplicaNumber, Report, Settings, Voter};
    ///
    /// let mut voter: Voter<u64, Majority> = Voter::new(&Settings::new(3), Majority::EXACT)?;
    /// let mut votes = 0;
    /// let records: Vec<[u64; 2]> = (1..=10).map(|n| [n, n * n]).collect();
    /// // So far the third is behind by two.
    /// let records = [&records[..], &records[..], &records[..8]];
    /// let read = |[iteration, value]: &[u64; 2]| (Iteration(*iteration), *value);
    /// voter.receive_rows([0, 1, 2].map(ReplicaNumber), records, read, |report| {
    ///     votes += u32::from(matches!(report, Report::Voted { .. }));
    /// });
    /// assert_eq!((votes, voter.length()), (10, 2));
    /// # Ok::<(), windfall_nmr::SettingsError>(())
    /// ```
    pub fn receive_rows<T, const N: usize>(
        &mut self,
        from: [ReplicaNumber; N],
        mut records: [&[T]; N],
        read: impl Fn(&T) -> (Iteration, V),
        mut report: impl FnMut(Report<'_, V>),
    ) {
        let firsts = records.iter().filter_map(|records| records.first());
        let begin = firsts.map(|first| read(first).0).max();
        for (from, records) in from.into_iter().zip(&mut records) {
            let before = records.iter().take_while(|record| Some(read(record).0) < begin).count();
            if before > 0 {
                let (before, later) = records.split_at(before);
                self.receive_all(from, before.iter().map(&read), &mut report);
                *records = later;
            }
        }
        let most = records.iter().map(|records| records.len()).min().unwrap_or(0);
        let whole_rows = records.map(|records| &records[..most]);
        let rows = self.takes_rows(from, whole_rows, &read, &mut report);
        for (from, records) in from.into_iter().zip(records) {
            if rows < records.len() {
                self.receive_all(from, records[rows..].iter().map(&read), &mut report);
            }
        }
    }

    /// Takes as many rows of these as there are: as long as their records are for one iteration. How many.
    fn takes_rows<T, const N: usize>(
        &mut self,
        from: [ReplicaNumber; N],
        records: [&[T]; N],
        read: &impl Fn(&T) -> (Iteration, V),
        report: &mut impl FnMut(Report<'_, V>),
    ) -> usize {
        let most = records.first().map_or(0, |records| records.len());
        let mut whole = self.whole(from);
        for place in 0..most {
            let row = records.map(|records| read(&records[place]));
            let iteration = row[0].0;
            if row.iter().any(|(other, _)| *other != iteration) {
                self.leaves_rows(whole);
                return place;
            }
            let row = row.map(|(_, value)| value);
            let left = match &mut whole {
                Some(whole) => self.takes_row(whole, iteration, row, report),
                None => Some(row),
            };
            if let Some(row) = left {
                self.leaves_rows(whole);
                for (from, value) in from.into_iter().zip(row) {
                    self.receive(from, iteration, value, &mut *report);
                }
                whole = self.whole(from);
            }
        }
        self.leaves_rows(whole);
        most
    }

    /// Writes the facts that were not written for each row.
    fn leaves_rows<const N: usize>(&mut self, whole: Option<Whole<N>>) {
        let Some(Whole { from, low, top, .. }) = whole else { return };
        if top > self.rows.top {
            (self.rows.low, self.rows.top, self.settled) = (low, top, top);
            from.into_iter().for_each(|from| self.members.reaches(from, top));
        }
    }

    /// Whether values of these may be whole rows, with which nothing is wrong.
    fn whole<const N: usize>(&self, from: [ReplicaNumber; N]) -> Option<Whole<N>> {
        let members = &self.members;
        let all: Replicas = from.into_iter().collect();
        let are_all = usize::from(all.count()) == N && all == members.active;
        if !R::EQUALS_DECIDE || !are_all || self.is_joining || !members.is_sure_of(all) {
            return None;
        }
        // One that is too far behind is so for each row up to the next one.
        let reached = from.iter().map(|from| members.records[from.index()].reached.0).min()?;
        let until = self.last_taken().min(Iteration(reached.saturating_add(self.lag)));
        let (mut agree, mut weight) = (Replicas::NONE, 0);
        let decisive = from.iter().position(|from| {
            agree = agree.with(*from);
            weight += members.weight(*from);
            weight * 2 > members.total
        })?;
        let slot = Slot {
            iteration: Iteration::default(),
            is_open: false,
            present: all,
            expected: all,
            weight: members.total,
            total: members.total,
            voted: from.get(decisive).copied(),
            agreed: agree,
            right: all,
            left: Replicas::NONE,
        };
        Some(Whole { from, decisive, slot, until, low: self.rows.low, top: self.rows.top })
    }

    /// All values of the next iteration; given back if that is not ordinary.
    #[inline(always)]
    fn takes_row<const N: usize>(
        &mut self,
        whole: &mut Whole<N>,
        iteration: Iteration,
        row: [V; N],
        report: &mut impl FnMut(Report<'_, V>),
    ) -> Option<[V; N]> {
        let agree = |other| self.rule.is_right(other, &row[0]);
        let is_taken = iteration == whole.top.next() && iteration <= whole.until;
        if !is_taken || !row[1..].iter().all(agree) {
            return Some(row);
        }
        let low = self.rows.low_with(iteration).max(whole.low);
        if low > whole.low && !self.rows.is_closed(low) {
            return Some(row);
        }
        self.search.look(iteration);
        self.search.opened(iteration);
        for _ in 1..N {
            self.looked = self.search.look(iteration);
        }
        self.search.closed(iteration);
        let agree = whole.slot.agreed;
        report(Report::Voted { iteration, value: &row[whole.decisive], agree });
        let place = self.rows.place(iteration);
        self.rows.slots[place] = Slot { iteration, ..whole.slot };
        self.rows.set_all(place, whole.from, row);
        // Now all are at this row, so the next one is neither too far ahead nor a lag away.
        (whole.until, whole.low, whole.top) = (Iteration::LAST, low, iteration);
        None
    }
}
