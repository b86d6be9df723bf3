//! One reservation: so much budget until a deadline, and again.
//!
//! Two kinds of periods. *Fixed* ones follow each other without gaps from the beginning of the
//! reservation, whether the child is ready or not; they are caught up with when somebody looks
//! ([`Reservation::roll`]). *Sporadic* ones begin when the last one has ended or, where that takes
//! nothing from others, when the child wakes ([`Reservation::arrive`]); with the work of a job told
//! the first may be shorter, with a smaller budget in proportion.
//! What a budget was overrun by, because a timer came late, is a *debt*: the periods that follow pay it
//! before they give anything.
//! Invariant: `budget <= amount`; what is used until `end` is never more than the share of the time, but
//! for the debt.

use windfall_time::{Instant, Span};

/// Budget and periods of one child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reservation {
    pub(crate) amount: Span,
    pub(crate) period: Span,
    /// The end of the present period: the deadline, and the next replenishment.
    pub(crate) end: Instant,
    pub(crate) budget: Span,
    /// What was used beyond the budgets so far, and is not paid yet.
    pub(crate) debt: Span,
    /// Since when the child runs, or waits.
    pub(crate) since: Instant,
    /// Whether the child has heard that the budget of this period is used up.
    pub(crate) told: bool,
    /// What the next job needs, where it has been told.
    pub(crate) work: Span,
    /// What holds from the end of the first period that ends at the given time or later.
    pub(crate) change: Option<(Span, Span, Instant)>,
}

impl Reservation {
    /// One whose first period begins at `start`.
    pub(crate) const fn new(amount: Span, period: Span, start: Instant) -> Reservation {
        Reservation {
            amount,
            period,
            end: start,
            budget: Span::ZERO,
            debt: Span::ZERO,
            since: start,
            told: false,
            work: Span::ZERO,
            change: None,
        }
    }

    /// Begins the fixed period that `now` lies in. Whether it is another one than before.
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
        // Periods that have passed unused have paid.
        let passed = self.amount.checked_mul(begun - 1).unwrap_or(Span::MAX);
        self.debt = self.debt.saturating_sub(passed);
        self.fill(self.amount);
        true
    }

    /// A period begins that is for so much, less what is owed.
    fn fill(&mut self, amount: Span) {
        self.budget = amount.saturating_sub(self.debt);
        self.debt = self.debt.saturating_sub(amount);
        self.told = false;
    }

    /// What was to come holds.
    pub(crate) fn apply_change(&mut self) {
        if let Some((amount, period, _)) = self.change.take() {
            (self.amount, self.period) = (amount, period);
        }
    }

    /// Begins a sporadic period at `start`, for the whole amount.
    pub(crate) fn renew(&mut self, start: Instant) {
        self.renew_for(start, self.amount);
    }

    /// Begins a sporadic period at `start`, for the first part of the job that was told. The first
    /// is the one that may be short, so that all others begin a whole period apart.
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
        // The time that has passed unused has paid.
        self.debt = self.debt.saturating_sub(self.part(start.saturating_since(self.end)));
        self.end = start.saturating_add(nanos(time.div_ceil(self.amount.as_nanos().max(1).into())));
        self.fill(part);
    }

    /// The child wakes: a sporadic period begins unless what is left of the last one, used up from
    /// now on, would be no more than the share of the time until its end; a child that yields has
    /// not waited. Whether one begins.
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

    /// Takes the time since `since`, in which the child ran on its budget.
    pub(crate) fn charge(&mut self, now: Instant) {
        self.take(now.saturating_since(self.since), now);
        self.since = now;
    }

    /// The child has run on its budget for so long until `now`: what came after the period's end, or is more
    /// than the budget, is owed.
    pub(crate) fn take(&mut self, span: Span, now: Instant) {
        let late = now.saturating_since(self.end).min(span);
        let paid = span.saturating_sub(late);
        let beyond = paid.saturating_sub(self.budget).saturating_add(late);
        self.budget = self.budget.saturating_sub(paid);
        self.debt = self.debt.saturating_add(beyond);
    }

    /// The part of `amount` that falls to the rest of the present period at a steady rate.
    pub(crate) fn steady(&self, now: Instant) -> Span {
        self.part(self.end.saturating_since(now))
    }

    /// The part of `amount` that falls to such a time at a steady rate, rounded down.
    pub(crate) fn part(&self, time: Span) -> Span {
        let part = u128::from(time.as_nanos()) * u128::from(self.amount.as_nanos());
        let part = part / u128::from(self.period.as_nanos().max(1));
        nanos(part)
    }

    /// The child wakes in a fixed period, having waited since `since`: the budget shrinks by the
    /// time that it waited, but not below what falls to the rest of the period at a steady rate, where
    /// the period has so much `extra`.
    pub(crate) fn wake(&mut self, now: Instant, extra: Span) {
        let whole = Reservation { amount: self.amount.saturating_add(extra), ..*self };
        let steady = whole.steady(now);
        let waited = now.saturating_since(self.since);
        let kept = self.budget.saturating_sub(waited);
        self.budget = self.budget.min(steady.max(kept));
    }

    /// From when on nothing is owed to others for what the child has used ahead of a steady rate:
    /// when the rest of the period at that rate has shrunk to the budget, and the debt is paid.
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
