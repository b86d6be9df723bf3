//! The log's entry of one thread, in plain words that two processes read.

use super::Former;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use windfall_observe::procfs::{self, Stat};
use windfall_os::identity::identity;
use windfall_os::sched::{Affinity, Attributes};

windfall_os::atomics! {
    /// A thread's former class, priority and affinity, as plain words.
    pub(super) struct Entry {
        /// 0: nothing; 1: to be restored; 2: gone or restored.
        pub(super) state: AtomicU32,
        pub(super) tid: AtomicI32,
        pub(super) pid: AtomicI32,
        pub(super) session: AtomicI32,
        pub(super) start: AtomicU64,
        /// Its identity where the kernel provides one, else 0.
        pub(super) identity: AtomicU64,
        pub(super) attributes: [AtomicU64; 8],
        pub(super) affinity: [AtomicU64; 16],
    }
}

impl Entry {
    /// Fills the entry; its state comes last.
    pub(super) fn note(
        &self,
        (tid, pid): (i32, i32),
        stat: &Stat,
        (attributes, affinity): &Former,
    ) {
        self.tid.store(tid, Ordering::Relaxed);
        self.pid.store(pid, Ordering::Relaxed);
        self.session.store(stat.session, Ordering::Relaxed);
        self.start.store(stat.start, Ordering::Relaxed);
        self.identity.store(identity(tid).unwrap_or(0), Ordering::Relaxed);
        for (word, value) in self.attributes.iter().zip(attributes.words()) {
            word.store(value, Ordering::Relaxed);
        }
        for (word, value) in self.affinity.iter().zip(affinity.words()) {
            word.store(value, Ordering::Relaxed);
        }
        self.state.store(1, Ordering::Release);
    }

    pub(super) fn what(&self) -> Former {
        let attributes = std::array::from_fn(|n| self.attributes[n].load(Ordering::Relaxed));
        let affinity = std::array::from_fn(|n| self.affinity[n].load(Ordering::Relaxed));
        (Attributes::from_words(attributes), Affinity::from_words(affinity))
    }

    /// Whether the thread that was noted is there, and not another of its number.
    pub(super) fn lives(&self) -> bool {
        let tid = self.tid.load(Ordering::Relaxed);
        let same = |stat: Stat| stat.start == self.start.load(Ordering::Relaxed);
        self.has_identity(tid).unwrap_or_else(|| procfs::stat(tid).is_some_and(same))
    }

    pub(super) fn is_noted(&self) -> bool {
        self.state.load(Ordering::Acquire) == 1
    }

    /// Restores a thread's class, if that cannot block.
    ///
    /// A thread that never waits keeps others from its processor, and those may hold what the kernel needs for everything
    /// else: to start a thread, to look at one, to move one. So all threads are released before anything else is done.
    /// Any step that would block or fails is left to [`restore`](Self::restore).
    pub(super) fn release(&self) {
        let (attributes, _) = self.what();
        let tid = self.tid.load(Ordering::Relaxed);
        // For a deadline thread the kernel takes a lock of the control groups.
        let waits = attributes.policy == libc::SCHED_DEADLINE.cast_unsigned();
        if !waits && self.has_identity(tid) == Some(true) {
            let _ = attributes.give(tid);
        }
    }

    /// Whether thread `tid` is the one that was noted, found without blocking; `None` if the kernel provides no identity.
    fn has_identity(&self, tid: i32) -> Option<bool> {
        let known = self.identity.load(Ordering::Relaxed);
        (known != 0).then(|| identity(tid) == Some(known))
    }

    pub(super) fn restore(&self, trouble: &mut Vec<String>) {
        if !self.is_noted() {
            return;
        }
        if self.lives() {
            give(self.tid.load(Ordering::Relaxed), &self.what(), trouble);
        }
        self.state.store(2, Ordering::Release);
    }
}

/// Restores a thread's former class and affinity: each, whatever becomes of the other. A thread that has ended needs none.
pub(crate) fn give(tid: i32, (attributes, affinity): &Former, trouble: &mut Vec<String>) {
    // The class comes first: the deadline class controls the affinity of its threads itself.
    for (what, done) in [("class", attributes.give(tid)), ("affinity", affinity.give(tid))] {
        match done {
            Err(e) if e.raw_os_error() != Some(libc::ESRCH) => {
                trouble.push(format!("thread {tid} did not get its {what} back: {e}"));
            }
            _ => {}
        }
    }
}
