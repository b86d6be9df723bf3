//! Fetching the state that a voted hash stands for (CMU 1982, chapter 1, footnote 1: a faulty replica returns by the voted state).
//!
//! Replicas that agree with the hash are asked one after the other, and what they serve is held to the hash. So a state that is fetched is that of the majority, whoever served it; one that serves another is faulty.
//! A state machine, as the voter is: it has no clock, no thread and no connection.

use crate::{Digest, ReplicaNumber, Replicas};

/// Gets the state of a voted hash. It comes in pieces of any size, in order.
///
/// ```
/// use windfall_nmr::{Digest, Fetch, Fetched, ReplicaNumber, Replicas};
///
/// let state = b"what a majority computed";
/// let mut fetch = Fetch::new(Digest::of(state), Replicas::first(2), 1 << 20);
/// assert_eq!(fetch.source(), Some(ReplicaNumber(0)));
/// assert_eq!(fetch.receive(ReplicaNumber(0), 3, b"no!"), Fetched::Wrong);
/// assert_eq!(fetch.source(), Some(ReplicaNumber(1)));
/// assert_eq!(fetch.receive(ReplicaNumber(1), state.len(), &state[..8]), Fetched::Incomplete);
/// let whole = fetch.receive(ReplicaNumber(1), state.len(), &state[8..]);
/// assert_eq!(whole, Fetched::Whole(state.to_vec()));
/// assert_eq!(fetch.wrong(), [ReplicaNumber(0)].into_iter().collect());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fetch {
    digest: Digest,
    most: usize,
    /// Those that may have it, and were not asked yet.
    left: Replicas,
    current: Option<ReplicaNumber>,
    wrong: Replicas,
    /// How long it is, as the one that is asked says.
    length: Option<usize>,
    state: Vec<u8>,
}

/// The effect of a piece.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fetched {
    /// More is to come from the same replica.
    Incomplete,
    /// This is the state whose hash was voted.
    Whole(Vec<u8>),
    /// Its replica served another state than the voted one: it is faulty, and another is to be asked.
    Wrong,
    /// Its replica is not the one that is asked. Nothing has changed.
    NotSource,
}

impl Fetch {
    /// Of this hash, from those that agree with it; of at most so many bytes.
    #[must_use]
    pub const fn new(digest: Digest, agree: Replicas, most: usize) -> Fetch {
        Fetch {
            digest,
            most,
            left: agree,
            current: None,
            wrong: Replicas::NONE,
            length: None,
            state: Vec::new(),
        }
    }

    /// The replica to be asked; the same one until it has served the state or was given up. `None` when all were.
    pub fn source(&mut self) -> Option<ReplicaNumber> {
        if self.current.is_none() {
            self.current = self.left.iter().next();
            self.left = self.current.map_or(self.left, |current| self.left.without(current));
        }
        self.current
    }

    /// A piece of the state, which follows those that came before from this replica. It says that the whole has so many bytes.
    pub fn receive(&mut self, from: ReplicaNumber, whole: usize, piece: &[u8]) -> Fetched {
        if self.current != Some(from) {
            return Fetched::NotSource;
        }
        let length = *self.length.get_or_insert(whole);
        if length != whole || length > self.most || piece.len() > length - self.state.len() {
            return self.is_wrong(from);
        }
        self.state.extend_from_slice(piece);
        if self.state.len() < length {
            return Fetched::Incomplete;
        }
        if Digest::of(&self.state) != self.digest {
            return self.is_wrong(from);
        }
        self.current = None;
        Fetched::Whole(std::mem::take(&mut self.state))
    }

    /// The one that is asked is not waited for any longer: it ended, is slow, or does not have the state. That is no fault of it. The received pieces of the state are dropped.
    pub fn give_up(&mut self) {
        self.current = None;
        self.forgets();
    }

    /// These are asked as well, or once more; not those that served another state.
    pub fn add(&mut self, replicas: Replicas) {
        let all = replicas.iter().fold(self.left, Replicas::with).but(self.wrong);
        self.left = self.current.map_or(all, |current| all.without(current));
    }

    /// Those that served another state.
    #[must_use]
    pub const fn wrong(&self) -> Replicas {
        self.wrong
    }

    fn is_wrong(&mut self, replica: ReplicaNumber) -> Fetched {
        (self.current, self.wrong) = (None, self.wrong.with(replica));
        self.forgets();
        Fetched::Wrong
    }

    fn forgets(&mut self) {
        self.length = None;
        self.state.clear();
    }
}
