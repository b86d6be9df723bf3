//! Admits tasks again when the supply, or the part of it that is sure, has changed (decisions 0029, 0034 and 0037).

use super::{Ledger, Task};
use crate::deadline::ports::holding::{Coming, Moved};
use crate::deadline::ports::rate::Rate;
use alloc::vec::Vec;
use windfall_admission::{Admission, HORIZON};
use windfall_hierarchy::ChildVp;
use windfall_time::{Instant, Span};

/// How tasks are admitted again.
#[derive(Clone, Copy)]
pub(super) enum Again<'a> {
    /// By the supply that is sure from now on.
    FromNow,
    /// By that, and by what was sure before.
    Kept,
    /// By that, and by what was sure before without what was moved and does not come.
    Without(&'a [Coming]),
    /// As from now; what is too much is charged to the first tasks, whose children waited.
    Charged,
}

impl Ledger {
    /// The instance holds another supply from now on. Tasks that cannot be done with it are lost, the later of two if not both fit; so is laxity that it moved away.
    pub(in crate::deadline::ports) fn hold(&mut self, rate: Option<Rate>) {
        if self.holds.rate() != rate {
            self.holds.hold(rate);
            self.admit_again(self.holds.at(self.last), Again::FromNow);
        }
    }

    /// Laxity is moved to the instance. Laxity that the instance itself has moved away is lost.
    pub(in crate::deadline::ports) fn gain(&mut self, moved: Moved) {
        let at = if self.list.is_some() { self.time() } else { self.holds.at(self.last) };
        self.holds.gain(moved);
        self.admit_again(at, Again::Kept);
    }

    /// Cancels laxity that was moved to the instance and has not passed.
    pub(in crate::deadline::ports) fn cancel(&mut self) {
        let gone = self.holds.cancel();
        if !gone.is_empty() {
            // What was received of it stays received.
            self.holds.reaches(self.time(), self.last);
            self.admit_again(self.time().min(self.holds.at(self.last)), Again::Without(&gone));
        }
    }

    /// All tasks are admitted again, with what is held now; the time of the supply is `at`.
    pub(super) fn admit_again(&mut self, at: Instant, again: Again<'_>) {
        let before = self.list.take();
        if !self.holds.is_empty() {
            self.list = Admission::new(at.min(HORIZON), self.most).ok();
        }
        let Some(mut old) = before else { return };
        for (child, task) in self.take_all() {
            let left = old.withdraw(task.ticket).unwrap_or(Span::ZERO);
            let mut place = self.place_from_now(task.deadline);
            let mut requested = left;
            match again {
                Again::FromNow => {}
                Again::Kept => place = place.max(task.order.0),
                Again::Without(gone) => {
                    let moved = gone.iter().map(|coming| coming.until(task.deadline));
                    let moved = moved.fold(Span::ZERO, Span::saturating_add);
                    place = place.max(task.order.0.checked_sub(moved).unwrap_or(Instant::ZERO));
                }
                Again::Charged => requested = left.saturating_sub(self.charge(left, place)),
            }
            let list = self.list.as_mut().filter(|_| !task.moved);
            match list.map(|list| list.admit(requested, place)) {
                Some(Ok(ticket)) => {
                    let order = (ticket.deadline(), self.arrives());
                    self.insert(child, Task { ticket, order, ..task });
                }
                _ if matches!(again, Again::Charged) => self.used_up(child, task),
                _ => self.lose(child, task, left),
            }
        }
    }

    /// Charges the first tasks for what is too much if so much work is put at this place, behind them all. Returns what is too much without any of them.
    fn charge(&mut self, work: Span, place: Instant) -> Span {
        let idle = self.list.as_ref().map_or(Span::ZERO, |list| list.idle_before(place));
        let mut short = work.saturating_sub(idle);
        while let Some(left) = self.first_left().filter(|_| !short.is_zero()) {
            let charged = short.min(left);
            self.serve(charged, self.time());
            short = short.saturating_sub(charged);
        }
        short
    }

    /// Takes out all tasks, in order of their deadlines. Their slots stay in the list.
    fn take_all(&mut self) -> Vec<(ChildVp, Task)> {
        let mut all = Vec::new();
        for (child, tasks) in (0..).map(ChildVp).zip(&mut self.tasks) {
            self.firsts.remove(child.0);
            let tasks = core::mem::take(tasks);
            all.extend(tasks.iter().map(|task| (child, *task)));
        }
        all.sort_unstable_by_key(|(_, task)| (task.deadline, task.order));
        all
    }
}
