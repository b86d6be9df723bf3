//! Messages from a child, or from the infrastructure on its behalf, to a scheduler (HLS 4.3.1.2), and notices from a
//! scheduler to a child ([`ParentNotice`], HLS 6.2.2).
//!
//! Messages are small values; a scheduler that has no use for one refuses it with
//! [`AnswerError::NotUnderstood`](crate::AnswerError), and then nothing has changed. The head of each scheduler's file
//! lists the messages that it takes. A parameter that several kinds understand has a message of its own; all others are
//! [`Message::Set`].

use crate::ProcessorSet;
use windfall_time::{Instant, Span};

/// A message to a scheduler about one of its children, or about the instance itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Message {
    /// Begin or change a reservation: `amount` of processor time in every `period`.
    Reserve {
        /// Processor time in each period; above 0, at most `period`.
        amount: Span,
        /// Length of a period.
        period: Span,
    },
    /// End the reservation.
    Unreserve,
    /// The child's share, as a weight relative to its siblings' weights; at least 1.
    Share(u32),
    /// Priority: a larger number is served first.
    Priority(i32),
    /// The child works periodically (or at least this far apart): for admission, for priorities
    /// derived from periods, and for deadlines derived from wake-ups.
    Periodic {
        /// Shortest time between two jobs.
        period: Span,
        /// Relative deadline.
        deadline: Span,
        /// Longest work of one job, when known.
        amount: Option<Span>,
    },
    /// A job begins: what the child now works at is due at `deadline` and needs `work` more.
    Job {
        /// When the job was released.
        release: Instant,
        /// Absolute deadline.
        deadline: Instant,
        /// Processor time that the job needs, when known.
        work: Option<Span>,
    },
    /// A task arrives that the child will do later: it is admitted if it will be done by its deadline beside all that was admitted before
    /// (PORTS 2.2). A refusal says the idle time before that deadline ([`AnswerError::NoTime`](crate::AnswerError::NoTime)).
    Submit {
        /// The child's own number for it, used by no other task of the child that has not ended.
        task: u32,
        /// The most processor time that it needs; above zero.
        work: Span,
        /// Absolute deadline.
        deadline: Instant,
    },
    /// A task that was admitted will not be done; all that was left of its time is free.
    Withdraw(u32),
    /// A task that was admitted has been done; what was left of its time is free (PORTS 2.5).
    Finish(u32),
    /// Gives this much of the time that the instance has not promised to the child, itself a scheduler that admits tasks,
    /// before all tasks of the instance (laxity, PORTS 2.5). The child learns of it by [`ParentNotice::Moved`].
    Transfer(Span),
    /// To the instance: what it holds from its parents. While it is runnable, it receives in any window of length d at least
    /// (d - `latency`) x `amount` / `period`.
    Supply {
        /// Processor time in each period; zero if it holds nothing that bounds a window.
        amount: Span,
        /// Length of a period; above zero.
        period: Span,
        /// The longest time without any.
        latency: Span,
        /// Whether each whole period of what is left of the window after the latency brings the whole amount, and the rest of it first as much as it can: a
        /// reservation, and not a share.
        blocks: bool,
    },
    /// To the instance: name now the tasks that can no longer be done, as every event does. A host sends it when time was stolen, or a
    /// [query](crate::TemporalQuery::Unnamed) found some.
    Account,
    /// To the instance: the longest time that one child keeps the processor while others wait.
    Quantum(Span),
    /// A parameter of one kind or two, by its key: lower case, words joined by `-`. (A reference to the key is one word
    /// long, so messages stay small.)
    Set(&'static &'static str, Value),
}

/// The value of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Value {
    /// A number.
    Integer(i64),
    /// A length of time.
    Span(Span),
    /// Two lengths of time.
    Spans(Span, Span),
    /// An amount of processor time, to be received by a moment.
    Due(Span, Instant),
    /// An amount of processor time in every period of a length, with a moment at which it begins.
    Placed(Span, Span, Instant),
    /// Own virtual processors of the scheduler that is sent the message.
    Processors(ProcessorSet),
}

impl Message {
    /// The message's name, as refusals and the journal print it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Message::Reserve { .. } => "reserve",
            Message::Unreserve => "unreserve",
            Message::Share(_) => "share",
            Message::Priority(_) => "priority",
            Message::Periodic { .. } => "periodic",
            Message::Job { .. } => "job",
            Message::Submit { .. } => "submit",
            Message::Withdraw(_) => "withdraw",
            Message::Finish(_) => "finish",
            Message::Transfer(_) => "transfer",
            Message::Supply { .. } => "supply",
            Message::Account => "account",
            Message::Quantum(_) => "quantum",
            Message::Set(name, _) => name,
        }
    }
}

/// A scheduler's notice to a child about the virtual processor between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParentNotice {
    /// Its budget is used up: it gets nothing more here until it is replenished.
    Exhausted,
    /// A period begins, with so much budget, and ends then.
    Replenished {
        /// Processor time of this period.
        budget: Span,
        /// The end of the period.
        end: Instant,
    },
    /// Laxity was moved to it: while it is runnable and the parent's supply holds, it receives by any t as much as (t - `latency`) x `amount` / `period` exceeds
    /// `from`, until that is `work`. No `work` ends what was moved before.
    Moved {
        /// Processor time in all.
        work: Span,
        /// Where it begins, on the time of the parent's supply.
        from: Instant,
        /// The parent's processor time in each period.
        amount: Span,
        /// Length of a period; above zero.
        period: Span,
        /// The longest time in which the parent receives none.
        latency: Span,
    },
    /// Grants from now on serve the time constraint with this deadline, or none.
    Constrained(Option<Instant>),
}

impl ParentNotice {
    /// The name, as the journal prints it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            ParentNotice::Exhausted => "exhausted",
            ParentNotice::Replenished { .. } => "replenished",
            ParentNotice::Moved { .. } => "moved",
            ParentNotice::Constrained(_) => "constrained",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_a_message_is_five_words() {
        assert!(size_of::<Message>() <= 40, "{} bytes", size_of::<Message>());
        let message = Message::Set(&"slack", Value::Integer(1));
        assert_eq!(message.name(), "slack");
    }
}
