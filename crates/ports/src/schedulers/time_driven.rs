//! Time driven: a table of start times, repeated for ever, into whose entries tasks are admitted (section 2.4).
//!
//! Invariant: the work of all entries that lie within any window is at most the share of its length. It is checked for windows up to one cycle, which is
//! exact: each further cycle adds at most the work of one.

use crate::scheduler::{Queries, Scheduler};
use crate::{Claim, Request, Share, SubmitError, TaskId};
use core::fmt;
use std::collections::BTreeMap;
use windfall_admission::{AdmitError, HORIZON};
use windfall_time::{Instant, Span};

/// An entry of a table: from `start` after the begin of each cycle, so much work, which ends by `by` after that begin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entry {
    start: Span,
    by: Span,
    work: Span,
}

impl Entry {
    /// Work between two instants of each cycle.
    #[must_use]
    pub const fn new(start: Span, work: Span, by: Span) -> Entry {
        Entry { start, by, work }
    }
}

/// Why a table cannot be carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TableError {
    /// It has no entries, or no cycle.
    Empty,
    /// An entry has no work, does not begin within the cycle, ends before it begins, or lasts longer than a cycle.
    Entry {
        /// Its place in the table, by start.
        index: usize,
    },
    /// The entries of a window are more than the share of it.
    TooMuch {
        /// From when in the cycle.
        from: Span,
        /// How long the window is.
        length: Span,
        /// The work in it.
        work: Span,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Empty => f.write_str("no entries, or a cycle of no length; give both"),
            TableError::Entry { index } => write!(
                f,
                "entry {index} needs work, a start within the cycle, and an end after that, at most a cycle later"
            ),
            TableError::TooMuch { from, length, work } => write!(
                f,
                "entries of {work} lie within {length} from {from}; that is above the share: give more, or move them apart"
            ),
        }
    }
}

impl core::error::Error for TableError {}

#[derive(Clone, Copy, Debug)]
struct Occurrence {
    start: Instant,
    by: Instant,
    work: Span,
    entry: usize,
}

#[derive(Clone, Copy, Debug)]
struct Planned {
    task: TaskId,
    by: Instant,
    left: Span,
}

/// Runs each task in the entry that it was admitted to.
#[derive(Clone, Debug)]
pub struct TimeDriven {
    share: Share,
    now: Instant,
    cycle: Span,
    entries: Vec<Entry>,
    /// By start, and entry.
    plan: BTreeMap<(Instant, usize), Planned>,
    places: BTreeMap<TaskId, (Instant, usize)>,
}

impl TimeDriven {
    /// A table; cycles begin at the origin of time.
    ///
    /// # Errors
    /// When it is not a table, or its entries are above the share somewhere.
    pub fn new(share: Share, cycle: Span, entries: &[Entry]) -> Result<TimeDriven, TableError> {
        if entries.is_empty() || cycle.is_zero() {
            return Err(TableError::Empty);
        }
        let mut entries = entries.to_vec();
        entries.sort_unstable();
        let fits = |e: &Entry| {
            let length = e.by.saturating_sub(e.start);
            !e.work.is_zero() && e.start < cycle && e.start < e.by && length <= cycle
        };
        if let Some(index) = entries.iter().position(|entry| !fits(entry)) {
            return Err(TableError::Entry { index });
        }
        for from in entries.iter().map(|entry| entry.start) {
            check_windows(share, cycle, &entries, from)?;
        }
        let (plan, places) = (BTreeMap::new(), BTreeMap::new());
        Ok(TimeDriven { share, now: Instant::ZERO, cycle, entries, plan, places })
    }

    /// The entries that begin from now on and are free, as far as each has been seen free once; in order of start.
    fn free(&self) -> impl Iterator<Item = Occurrence> + '_ {
        let first = self.now.as_nanos() / self.cycle.as_nanos();
        let cycles = first..=first.saturating_add(self.plan.len() as u64 + 1);
        let all = cycles.flat_map(|cycle| {
            let begin = Instant::ZERO.saturating_add(self.cycle.saturating_mul(cycle));
            self.entries.iter().enumerate().map(move |(entry, one)| Occurrence {
                start: begin.saturating_add(one.start),
                by: begin.saturating_add(one.by),
                work: one.work,
                entry,
            })
        });
        let free = |one: &Occurrence| !self.plan.contains_key(&(one.start, one.entry));
        all.filter(|one| one.start >= self.now && one.by <= HORIZON).filter(free)
    }

    fn most(&self) -> Span {
        self.entries.iter().map(|entry| entry.work).max().unwrap_or(Span::ZERO)
    }

    fn refusal(&self, work: Span, deadline: Option<Instant>) -> AdmitError {
        match deadline {
            Some(deadline) => {
                let earliest = self.earliest_deadline(work).ok().flatten();
                let idle = self.idle_before(deadline);
                AdmitError::NoRoom { work, deadline, idle, earliest }
            }
            None => AdmitError::BeyondHorizon { deadline: HORIZON },
        }
    }
}

/// Whether windows of up to a cycle that begin at `from` hold at most the share, and cycles do.
fn check_windows(
    share: Share,
    cycle: Span,
    entries: &[Entry],
    from: Span,
) -> Result<(), TableError> {
    // When each entry that begins at or after `from` ends, counted from there.
    let mut ends: Vec<(Span, Span)> = entries
        .iter()
        .map(|entry| {
            let wait = if entry.start >= from {
                entry.start.saturating_sub(from)
            } else {
                entry.start.saturating_add(cycle).saturating_sub(from)
            };
            (wait.saturating_add(entry.by.saturating_sub(entry.start)), entry.work)
        })
        .collect();
    ends.sort_unstable();
    let mut work = Span::ZERO;
    for (length, more) in ends.into_iter().map(|(end, more)| (end.min(cycle), more)) {
        work = work.saturating_add(more);
        if !share.holds(work, length) {
            return Err(TableError::TooMuch { from, length, work });
        }
    }
    Ok(())
}

impl Scheduler for TimeDriven {
    fn share(&self) -> Option<Share> {
        Some(self.share)
    }

    fn advance(&mut self, now: Instant) {
        self.now = now;
    }

    fn submit(&mut self, task: TaskId, request: &Request) -> Result<(), SubmitError> {
        let work = request.work;
        self.earliest_deadline(work)?;
        let in_time = |one: &Occurrence| request.deadline.is_none_or(|deadline| one.by <= deadline);
        let found = self.free().find(|one| work <= one.work && in_time(one));
        let Some(found) = found else { return Err(self.refusal(work, request.deadline).into()) };
        let place = (found.start, found.entry);
        self.plan.insert(place, Planned { task, by: found.by, left: work });
        self.places.insert(task, place);
        Ok(())
    }

    fn claim(&self) -> Option<Claim> {
        let begun = self.plan.range(..=(self.now, usize::MAX)).map(|(_, planned)| planned);
        let first = begun.min_by_key(|planned| planned.by)?;
        Some(Claim::new(first.task, Some(first.by), first.left))
    }

    fn ran(&mut self, task: TaskId, received: Span) {
        let place = self.places.get(&task);
        if let Some(planned) = place.and_then(|place| self.plan.get_mut(place)) {
            planned.left = planned.left.saturating_sub(received);
        }
    }

    fn ended(&mut self, task: TaskId) {
        if let Some(place) = self.places.remove(&task) {
            self.plan.remove(&place);
        }
    }

    fn wakes(&self) -> Option<Instant> {
        self.plan.keys().map(|(start, _)| *start).find(|start| *start > self.now)
    }

    fn queries(&self) -> Option<&dyn Queries> {
        Some(self)
    }
}

impl Queries for TimeDriven {
    fn idle_before(&self, deadline: Instant) -> Span {
        let in_time = self.free().filter(|one| one.by <= deadline);
        in_time.map(|one| one.work).max().unwrap_or(Span::ZERO)
    }

    fn earliest_deadline(&self, work: Span) -> Result<Option<Instant>, AdmitError> {
        let most = self.most();
        if work.is_zero() {
            Err(AdmitError::NoWork)
        } else if work > most {
            Err(AdmitError::TooMuchWork { work, most })
        } else {
            Ok(self.free().filter(|one| work <= one.work).map(|one| one.by).min())
        }
    }
}
