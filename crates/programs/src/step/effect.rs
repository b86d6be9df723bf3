//! The meaning of a step to those that look at a program and do not run it: checks and analyses.
//!
//! Each step has one effect ([`Step::effect`](super::Step::effect)), so that no question names all steps.

use super::naming::Naming;
use crate::request::OwnRequest;
use windfall_time::Span;

/// The meaning of a step to checks and analyses.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Effect<'s, N: Naming> {
    /// The most that it computes, at speed 1.
    pub computes: Span,
    /// How its thread may stop in it for anything but a lock.
    pub pause: Pause,
    /// Whether it begins a job.
    pub begins_job: bool,
    /// The relative deadline of that job, if it has one.
    pub due: Option<Span>,
    /// Its dealings with others.
    pub interaction: Interaction<'s, N>,
}

/// How a thread may stop in a step for anything but a lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Pause {
    /// It does not.
    No,
    /// It may, but no time need pass.
    Possible,
    /// Time passes.
    Time,
    /// It never goes on.
    ForEver,
}

/// The dealings of a step with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interaction<'s, N: Naming> {
    /// Nothing.
    Nothing,
    /// Takes a lock.
    Takes(&'s N::Shared),
    /// Releases a lock.
    Releases(&'s N::Shared),
    /// Releases a lock, waits for a signal, and takes the lock again.
    AwaitsSignal {
        /// The condition.
        condition: &'s N::Shared,
        /// The lock.
        lock: &'s N::Shared,
    },
    /// Signals a condition, to one thread or to all.
    Signals(&'s N::Shared),
    /// Waits for all users of a barrier.
    AwaitsAll(&'s N::Shared),
    /// Waits until another thread resumes it.
    AwaitsResume,
    /// Resumes another thread.
    Resumes(&'s N::Thread),
    /// Visits a station.
    Visits(&'s N::Station),
    /// Requests something of the schedulers.
    Requests(&'s OwnRequest),
}

/// How steps use a shared thing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sharing {
    /// A lock.
    Lock,
    /// A condition.
    Condition,
    /// A barrier.
    Barrier,
}

impl Pause {
    /// A pause of this length.
    pub(super) const fn of(span: Span) -> Pause {
        match span {
            Span::ZERO => Pause::Possible,
            Span::MAX => Pause::ForEver,
            _ => Pause::Time,
        }
    }
}

impl<'s, N: Naming> Effect<'s, N> {
    /// None at all.
    pub(super) const fn none() -> Effect<'s, N> {
        Effect::of(Interaction::Nothing)
    }

    /// This interaction, with the pause that is in it.
    pub(super) const fn of(interaction: Interaction<'s, N>) -> Effect<'s, N> {
        let pause = match interaction {
            Interaction::Visits(_) | Interaction::Requests(_) => Pause::Possible,
            Interaction::AwaitsSignal { .. }
            | Interaction::AwaitsAll(_)
            | Interaction::AwaitsResume => Pause::Time,
            Interaction::Nothing
            | Interaction::Takes(_)
            | Interaction::Releases(_)
            | Interaction::Signals(_)
            | Interaction::Resumes(_) => Pause::No,
        };
        Effect { computes: Span::ZERO, pause, begins_job: false, due: None, interaction }
    }

    /// Whether time passes in the step of itself, as a loop without an end needs: in it, or while it waits.
    #[must_use]
    pub const fn takes_time(&self) -> bool {
        !self.computes.is_zero() || matches!(self.pause, Pause::Time | Pause::ForEver)
    }
}
