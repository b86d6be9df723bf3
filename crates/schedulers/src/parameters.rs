//! What children may be told: one table, of which a file's keys and requests, and what a kind takes, are made.
//!
//! A kind lists what it takes ([`Kind::takes`](crate::catalogue::Kind)); what it makes of that stands in its own file.

/// Something that a child may be told, or that is told on its behalf.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// The key in scenarios: lower case, words joined by `-`.
    pub key: &'static str,
    /// What is written.
    pub form: Form,
    /// What holds when nothing is written, in words.
    pub default: &'static str,
    /// One line.
    pub help: &'static str,
}

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
}

const WEIGHTS: Form = Form::Integer(1, u32::MAX as i64);

/// So much processor time in every period.
pub const RESERVE: Parameter = Parameter {
    key: "reserve",
    form: Form::Reservation,
    default: "none",
    help: "A reservation, as `3ms/10ms`.",
};

/// A weight relative to siblings' weights.
pub const SHARE: Parameter =
    Parameter { key: "share", form: WEIGHTS, default: "1", help: "A weight among siblings." };

/// How far a child may borrow.
pub const WARP: Parameter = Parameter {
    key: "warp",
    form: Form::Span(true),
    default: "0",
    help: "How far it may borrow against its future allocation.",
};

/// How long it may run on what it borrows.
pub const WARP_LIMIT: Parameter = Parameter {
    key: "warp-limit",
    form: Form::Limit,
    default: "none",
    help: "How long it may run on what it borrows, and must do without then, as `10ms/50ms`.",
};

/// The currency of a child's share.
pub const CURRENCY: Parameter = Parameter {
    key: "currency",
    form: Form::Integer(0, u32::MAX as i64),
    default: "0",
    help: "What its share is counted in: a currency that the scheduler's settings fund.",
};

/// A priority.
pub const PRIORITY: Parameter = Parameter {
    key: "priority",
    form: Form::Integer(i32::MIN as i64, i32::MAX as i64),
    default: "by kind",
    help: "A priority; larger is served first.",
};

/// A time slice of a child's own.
pub const TIME_SLICE: Parameter = Parameter {
    key: "time-slice",
    form: Form::Span(false),
    default: "that of its scheduler",
    help: "A time slice of its own, for the epoch scheduler.",
};

/// How often a child works.
pub const RATE: Parameter = Parameter {
    key: "rate",
    form: Form::Rate,
    default: "that of its periodic jobs",
    help: "How often it works, for schedulers that want to know.",
};

/// How full a child's queue is: told while it runs, and by no file.
pub const PROGRESS: Parameter = Parameter {
    key: "progress",
    form: Form::Integer(0, 1000),
    default: "500",
    help: "How full its queue is, in thousandths.",
};

/// All that a file may tell, in the order in which they are told.
pub const ALL: &[&Parameter] =
    &[&RESERVE, &SHARE, &WARP, &WARP_LIMIT, &CURRENCY, &PRIORITY, &TIME_SLICE, &RATE];
