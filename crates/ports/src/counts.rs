//! How often what happened, refusals by their reason and apart from what was cancelled.

use crate::SubmitError;
use windfall_admission::AdmitError;
use windfall_time::Span;

/// Refusals by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Refused {
    /// It did not fit before its deadline.
    pub no_room: u64,
    /// Its deadline had passed.
    pub deadline_passed: u64,
    /// No work, or more than there can ever be room for.
    pub work: u64,
    /// Its deadline was beyond the horizon.
    pub beyond_horizon: u64,
    /// As many tasks or slots were there as may be.
    pub full: u64,
    /// It was submitted to the wrong scheduler, or to none.
    pub unsuitable: u64,
}

/// Why something is refused, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// [`Refused::no_room`].
    NoRoom,
    /// [`Refused::deadline_passed`].
    DeadlinePassed,
    /// [`Refused::work`].
    Work,
    /// [`Refused::beyond_horizon`].
    BeyondHorizon,
    /// [`Refused::full`].
    Full,
    /// [`Refused::unsuitable`].
    Unsuitable,
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 6] = [
        Reason::NoRoom,
        Reason::DeadlinePassed,
        Reason::Work,
        Reason::BeyondHorizon,
        Reason::Full,
        Reason::Unsuitable,
    ];

    /// Which of all it is, as members write it to each other.
    pub(crate) const fn number(self) -> u64 {
        match self {
            Reason::NoRoom => 0,
            Reason::DeadlinePassed => 1,
            Reason::Work => 2,
            Reason::BeyondHorizon => 3,
            Reason::Full => 4,
            Reason::Unsuitable => 5,
        }
    }

    /// As it is written: `no-room`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reason::NoRoom => "no-room",
            Reason::DeadlinePassed => "deadline-passed",
            Reason::Work => "work",
            Reason::BeyondHorizon => "beyond-horizon",
            Reason::Full => "full",
            Reason::Unsuitable => "unsuitable",
        }
    }
}

impl SubmitError {
    /// As which it is counted.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        match self {
            SubmitError::NotAdmitted(error) => match error {
                AdmitError::NoRoom { .. } => Reason::NoRoom,
                AdmitError::DeadlinePassed { .. } => Reason::DeadlinePassed,
                AdmitError::BeyondHorizon { .. } => Reason::BeyondHorizon,
                AdmitError::Full { .. } => Reason::Full,
                _ => Reason::Work,
            },
            SubmitError::Full { .. } | SubmitError::NoThread { .. } => Reason::Full,
            _ => Reason::Unsuitable,
        }
    }
}

impl Refused {
    pub(crate) fn count(&mut self, error: &SubmitError) {
        *match error.reason() {
            Reason::NoRoom => &mut self.no_room,
            Reason::DeadlinePassed => &mut self.deadline_passed,
            Reason::Work => &mut self.work,
            Reason::BeyondHorizon => &mut self.beyond_horizon,
            Reason::Full => &mut self.full,
            Reason::Unsuitable => &mut self.unsuitable,
        } += 1;
    }

    /// All of them.
    #[must_use]
    pub const fn all(&self) -> u64 {
        self.no_room
            + self.deadline_passed
            + self.work
            + self.beyond_horizon
            + self.full
            + self.unsuitable
    }
}

/// How often what happened on a processor: submitted = admitted + refused, and admitted = done + exceeded + cancelled + those that are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Submissions; one with alternatives is one.
    pub submitted: u64,
    /// Those that were admitted.
    pub admitted: u64,
    /// Those of which a later alternative was admitted (a secondary).
    pub smaller: u64,
    /// Those that were refused.
    pub refused: Refused,
    /// Tasks that ended within their bound.
    pub done: u64,
    /// Tasks that exceeded their bound.
    pub exceeded: u64,
    /// Tasks that were cancelled by those who submitted them.
    pub cancelled: u64,
    /// Tasks that were done after their promised deadline. On a processor none of whose time is stolen there are none.
    pub late: u64,
    /// Time that a task was to have and did not receive, or that one took beyond what it was to have.
    pub stolen: Span,
}

impl Counts {
    /// Those of two processors together.
    #[must_use]
    pub fn and(mut self, other: &Counts) -> Counts {
        let (own, more) = (&mut self.refused, &other.refused);
        own.no_room += more.no_room;
        own.deadline_passed += more.deadline_passed;
        own.work += more.work;
        own.beyond_horizon += more.beyond_horizon;
        own.full += more.full;
        own.unsuitable += more.unsuitable;
        self.submitted += other.submitted;
        self.admitted += other.admitted;
        self.smaller += other.smaller;
        self.done += other.done;
        self.exceeded += other.exceeded;
        self.cancelled += other.cancelled;
        self.late += other.late;
        self.stolen = self.stolen.saturating_add(other.stolen);
        self
    }
}
