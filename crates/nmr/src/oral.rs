//! Inputs agreed first: a source that may tell each replica another value, as OM(1) agrees on it (Pease, Shostak and Lamport 1980; references 5 and 24 of CMU 1982).
//!
//! Replicas that compute from different inputs compute different values, and no vote repairs that. So each replica passes on what it heard from the source, and takes what most of them heard. With one faulty participant, be it the source or a replica, four participants
//! suffice, and three do not.
//!
//! It keeps what was heard, and sends nothing: whoever uses it passes on what it heard, and says when no more is waited for. `tests/agreed_inputs.rs` does so over rings, before [`Redundant`](crate::redundant::Redundant) votes.

use crate::{ReplicaNumber, Replicas};
use core::fmt;

/// A participant's knowledge of the value of one source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Oral<V> {
    source: ReplicaNumber,
    /// By participant: what it passed on; that of the source is what it said here.
    heard: Vec<Option<V>>,
}

/// Why participants cannot agree so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OralError {
    /// Fewer than four: one of them that is faulty could keep the others from agreeing.
    TooFew {
        /// How many there are.
        participants: u8,
    },
    /// More than there may be.
    TooMany {
        /// How many there are.
        participants: u8,
    },
    /// The source is none of them.
    Source {
        /// Which was named.
        source: ReplicaNumber,
        /// How many there are.
        participants: u8,
    },
}

impl fmt::Display for OralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OralError::TooFew { participants } => write!(
                f,
                "{participants} participants cannot agree on an input beside a faulty one; 4 can"
            ),
            OralError::TooMany { participants } => {
                let most = ReplicaNumber::MOST;
                write!(f, "{participants} participants; at most {most} are possible")
            }
            OralError::Source { source, participants } => {
                write!(f, "{source} is none of the {participants} participants, counted from 0")
            }
        }
    }
}

impl core::error::Error for OralError {}

impl<V: PartialEq> Oral<V> {
    /// Nothing is heard yet of a source, which is one of so many participants.
    ///
    /// # Errors
    /// When there are fewer than four or too many, or the source is none of them.
    pub fn new(participants: u8, source: ReplicaNumber) -> Result<Oral<V>, OralError> {
        if participants < 4 {
            return Err(OralError::TooFew { participants });
        }
        if participants > ReplicaNumber::MOST {
            return Err(OralError::TooMany { participants });
        }
        if source.0 >= participants {
            return Err(OralError::Source { source, participants });
        }
        Ok(Oral { source, heard: (0..participants).map(|_| None).collect() })
    }

    /// A participant says what the source told it; the source, what its value is. Only the first counts. Whether it does.
    pub fn hears(&mut self, from: ReplicaNumber, value: V) -> bool {
        match self.heard.get_mut(from.index()) {
            Some(heard @ None) => {
                *heard = Some(value);
                true
            }
            _ => false,
        }
    }

    /// From whom nothing was heard.
    #[must_use]
    pub fn silent(&self) -> Replicas {
        let silent = (0..).map(ReplicaNumber).zip(&self.heard);
        silent.filter(|(_, heard)| heard.is_none()).map(|(replica, _)| replica).collect()
    }

    /// The source's value by most of the participants but one, among which this one counts for the source; `None` if no value has more than half. That counts as agreed, too: each correct participant finds the same.
    #[must_use]
    pub fn decides(&self) -> Option<&V> {
        let said = |value: &V| self.heard.iter().flatten().filter(|other| *other == value).count();
        self.heard.iter().flatten().find(|value| said(value) * 2 > self.heard.len() - 1)
    }

    /// The source whose value this is about.
    #[must_use]
    pub const fn source(&self) -> ReplicaNumber {
        self.source
    }
}
