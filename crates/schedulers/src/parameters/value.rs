//! The forms of parameters, and their values.
//!
//! A new form has two places. Here the compiler asks for its value, for what a message has of it, and for a value made of numbers
//! ([`Form::value`]), by which trials, the law and tests of the file draw it; and [`Form::allows`] says which values are allowed. In
//! `scenario/src/file/parameter.rs` is all that a file knows of it; tests there and in `scenario/src/write` fail if it is missing,
//! and `scenario/tests/all/parameters.rs` has one of each.

use windfall_hierarchy::{Message, ProcessorSet, Value};
use windfall_time::{Instant, Span};

/// The form of a parameter's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Form {
    /// An amount in a period: above zero, at most the period.
    Reservation,
    /// A whole number, within these bounds, both included.
    Integer(i64, i64),
    /// A length of time; the flag says whether it may be zero.
    Span(bool),
    /// A length of processor time, above zero, and a length of time.
    Limit,
    /// A period, above zero; optionally the longest work in it, and the deadline.
    Rate,
    /// A set of processors that is not empty.
    Processors,
    /// An amount in each period, and a moment at which one of its blocks begins.
    Block,
    /// A length of processor time, and a deadline for it.
    Constraint,
}

/// The value of a child's parameter, in one of these forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParameterValue {
    /// An amount in each period.
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
    /// A limit of continuous use, and the pause that must follow before the next use.
    Limit {
        /// Processor time; above zero.
        limit: Span,
        /// Time on the clock.
        pause: Span,
    },
    /// The rate of a child's jobs.
    Rate(Rate),
    /// Processors of the machine where it is written, own virtual processors of its scheduler where it is told.
    Processors(ProcessorSet),
    /// An amount in one piece in each period.
    Block {
        /// Processor time; above zero, at most the period.
        amount: Span,
        /// The period.
        period: Span,
        /// A moment at which a piece begins.
        at: Instant,
    },
    /// An amount of work before a deadline, once.
    Constraint {
        /// Processor time.
        work: Span,
        /// The deadline.
        deadline: Instant,
    },
}

/// The rate of a child's jobs.
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
    /// Jobs of at most this work in each period, each due before the next.
    #[must_use]
    pub fn new(work: impl Into<Option<Span>>, period: Span) -> Rate {
        Rate { work: work.into(), period, deadline: period }
    }

    /// The same rate with this relative deadline.
    #[must_use]
    pub const fn deadline(mut self, deadline: Span) -> Rate {
        self.deadline = deadline;
        self
    }

    /// The message that sets this rate.
    #[must_use]
    pub const fn message(self) -> Message {
        let Rate { work, period, deadline } = self;
        Message::Periodic { period, deadline, amount: work }
    }
}

impl Form {
    /// A value of this form, made of numbers of which each is a length in this unit, a whole number, or a set of bits. The form need not
    /// allow it.
    ///
    /// ```
    /// use windfall_schedulers::parameters::{Form, ParameterValue};
    /// use windfall_time::Span;
    ///
    /// let [amount, period] = [1, 10].map(Span::from_millis);
    /// let value = Form::Reservation.value([1, 10, 0], Span::from_millis(1));
    /// assert_eq!(value, ParameterValue::Reservation { amount, period });
    /// ```
    #[must_use]
    pub fn value(self, numbers: [u32; 3], unit: Span) -> ParameterValue {
        let [amount, period, due] = numbers.map(|number| unit.saturating_mul(u64::from(number)));
        let at = Instant::ZERO.saturating_add(due);
        match self {
            Form::Reservation => ParameterValue::Reservation { amount, period },
            Form::Integer(least, most) => {
                ParameterValue::Integer(i64::from(numbers[0]).clamp(least, most))
            }
            Form::Span(_) => ParameterValue::Span(amount),
            Form::Limit => ParameterValue::Limit { limit: amount, pause: period },
            Form::Rate => ParameterValue::Rate(Rate::new(amount, period).deadline(due)),
            Form::Processors => {
                let bits = (0..32).filter(|bit| numbers[0] >> bit & 1 == 1);
                ParameterValue::Processors(ProcessorSet::of(bits).unwrap_or_default())
            }
            Form::Block => ParameterValue::Block { amount, period, at },
            Form::Constraint => ParameterValue::Constraint { work: amount, deadline: at },
        }
    }

    /// Whether this form allows the value.
    #[must_use]
    pub fn allows(self, requested: ParameterValue) -> bool {
        match (self, requested) {
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
            (Form::Processors, ParameterValue::Processors(processors)) => !processors.is_empty(),
            (Form::Constraint, ParameterValue::Constraint { .. }) => true,
            _ => false,
        }
    }
}

impl ParameterValue {
    /// The value for [`Message::Set`](windfall_hierarchy::Message); a rate has none.
    pub(crate) const fn as_message_value(self) -> Option<Value> {
        match self {
            ParameterValue::Integer(n) => Some(Value::Integer(n)),
            ParameterValue::Span(span) => Some(Value::Span(span)),
            ParameterValue::Reservation { amount, period } => Some(Value::Spans(amount, period)),
            ParameterValue::Limit { limit, pause } => Some(Value::Spans(limit, pause)),
            ParameterValue::Block { amount, period, at } => Some(Value::Placed(amount, period, at)),
            ParameterValue::Constraint { work, deadline } => Some(Value::Due(work, deadline)),
            ParameterValue::Processors(processors) => Some(Value::Processors(processors)),
            ParameterValue::Rate(_) => None,
        }
    }

    /// The whole number, if this is one.
    #[must_use]
    pub const fn integer(self) -> Option<i64> {
        match self {
            ParameterValue::Integer(n) => Some(n),
            _ => None,
        }
    }

    /// The length of time, if this is one.
    #[must_use]
    pub const fn span(self) -> Option<Span> {
        match self {
            ParameterValue::Span(span) => Some(span),
            _ => None,
        }
    }

    /// Amount and period, if this is a reservation.
    #[must_use]
    pub const fn reservation(self) -> Option<(Span, Span)> {
        match self {
            ParameterValue::Reservation { amount, period } => Some((amount, period)),
            _ => None,
        }
    }

    /// The processors, if these are some.
    #[must_use]
    pub const fn processors(self) -> Option<ProcessorSet> {
        match self {
            ParameterValue::Processors(processors) => Some(processors),
            _ => None,
        }
    }

    /// The rate, if this is one.
    #[must_use]
    pub const fn rate(self) -> Option<Rate> {
        match self {
            ParameterValue::Rate(rate) => Some(rate),
            _ => None,
        }
    }
}
