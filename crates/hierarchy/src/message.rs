//! What a child, or the infrastructure on its behalf, may ask of a scheduler (HLS 4.3.1.2).
//!
//! Messages are small values; a scheduler that has no use for one refuses it with
//! [`Refusal::NotUnderstood`](crate::Refusal), and then nothing has changed. Which scheduler takes
//! which message stands at the head of its file.

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
    /// How far the child may borrow against its future allocation, in virtual time.
    Warp(Span),
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
    /// To the instance: the longest time that one child keeps the processor while others wait.
    Quantum(Span),
}

impl Message {
    /// The message's name, as refusals and the journal print it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Message::Reserve { .. } => "reserve",
            Message::Unreserve => "unreserve",
            Message::Share(_) => "share",
            Message::Warp(_) => "warp",
            Message::Priority(_) => "priority",
            Message::Periodic { .. } => "periodic",
            Message::Job { .. } => "job",
            Message::Quantum(_) => "quantum",
        }
    }
}
