//! Proposes a reservation for each thread of a recording. A proposal never applies itself.
//!
//! A thread gets a reservation if it has a period, at least 8 periods were seen, and 3/4 or more of them were on
//! time. Its amount is the most that it computed in a period, times a margin that is printed, rounded up to a
//! microsecond; the period is rounded down to a microsecond. The reservations fit together and leave a part of each
//! processor. Threads whose reservation does not fit, and threads of the kernel, share what is left with all others.
//!
//! Not promised: that the need will not exceed what was seen.

use super::fit::{LeftOut, Wanted, fit};
use super::kernel::is_of_kernel;
use super::period::{FEWEST, Habit, habit};
use super::replay::Learned;
use std::cmp::Reverse;
use windfall_time::{Ratio, Span};
use windfall_trace::timeline::LostCount;

/// Programs that record a machine, by the names of their threads: they wake in turns, and are gone with the recording.
const RECORDERS: [&str; 3] = ["windfall", "trace-cmd", "perf"];

/// Options of a proposal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The factor from the greatest need to the amount; at least 1.
    pub margin: Ratio,
    /// Whether reservations also limit their threads. If not, threads may also receive spare time, through a join
    /// with the time-sharing scheduler.
    pub hard: bool,
    /// The least confidence of a reservation.
    pub confidence: Ratio,
    /// The part of each processor that may be reserved; at most 1. The rest is for all other threads.
    pub most: Ratio,
}

impl Default for Options {
    fn default() -> Options {
        let fraction = |n, d| Ratio::new(n, d).unwrap_or(Ratio::ONE);
        let (margin, confidence, most) = (fraction(6, 5), fraction(3, 4), fraction(9, 10));
        Options { margin, hard: false, confidence, most }
    }
}

/// The scheduler under which a thread should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parent {
    /// `rez`: `amount` in each `period`.
    Reservation {
        /// Work in each period.
        amount: Span,
        /// The period.
        period: Span,
        /// Whether it may receive spare time as well, through a join with the time-sharing scheduler.
        soft: bool,
        /// The processor on which the reservation fits beside the others there.
        processor: usize,
    },
    /// The time-sharing scheduler.
    TimeSharing,
}

/// The proposal for one thread.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Row {
    /// An index into [`Learned::threads`].
    pub thread: usize,
    /// Its name.
    pub name: String,
    /// The thread's number in the recording.
    pub tid: u32,
    /// Its period and need.
    pub habit: Habit,
    /// The name of the thread that releases it, if one does.
    pub released_by: Option<String>,
    /// All processor time that it used.
    pub work: Span,
    /// The time for which its state is unknown.
    pub unknown: Span,
    /// The proposed scheduler.
    pub parent: Parent,
    /// Why it has no reservation although it has a period; `None` otherwise.
    pub left_out: Option<LeftOut>,
}

/// The proposals for all threads.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Proposal {
    /// Reservations first, then by processor time, most first.
    pub rows: Vec<Row>,
    /// The options of the proposal.
    pub options: Options,
    /// Sum of all reservations in processors; each is rounded up to a millionth.
    pub share: Ratio,
    /// Number of recorded processors.
    pub processors: u16,
    /// Length of the recording.
    pub length: Span,
    /// The losses that the recording reports.
    pub lost: LostCount,
}

impl Proposal {
    /// Makes a proposal from all learned threads.
    #[must_use]
    pub fn new(learned: &Learned, options: Options) -> Proposal {
        let mut rows: Vec<Row> =
            (0..learned.threads.len()).map(|thread| row(learned, thread)).collect();
        reserve(&mut rows, learned.processors, options);
        rows.sort_by_key(|row| (row.parent == Parent::TimeSharing, Reverse(row.work), row.thread));
        let requested = rows.iter().map(|row| match row.parent {
            Parent::Reservation { amount, period, .. } => {
                Wanted { amount, period }.share().cast_signed()
            }
            Parent::TimeSharing => 0,
        });
        let share = Ratio::new(requested.sum(), 1_000_000).unwrap_or(Ratio::ZERO);
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

/// Gives reservations to threads that look periodic, as far as they fit together.
fn reserve(rows: &mut [Row], processors: u16, options: Options) {
    let mut candidates: Vec<(usize, Wanted)> =
        (0..rows.len()).filter_map(|at| Some((at, wanted(&rows[at].habit, options)?))).collect();
    candidates.retain(|(at, wanted)| {
        let name = rows[*at].name.as_str();
        rows[*at].left_out = match name {
            _ if is_of_kernel(name) => Some(LeftOut::Kernel(*wanted)),
            _ if RECORDERS.contains(&name) => Some(LeftOut::Recorder(*wanted)),
            _ => return true,
        };
        false
    });
    let requested: Vec<(&Habit, Wanted)> =
        candidates.iter().map(|(at, wanted)| (&rows[*at].habit, *wanted)).collect();
    let placed = fit(&requested, processors, options.most);
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

/// The reservation for a thread, if its period is certain enough.
fn wanted(habit: &Habit, options: Options) -> Option<Wanted> {
    let sure = habit.periods >= FEWEST && habit.confidence >= options.confidence;
    // Rounding down is safe: the same amount in a shorter period is more, never less.
    let period = whole_micros(habit.period.filter(|_| sure)?);
    Some(Wanted { amount: with_margin(habit.need.max, options.margin), period })
}

/// Rounded down to a whole microsecond, unless that is zero.
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
