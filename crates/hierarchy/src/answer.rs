//! The answer of a scheduler to a message or to a new child.

use core::fmt;
use windfall_time::{Instant, Ratio, Span};

/// The answer of a scheduler: the request is done, or the reason why not; then nothing has changed.
pub type Answer = Result<(), AnswerError>;

/// Why a scheduler refuses a message or a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AnswerError {
    /// The scheduler does not understand this message.
    NotUnderstood {
        /// The message's name.
        message: &'static str,
        /// The names of the messages that the scheduler takes; remarks stand in brackets.
        takes: &'static str,
    },
    /// The scheduler already has as many children as it can.
    Full {
        /// The limit and where it comes from.
        limit: &'static str,
    },
    /// Admission control: the requested share exceeds the share that is left.
    NoRoom {
        /// The requested share of the instance's supply.
        requested: Ratio,
        /// The share that is left.
        left: Ratio,
    },
    /// Admission control: enough time is left, but the plan has no place for the block that is free in every
    /// period.
    NoPlace {
        /// Length of the block.
        amount: Span,
        /// Period of the block.
        period: Span,
    },
    /// Admission control: with this reserve some child would get its own too late.
    TooLate {
        /// The amount that was asked for.
        amount: Span,
        /// The period that was asked for.
        period: Span,
        /// An amount that would be admitted with that period, and a nanosecond more would not; zero if none would.
        fits: Span,
    },
    /// Admission control: the work cannot be done by the deadline.
    NoTime {
        /// The work that was asked for.
        work: Span,
        /// The most work that would be admitted with that deadline.
        idle: Span,
        /// The earliest deadline with which this work would be admitted, if there is one.
        earliest: Option<Instant>,
    },
    /// Not so much laxity can be moved away: the instance has promised that time itself.
    NoLaxity {
        /// The processor time that was asked for.
        work: Span,
        /// The most that could be moved now.
        most: Span,
    },
    /// Laxity that was moved to or from the instance before is still passing.
    Moving {
        /// By then it has passed.
        until: Instant,
    },
    /// The instance holds nothing from its parents by which it could promise a deadline.
    NoSupply,
    /// The child has no such task, or has one of this number already.
    WrongTask {
        /// The number.
        task: u32,
        /// Whether it has one.
        has: bool,
    },
    /// A parameter lies outside its range.
    OutOfRange {
        /// The parameter.
        what: &'static str,
        /// The allowed range.
        allowed: &'static str,
    },
    /// Another child already has something that only one child may have.
    Taken {
        /// The thing that is taken.
        what: &'static str,
    },
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::NotUnderstood { message, takes } => {
                write!(f, "message `{message}` means nothing here; this scheduler takes {takes}")
            }
            AnswerError::Full { limit } => write!(f, "no room for another child: {limit}"),
            AnswerError::NoRoom { requested, left } => {
                write!(
                    f,
                    "asked for {requested} of the processor, {left} is left; ask for at most that"
                )
            }
            AnswerError::NoPlace { amount, period } => write!(
                f,
                "a block of {amount} in every {period} meets others' wherever it begins; ask for less, or for a period \
                 that divides theirs or is divided by them"
            ),
            AnswerError::TooLate { amount, period, fits } => {
                write!(
                    f,
                    "beside the others, {amount} in every {period} would make one too late, the shortest period first; "
                )?;
                match fits.is_zero() {
                    true => f.write_str("with that period nothing is left; ask for another, or make others' smaller"),
                    false => write!(
                        f,
                        "ask for {fits} in every {period}, or for a period that divides theirs or is a multiple"
                    ),
                }
            }
            AnswerError::NoTime { work, idle, earliest } => {
                write!(f, "work {work} does not fit before its deadline, {idle} would; ")?;
                match earliest {
                    Some(earliest) => write!(f, "the earliest deadline for it is {earliest}"),
                    None => f.write_str("no deadline is late enough for it"),
                }
            }
            AnswerError::NoLaxity { work, most } => write!(
                f,
                "it has promised that time itself: of {work}, {most} could be moved now; ask for at most that"
            ),
            AnswerError::Moving { until } => write!(
                f,
                "time that was moved before is still passing, until {until} at the latest; ask again then"
            ),
            AnswerError::NoSupply => f.write_str(
                "the scheduler holds no guarantee that says when it receives processor time; give it one, as `RESBS 5ms 10ms`, or move laxity to it",
            ),
            AnswerError::WrongTask { task, has: true } => {
                write!(f, "task {task} has not ended; give this one another number")
            }
            AnswerError::WrongTask { task, has: false } => {
                write!(f, "there is no task {task}: it was done, withdrawn or lost")
            }
            AnswerError::OutOfRange { what, allowed } => {
                write!(f, "{what} is out of range; allowed: {allowed}")
            }
            AnswerError::Taken { what } => write!(f, "{what} is already taken by another child"),
        }
    }
}

impl core::error::Error for AnswerError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two exact shares, of two numbers of 16 bytes each, and which variant it is: copied once for each message, never kept.
    #[test]
    fn limit_an_answer_is_ten_words() {
        assert_eq!(size_of::<Ratio>(), 32);
        assert_eq!((size_of::<Answer>(), size_of::<AnswerError>()), (80, 80));
    }
}
