//! What may be written for a parameter, and what was.

use windfall_hierarchy::Value;
use windfall_time::{Instant, Span};

/// What is written for a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// An amount in a period: above zero, at most the period.
    Reservation,
    /// A whole number, within these bounds, both included.
    Integer(i64, i64),
    /// A length of time; whether it may be zero.
    Span(bool),
    /// A length of processor time, above zero, and one of time on the clock.
    Limit,
    /// A period, above zero, and if known the longest work in it and the deadline.
    Rate,
    /// An amount in a period, and a moment at which a piece of it begins.
    Block,
    /// A length of processor time, and the moment by which it is to be had.
    Constraint,
}

/// What is asked for a child under a parameter: a value of its form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// So much in every period.
    Reservation {
        /// Processor time; above zero, at most the period.
        amount: Span,
        /// The period.
        period: Span,
    },
    /// A whole number.
    Integer(i64),
    /// A length of time.
    Span(Span),
    /// How long it may go on at a stretch, and how long it must do without before the next.
    Limit {
        /// Processor time; above zero.
        limit: Span,
        /// Time on the clock.
        without: Span,
    },
    /// How often it works.
    Rate {
        /// Longest work of one job, when known.
        work: Option<Span>,
        /// Shortest time between two jobs; above zero.
        period: Span,
        /// Relative deadline; above zero.
        deadline: Span,
    },
    /// So much in one piece in every period.
    Block {
        /// Processor time; above zero, at most the period.
        amount: Span,
        /// The period.
        period: Span,
        /// A moment at which a piece begins.
        at: Instant,
    },
    /// So much from now on, once.
    Constraint {
        /// Processor time.
        work: Span,
        /// By when.
        deadline: Instant,
    },
}

impl Form {
    /// Whether this may be written.
    #[must_use]
    pub fn allows(self, asked: Asked) -> bool {
        match (self, asked) {
            (Form::Reservation, Asked::Reservation { amount, period })
            | (Form::Block, Asked::Block { amount, period, .. }) => {
                !amount.is_zero() && amount <= period
            }
            (Form::Integer(least, most), Asked::Integer(n)) => (least..=most).contains(&n),
            (Form::Span(zero), Asked::Span(span)) => zero || !span.is_zero(),
            (Form::Limit, Asked::Limit { limit, .. }) => !limit.is_zero(),
            (Form::Rate, Asked::Rate { period, deadline, .. }) => {
                !period.is_zero() && !deadline.is_zero()
            }
            (Form::Constraint, Asked::Constraint { .. }) => true,
            _ => false,
        }
    }
}

impl Asked {
    /// The same as a value of [`Message::Set`](windfall_hierarchy::Message); a rate has none.
    pub(crate) const fn value(self) -> Option<Value> {
        match self {
            Asked::Integer(n) => Some(Value::Integer(n)),
            Asked::Span(span) => Some(Value::Span(span)),
            Asked::Reservation { amount, period } => Some(Value::Spans(amount, period)),
            Asked::Limit { limit, without } => Some(Value::Spans(limit, without)),
            Asked::Block { amount, period, at } => Some(Value::Placed(amount, period, at)),
            Asked::Constraint { work, deadline } => Some(Value::Due(work, deadline)),
            Asked::Rate { .. } => None,
        }
    }
}
