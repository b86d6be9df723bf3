//! How a process waits for its own devices: in a set of their descriptors, so that no other thread runs between an arrival and the process.
//!
//! While the process does not wait for its events, the thread of the node's devices sees what arrives. The kernel wakes one of the two, since the
//! process's set got the descriptor before the node's ([`Poll::add_shared_edges`]). Both do the same with an arrival.

use super::sleep::SleepQueue;
use super::system::System;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use windfall_exchange::Futex;
use windfall_os::events::{EventFd, Poll};
use windfall_programs::Node;

/// The name of the bell in a set; devices have their places.
const BELL: u64 = u64::MAX;

/// The devices of one process, as it waits for them.
///
/// A bell stands in the set beside them, which the others ring when they have put something into the inbox of the process.
pub(super) struct Watch(Poll);

impl Watch {
    /// One without devices, for the process that sleeps on that word.
    ///
    /// # Errors
    /// When the process has too many open files.
    pub(super) fn new(sleepers: &SleepQueue, word: &AtomicU32) -> std::io::Result<Watch> {
        let (poll, bell) = (Poll::new()?, Arc::new(EventFd::new()?));
        poll.add_edges(bell.as_raw_fd(), BELL)?;
        sleepers.add_bell(word, bell);
        Ok(Watch(poll))
    }

    /// Waits for the device at a place, too; false if it does so already, or cannot.
    pub(super) fn add(&self, fd: RawFd, place: u64) -> bool {
        self.0.add_shared_edges(fd, place).is_ok()
    }

    /// Waits for that device no longer, if it does.
    pub(super) fn remove(&self, fd: RawFd) {
        let _ = self.0.remove(fd); // a descriptor that cannot be shared was never added
    }

    /// Waits for an arrival or the bell, and carries out what arrived.
    fn wait(&self, system: &System, node: Node, word: &AtomicU32) {
        let awake = Awake { sleepers: &system.sleepers, word };
        let (mut ready, mut limit) = (Vec::new(), -1);
        loop {
            self.0.wait(limit, &mut ready);
            if let Some(Some(devices)) = system.devices.get(usize::from(node.0)) {
                ready.iter().for_each(|place| devices.arrived(*place, system, &awake));
            }
            if ready.len() < Poll::MOST {
                break;
            }
            limit = 0; // what is left is ready now
        }
    }
}

/// Where a process waits for its events: with its devices, if it has some.
pub(super) struct Waiting<'a> {
    pub(super) system: &'a System,
    pub(super) node: Node,
    pub(super) watch: Option<&'a Watch>,
}

impl Futex for Waiting<'_> {
    #[inline]
    fn wait(&self, word: &AtomicU32, value: u32) -> bool {
        let Some(watch) = self.watch else { return self.system.sleepers.wait(word, value) };
        if self.system.sleepers.is_closed() {
            return false;
        }
        // Whoever changes the word rings, be it before this begins: so nothing is missed, and the value need not be looked at.
        watch.wait(self.system, self.node, word);
        !self.system.sleepers.is_closed()
    }

    fn wake_one(&self, word: &AtomicU32) {
        self.system.sleepers.wake_one(word);
    }

    fn wake_all(&self, word: &AtomicU32) {
        self.system.sleepers.wake_all(word);
    }
}

/// Posts for a process that is awake itself, and need not be woken.
struct Awake<'a> {
    sleepers: &'a SleepQueue,
    word: &'a AtomicU32,
}

impl Futex for Awake<'_> {
    fn wait(&self, word: &AtomicU32, value: u32) -> bool {
        self.sleepers.wait(word, value)
    }

    fn wake_one(&self, word: &AtomicU32) {
        if !std::ptr::eq(self.word, word) {
            self.sleepers.wake_one(word);
        }
    }

    fn wake_all(&self, word: &AtomicU32) {
        self.sleepers.wake_all(word);
    }
}
