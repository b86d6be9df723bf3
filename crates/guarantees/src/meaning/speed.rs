//! `RESU r`: by each deadline that was announced in time, r times the time since its owner woke, less what it
//! had run ahead before.
//!
//! HLS 5.2.2.3 promises the share between any two consecutive deadlines; but an owner that has run ahead
//! before the first of them cannot be given as much again (errata). How far ahead it is grows while it is
//! served faster than r, and melts away at r while it sleeps. A deadline is announced in time when the one
//! before has not passed, or when its owner wakes, and in order when it is no earlier than the one
//! before: work cannot be done after the event. From the first that is not, a stretch is judged no further.
//! A new deadline replaces the one before, whose work is done.

use super::{FINEST, Window, length, unscaled};
use windfall_time::Ratio;

/// Budgets are whole nanoseconds, and each announced deadline makes a new one: this many nanoseconds may be
/// lost each time, a few below each of nested slower processors.
const WHOLE: i128 = 8;

// Fields: the state of one sweep over a stretch, which each event reads and changes together.
#[derive(Clone, Debug)]
pub(super) struct Speed {
    /// r is `above / below`.
    above: i128,
    below: i128,
    now: i128,
    asleep: bool,
    woke: i128,
    /// How many deadlines were announced since.
    announcements: i128,
    /// Service since it woke.
    served: i128,
    /// In units of 1 / `below`: the most by which it was served faster than r since any time; what that
    /// was when it woke; and that less what it was behind since.
    lead: i128,
    lead_then: i128,
    ahead: i128,
    /// The last deadline announced in this stretch; whether all were announced in time and in order.
    last_announced: Option<i128>,
    orderly: bool,
    /// The deadline to come, and when it was announced; the next announcement replaces it.
    to_come: Option<(i128, i128)>,
    worst: Option<(Ratio, Window)>,
    pub(super) tested: u64,
}

impl Speed {
    pub(super) fn new(rate: Ratio) -> Option<Speed> {
        let fine = rate.denominator() <= FINEST && rate > Ratio::ZERO && rate <= Ratio::ONE;
        fine.then_some(Speed {
            above: rate.numerator(),
            below: rate.denominator(),
            now: 0,
            asleep: true,
            woke: 0,
            announcements: 0,
            served: 0,
            lead: 0,
            lead_then: 0,
            ahead: 0,
            last_announced: None,
            orderly: true,
            to_come: None,
            worst: None,
            tested: 0,
        })
    }

    pub(super) fn begin(&mut self, at: i128) {
        // What it announced before it slept was about work that is done.
        self.to_come =
            self.to_come.filter(|(deadline, announced_at)| *announced_at == at && *deadline > at);
        self.last_announced = self.to_come.map(|(deadline, _)| deadline);
        self.lead = (self.lead - self.above * (at - self.now)).max(0);
        (self.lead_then, self.ahead) = (self.lead, self.lead);
        self.announcements = i128::from(self.to_come.is_some());
        (self.served, self.orderly) = (0, true);
        (self.now, self.woke, self.asleep) = (at, at, false);
    }

    pub(super) fn set_deadline(&mut self, deadline: i128, now: i128) {
        if !self.asleep {
            let in_time = self.last_announced.is_some_and(|last| now <= last) || now == self.woke;
            let in_order = self.last_announced.is_none_or(|last| last <= deadline);
            self.orderly &= in_time && in_order;
            self.last_announced = Some(deadline);
            self.announcements += 1;
        }
        self.to_come = (deadline > now).then_some((deadline, now));
    }

    pub(super) fn pass(&mut self, span: i128, served: bool) {
        let end = self.now + span;
        if let Some((deadline, _)) = self.to_come.take_if(|(deadline, _)| *deadline <= end) {
            self.go(deadline, served);
            self.close();
        }
        self.go(end, served);
    }

    fn go(&mut self, to: i128, served: bool) {
        let span = to - self.now;
        let gained = if served { span } else { 0 };
        let step = gained * self.below - span * self.above;
        self.lead = (self.lead + step).max(0);
        self.ahead += step;
        self.served += gained;
        self.now = to;
    }

    pub(super) fn end(&mut self) {
        self.asleep = true;
    }

    /// A deadline has come.
    fn close(&mut self) {
        let due = self.above * (self.now - self.woke)
            - self.lead_then
            - WHOLE * self.below * self.announcements;
        let due = Ratio::new(due, self.below).unwrap_or(Ratio::ZERO);
        let rounding = WHOLE * self.below * self.announcements;
        let Some(behind) = Ratio::new(-self.ahead - rounding, self.below) else { return };
        if !self.orderly || due <= Ratio::ZERO {
            return;
        }
        self.tested = self.tested.saturating_add(1);
        if self.worst.is_none_or(|(worst, _)| behind > worst) {
            let window = Window {
                from: unscaled(self.woke, 1),
                to: unscaled(self.now, 1),
                promised: length(due),
                received: unscaled(self.served, 1),
            };
            self.worst = Some((behind, window));
        }
    }

    pub(super) const fn worst(&self) -> Option<(Ratio, Window)> {
        self.worst
    }
}
