//! What one might promise each thread of a recording. A proposal never applies itself.
//!
//! A thread gets a reservation if it has a period, at least 8 of them were seen, and 3/4 or more
//! were on time. Its amount is the most that it computed in a period, times a margin that is told,
//! rounded up to a microsecond, and at most the period, which is rounded down to one. All others share what is left.
//!
//! Not promised: that the need will not grow beyond what was seen, or that all reservations fit
//! (`share` says what they ask for; the checker knows whether that can be had).

use super::period::{FEWEST, Habit, habit};
use super::replay::Learned;
use std::cmp::Reverse;
use windfall_time::{Ratio, Span};
use windfall_trace::timeline::LostCount;

/// How to propose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Amounts are the greatest need times this; at least 1.
    pub margin: Ratio,
    /// Whether reservations also cap their threads. If not, they may have spare time as well,
    /// through a join with the time-sharing scheduler.
    pub hard: bool,
    /// The least confidence of a reservation.
    pub confidence: Ratio,
}

impl Default for Options {
    fn default() -> Options {
        let fraction = |n, d| Ratio::new(n, d).unwrap_or(Ratio::ONE);
        Options { margin: fraction(6, 5), hard: false, confidence: fraction(3, 4) }
    }
}

/// Which scheduler a thread should be under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parent {
    /// `rez`: `amount` in each `period`.
    Reservation {
        /// Work in each period.
        amount: Span,
        /// The period.
        period: Span,
        /// Whether it may have more when there is spare time: under a join with the time-sharing
        /// scheduler.
        soft: bool,
        /// Whether the need times the margin is longer than the period, so `amount` is cut.
        cut: bool,
    },
    /// The time-sharing scheduler.
    TimeSharing,
}

/// What is proposed for a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// An index into [`Learned::threads`].
    pub thread: usize,
    /// Its name.
    pub name: String,
    /// Thread number of the source.
    pub tid: u32,
    /// What was found out about it.
    pub habit: Habit,
    /// The name of the thread that releases it, if one does.
    pub released_by: Option<String>,
    /// All that it computed.
    pub work: Span,
    /// For how long nobody knows what it did.
    pub unknown: Span,
    /// Where it should be.
    pub parent: Parent,
}

/// What is proposed for all threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposal {
    /// Reservations first, then by processor time, most first.
    pub rows: Vec<Row>,
    /// How it was made.
    pub options: Options,
    /// What all reservations together ask for, in processors; each rounded up to a millionth.
    pub share: Ratio,
    /// How many processors were recorded.
    pub processors: u16,
    /// How long was recorded.
    pub length: Span,
    /// What the recording says is missing.
    pub lost: LostCount,
}

impl Parent {
    /// The name of the scheduler's kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Parent::Reservation { .. } => "rez",
            Parent::TimeSharing => "time-sharing",
        }
    }
}

impl Proposal {
    /// Looks at every learned thread.
    #[must_use]
    pub fn new(learned: &Learned, options: Options) -> Proposal {
        let mut rows: Vec<Row> =
            (0..learned.threads.len()).map(|thread| row(learned, thread, options)).collect();
        rows.sort_by_key(|row| (row.parent == Parent::TimeSharing, Reverse(row.work), row.thread));
        let asked = rows.iter().map(|row| match row.parent {
            Parent::Reservation { amount, period, .. } => millionths(amount, period),
            Parent::TimeSharing => 0,
        });
        let share = Ratio::new(asked.sum(), 1_000_000).unwrap_or(Ratio::ZERO);
        let (processors, length, lost) = (learned.processors, learned.length, learned.lost);
        Proposal { rows, options, share, processors, length, lost }
    }
}

fn row(learned: &Learned, thread: usize, options: Options) -> Row {
    let known = &learned.threads[thread];
    let habit = habit(learned, thread);
    let parent = match habit.period {
        Some(period) if habit.periods >= FEWEST && habit.confidence >= options.confidence => {
            // The same amount in a shorter period is more, never less.
            let period = whole_micros(period);
            let wished = with_margin(habit.need.max, options.margin);
            let (amount, cut) = (wished.min(period), wished > period);
            Parent::Reservation { amount, period, soft: !options.hard, cut }
        }
        _ => Parent::TimeSharing,
    };
    let released_by = match habit.note {
        super::Note::ReleasedBy(waker) => Some(learned.threads[waker].name.clone()),
        _ => None,
    };
    let (name, tid, unknown) = (known.name.clone(), known.tid, known.unknown);
    Row { thread, name, tid, habit, released_by, work: known.work(), unknown, parent }
}

/// Rounded down to a whole microsecond, unless that is nothing.
pub(super) fn whole_micros(period: Span) -> Span {
    let rest = Span::from_nanos(period.as_nanos() % 1_000);
    let whole = period.saturating_sub(rest);
    if whole.is_zero() { period } else { whole }
}

/// `amount / period` in millionths, rounded up; 0 for a period of zero.
fn millionths(amount: Span, period: Span) -> i128 {
    let (amount, period) = (i128::from(amount.as_nanos()), i128::from(period.as_nanos()));
    (amount * 1_000_000 + (period - 1).max(0)).checked_div(period).unwrap_or(0)
}

/// `need` times `margin`, rounded up to a whole microsecond; at least one.
pub(super) fn with_margin(need: Span, margin: Ratio) -> Span {
    let microsecond = 1_000;
    let product = Ratio::whole(need.as_nanos()).checked_mul(margin.max(Ratio::ONE));
    let ns = product.map_or(i128::MAX, |exact| {
        let (above, below) = (exact.numerator(), exact.denominator());
        above / below + i128::from(above % below != 0)
    });
    let ns = u64::try_from(ns).unwrap_or(u64::MAX);
    let us = ns.div_ceil(microsecond).max(1);
    Span::from_nanos(us.saturating_mul(microsecond))
}

#[cfg(test)]
mod tests;
