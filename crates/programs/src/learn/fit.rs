//! Selects reservations that fit together, and leaves out the others.
//!
//! Invariant: the shares on one processor, each rounded up to a millionth, add up to at most `most` of it. Threads
//! are placed in order of the certainty of their periods, so that none is left out for a less certain one: first by
//! confidence, then by the number of periods observed, then the smaller share first.

use super::period::Habit;
use std::cmp::Reverse;
use std::fmt;
use windfall_time::{Ratio, Span};

/// The reservation that a thread should have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Wanted {
    /// The greatest need times the margin.
    pub amount: Span,
    /// The period of the reservation.
    pub period: Span,
}

/// Why a thread with a period gets no reservation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LeftOut {
    /// Its share alone exceeds the part of a processor that may be reserved.
    TooMuch(Wanted),
    /// No processor has room for it beside the more certain ones.
    NoRoom(Wanted),
    /// It has the name of a thread of the kernel, which serves everybody and is nobody's to promise to.
    Kernel(Wanted),
    /// It has the name of a program that records, which is there for the recording alone.
    Recorder(Wanted),
}

/// The certainty of a period; the greatest is placed first.
type Sureness = (Ratio, u64, Reverse<u128>);

/// The reserved parts of the processors, in millionths.
struct Processors {
    loads: Vec<u128>,
    count: usize,
    most: u128,
}

/// For each wanted reservation its processor, or why it is left out. `wanted` has a thread's habit and reservation;
/// `most` is the part of each of `processors` that may be reserved.
pub(super) fn fit(
    wanted: &[(&Habit, Wanted)],
    processors: u16,
    most: Ratio,
) -> Vec<Result<usize, LeftOut>> {
    let most = most.numerator().saturating_mul(1_000_000) / most.denominator();
    let most = u128::try_from(most).unwrap_or(0); // a negative part counts as zero
    let mut room = Processors { loads: Vec::new(), count: usize::from(processors), most };
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|at| Reverse(sureness(wanted[*at])));
    let mut placed: Vec<Option<usize>> = vec![None; wanted.len()];
    for at in order {
        placed[at] = room.place(wanted[at].1.share());
    }
    let found = placed.into_iter().zip(wanted).map(|(place, (_, wanted))| match place {
        Some(processor) => Ok(processor),
        None if wanted.share() > most => Err(LeftOut::TooMuch(*wanted)),
        None => Err(LeftOut::NoRoom(*wanted)),
    });
    found.collect()
}

fn sureness((habit, wanted): (&Habit, Wanted)) -> Sureness {
    (habit.confidence, habit.periods, Reverse(wanted.share()))
}

impl Processors {
    /// Places a share on the first processor that has room, if any has.
    fn place(&mut self, share: u128) -> Option<usize> {
        let fits = |load: &u128| load + share <= self.most;
        let at = match self.loads.iter().position(fits) {
            Some(at) => at,
            None if self.loads.len() < self.count && share <= self.most => {
                self.loads.push(0);
                self.loads.len() - 1
            }
            None => return None,
        };
        self.loads[at] += share;
        Some(at)
    }
}

impl Wanted {
    /// So much in each of these periods.
    #[must_use]
    pub const fn new(amount: Span, period: Span) -> Wanted {
        Wanted { amount, period }
    }

    /// The part of a processor in millionths, rounded up; 0 for a period of zero.
    #[must_use]
    pub fn share(&self) -> u128 {
        let (amount, period) =
            (u128::from(self.amount.as_nanos()), u128::from(self.period.as_nanos()));
        (amount * 1_000_000 + period.saturating_sub(1)).checked_div(period).unwrap_or(0)
    }
}

impl LeftOut {
    /// The reservation that was left out.
    #[must_use]
    pub const fn wanted(&self) -> Wanted {
        match self {
            LeftOut::TooMuch(wanted)
            | LeftOut::NoRoom(wanted)
            | LeftOut::Kernel(wanted)
            | LeftOut::Recorder(wanted) => *wanted,
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LeftOut::TooMuch(_) => "that is more than may be reserved of a processor",
            LeftOut::NoRoom(_) => "there is no room for it beside surer ones",
            LeftOut::Kernel(_) => "its name is that of a thread of the kernel",
            LeftOut::Recorder(_) => "its name is that of a program that records",
        })
    }
}

#[cfg(test)]
mod tests;
