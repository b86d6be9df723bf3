//! One reservation: a budget until a deadline, and then the next one.
//!
//! There are two kinds of periods. *Fixed* periods follow each other without gaps from the beginning of the
//! reservation, whether the child is ready or not; they are brought up to date when the reservation is next looked
//! at ([`Reservation::roll`]). *Sporadic* periods begin when the last one has ended or, if that takes nothing from
//! others, when the child wakes ([`Reservation::arrive`]). If the work of a job is known, its first period may be
//! shorter, with a smaller budget in proportion. Use beyond the budget, because a timer was late, is a *debt*,
//! which the following periods pay before they give anything. Invariant: `budget <= amount`; the use until `end`
//! never exceeds the share of the time, except for the debt.

use windfall_time::{Instant, Span};

/// The budget and periods of one child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reservation {
    pub(crate) amount: Span,
    pub(crate) period: Span,
    /// The end of the current period: the deadline and the next replenishment.
    pub(crate) end: Instant,
    pub(crate) budget: Span,
    /// Use beyond the budgets so far that is not paid yet.
    pub(crate) debt: Span,
    /// The time since which the child has run or waited.
    pub(crate) since: Instant,
    /// Whether the child has been notified that the budget of this period is used up.
    pub(crate) notified: bool,
    /// The work of the next job, if it is known; else zero.
    pub(crate) work: Span,
    /// The amount and period that hold from the end of the first period that ends not before the given time.
    pub(crate) change: Option<(Span, Span, Instant)>,
}

impl Reservation {
    /// A reservation whose first period begins at `start`.
    pub(crate) const fn new(amount: Span, period: Span, start: Instant) -> Reservation {
        Reservation {
            amount,
            period,
            end: start,
            budget: Span::ZERO,
            debt: Span::ZERO,
            since: start,
            notified: false,
            work: Span::ZERO,
            change: None,
        }
    }

    /// Begins the fixed period that contains `now`. Returns whether a new one has begun.
    pub(crate) fn roll(&mut self, now: Instant) -> bool {
        let Some(late) = now.since(self.end) else {
            return false;
        };
        let mut past = late;
        if let Some((amount, period, from)) = self.change.filter(|(_, _, from)| *from <= now) {
            self.end = self.end.max(from);
            past = now.saturating_since(self.end);
            (self.amount, self.period, self.change) = (amount, period, None);
        }
        let begun = past.checked_div(self.period).unwrap_or(0).saturating_add(1);
        let ahead = self.period.saturating_mul(begun);
        self.end = self.end.saturating_add(ahead);
        // Periods that passed unused have paid the debt.
        let passed = self.amount.checked_mul(begun - 1).unwrap_or(Span::MAX);
        self.debt = self.debt.saturating_sub(passed);
        self.fill(self.amount);
        true
    }

    /// Begins a period with this amount, less the debt.
    fn fill(&mut self, amount: Span) {
        self.budget = amount.saturating_sub(self.debt);
        self.debt = self.debt.saturating_sub(amount);
        self.notified = false;
    }

    /// Applies the pending change.
    pub(crate) fn apply_change(&mut self) {
        if let Some((amount, period, _)) = self.change.take() {
            (self.amount, self.period) = (amount, period);
        }
    }

    /// Begins a sporadic period at `start`, for the whole amount.
    pub(crate) fn renew(&mut self, start: Instant) {
        self.renew_for(start, self.amount);
    }

    /// Begins a sporadic period at `start`, for the first part of the announced job. Only the first part may be
    /// short, so that all others begin a whole period apart.
    pub(crate) fn renew_for_job(&mut self, start: Instant) {
        let amount = self.amount.as_nanos().max(1);
        let part = match core::mem::take(&mut self.work).as_nanos() % amount {
            0 => self.amount,
            part => Span::from_nanos(part),
        };
        self.renew_for(start, part);
    }

    fn renew_for(&mut self, start: Instant, part: Span) {
        if self.change.is_some_and(|(_, _, from)| from <= start) {
            self.apply_change();
        }
        let part = part.min(self.amount);
        let time = u128::from(part.as_nanos()) * u128::from(self.period.as_nanos());
        // Time that passed unused has paid the debt.
        self.debt = self.debt.saturating_sub(self.part(start.saturating_since(self.end)));
        self.end = start.saturating_add(nanos(time.div_ceil(self.amount.as_nanos().max(1).into())));
        self.fill(part);
    }

    /// The child wakes: a sporadic period begins unless the budget left of the last one, used from now on, is at
    /// most the share of the time until its end. A child that yields has not waited. Returns whether a period
    /// begins.
    pub(crate) fn arrive(&mut self, now: Instant) -> bool {
        let rest = u128::from(self.end.saturating_since(now).as_nanos());
        let budget = u128::from(self.budget.as_nanos()) * u128::from(self.period.as_nanos());
        let waited = now > self.since || self.budget.is_zero();
        let begins = waited && budget >= rest * u128::from(self.amount.as_nanos());
        if begins {
            self.renew_for_job(now);
        }
        begins
    }

    /// Charges the time since `since`, in which the child ran on its budget.
    pub(crate) fn charge(&mut self, now: Instant) {
        self.take(now.saturating_since(self.since), now);
        self.since = now;
    }

    /// Charges a time that ended at `now`, in which the child ran on its budget. Use after the period's end, or
    /// beyond the budget, becomes debt.
    pub(crate) fn take(&mut self, span: Span, now: Instant) {
        let late = now.saturating_since(self.end).min(span);
        let paid = span.saturating_sub(late);
        let beyond = paid.saturating_sub(self.budget).saturating_add(late);
        self.budget = self.budget.saturating_sub(paid);
        self.debt = self.debt.saturating_add(beyond);
    }

    /// The part of `amount` for the rest of the current period at a steady rate.
    pub(crate) fn steady(&self, now: Instant) -> Span {
        self.part(self.end.saturating_since(now))
    }

    /// The part of `amount` for this time at a steady rate, rounded down.
    pub(crate) fn part(&self, time: Span) -> Span {
        let part = u128::from(time.as_nanos()) * u128::from(self.amount.as_nanos());
        let part = part / u128::from(self.period.as_nanos().max(1));
        nanos(part)
    }

    /// The child wakes in a fixed period after waiting since `since`: the budget shrinks by that time, but not
    /// below the amount for the rest of the period at a steady rate, if the period has this `extra`.
    pub(crate) fn wake(&mut self, now: Instant, extra: Span) {
        let whole = Reservation { amount: self.amount.saturating_add(extra), ..*self };
        let steady = whole.steady(now);
        let waited = now.saturating_since(self.since);
        let kept = self.budget.saturating_sub(waited);
        self.budget = self.budget.min(steady.max(kept));
    }

    /// The time from which the child's use ahead of a steady rate costs others nothing: when the amount for the
    /// rest of the period at that rate has shrunk to the budget, and the debt is paid.
    pub(crate) fn even(&self, now: Instant) -> Instant {
        let period = u128::from(self.period.as_nanos());
        let amount = u128::from(self.amount.as_nanos().max(1));
        let time = |service: Span| u128::from(service.as_nanos()) * period;
        if !self.debt.is_zero() {
            let owed = nanos(time(self.debt).div_ceil(amount));
            return self.end.max(now).saturating_add(owed);
        }
        if self.budget >= self.steady(now) {
            return now;
        }
        let rest = nanos(time(self.budget) / amount);
        self.end.checked_sub(rest).unwrap_or(self.end).max(now)
    }
}

fn nanos(time: u128) -> Span {
    Span::saturating_from_nanos(time)
}
