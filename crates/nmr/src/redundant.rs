//! Redundant threads: the same body several times, which votes on what it computes.
//!
//! `replica.rs` is a replica as its body sees it, `stateful.rs` one whose value is a state of any size, which `shelf.rs` serves to others, `sync.rs` what they share memory by, `links.rs` how they hear of each other, `manager.rs` who starts them and does something about faults, `outcome.rs` what comes of it.

mod clock;
mod event;
mod links;
mod manager;
#[cfg(all(test, loom))]
mod model;
mod outcome;
mod replica;
mod shelf;
mod stateful;
mod sync;

pub use crate::injected::Injected;
pub use crate::participant::Vote;
pub use outcome::{Ending, Fault, FaultKind, Outcome, Remedy, Summary, VoteError};
pub use replica::Replica;
pub use stateful::Stateful;

use crate::injected::Plan;
use crate::rule::{Majority, Rule};
use crate::value::Value;
use crate::{Digest, Iteration, ReplicaNumber, Settings, SettingsError};
use core::fmt;

use clock::{since, span};
use manager::Manager;
use std::marker::PhantomData;
use std::time::Duration;

/// A computation that is run several times, on threads of this process; the crate's front page has an example.
pub struct Redundant<V, R = Majority> {
    settings: Settings,
    rule: R,
    patience: Duration,
    on_fault: Box<dyn FnMut(&Fault) -> Remedy + Send>,
    injected: Vec<Plan>,
    value: PhantomData<V>,
}

impl Redundant<u64> {
    /// Runs so many replicas of this body, which vote on words by majority.
    ///
    /// # Errors
    /// When so many cannot vote, or a thread cannot be made.
    pub fn run<F>(replicas: u8, body: F) -> Result<Outcome, RedundantError>
    where
        F: Fn(&mut Replica<u64, Majority>) -> Result<(), VoteError> + Send + Sync + 'static,
    {
        Redundant::new(Settings::new(replicas), Majority::EXACT).start(body)
    }
}

impl Redundant<Digest> {
    /// Runs so many replicas of this body, which vote on states of any size by majority of their hashes. A replica with another state goes on with a copy of the voted one, and one that is restarted begins with it.
    ///
    /// Each replica keeps its last four states for others. The crate's front page has an example.
    ///
    /// # Errors
    /// When so many cannot vote, or a thread cannot be made.
    pub fn run_states<F>(replicas: u8, body: F) -> Result<Outcome, RedundantError>
    where
        F: Fn(&mut Stateful<'_, Majority>) -> Result<(), VoteError> + Send + Sync + 'static,
    {
        Redundant::new(Settings::new(replicas), Majority::EXACT).start_states(body)
    }
}

impl<R: Rule<Digest> + Clone + Send + 'static> Redundant<Digest, R> {
    /// As [`start`](Self::start), with states of any size.
    ///
    /// # Errors
    /// When the settings cannot be, or a thread cannot be made.
    pub fn start_states<F>(self, body: F) -> Result<Outcome, RedundantError>
    where
        F: Fn(&mut Stateful<'_, R>) -> Result<(), VoteError> + Send + Sync + 'static,
    {
        self.start(move |replica| body(&mut Stateful::new(replica)?))
    }
}

impl<V: Value, R: Rule<V> + Clone + Send + 'static> Redundant<V, R> {
    /// Replicas so, which vote by this rule. A vote is waited for a second; replicas that panic, give up, or are behind and silent as long are restarted, what is wrong otherwise is noted.
    #[must_use]
    pub fn new(settings: Settings, rule: R) -> Self {
        let on_fault = Box::new(|fault: &Fault| match fault.kind {
            FaultKind::Panicked | FaultKind::GaveUp | FaultKind::Lagging => Remedy::Restart,
            FaultKind::Wrong | FaultKind::WrongIteration | FaultKind::WrongState => Remedy::Ignore,
        });
        let (patience, injected) = (Duration::from_secs(1), Vec::new());
        Redundant { settings, rule, patience, on_fault, injected, value: PhantomData }
    }

    /// The same, with a vote waited for so long; and replicas as long, once a majority has returned.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Redundant { patience, ..self }
    }

    /// The same, with this done about faults. It is called on the thread that waits for the run.
    #[must_use]
    pub fn on_fault(self, remedy: impl FnMut(&Fault) -> Remedy + Send + 'static) -> Self {
        Redundant { on_fault: Box::new(remedy), ..self }
    }

    /// The same, with a fault in the first life of a replica, from one iteration to another.
    #[must_use]
    pub fn inject(
        mut self,
        replica: ReplicaNumber,
        (from, until): (Iteration, Iteration),
        fault: Injected,
    ) -> Self {
        self.injected.push(Plan { replica, lives: 1, from, until, fault });
        self
    }

    /// Runs the body in each replica, until a majority has returned, and the others have or were waited for.
    ///
    /// A replica that hangs is left behind: its thread ends when it asks for a vote. If so many hang or have ended that no majority is left, the run ends once a vote was waited for in vain.
    ///
    /// # Errors
    /// When the settings cannot be, or a thread cannot be made.
    pub fn start<F>(self, body: F) -> Result<Outcome, RedundantError>
    where
        F: Fn(&mut Replica<V, R>) -> Result<(), VoteError> + Send + Sync + 'static,
    {
        self.settings.check().map_err(RedundantError::Settings)?;
        if self.patience.is_zero() {
            return Err(RedundantError::NoPatience);
        }
        Manager::new(self, body).run().map_err(RedundantError::Thread)
    }
}

impl<V, R: fmt::Debug> fmt::Debug for Redundant<V, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Redundant");
        shown.field("settings", &self.settings).field("rule", &self.rule);
        shown.field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// Why a redundant run does not begin.
#[derive(Debug)]
#[non_exhaustive]
pub enum RedundantError {
    /// Such a voter cannot be.
    Settings(SettingsError),
    /// No vote is waited for, so none comes about.
    NoPatience,
    /// A thread cannot be made.
    Thread(std::io::Error),
}

impl fmt::Display for RedundantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RedundantError::Settings(error) => fmt::Display::fmt(error, f),
            RedundantError::NoPatience => {
                f.write_str("a vote is waited for no time; allowed: any time above zero")
            }
            RedundantError::Thread(error) => {
                write!(f, "cannot start the thread of a replica: {error}")
            }
        }
    }
}

impl core::error::Error for RedundantError {}
