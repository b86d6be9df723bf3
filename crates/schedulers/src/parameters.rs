//! Parameters of children: one table, from which the keys and requests of scenario files, and the parameters of each
//! kind, are made.
//!
//! A kind lists the parameters that it takes ([`Kind::takes`](crate::catalogue::Kind)); their effect is described in its
//! own file. A parameter without a message of its own is sent by [`Message::Set`], which one function here makes and
//! another reads.

mod messages;
mod value;

pub use messages::{
    block, constraint, currency, processors, progress, read_block, read_constraint, read_currency,
    read_processors, read_progress, read_warp, read_warp_limit, supply, warp, warp_limit,
};
pub use value::{Form, ParameterValue, Rate};

use windfall_guarantees::ChildParams;
use windfall_hierarchy::Message;
use windfall_time::{Ratio, Span};

/// A parameter of a child: set by the child, or on its behalf.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// The key in scenarios: lower case, words joined by `-`.
    pub key: &'static str,
    /// The form of its value.
    pub form: Form,
    /// The effect when it is not written, in words.
    pub default: &'static str,
    /// One line.
    pub help: &'static str,
    /// Whether only threads have it, not a scheduler's own virtual processors.
    pub of_threads: bool,
    /// Makes the message that sends a value of that form, if that is not [`Message::Set`] with the
    /// key.
    pub(crate) message: Option<fn(ParameterValue) -> Option<Message>>,
    /// Puts a value of that form among what a promise depends on; `None` if no promise depends on it.
    counts: Option<fn(&mut ChildParams, ParameterValue)>,
}

impl PartialEq for Parameter {
    fn eq(&self, other: &Parameter) -> bool {
        self.key == other.key
    }
}

impl Eq for Parameter {}

impl Parameter {
    /// A parameter that is sent by [`Message::Set`].
    #[must_use]
    pub const fn new(
        key: &'static str,
        form: Form,
        default: &'static str,
        help: &'static str,
    ) -> Parameter {
        Parameter { key, form, default, help, of_threads: false, message: None, counts: None }
    }

    /// The same with a message of its own.
    const fn sent_as(self, message: fn(ParameterValue) -> Option<Message>) -> Parameter {
        Parameter { message: Some(message), ..self }
    }

    /// The same, if promises depend on its value.
    const fn counted_as(self, counts: fn(&mut ChildParams, ParameterValue)) -> Parameter {
        Parameter { counts: Some(counts), ..self }
    }

    /// Whether a promise depends on its value, so that [`Parameter::count`] has an effect.
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.counts.is_some()
    }

    /// Puts its value among a child's parameters, as the checker of guarantees sees them.
    pub fn count(&self, params: &mut ChildParams, value: ParameterValue) {
        if let Some(counts) = self.counts {
            counts(params, value);
        }
    }

    /// The message that sends this value, if the form allows it.
    #[must_use]
    pub fn message(&'static self, value: ParameterValue) -> Option<Message> {
        if !self.form.allows(value) {
            return None;
        }
        match self.message {
            Some(message) => message(value),
            None => value.as_message_value().map(|value| Message::Set(&self.key, value)),
        }
    }
}

const WEIGHTS: Form = Form::Integer(1, u32::MAX as i64);

/// An amount of processor time in every period.
pub const RESERVE: Parameter =
    Parameter::new("reserve", Form::Reservation, "none", "A reservation, as `3ms/10ms`.")
        .sent_as(|value| match value {
            ParameterValue::Reservation { amount, period } => {
                Some(Message::Reserve { amount, period })
            }
            _ => None,
        })
        .counted_as(|params, value| params.reserve = value.reservation());

/// A weight relative to siblings' weights.
pub const SHARE: Parameter = Parameter::new("share", WEIGHTS, "1", "A weight among siblings.")
    .sent_as(|value| match value {
        ParameterValue::Integer(share) => u32::try_from(share).ok().map(Message::Share),
        _ => None,
    })
    .counted_as(|params, value| {
        let weight = value.integer().and_then(|weight| u64::try_from(weight).ok());
        params.weight = Ratio::whole(weight.unwrap_or(1));
    });

/// How far a child may borrow.
pub const WARP: Parameter = Parameter::new(
    "warp",
    Form::Span(true),
    "0",
    "How far it may borrow against its future allocation.",
)
.counted_as(|params, value| params.warp = value.span().unwrap_or(Span::ZERO));

/// How long it may run on what it borrows.
pub const WARP_LIMIT: Parameter = Parameter::new(
    "warp-limit",
    Form::Limit,
    "none",
    "How long it may run on what it borrows, and must do without then, as `10ms/50ms`.",
);

/// The currency of a child's share.
pub const CURRENCY: Parameter = Parameter::new(
    "currency",
    Form::Integer(0, u32::MAX as i64),
    "0",
    "The unit of its share: a currency that the scheduler's settings fund.",
)
.counted_as(|params, value| {
    params.currency = value.integer().and_then(|currency| u32::try_from(currency).ok());
});

/// A priority.
pub const PRIORITY: Parameter = Parameter::new(
    "priority",
    Form::Integer(i32::MIN as i64, i32::MAX as i64),
    "by kind",
    "A priority; larger is served first.",
)
.sent_as(|value| match value {
    ParameterValue::Integer(priority) => i32::try_from(priority).ok().map(Message::Priority),
    _ => None,
})
.counted_as(|params, value| {
    params.priority = value.integer().and_then(|priority| i32::try_from(priority).ok());
});

/// A time slice of a child's own.
pub const TIME_SLICE: Parameter = Parameter::new(
    "time-slice",
    Form::Span(false),
    "that of its scheduler",
    "A time slice of its own, for the epoch scheduler.",
)
.sent_as(|value| match value {
    ParameterValue::Span(slice) => Some(Message::Quantum(slice)),
    _ => None,
});

/// How often a child works.
pub const RATE: Parameter = Parameter::new(
    "rate",
    Form::Rate,
    "that of its periodic jobs",
    "How often it works, for schedulers that want to know.",
)
.sent_as(|value| match value {
    ParameterValue::Rate(rate) => Some(rate.message()),
    _ => None,
})
.counted_as(|params, value| {
    params.rate = value.rate().map(|rate| (rate.work, rate.period, rate.deadline));
});

/// The processors on which a child may run. A file names processors of the machine, a message own virtual processors of the
/// scheduler (decision 0021).
pub const PROCESSORS: Parameter = Parameter {
    of_threads: true,
    ..Parameter::new(
        "processors",
        Form::Processors,
        "all of its scheduler",
        "The processors on which it may run, as `[0, 1]`.",
    )
};

/// How full a child's queue is: told while it runs, and by no file.
pub const PROGRESS: Parameter = Parameter::new(
    "progress",
    Form::Integer(0, 1000),
    "500",
    "How full its queue is, in thousandths.",
);

/// Where in its period a child has its amount: told for a guarantee, and by no file.
pub const BLOCK: Parameter = Parameter::new(
    "block",
    Form::Block,
    "none",
    "An amount in one piece in every period, and a moment at which one begins.",
);

/// Work that a child has to do once by a deadline: set while it runs, never by a file.
pub const CONSTRAINT: Parameter = Parameter::new(
    "constraint",
    Form::Constraint,
    "none",
    "So much work from now on, to be done by a deadline.",
);

/// All that a file may tell, in the order in which they are told.
pub const ALL: &[&Parameter] =
    &[&RESERVE, &SHARE, &WARP, &WARP_LIMIT, &CURRENCY, &PRIORITY, &TIME_SLICE, &RATE, &PROCESSORS];

/// Parameters that no file sets, but a requested guarantee does, or a program while it runs.
pub const UNWRITTEN: &[&Parameter] = &[&PROGRESS, &BLOCK, &CONSTRAINT];
