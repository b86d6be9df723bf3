//! Locks, conditions and barriers as plain state; the thread that has waited longest goes first, and at a lock with a
//! protocol the most urgent.
//!
//! The program runtime keeps them, and has its host block and wake the threads, which are numbers here.

use crate::{LockProtocol, Resource, Urgency};
use core::fmt;
use std::collections::VecDeque;

/// A lock, condition or barrier. Each is used as one kind only, which the scenario checks.
#[derive(Clone, Debug, Default)]
pub struct SyncPoint {
    owner: Option<u32>,
    queue: VecDeque<u32>,
    /// The present urgency of the lock's owner.
    pub protocol: LockProtocol,
    /// The threads that use this lock, if it has [`LockProtocol::Ceiling`].
    pub users: Vec<u32>,
    /// The least urgency of the owner since it took the lock.
    pub ceiling: Option<Urgency>,
    /// Number of threads that use this barrier.
    pub parties: usize,
}

/// All locks, conditions and barriers, by number.
#[derive(Clone, Debug, Default)]
pub struct SyncPoints(Vec<SyncPoint>);

/// Error: a thread unlocks a lock that it does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotOwnerError;

impl fmt::Display for NotOwnerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the thread does not hold the lock that it unlocks")
    }
}

impl core::error::Error for NotOwnerError {}

impl SyncPoints {
    /// The one with this number, which is created when it is first used.
    pub fn at(&mut self, resource: Resource) -> &mut SyncPoint {
        if self.0.len() <= resource.0 {
            self.0.resize_with(resource.0 + 1, SyncPoint::default);
        }
        &mut self.0[resource.0]
    }
}

impl SyncPoints {
    /// The locks with a protocol that a thread holds.
    pub fn held_by(&self, thread: u32) -> impl Iterator<Item = &SyncPoint> {
        let held = move |point: &&SyncPoint| {
            point.protocol != LockProtocol::None && point.owner == Some(thread)
        };
        self.0.iter().filter(held)
    }
}

impl SyncPoint {
    /// The thread that holds the lock.
    #[must_use]
    pub const fn owner(&self) -> Option<u32> {
        self.owner
    }

    /// The threads that wait, in the order in which they came.
    pub fn waiting(&self) -> impl Iterator<Item = u32> {
        self.queue.iter().copied()
    }

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
    pub fn unlock(&mut self, thread: u32) -> Result<Option<u32>, NotOwnerError> {
        if self.owner != Some(thread) {
            return Err(NotOwnerError);
        }
        self.owner = self.queue.pop_front();
        Ok(self.owner)
    }

    /// Gives the lock back to nobody. Removes and returns the most urgent thread of its queue, and among equals the
    /// one that came first, which may take it when it runs.
    ///
    /// # Errors
    /// When `thread` does not hold the lock; nothing changes.
    pub fn give_back<U: Ord>(
        &mut self,
        thread: u32,
        urgency: impl Fn(u32) -> U,
    ) -> Result<Option<u32>, NotOwnerError> {
        if self.owner != Some(thread) {
            return Err(NotOwnerError);
        }
        (self.owner, self.ceiling) = (None, None);
        let first = (0..self.queue.len()).rev().max_by_key(|at| urgency(self.queue[*at]));
        Ok(first.and_then(|at| self.queue.remove(at)))
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
        assert_eq!(lock.unlock(2), Err(NotOwnerError));
        assert_eq!(lock.unlock(1), Ok(Some(2)));
        assert_eq!(lock.unlock(2), Ok(Some(3)));
        assert_eq!(lock.unlock(3), Ok(None));
        assert!(lock.lock(4));
    }

    #[test]
    fn law_a_lock_that_is_given_back_goes_to_nobody_and_wakes_the_most_urgent() {
        let mut lock = SyncPoint::default();
        assert!(lock.lock(1));
        assert!(!lock.lock(2) && !lock.lock(3) && !lock.lock(4));
        let urgency = |thread: u32| if thread == 2 { 0 } else { 1 };
        assert_eq!(lock.give_back(2, urgency), Err(NotOwnerError));
        assert_eq!(lock.give_back(1, urgency), Ok(Some(3)));
        assert_eq!(lock.owner(), None);
        assert!(lock.lock(7), "whoever runs first takes it");
        assert_eq!(lock.waiting().collect::<Vec<_>>(), [2, 4]);
        assert_eq!(lock.give_back(7, urgency), Ok(Some(4)));
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
