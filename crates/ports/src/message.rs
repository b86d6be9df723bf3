//! Messages between members, as records of words.

use crate::transport::Record;
use crate::{Reason, Request, SubmitError, TaskId};
use windfall_admission::AdmitError;
use windfall_time::{Instant, Span};

/// The answer of a processor's owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// It will be done by its deadline.
    Admitted(TaskId),
    /// It does not fit; a smaller task may.
    NoRoom {
        /// The most work that would be admitted with this deadline.
        idle: Span,
        /// The earliest deadline for this work, if there is one.
        earliest: Option<Instant>,
    },
    /// It is refused for another reason.
    Unsuitable(Reason),
    /// It arrived after the time until which it was worth asking, and was not executed.
    TooLate,
}

impl From<Result<TaskId, SubmitError>> for Answer {
    fn from(answer: Result<TaskId, SubmitError>) -> Answer {
        match answer {
            Ok(task) => Answer::Admitted(task),
            Err(SubmitError::NotAdmitted(AdmitError::NoRoom { idle, earliest, .. })) => {
                Answer::NoRoom { idle, earliest }
            }
            Err(SubmitError::NotAdmitted(AdmitError::DeadlinePassed { earliest, .. })) => {
                Answer::NoRoom { idle: Span::ZERO, earliest }
            }
            Err(error) => Answer::Unsuitable(error.reason()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Message {
    /// Asks an owner to admit; worth it until an instant.
    Submit { number: u64, until: Instant, scheduler: u64, request: Request },
    /// Answers an ask.
    Reply { number: u64, answer: Answer },
}

const SUBMIT: u64 = 1;
const ADMITTED: u64 = 3;
const NO_ROOM: u64 = 4;
const NEVER: u64 = 5;
const UNSUITABLE: u64 = 6;
const TOO_LATE: u64 = 7;
/// Added to `SUBMIT` for a request that has them.
const WITH_STATE: u64 = 1 << 8;
const WITH_DEADLINE: u64 = 1 << 9;

impl Message {
    /// As words.
    pub(crate) fn encode(self) -> Record {
        match self {
            Message::Submit { number, until, scheduler, request } => {
                let flag = |has: bool, flag: u64| if has { flag } else { 0 };
                let kind = SUBMIT
                    | flag(request.state.is_some(), WITH_STATE)
                    | flag(request.deadline.is_some(), WITH_DEADLINE);
                let deadline = request.deadline.unwrap_or(Instant::ZERO).as_nanos();
                let (work, rank) = (request.work.as_nanos(), request.rank.cast_unsigned());
                let state = request.state.unwrap_or(0);
                [kind, number, until.as_nanos(), scheduler, work, deadline, rank, state]
            }
            Message::Reply { number, answer } => {
                let (kind, [a, b, c]) = match answer {
                    Answer::Admitted(TaskId { index, generation, processor }) => {
                        (ADMITTED, [index, generation, processor].map(u64::from))
                    }
                    Answer::NoRoom { idle, earliest: Some(earliest) } => {
                        (NO_ROOM, [idle.as_nanos(), earliest.as_nanos(), 0])
                    }
                    Answer::NoRoom { idle, earliest: None } => (NEVER, [idle.as_nanos(), 0, 0]),
                    Answer::Unsuitable(reason) => (UNSUITABLE, [reason.number(), 0, 0]),
                    Answer::TooLate => (TOO_LATE, [0; 3]),
                };
                [kind, number, a, b, c, 0, 0, 0]
            }
        }
    }

    /// `None` for words that are no message.
    pub(crate) fn decode(words: Record) -> Option<Message> {
        let [kind, number, a, b, c, deadline, rank, state] = words;
        let short = |word: u64| u32::try_from(word).ok();
        let answer = match kind {
            _ if kind & !(WITH_STATE | WITH_DEADLINE) == SUBMIT => {
                let (until, scheduler) = (Instant::from_nanos(a), b);
                let deadline = (kind & WITH_DEADLINE != 0).then(|| Instant::from_nanos(deadline));
                let state = (kind & WITH_STATE != 0).then_some(state);
                let (work, rank) = (Span::from_nanos(c), rank.cast_signed());
                let request = Request { work, deadline, rank, state };
                return Some(Message::Submit { number, until, scheduler, request });
            }
            ADMITTED => Answer::Admitted(TaskId {
                index: short(a)?,
                generation: short(b)?,
                processor: short(c)?,
            }),
            NO_ROOM => {
                let earliest = Some(Instant::from_nanos(b));
                Answer::NoRoom { idle: Span::from_nanos(a), earliest }
            }
            NEVER => Answer::NoRoom { idle: Span::from_nanos(a), earliest: None },
            UNSUITABLE => {
                let reason = Reason::ALL.into_iter().find(|reason| reason.number() == a)?;
                Answer::Unsuitable(reason)
            }
            TOO_LATE => Answer::TooLate,
            _ => return None,
        };
        Some(Message::Reply { number, answer })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_messages_come_back_as_they_were_and_other_words_are_refused() {
        let (at, ns) = (Instant::from_nanos(7), Span::from_nanos(3));
        let answers = [
            Answer::Admitted(TaskId { index: 4, generation: 9, processor: 2 }),
            Answer::NoRoom { idle: ns, earliest: Some(at) },
            Answer::NoRoom { idle: ns, earliest: None },
            Answer::Unsuitable(Reason::Work),
            Answer::Unsuitable(Reason::Unsuitable),
            Answer::TooLate,
        ];
        let latest = Request::by(ns, Instant::MAX);
        let asks = [Request::by(ns, at).using(5), Request::ranked(ns, -2), latest];
        let asks =
            asks.map(|request| Message::Submit { number: 8, until: at, scheduler: 1, request });
        let replies = answers.map(|answer| Message::Reply { number: 8, answer });
        for message in asks.into_iter().chain(replies) {
            assert_eq!(Message::decode(message.encode()), Some(message));
        }
        assert_eq!(Message::decode([99; 8]), None);
        assert_eq!(Message::decode([UNSUITABLE, 0, 99, 0, 0, 0, 0, 0]), None);
        assert_eq!(Message::decode([ADMITTED, 0, u64::MAX, 0, 0, 0, 0, 0]), None);
    }
}
