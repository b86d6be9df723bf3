//! Which thread has a number, found without waiting for that thread.
//!
//! The line of a thread in /proc may wait until that thread is through with executing a program. This answer never waits.

use super::events::owned;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

/// The type that `statfs` gives descriptors of processes since Linux 6.9.
const PIDFS: i64 = 0x5049_4446;
/// `PIDFD_THREAD`: any thread, not only the first of a process.
const OF_THREAD: i32 = libc::O_EXCL;

/// A number that no other thread of this machine has had or will have before it restarts; `None` when there is no
/// thread `tid`, or the kernel is older than 6.9 and does not say.
#[must_use]
pub fn identity(tid: i32) -> Option<u64> {
    // SAFETY: numbers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, tid, OF_THREAD) };
    let thread = File::from(owned(i32::try_from(fd).ok()?).ok()?);
    // SAFETY: `statfs` is plain numbers, for which zero is a value.
    let mut system: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: an open descriptor, and room for the answer.
    let known = unsafe { libc::fstatfs(thread.as_raw_fd(), &raw mut system) } == 0;
    (known && system.f_type == PIDFS).then(|| thread.metadata().ok().map(|data| data.ino()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_thread_has_one_identity_and_nobody_else_has_it() {
        let own = || identity(crate::sched::own_tid());
        let Some(mine) = own() else {
            let why = "Linux before 6.9 does not say the identity of a thread";
            return windfall_skips::skip(windfall_skips::Needs::Other, why);
        };
        assert_eq!(own(), Some(mine));
        let theirs = std::thread::spawn(own).join().expect("it does not panic");
        assert!(theirs.is_some_and(|theirs| theirs != mine));
        assert_eq!(identity(-1), None);
    }
}
