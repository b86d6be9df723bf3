//! A child of a resource kernel: its reserve, its class, and the kind of time on which it runs.

use crate::parts::reservation::Reservation;
use windfall_time::Instant;

/// The consequence of a used-up budget.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Class {
    #[default]
    Hard,
    Soft,
    Firm,
}

impl Class {
    pub(crate) fn of(priority: i32) -> Class {
        match priority {
            0 => Class::Hard,
            1.. => Class::Soft,
            _ => Class::Firm,
        }
    }
}

/// The kind of time on which a child runs; the first of these goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Budget,
    Turns,
    Leftover,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Slot {
    pub(crate) reserve: Option<Reservation>,
    pub(crate) class: Class,
    /// Its place among the children that run without a budget.
    pub(crate) turn: u64,
}

impl Slot {
    pub(crate) fn budget(&self) -> Option<&Reservation> {
        self.reserve.as_ref().filter(|reserve| !reserve.budget.is_zero())
    }

    /// The kind of time on which it runs, and its place there: the period with a budget, else the turn.
    pub(crate) fn rank(&self) -> (Rank, u64) {
        match (self.budget(), self.class) {
            (Some(reserve), _) => (Rank::Budget, reserve.period.as_nanos()),
            (None, Class::Firm) => (Rank::Leftover, self.turn),
            (None, _) => (Rank::Turns, self.turn),
        }
    }

    /// Charges the time since the last charge. Turns and leftover time cost nothing.
    pub(crate) fn charge(&mut self, now: Instant) {
        let class = self.class;
        if let Some(reserve) = &mut self.reserve {
            match class != Class::Hard && reserve.budget.is_zero() {
                true => reserve.since = now,
                false => reserve.charge(now),
            }
        }
    }
}
