//! How replicas on threads hear of each other: mail of whoever looks after them, sleep, and states that they serve.
//!
//! Invariant: a replica that sleeps has said so before it looked at its rings for the last time, and is woken by whoever writes after that.

use super::shelf::{Served, Shelf};
use super::sync::{
    AtomicBool, AtomicU32, Mutex, MutexGuard, Ordering, Thread, current, fence, park,
};
use crate::control::Control;
use crate::{Digest, ReplicaNumber};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// The shared knowledge of a replica.
#[derive(Debug, Default)]
struct Place {
    /// Which of its lives counts.
    life: AtomicU32,
    /// The last of its lives whose body has ended.
    ended: AtomicU32,
    /// Which of its lives sleeps; 0: none.
    sleeps: AtomicU32,
    thread: Mutex<Option<Thread>>,
    has_mail: AtomicBool,
    mail: Mutex<Vec<Control>>,
    shelf: Shelf,
}

/// The data that all replicas of a run share.
#[derive(Debug)]
pub(super) struct Links {
    places: Box<[Place]>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Vectors and a handle are whole, whoever panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Links {
    pub(super) fn new(places: usize) -> Links {
        Links { places: (0..places).map(|_| Place::default()).collect() }
    }

    fn place(&self, replica: ReplicaNumber) -> &Place {
        &self.places[replica.index()]
    }

    pub(super) fn life(&self, replica: ReplicaNumber) -> u32 {
        self.place(replica).life.load(Ordering::Acquire)
    }

    /// Another life of this replica counts from now on. Which.
    pub(super) fn begins(&self, replica: ReplicaNumber) -> u32 {
        let place = self.place(replica);
        let mut mail = lock(&place.mail);
        let life = place.life.fetch_add(1, Ordering::AcqRel) + 1;
        mail.clear();
        drop(mail);
        place.shelf.clear();
        self.wake(replica);
        life
    }

    /// The body of this life has ended: it sends nothing any longer.
    pub(super) fn ends(&self, replica: ReplicaNumber, life: u32) {
        self.place(replica).ended.fetch_max(life, Ordering::AcqRel);
        for other in (0..ReplicaNumber::MOST).map(ReplicaNumber).take(self.places.len()) {
            self.wake(other);
        }
    }

    /// Whether nothing more comes from this life of a replica.
    pub(super) fn is_over(&self, replica: ReplicaNumber, life: u32) -> bool {
        self.place(replica).ended.load(Ordering::Acquire) >= life
    }

    /// The calling thread is that of this replica.
    pub(super) fn is_run_here(&self, replica: ReplicaNumber) {
        *lock(&self.place(replica).thread) = Some(current());
    }

    /// This life of a replica serves a state to those that fetch it.
    pub(super) fn serves(&self, replica: ReplicaNumber, life: u32, served: Served) {
        self.place(replica).shelf.put(served, || self.life(replica) == life);
    }

    /// The state of this hash that a replica serves, if it has one.
    pub(super) fn served(&self, replica: ReplicaNumber, digest: Digest) -> Option<Arc<Served>> {
        self.place(replica).shelf.find(digest)
    }

    pub(super) fn post(&self, to: ReplicaNumber, control: Control) {
        lock(&self.place(to).mail).push(control);
        self.place(to).has_mail.store(true, Ordering::Release);
        self.wake(to);
    }

    /// The notice posted to this life of a replica; `None` if another life counts.
    pub(super) fn take_mail(&self, replica: ReplicaNumber, life: u32) -> Option<Vec<Control>> {
        let place = self.place(replica);
        if self.life(replica) != life {
            return None;
        }
        if !place.has_mail.load(Ordering::Acquire) {
            return Some(Vec::new());
        }
        let mut mail = lock(&place.mail);
        // Another may have begun meanwhile, and this is its mail.
        if self.life(replica) != life {
            return None;
        }
        place.has_mail.store(false, Ordering::Release);
        Some(std::mem::take(&mut mail))
    }

    /// Wakes it, if it sleeps. Its messages were written before.
    pub(super) fn wake(&self, replica: ReplicaNumber) {
        fence(Ordering::SeqCst);
        let place = self.place(replica);
        if place.sleeps.load(Ordering::Relaxed) != 0
            && let Some(thread) = &*lock(&place.thread)
        {
            thread.unpark();
        }
    }

    /// Sleeps until it is woken, for at most so long; not at all if there is something to do after it said that it sleeps, or if this life does not count any longer.
    pub(super) fn sleep(
        &self,
        (replica, life): (ReplicaNumber, u32),
        longest: Duration,
        is_there: impl FnOnce() -> bool,
    ) {
        let place = self.place(replica);
        place.sleeps.store(life, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let counts = place.life.load(Ordering::Relaxed) == life;
        if counts && !is_there() && !place.has_mail.load(Ordering::Acquire) {
            park(&place.thread, longest);
        }
        // A later life may sleep by now.
        let (awake, relaxed) = (0, Ordering::Relaxed);
        _ = place.sleeps.compare_exchange(life, awake, relaxed, relaxed);
    }
}
