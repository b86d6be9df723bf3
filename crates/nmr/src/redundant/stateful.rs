//! A replica whose value is its whole state, of any size: hashes are voted, and who has another state than the voted one fetches that (CMU 1982, chapter 1, footnote 1).
//!
//! Invariant: what its body goes on with is its own state, if its hash was voted, or a copy that has the voted hash. A copy, so that no two replicas use the same memory.

use super::outcome::VoteError;
use super::replica::Replica;
use super::shelf::Served;
use super::{Injected, Vote};
use crate::rule::Rule;
use crate::{Digest, Fetch, Fetched, Iteration, Record, ReplicaNumber};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a replica waits until it asks for a state once more.
const AGAIN: Duration = Duration::from_millis(1);

/// A replica of a run with states ([`Redundant::run_states`](super::Redundant::run_states)).
#[derive(Debug)]
pub struct Stateful<'a, R> {
    replica: &'a mut Replica<Digest, R>,
    state: Option<Arc<[u8]>>,
    /// A state that is served after the next vote only, as a fault.
    late: Option<Served>,
}

impl<'a, R: Rule<Digest> + Clone> Stateful<'a, R> {
    /// One that comes back fetches the state that the others voted.
    pub(super) fn new(replica: &'a mut Replica<Digest, R>) -> Result<Self, VoteError> {
        let last = replica.last();
        let mut new = Stateful { replica, state: None, late: None };
        if let Some(vote) = last {
            new.gets(vote, None)?;
        }
        Ok(new)
    }

    /// Which replica this is.
    #[must_use]
    pub const fn number(&self) -> ReplicaNumber {
        self.replica.number()
    }

    /// The iteration of the next state that it offers; 1 at the beginning.
    #[must_use]
    pub const fn iteration(&self) -> Iteration {
        self.replica.iteration()
    }

    /// The last state that was voted; that of the others, where this replica comes back; `None` before the first.
    #[must_use]
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// The knowledge of another replica.
    #[must_use]
    pub fn record(&self, of: ReplicaNumber) -> Option<&Record> {
        self.replica.record(of)
    }

    /// Offers its state, and waits until a majority agrees on one. Returns the voted state: its own, or that of the majority, fetched and held to the voted hash. The vote is a later one if
    /// this replica was too slow, or the others keep the state no longer.
    ///
    /// # Errors
    /// As [`Replica::vote`], and when nobody serves the voted state in time.
    pub fn vote(&mut self, state: impl Into<Arc<[u8]>>) -> Result<Vote<Arc<[u8]>>, VoteError> {
        let state = state.into();
        let digest = Digest::of(&state);
        self.serves(digest, &state);
        let vote = self.replica.vote(digest)?;
        self.gets(vote, Some((digest, state)))
    }

    /// Others may fetch its state from now on.
    fn serves(&mut self, digest: Digest, state: &Arc<[u8]>) {
        let mut served = Served::new(digest, state.clone());
        let before = self.late.take();
        match self.replica.shows(self.iteration()) {
            Some(Injected::WrongState) => {
                served.piece = state.iter().map(|byte| !byte).collect();
            }
            Some(Injected::HalfState) => served.piece = state[..state.len() / 2].into(),
            Some(Injected::LateState) => {
                self.late = Some(served);
                before.into_iter().for_each(|before| self.replica.serves(before));
                return;
            }
            _ => {}
        }
        before.into_iter().chain([served]).for_each(|served| self.replica.serves(served));
    }

    /// The state of this vote, or of one after it.
    fn gets(
        &mut self,
        mut vote: Vote<Digest>,
        own: Option<(Digest, Arc<[u8]>)>,
    ) -> Result<Vote<Arc<[u8]>>, VoteError> {
        let value = match own {
            Some((digest, state)) if digest == vote.value => state,
            _ => self.fetches(&mut vote)?,
        };
        self.state = Some(value.clone());
        Ok(Vote { iteration: vote.iteration, value })
    }

    fn fetches(&mut self, vote: &mut Vote<Digest>) -> Result<Arc<[u8]>, VoteError> {
        let begun = Instant::now();
        loop {
            let (digest, agreed) = (vote.value, self.replica.agreed());
            let mut fetch = Fetch::new(digest, agreed, usize::MAX);
            let later = loop {
                if let Some(state) = self.fetch_from(&mut fetch, digest) {
                    let state: Arc<[u8]> = state.into();
                    self.replica.serves(Served::new(digest, state.clone()));
                    return Ok(state);
                }
                if begun.elapsed() >= self.replica.patience() {
                    return Err(VoteError::NoState { iteration: vote.iteration });
                }
                // Those that agreed have gone on, or are slow. Others may have fetched it.
                if let Some(later) = self.replica.goes_on_without()? {
                    break later;
                }
                fetch.add(self.replica.others());
                self.replica.sleeps(AGAIN);
            };
            *vote = later;
        }
    }

    /// Asks all that are to be asked, once.
    fn fetch_from(&self, fetch: &mut Fetch, digest: Digest) -> Option<Vec<u8>> {
        while let Some(source) = fetch.source() {
            let Some(served) = self.replica.served(source, digest) else {
                fetch.give_up();
                continue;
            };
            match fetch.receive(source, served.whole, &served.piece) {
                Fetched::Whole(state) => return Some(state),
                Fetched::Wrong => self.replica.disproves(source, served),
                Fetched::Incomplete | Fetched::NotSource => fetch.give_up(),
            }
        }
        None
    }
}
