//! Places of deadlines on the time of the list, by the line and by all that is sure (decisions 0029 and 0037).

use super::Ledger;
use windfall_admission::HORIZON;
use windfall_time::{Instant, Span};

const NANOSECOND: Span = Span::from_nanos(1);

impl Ledger {
    /// The place of a deadline: by then, the time of the list is at least that while the supply holds.
    pub(super) fn place(&self, deadline: Instant) -> Instant {
        let place = self.place_from_now(deadline);
        if !self.holds.is_exact() {
            return place;
        }
        // What is sure by an earlier deadline is sure by this one.
        let earlier = self.each().filter(|task| task.deadline <= deadline);
        earlier.map(|task| task.order.0).fold(place, Instant::max)
    }

    /// The same without what the tasks know.
    pub(super) fn place_from_now(&self, deadline: Instant) -> Instant {
        let line = self.holds.place(deadline);
        if !self.holds.is_exact() {
            return line;
        }
        line.max(self.time().saturating_add(self.holds.least_until(self.last, deadline)))
    }

    /// The earliest deadline with this place or a later one; `None` if it never comes.
    pub(super) fn deadline(&self, place: Instant) -> Option<Instant> {
        let line = self.holds.deadline(place);
        if !self.holds.is_exact() {
            return line;
        }
        let line = line.map(|line| self.last.first_to(line, |at| self.place_from_now(at) >= place));
        let known = self.each().filter(|task| task.order.0 >= place).map(|task| task.deadline);
        line.into_iter().chain(known).min()
    }

    /// The least that the time of the list can be now while the supply holds. By the deadline of the first task it is at the task's place, and until then it
    /// moves no faster than the clock.
    pub(super) fn least(&self, now: Instant) -> Instant {
        let line = self.holds.least(now);
        let first = self.first_due().map(|(place, deadline)| {
            place.checked_sub(deadline.saturating_since(now)).unwrap_or(Instant::ZERO)
        });
        first.map_or(line, |first| first.max(line)).min(HORIZON)
    }

    /// Place and deadline of the first task, if its place may be more than what the line says.
    fn first_due(&self) -> Option<(Instant, Instant)> {
        if !self.holds.is_exact() {
            return None;
        }
        let (_, child) = self.firsts.peek()?;
        let first = self.tasks[child as usize].first()?;
        Some((first.order.0, first.deadline))
    }

    /// The first moment at which a task is late if nothing is supplied until then.
    pub(in crate::deadline::ports) fn late_at(&self) -> Option<Instant> {
        let beyond = self.time().saturating_add(self.laxity()?).saturating_add(NANOSECOND);
        let line = self.holds.deadline(beyond);
        let first = self.first_due().map(|(place, deadline)| {
            deadline.checked_sub(place.saturating_since(beyond)).unwrap_or(Instant::ZERO)
        });
        line.into_iter().chain(first).min()
    }
}
