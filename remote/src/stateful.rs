//! A replica whose value is its whole state, of any size: hashes are voted, and who has another state than the voted one fetches that (CMU 1982, chapter 1, footnote 1).
//!
//! Invariant: what its body goes on with is its own state, if its hash was voted, or one that has the voted hash.

use crate::error::{JoinError, VoteError};
use crate::fault::Fault;
use crate::replica::{Carrier, Replica};
use crate::states::{MOST_BYTES, Next};
use crate::voting::Vote;
use std::sync::Arc;
use std::time::Duration;
use windfall_nmr::{Digest, Iteration, ReplicaNumber, Rule, Settings};
use windfall_time::Span;

/// How long a replica waits until it asks for a state once more that nobody had.
const AGAIN: Span = Span::from_millis(1);

/// One of several replicas, which vote on states.
///
/// A state is fetched at about a kibibyte a round trip, in the time of fewer iterations than the queue is long; else the others have gone on, and it is fetched again.
#[derive(Debug)]
pub struct Stateful<C, R> {
    replica: Replica<C, R, Digest>,
    state: Option<Arc<[u8]>>,
}

impl<C: Carrier, R: Rule<Digest> + Clone> Stateful<C, R> {
    /// As [`Replica::join`].
    ///
    /// # Errors
    /// As there.
    pub fn join(
        own: ReplicaNumber,
        settings: Settings,
        rule: R,
        patience: Duration,
        carrier: C,
    ) -> Result<Self, JoinError> {
        let replica = Replica::join(own, settings, rule, patience, carrier)?;
        Ok(Stateful { replica, state: None })
    }

    /// The iteration of the next state that it offers; 1 at the beginning.
    #[must_use]
    pub const fn iteration(&self) -> Iteration {
        self.replica.iteration()
    }

    /// The last state that was voted; `None` before the first.
    #[must_use]
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// As [`Replica::take_faults`].
    pub fn take_faults(&mut self) -> Vec<Fault> {
        self.replica.take_faults()
    }

    /// Offers its state, and waits until a majority agrees on one. What comes back is the voted state: its own, or that of the others, fetched and held to the voted hash. The vote is a later one if
    /// this replica was too slow, has begun anew, or the others keep the state no longer.
    ///
    /// # Errors
    /// As [`Replica::vote`], when nobody serves the voted state in time, and when a state is too large.
    pub fn vote(&mut self, state: impl Into<Arc<[u8]>>) -> Result<Vote<Arc<[u8]>>, VoteError> {
        let state = state.into();
        if state.len() > MOST_BYTES {
            return Err(VoteError::TooLarge { bytes: state.len() });
        }
        let (digest, now) = (Digest::of(&state), self.replica.now());
        self.replica.turns.states.keep(digest, state.clone(), now);
        let mut vote = self.replica.vote(digest)?;
        let value = if vote.value == digest { state } else { self.fetches(&mut vote)? };
        self.state = Some(value.clone());
        Ok(Vote { iteration: vote.iteration, value })
    }

    /// The state of this vote, or of a later one.
    fn fetches(&mut self, vote: &mut Vote<Digest>) -> Result<Arc<[u8]>, VoteError> {
        let replica = &mut self.replica;
        let (begun, others) = (replica.now(), replica.turns.voting.others());
        replica.turns.states.fetch(vote.value, others, begun);
        loop {
            let now = replica.now();
            match replica.turns.fetches(now, &mut replica.carrier) {
                Next::Whole(state) => return Ok(state),
                Next::Wait(until) => replica.carrier.wait(until.saturating_since(now)),
                Next::Ask(..) | Next::Nobody => {
                    if now.saturating_since(begun) >= replica.turns.patience {
                        return Err(VoteError::NoState { iteration: vote.iteration });
                    }
                    // Those that had it have gone on. A later one is asked for at once, before they go on again; if they are too far ahead for this
                    // voter to follow, it joins anew.
                    let voting = &mut replica.turns.voting;
                    let later = voting.later_than(*vote).or_else(|| voting.polls(now));
                    *vote = later.unwrap_or(*vote);
                    replica.turns.states.fetch(vote.value, others, now);
                    if later.is_none() {
                        replica.carrier.wait(AGAIN);
                    }
                }
            }
        }
    }

    /// As [`Replica::finish`].
    pub fn finish(self) -> C {
        self.replica.finish()
    }
}
