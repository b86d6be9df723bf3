//! Locks, conditions and barriers as plain state; the thread that has waited longest goes first.
//!
//! The program runtime keeps them, and has its host block and wake the threads, which are numbers here.

use crate::Resource;
use std::collections::VecDeque;

/// A lock, condition or barrier. Each is used as one kind only, which the scenario checks.
#[derive(Clone, Debug, Default)]
pub struct SyncPoint {
    owner: Option<u32>,
    queue: VecDeque<u32>,
    /// Number of threads that use this barrier.
    pub parties: usize,
}

/// All locks, conditions and barriers, by number.
#[derive(Clone, Debug, Default)]
pub struct SyncPoints(Vec<SyncPoint>);

/// Error: a thread unlocks a lock that it does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotOwner;

impl SyncPoints {
    /// The one with this number, which is created when it is first used.
    pub fn at(&mut self, resource: Resource) -> &mut SyncPoint {
        if self.0.len() <= resource.0 {
            self.0.resize_with(resource.0 + 1, SyncPoint::default);
        }
        &mut self.0[resource.0]
    }
}

impl SyncPoint {
    /// Takes the lock, or joins its queue. Returns whether the lock was taken.
    pub fn lock(&mut self, thread: u32) -> bool {
        let free = self.owner.is_none();
        if free {
            self.owner = Some(thread);
        } else {
            self.queue.push_back(thread);
        }
        free
    }

    /// Passes the lock to the next thread in its queue, which is returned.
    ///
    /// # Errors
    /// When `thread` does not hold the lock; nothing changes.
    pub fn unlock(&mut self, thread: u32) -> Result<Option<u32>, NotOwner> {
        if self.owner != Some(thread) {
            return Err(NotOwner);
        }
        self.owner = self.queue.pop_front();
        Ok(self.owner)
    }

    /// Joins the queue of threads that wait for a signal.
    pub fn wait(&mut self, thread: u32) {
        self.queue.push_back(thread);
    }

    /// Removes and returns the thread that a signal wakes.
    pub fn signal(&mut self) -> Option<u32> {
        self.queue.pop_front()
    }

    /// Arrives at the barrier. Returns the other threads if this is the last to arrive.
    pub fn arrive(&mut self, thread: u32) -> Option<Vec<u32>> {
        if self.queue.len() + 1 >= self.parties {
            return Some(self.queue.drain(..).collect());
        }
        self.queue.push_back(thread);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_locks_go_to_whoever_waited_longest() {
        let mut lock = SyncPoint::default();
        assert!(lock.lock(1));
        assert!(!lock.lock(2) && !lock.lock(3));
        assert_eq!(lock.unlock(2), Err(NotOwner));
        assert_eq!(lock.unlock(1), Ok(Some(2)));
        assert_eq!(lock.unlock(2), Ok(Some(3)));
        assert_eq!(lock.unlock(3), Ok(None));
        assert!(lock.lock(4));
    }

    #[test]
    fn law_a_barrier_opens_for_all_with_the_last() {
        let mut points = SyncPoints::default();
        let barrier = points.at(Resource(3));
        barrier.parties = 3;
        for _ in 0..2 {
            assert_eq!(barrier.arrive(7), None);
            assert_eq!(barrier.arrive(8), None);
            assert_eq!(barrier.arrive(9), Some(vec![7, 8]));
        }
    }
}
