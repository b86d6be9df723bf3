//! States that a replica serves to those that fetch them: its last ones, so that one that comes for a voted state still finds it when others have gone on.

use super::links::lock;
use super::sync::Mutex;
use crate::Digest;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many states a replica keeps for others.
pub(super) const KEPT: usize = 4;

/// A state, as a replica serves it.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) digest: Digest,
    /// All of it, or the beginning.
    pub(super) piece: Arc<[u8]>,
    /// How many bytes it has, as its replica says.
    pub(super) whole: usize,
}

impl Served {
    /// The whole state of this hash.
    pub(super) fn new(digest: Digest, state: Arc<[u8]>) -> Served {
        Served { digest, whole: state.len(), piece: state }
    }

    /// Whether its own replica is to blame for it: it is whole, and has another hash than that replica said.
    pub(super) fn is_wrong(&self) -> bool {
        self.piece.len() >= self.whole && Digest::of(&self.piece) != self.digest
    }
}

#[derive(Debug, Default)]
pub(super) struct Shelf(Mutex<VecDeque<Arc<Served>>>);

impl Shelf {
    /// One more, if that still counts; the oldest goes for it.
    pub(super) fn put(&self, served: Served, counts: impl FnOnce() -> bool) {
        let mut all = lock(&self.0);
        if counts() {
            while all.len() >= KEPT {
                all.pop_front();
            }
            all.push_back(Arc::new(served));
        }
    }

    pub(super) fn find(&self, digest: Digest) -> Option<Arc<Served>> {
        lock(&self.0).iter().rev().find(|served| served.digest == digest).cloned()
    }

    pub(super) fn clear(&self) {
        lock(&self.0).clear();
    }
}
