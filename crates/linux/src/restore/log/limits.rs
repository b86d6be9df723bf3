//! Limits on real-time processor time (RLIMIT_RTTIME), which are lifted while their processes are supervised: the kernel would
//! kill the processes otherwise. (rtkit sets such a limit for each of its clients.)
//!
//! Children inherit a lifted limit, so each supervised process is noted with the limit that its maker had.

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use windfall_observe::procfs::{self, Stat};
use windfall_os::process::{self, Limit};

/// Most processes that can be noted at a time.
const MOST: usize = 4_096;

windfall_os::atomics! {
    struct Entry {
        /// 0: nothing; 1: to be restored; 2: gone or restored.
        state: AtomicU32,
        pid: AtomicI32,
        start: AtomicU64,
        soft: AtomicU64,
        hard: AtomicU64,
    }

    /// The limits that a run has lifted.
    pub(crate) struct Limits {
        used: AtomicU32,
        entries: [Entry; MOST],
    }
}

/// Error text if there is no room for another entry.
pub(crate) const FULL: &str = "more than 4096 supervised processes have such a limit";

impl Limits {
    /// Lifts the limit of a process, if it or its maker had one. The error says why that is impossible.
    pub(crate) fn lift(&self, pid: i32, parent: i32) -> Result<(), String> {
        if self.of(pid).is_some_and(Entry::lives) {
            return Ok(());
        }
        let own = process::limit_of_real_time(pid).filter(|limit| !limit.is_none());
        let inherited = || self.of(parent).map(Entry::limit);
        let Some(limit) = own.or_else(inherited) else { return Ok(()) };
        let Some(stat) = procfs::stat(pid) else { return Ok(()) }; // it has ended
        let vacant = |entry: &&Entry| entry.state.load(Ordering::Acquire) != 1 || !entry.lives();
        let used = self.used.load(Ordering::Acquire) as usize;
        let next =
            self.entries.get(used).or_else(|| self.entries.iter().find(vacant)).ok_or(FULL)?;
        next.state.store(2, Ordering::Release); // until it is complete
        next.pid.store(pid, Ordering::Relaxed);
        next.start.store(stat.start, Ordering::Relaxed);
        next.soft.store(limit.soft, Ordering::Relaxed);
        next.hard.store(limit.hard, Ordering::Relaxed);
        next.state.store(1, Ordering::Release);
        if used < MOST {
            self.used.fetch_add(1, Ordering::AcqRel);
        }
        process::set_limit_of_real_time(pid, Limit::NONE).map_err(|e| {
            next.state.store(2, Ordering::Release);
            match e.raw_os_error() {
                Some(libc::EPERM) => "lifting the limit needs CAP_SYS_RESOURCE".to_owned(),
                _ => e.to_string(),
            }
        })
    }

    fn noted(&self) -> impl Iterator<Item = &Entry> {
        let used = (self.used.load(Ordering::Acquire) as usize).min(MOST);
        self.entries.iter().take(used).filter(|entry| entry.state.load(Ordering::Acquire) == 1)
    }

    fn of(&self, pid: i32) -> Option<&Entry> {
        self.noted().find(|entry| entry.pid.load(Ordering::Relaxed) == pid)
    }

    /// Restores every limit.
    pub(crate) fn restore(&self, trouble: &mut Vec<String>) {
        for entry in self.noted() {
            let pid = entry.pid.load(Ordering::Relaxed);
            if entry.lives()
                && let Err(e) = process::set_limit_of_real_time(pid, entry.limit())
                && e.raw_os_error() != Some(libc::ESRCH)
            {
                trouble.push(format!(
                    "process {pid} did not get its limit of real-time processor time back: {e}"
                ));
            }
            entry.state.store(2, Ordering::Release);
        }
    }
}

impl Entry {
    fn limit(&self) -> Limit {
        let (soft, hard) = (self.soft.load(Ordering::Relaxed), self.hard.load(Ordering::Relaxed));
        Limit { soft, hard }
    }

    fn is(&self, stat: &Stat) -> bool {
        stat.start == self.start.load(Ordering::Relaxed)
    }

    /// Whether the noted process still exists.
    fn lives(&self) -> bool {
        procfs::stat(self.pid.load(Ordering::Relaxed)).is_some_and(|stat| self.is(&stat))
    }
}
