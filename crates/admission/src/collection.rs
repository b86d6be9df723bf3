//! When a list is collected: measured while it runs, at least cost within two limits (section 3; `docs/errata.md` has the derivation).
//!
//! `line.rs` fits what searches and collections cost, `costs.rs` has the relation between costs, limits and the slots of the free pool, `error.rs` its errors.

mod costs;
mod error;
mod line;

pub use costs::{Bound, Costs, Limits, Pool};
pub use error::PoolError;

use crate::{Admission, AdmitError, PagedList, Ticket};
use line::Line;
use windfall_time::{Instant, Span};

/// After so many collections, what was measured before counts half.
const WINDOW: u64 = 1_024;
/// After so many collections the pool is computed again, which takes longer than a collection.
const REVIEW: u32 = 64;

/// Decides when a list is collected, by what searches and collections cost so far (section 3).
///
/// A collection is due when so many slots were taken since the last one as the free pool has. While nothing is known, the pool doubles from one collection to the
/// next, by which costs are measured at several sizes; then it has as many slots as [`Collector::pool`] says, once in 64 collections. It never grows to more than twice at once, so that
/// what was measured by chance shows before it costs much.
///
/// # Units
/// Costs are time on the processor, measured by the caller. An interruption that is counted as cost makes the answer worse.
#[derive(Clone, Debug)]
pub struct Collector {
    limits: Limits,
    measured: Measured,
    /// The limits that every collection kept to.
    met: Option<Limits>,
    last: Option<Instant>,
    /// Slots taken since the last collection.
    taken: u32,
    /// Cost of searches since a slot was taken last.
    refused: Span,
    /// Cost of all searches since the last collection.
    searched: Span,
    /// Overhead of speculation since the last collection.
    speculated: Span,
    due: u32,
    /// Collections until the pool is computed again.
    review: u32,
}

/// The costs of searches and collections.
#[derive(Clone, Debug, Default)]
struct Measured {
    /// Cost of a slot against the slots taken since the last collection, but for the first.
    searches: Line,
    /// Cost of the first slot after a collection, which pays for that, too: caches and predictions of branches are not as they were.
    firsts: Line,
    /// Cost of a collection against what it collected.
    collections: Line,
    sums: Sums,
}

/// The load between collections.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    collections: u64,
    passed: Span,
    /// Of searches and collections.
    overhead: Span,
    speculated: Span,
    taken: u64,
    collected: u64,
}

impl Collector {
    /// Nothing is measured.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Collector {
            limits,
            measured: Measured::default(),
            met: None,
            last: None,
            taken: 0,
            refused: Span::ZERO,
            searched: Span::ZERO,
            speculated: Span::ZERO,
            due: 1,
            review: 0,
        }
    }

    /// Admits as [`Admission::admit`], collects before that if it is due, and measures both by `clock`, which never goes back.
    ///
    /// # Errors
    /// As there.
    pub fn admit(
        &mut self,
        list: &mut Admission<PagedList>,
        work: Span,
        deadline: Instant,
        mut clock: impl FnMut() -> Instant,
    ) -> Result<Ticket, AdmitError> {
        let mut begun = clock();
        if self.is_due() {
            let slots = list.collect();
            self.collected(slots, clock().saturating_since(begun), list.now());
            begun = clock();
        }
        let answer = list.admit(work, deadline);
        self.searched(clock().saturating_since(begun), answer.is_ok());
        answer
    }

    /// Whether the slots of the free pool are used up.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.taken >= self.due
    }

    /// A task was admitted, which took a slot, or refused, after a search at this cost.
    pub fn searched(&mut self, cost: Span, took: bool) {
        self.searched = self.searched.saturating_add(cost);
        self.refused = self.refused.saturating_add(cost);
        if took {
            let line = if self.taken == 0 {
                &mut self.measured.firsts
            } else {
                &mut self.measured.searches
            };
            line.add(u64::from(self.taken), self.refused);
            self.refused = Span::ZERO;
            self.taken = self.taken.saturating_add(1);
        }
    }

    /// So much of the time since the last call was overhead of speculation: a state was saved, or work undone and done again. A program that does not speculate never says so.
    pub fn speculated(&mut self, overhead: Span) {
        self.speculated = self.speculated.saturating_add(overhead);
    }

    /// So many slots were collected at this cost, when the list's time was `now`.
    pub fn collected(&mut self, slots: usize, cost: Span, now: Instant) {
        self.measured.collections.add(slots as u64, cost);
        if let Some(last) = self.last {
            self.meets(now.saturating_since(last), cost);
            let sums = &mut self.measured.sums;
            let overhead = self.searched.saturating_add(cost);
            sums.add(now.saturating_since(last), overhead, self.speculated);
            sums.taken += u64::from(self.taken);
            sums.collected += slots as u64;
        }
        (self.last, self.taken) = (Some(now), 0);
        (self.searched, self.speculated) = (Span::ZERO, Span::ZERO);
        match self.review.checked_sub(1) {
            Some(left) => self.review = left,
            None => self.resize(),
        }
    }

    fn meets(&mut self, apart: Span, longest: Span) {
        let one = Limits { longest, apart, slots: self.taken };
        self.met = Some(self.met.map_or(one, |all| Limits {
            longest: all.longest.max(one.longest),
            apart: all.apart.min(one.apart),
            slots: all.slots.max(one.slots),
        }));
    }

    /// The tightest limits that all collections but the first have kept to: the longest one (the paper's `T_g`), the least time from one to the next (one over its
    /// `g`), and the most slots between two. `None` before the second.
    #[must_use]
    pub const fn met(&self) -> Option<Limits> {
        self.met
    }

    fn resize(&mut self) {
        (self.due, self.review) = match self.pool() {
            Ok(pool) => (pool.slots.min(self.due.saturating_mul(2)), REVIEW - 1),
            Err(PoolError::Unmeasured) if self.due < self.limits.slots / 2 => (self.due * 2, 0),
            Err(PoolError::Unmeasured) => (1, 0),
            // The caller asks for the pool, and learns of the error.
            Err(_) => (self.due, REVIEW - 1),
        };
    }

    /// The measured values; `None` while costs were not seen at two sizes, or no time passed.
    #[must_use]
    pub fn costs(&self) -> Option<Costs> {
        let Measured { searches, firsts, collections, sums } = &self.measured;
        let ((admission, growth), (fixed, each)) = (searches.fit()?, collections.fit()?);
        let Sums { passed, overhead, speculated, taken, collected, .. } = *sums;
        let pico = |span: Span, parts: u64| {
            u64::try_from(u128::from(span.as_nanos()) * 1_000 / u128::from(parts)).ok()
        };
        let slots = (taken > 0).then_some(taken)?;
        let speculation = pico(speculated, slots)?;
        let rest = passed.saturating_sub(overhead).saturating_sub(speculated);
        let execution = pico(rest, slots)?;
        let between = if collected == 0 { None } else { Some(pico(passed, collected)?) };
        let fixed = fixed.checked_add(firsts.mean()?.saturating_sub(admission))?;
        Some(Costs { execution, speculation, admission, growth, fixed, each, between })
    }

    /// The free pool of least cost within the limits.
    ///
    /// # Errors
    /// While costs are not known, and when a limit cannot be met, which is named. Collections go on as before then.
    pub fn pool(&self) -> Result<Pool, PoolError> {
        self.costs().ok_or(PoolError::Unmeasured)?.pool(&self.limits)
    }
}

impl Sums {
    fn add(&mut self, passed: Span, overhead: Span, speculated: Span) {
        if self.collections == WINDOW {
            let half = |span: Span| Span::from_nanos(span.as_nanos() / 2);
            *self = Sums {
                collections: self.collections / 2,
                passed: half(self.passed),
                overhead: half(self.overhead),
                speculated: half(self.speculated),
                taken: self.taken / 2,
                collected: self.collected / 2,
            };
        }
        self.collections += 1;
        self.passed = self.passed.saturating_add(passed);
        self.overhead = self.overhead.saturating_add(overhead);
        self.speculated = self.speculated.saturating_add(speculated);
    }
}
