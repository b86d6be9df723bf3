//! What one might promise each thread of a recording. A proposal never applies itself.
//!
//! A thread gets a reservation if it has a period, at least 8 of them were seen, and 3/4 or more
//! were on time. Its amount is the most that it computed in a period, times a margin that is printed,
//! rounded up to a microsecond; the period is rounded down to one. What is reserved fits together and
//! leaves a part of each processor; who does not fit shares what is left, as all others (`fit.rs`).
//!
//! Not promised: that the need will not grow beyond what was seen.

use super::fit::{LeftOut, Wanted, fit};
use super::period::{FEWEST, Habit, habit};
use super::replay::Learned;
use std::cmp::Reverse;
use windfall_time::{Ratio, Span};
use windfall_trace::timeline::LostCount;

/// How to propose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Amounts are the greatest need times this; at least 1.
    pub margin: Ratio,
    /// Whether reservations also cap their threads. If not, they may have spare time as well,
    /// through a join with the time-sharing scheduler.
    pub hard: bool,
    /// The least confidence of a reservation.
    pub confidence: Ratio,
    /// The part of each processor that may be reserved; at most 1. The rest is for everybody else.
    pub most: Ratio,
}

impl Default for Options {
    fn default() -> Options {
        let fraction = |n, d| Ratio::new(n, d).unwrap_or(Ratio::ONE);
        let (margin, confidence, most) = (fraction(6, 5), fraction(3, 4), fraction(9, 10));
        Options { margin, hard: false, confidence, most }
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
        /// On which processor: those of one processor fit together there.
        processor: usize,
    },
    /// The time-sharing scheduler.
    TimeSharing,
}

/// What is proposed for a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
    /// Why it has no reservation although it has a period.
    pub left_out: Option<LeftOut>,
}

/// What is proposed for all threads.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
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

impl Proposal {
    /// Looks at every learned thread.
    #[must_use]
    pub fn new(learned: &Learned, options: Options) -> Proposal {
        let mut rows: Vec<Row> =
            (0..learned.threads.len()).map(|thread| row(learned, thread)).collect();
        reserve(&mut rows, learned.processors, options);
        rows.sort_by_key(|row| (row.parent == Parent::TimeSharing, Reverse(row.work), row.thread));
        let asked = rows.iter().map(|row| match row.parent {
            Parent::Reservation { amount, period, .. } => {
                Wanted { amount, period }.share().cast_signed()
            }
            Parent::TimeSharing => 0,
        });
        let share = Ratio::new(asked.sum(), 1_000_000).unwrap_or(Ratio::ZERO);
        let (processors, length, lost) = (learned.processors, learned.length, learned.lost);
        Proposal { rows, options, share, processors, length, lost }
    }
}

fn row(learned: &Learned, thread: usize) -> Row {
    let known = &learned.threads[thread];
    let habit = habit(learned, thread);
    let released_by = match habit.note {
        super::Note::ReleasedBy(waker) => Some(learned.threads[waker].name.clone()),
        _ => None,
    };
    let (name, tid, unknown) = (known.name.clone(), known.tid, known.unknown);
    let (parent, left_out, work) = (Parent::TimeSharing, None, known.work());
    Row { thread, name, tid, habit, released_by, work, unknown, parent, left_out }
}

/// Gives those that look periodic a reservation, as far as they fit together.
fn reserve(rows: &mut [Row], processors: u16, options: Options) {
    let candidates: Vec<(usize, Wanted)> =
        (0..rows.len()).filter_map(|at| Some((at, wanted(&rows[at].habit, options)?))).collect();
    let asked: Vec<(&Habit, Wanted)> =
        candidates.iter().map(|(at, wanted)| (&rows[*at].habit, *wanted)).collect();
    let placed = fit(&asked, processors, options.most);
    for ((at, Wanted { amount, period }), place) in candidates.into_iter().zip(placed) {
        let soft = !options.hard;
        match place {
            Ok(processor) => {
                rows[at].parent = Parent::Reservation { amount, period, soft, processor };
            }
            Err(why) => rows[at].left_out = Some(why),
        }
    }
}

/// What a thread would be reserved, if its period is sure enough.
fn wanted(habit: &Habit, options: Options) -> Option<Wanted> {
    let sure = habit.periods >= FEWEST && habit.confidence >= options.confidence;
    // The same amount in a shorter period is more, never less.
    let period = whole_micros(habit.period.filter(|_| sure)?);
    Some(Wanted { amount: with_margin(habit.need.max, options.margin), period })
}

/// Rounded down to a whole microsecond, unless that is nothing.
pub(super) fn whole_micros(period: Span) -> Span {
    let rest = Span::from_nanos(period.as_nanos() % 1_000);
    let whole = period.saturating_sub(rest);
    if whole.is_zero() { period } else { whole }
}

/// `need` times `margin`, rounded up to a whole microsecond; at least one.
pub(super) fn with_margin(need: Span, margin: Ratio) -> Span {
    let microsecond = 1_000;
    let product = Ratio::whole(need.as_nanos()).checked_mul(margin.max(Ratio::ONE));
    let us = product.map_or(u128::MAX, |exact| {
        let (above, below) = (exact.numerator().unsigned_abs(), exact.denominator().unsigned_abs());
        above.div_ceil(below).div_ceil(microsecond).max(1)
    });
    Span::saturating_from_nanos(us.saturating_mul(microsecond))
}

#[cfg(test)]
mod tests;
