//! What may be written for a parameter, and what was.

use windfall_hierarchy::{Message, Value};
use windfall_time::{Instant, Span};

/// What is written for a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum ParameterValue {
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
        pause: Span,
    },
    /// How often it works.
    Rate(Rate),
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

/// How often a child works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Rate {
    /// Longest work of one job, when known.
    pub work: Option<Span>,
    /// Shortest time between two jobs; above zero.
    pub period: Span,
    /// Relative deadline; above zero.
    pub deadline: Span,
}

impl Rate {
    /// A job of at most so much work in each period, due before the next.
    #[must_use]
    pub fn new(work: impl Into<Option<Span>>, period: Span) -> Rate {
        Rate { work: work.into(), period, deadline: period }
    }

    /// The same, due so long after its release.
    #[must_use]
    pub const fn deadline(mut self, deadline: Span) -> Rate {
        self.deadline = deadline;
        self
    }

    /// What tells it.
    #[must_use]
    pub const fn message(self) -> Message {
        let Rate { work, period, deadline } = self;
        Message::Periodic { period, deadline, amount: work }
    }
}

impl Form {
    /// Whether this may be written.
    #[must_use]
    pub fn allows(self, asked: ParameterValue) -> bool {
        match (self, asked) {
            (Form::Reservation, ParameterValue::Reservation { amount, period })
            | (Form::Block, ParameterValue::Block { amount, period, .. }) => {
                !amount.is_zero() && amount <= period
            }
            (Form::Integer(least, most), ParameterValue::Integer(n)) => (least..=most).contains(&n),
            (Form::Span(zero), ParameterValue::Span(span)) => zero || !span.is_zero(),
            (Form::Limit, ParameterValue::Limit { limit, .. }) => !limit.is_zero(),
            (Form::Rate, ParameterValue::Rate(Rate { period, deadline, .. })) => {
                !period.is_zero() && !deadline.is_zero()
            }
            (Form::Constraint, ParameterValue::Constraint { .. }) => true,
            _ => false,
        }
    }
}

impl ParameterValue {
    /// The same as a value of [`Message::Set`](windfall_hierarchy::Message); a rate has none.
    pub(crate) const fn as_message_value(self) -> Option<Value> {
        match self {
            ParameterValue::Integer(n) => Some(Value::Integer(n)),
            ParameterValue::Span(span) => Some(Value::Span(span)),
            ParameterValue::Reservation { amount, period } => Some(Value::Spans(amount, period)),
            ParameterValue::Limit { limit, pause } => Some(Value::Spans(limit, pause)),
            ParameterValue::Block { amount, period, at } => Some(Value::Placed(amount, period, at)),
            ParameterValue::Constraint { work, deadline } => Some(Value::Due(work, deadline)),
            ParameterValue::Rate(_) => None,
        }
    }

    /// The whole number, if it is one.
    #[must_use]
    pub const fn integer(self) -> Option<i64> {
        match self {
            ParameterValue::Integer(n) => Some(n),
            _ => None,
        }
    }

    /// The length of time, if it is one.
    #[must_use]
    pub const fn span(self) -> Option<Span> {
        match self {
            ParameterValue::Span(span) => Some(span),
            _ => None,
        }
    }

    /// Amount and period, if it is a reservation.
    #[must_use]
    pub const fn reservation(self) -> Option<(Span, Span)> {
        match self {
            ParameterValue::Reservation { amount, period } => Some((amount, period)),
            _ => None,
        }
    }

    /// The rate, if it is one.
    #[must_use]
    pub const fn rate(self) -> Option<Rate> {
        match self {
            ParameterValue::Rate(rate) => Some(rate),
            _ => None,
        }
    }
}
