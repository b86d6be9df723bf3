//! The time that a [`Timed`](super::Timed) run has received of its supply, and the time that is sure from now on (decision 0038).
//!
//! Invariants: the run is runnable except before its first turn, and from a turn that [waits](super::Turn::Waits) until the time that this said, an input that was admitted or another turn, whichever is first. The position that is
//! returned is at least the exact one, so what is promised by it is sure.

use windfall_admission::{HORIZON, Supply};
use windfall_time::{Instant, Span};

/// A time, and what has become of the processor by then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Moment {
    /// The real time.
    pub now: Instant,
    /// The processor time that the run has received since whenever, by a count that never falls.
    pub received: Span,
    /// The processor time that it will spend on what it has handled already, before its next turn.
    pub owed: Span,
}

impl Moment {
    /// So much was received until now, and nothing is owed.
    #[must_use]
    pub const fn new(now: Instant, received: Span) -> Moment {
        Moment { now, received, owed: Span::ZERO }
    }

    /// The same, with so much to be spent before the next turn. For somebody who handles an event at once, and spends the processor time of that afterwards.
    #[must_use]
    pub const fn owing(self, owed: Span) -> Moment {
        Moment { owed, ..self }
    }
}

/// All the time that passes is received, as on a whole processor.
impl From<Instant> for Moment {
    fn from(now: Instant) -> Moment {
        Moment::new(now, now.saturating_since(Instant::ZERO))
    }
}

/// The supply, and how much of it has passed.
#[derive(Debug)]
pub(super) struct Account {
    supply: Supply,
    last: Moment,
    /// Until when it sleeps, if nothing comes.
    asleep: Option<Instant>,
}

impl Account {
    /// A run that is made at this moment, and sleeps until its first turn.
    pub(super) fn new(supply: Supply, moment: Moment) -> Account {
        let now = moment.now.min(HORIZON);
        Account { supply, last: Moment { now, ..moment }, asleep: Some(Instant::MAX) }
    }

    /// The position at the beginning.
    pub(super) fn begin(&self) -> Instant {
        self.supply.position(self.last.now)
    }

    /// The real time that was reached.
    pub(super) const fn now(&self) -> Instant {
        self.last.now
    }

    /// The time that will be spent before the next turn.
    pub(super) const fn owed(&self) -> Span {
        self.last.owed
    }

    /// The place of a deadline.
    pub(super) fn place(&self, deadline: Instant) -> Instant {
        self.supply.place(deadline).min(HORIZON)
    }

    /// The earliest deadline with this place.
    pub(super) fn deadline(&self, place: Instant) -> Option<Instant> {
        self.supply.deadline(place)
    }

    /// Time passes. The position, which was `position` at the last account.
    pub(super) fn passes(&mut self, position: Instant, moment: Moment) -> Instant {
        let Moment { now, received, owed } = moment;
        let now = now.max(self.last.now).min(HORIZON);
        let received = received.max(self.last.received);
        let new = received.saturating_sub(self.last.received);
        self.last = Moment { now, received, owed };
        let woke = self.asleep.map(|until| self.supply.position(now.min(until)));
        let position = position.max(woke.unwrap_or(position));
        if self.asleep.is_some_and(|until| until <= now) {
            self.asleep = None;
        }
        // A supply that gives less than it should has failed: that time is lost.
        let least = self.supply.least_position(now).checked_sub(owed).unwrap_or(Instant::ZERO);
        let next = position.saturating_add(new).min(self.supply.position(now));
        next.max(position).max(least)
    }

    /// It is runnable from now on.
    pub(super) fn wakes(&mut self) {
        self.asleep = None;
    }

    /// It sleeps until then if nothing comes.
    pub(super) fn sleeps(&mut self, until: Option<Instant>) {
        self.asleep = Some(until.unwrap_or(Instant::MAX));
    }

    /// How much further the position would be if it slept now.
    pub(super) fn sleep_costs(&self, position: Instant) -> Span {
        self.supply.position(self.last.now).saturating_since(position.saturating_add(self.owed()))
    }

    /// The last time until which it may sleep, and have at most this position then.
    pub(super) fn sleeps_to(&self, position: Instant) -> Option<Instant> {
        self.supply.last_with_position(position)
    }
}
