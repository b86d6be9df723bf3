//! Accepted time constraints: an amount of work before a deadline (HLS 6.2.4).
//!
//! Work comes first from the blocks of the child's own reservation, as far as earlier constraints leave them, and
//! then from time that belongs to nobody (free time). The two amounts are fixed when a constraint is accepted, and
//! kept in two accounts, each served earliest deadline first: a child that used free time for work that its own
//! blocks will cover could make another one late. Invariants: earliest deadline first, at most [`MANY`]; `free <=
//! work`; for each deadline, the free parts that are due by then fit into the free time until then, and for each
//! child that stays ready, the rest of its constraints fits into its blocks until then.

use crate::planned::time_line::plan::Block;
use alloc::vec::Vec;
use windfall_hierarchy::{AnswerError, ChildVp};
use windfall_time::{Instant, Ratio, Span};

/// The largest number of constraints at a time.
pub(crate) const MANY: usize = 32;

#[derive(Clone, Copy, Debug)]
struct Constraint {
    child: ChildVp,
    deadline: Instant,
    /// Work left.
    work: Span,
    /// The part of the work that is to come from free time.
    free: Span,
}

impl Constraint {
    fn reserved(&self) -> Span {
        self.work.saturating_sub(self.free)
    }
}

/// A constraint's place in the list, and its deadline.
pub(crate) type Place = (usize, Instant);

#[derive(Clone)]
pub(crate) struct Constraints {
    list: Vec<Constraint>,
}

impl Default for Constraints {
    fn default() -> Constraints {
        Constraints { list: Vec::with_capacity(MANY) }
    }
}

impl Constraints {
    /// Accepts a constraint if those accepted before leave room. Returns its place.
    ///
    /// # Errors
    /// When there is no room, or when the work exceeds the time until the deadline.
    pub(crate) fn accept<'b>(
        &mut self,
        (child, own): (ChildVp, Option<Block>),
        (work, deadline): (Span, Instant),
        blocks: impl Iterator<Item = &'b Block> + Clone,
        now: Instant,
    ) -> Result<usize, AnswerError> {
        let length = deadline.saturating_since(now);
        if work.is_zero() || work > length {
            return Err(AnswerError::OutOfRange {
                what: "work",
                allowed: "above zero, at most the time until the deadline",
            });
        }
        if self.list.len() == MANY {
            return Err(AnswerError::Full { limit: "a time line has 32 constraints at a time" });
        }
        let later = self.list.iter().map(|c| c.deadline).filter(|other| *other > deadline);
        let ends = core::iter::once(deadline).chain(later);
        let in_blocks = |to: Instant| {
            let all = own.map_or(Span::ZERO, |block| block.within(now, to));
            let taken = self.due(to).filter(|c| c.child == child).map(Constraint::reserved);
            all.saturating_sub(sum(taken))
        };
        let in_free_time = |to: Instant| {
            let reserved = sum(blocks.clone().map(|block| block.within(now, to)));
            let taken = sum(self.due(to).map(|c| c.free));
            to.saturating_since(now).saturating_sub(reserved).saturating_sub(taken)
        };
        let from_blocks = ends.clone().map(in_blocks).fold(work, Span::min);
        let free = work.saturating_sub(from_blocks);
        let left = ends.map(in_free_time).fold(length, Span::min);
        if free > left {
            return Err(AnswerError::NoRoom {
                requested: work.over(length).unwrap_or(Ratio::ZERO),
                left: from_blocks.saturating_add(left).over(length).unwrap_or(Ratio::ZERO),
            });
        }
        let place = self.list.partition_point(|other| other.deadline <= deadline);
        self.list.insert(place, Constraint { child, deadline, work, free });
        Ok(place)
    }

    fn due(&self, to: Instant) -> impl Iterator<Item = &Constraint> {
        self.list.iter().filter(move |c| c.deadline <= to)
    }

    /// The constraint that a child serves in a block of its own: one that relies on the block, else any.
    pub(crate) fn in_block(&self, child: ChildVp) -> Option<Place> {
        let own = || self.list.iter().enumerate().filter(|(_, c)| c.child == child);
        let counts = own().find(|(_, c)| !c.reserved().is_zero());
        counts.or_else(|| own().next()).map(|(place, c)| (place, c.deadline))
    }

    /// The constraint that is served in free time, if the children for which `waits` is true wait.
    pub(crate) fn in_free_time(&self, waits: impl Fn(ChildVp) -> bool) -> Option<(ChildVp, Place)> {
        let mut all = self.list.iter().enumerate();
        let (place, first) = all.find(|(_, c)| !c.free.is_zero() && !waits(c.child))?;
        Some((first.child, (place, first.deadline)))
    }

    /// Charges the time that the child ran for a constraint.
    pub(crate) fn charge(&mut self, place: usize, ran: Span, reserved: bool) {
        if let Some(served) = self.list.get_mut(place) {
            served.work = served.work.saturating_sub(ran);
            let free = if reserved { served.free } else { served.free.saturating_sub(ran) };
            served.free = free.min(served.work);
        }
    }

    /// How much longer a constraint can be served, in blocks (`reserved`) or in free time.
    pub(crate) fn left(&self, place: usize, reserved: bool) -> Span {
        match self.list.get(place) {
            None => Span::MAX,
            Some(served) if !reserved => served.free,
            Some(served) if served.reserved().is_zero() => served.work,
            Some(served) => served.reserved(),
        }
    }

    /// Drops constraints that are done or whose deadline has passed.
    pub(crate) fn drop_stale(&mut self, now: Instant) {
        self.list.retain(|c| c.deadline > now && !c.work.is_zero());
    }

    /// Drops a child's constraints.
    pub(crate) fn forget(&mut self, child: ChildVp) {
        self.list.retain(|c| c.child != child);
    }

    pub(crate) fn first_deadline(&self) -> Option<Instant> {
        self.list.first().map(|c| c.deadline)
    }

    pub(crate) fn last_deadline(&self) -> Option<Instant> {
        self.list.last().map(|c| c.deadline)
    }
}

fn sum(lengths: impl Iterator<Item = Span>) -> Span {
    lengths.fold(Span::ZERO, Span::saturating_add)
}
