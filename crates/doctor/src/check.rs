//! One thing that was looked at, and whether it works.

/// Whether something works here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It works.
    Yes,
    /// It works in part, or at a price.
    Limited,
    /// It does not.
    No,
}

/// One thing that was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Its purpose: `reservations on real threads`.
    pub purpose: &'static str,
    /// The feature that was tried or read.
    pub subject: &'static str,
    /// Whether it works.
    pub state: State,
    /// The result.
    pub found: String,
    /// The change that would help, if anything is wrong.
    pub remedy: Option<String>,
    /// Whether `windfall run` cannot do without it.
    pub needed: bool,
}

impl Check {
    pub(crate) const fn new(
        purpose: &'static str,
        subject: &'static str,
        state: State,
        found: String,
    ) -> Check {
        Check { purpose, subject, state, found, remedy: None, needed: false }
    }

    /// The remedy of one that is not entirely well.
    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Check {
        self.remedy = (self.state != State::Yes).then(|| remedy.into());
        self
    }

    pub(crate) const fn needed(mut self) -> Check {
        self.needed = true;
        self
    }
}
