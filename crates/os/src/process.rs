//! Processes: forking the guardian, starting programs, signals.

use super::{check, last_error};
use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Forks; `child` runs in the new process, which ends when it returns. Gives the number of the new process.
///
/// Call it before there are other threads, or keep `child` to what needs no lock of theirs.
///
/// # Errors
/// The kernel's: too many processes, or a deadline thread may not fork (`EAGAIN`).
pub fn fork(child: impl FnOnce()) -> io::Result<i32> {
    // SAFETY: the child runs `child` on a copy of this thread alone and then leaves without
    // running anything of the parent's; glibc makes its allocator usable after a fork.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child));
        // SAFETY: ends the process at once; no destructor of the parent's runs twice.
        unsafe { libc::_exit(0) };
    }
    check(pid.into()).map(|_| pid)
}

/// Leaves the terminal's and the parent's group, and ignores the signals that ask to stop.
pub fn stand_alone() {
    // SAFETY: numbers.
    unsafe {
        libc::setsid();
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// Names the calling thread; the kernel keeps the first 15 bytes. A name that holds a zero changes nothing.
pub fn name_thread(name: &str) {
    if let Ok(name) = std::ffi::CString::new(name) {
        // SAFETY: a live C string, copied by the kernel.
        unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
    }
}

/// Closes every descriptor of this process but these and the first three. For a forked child: what held them still exists.
pub fn close_all_but(kept: &[i32]) {
    let mut kept = kept.to_vec();
    kept.sort_unstable();
    let mut from = 3_u32;
    for fd in kept.into_iter().filter_map(|fd| u32::try_from(fd).ok()).chain([u32::MAX]) {
        if fd > from {
            // SAFETY: descriptors of a forked child that uses none of them.
            unsafe { libc::syscall(libc::SYS_close_range, from, fd - 1, 0_u32) };
        }
        from = fd.saturating_add(1).max(from);
    }
}

/// Closes now, in a forked child, what would be closed when it executes a program, but for the descriptor `kept`.
pub fn close_what_ends_at_exec(kept: i32) {
    let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().filter_map(Result::ok);
    let open: Vec<i32> =
        open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| *fd > 2 && *fd != kept) {
        // SAFETY: numbers; descriptors of a forked child that uses none of them.
        unsafe {
            let flags = libc::fcntl(fd, libc::F_GETFD);
            if flags != -1 && flags & libc::FD_CLOEXEC != 0 {
                libc::close(fd);
            }
        }
    }
}

/// Kills a process (SIGKILL). Nothing happens when it is not there or not ours.
pub fn kill(pid: i32) {
    // SAFETY: numbers.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// For how long a process' real-time threads may run without waiting, in microseconds: then it is warned by a signal
/// (soft), and killed (hard).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// After this it gets SIGXCPU, once a second.
    pub soft: u64,
    /// After this it is killed.
    pub hard: u64,
}

impl Limit {
    /// Without limit.
    pub const NONE: Limit = Limit { soft: libc::RLIM_INFINITY, hard: libc::RLIM_INFINITY };

    /// Whether there is no limit.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Limit::NONE
    }
}

/// The limit of a process (`RLIMIT_RTTIME`); `None` when it is not there or may not be looked at.
#[must_use]
pub fn limit_of_real_time(pid: i32) -> Option<Limit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: nothing is set, and room for the limit is handed over.
    let answer =
        unsafe { libc::prlimit(pid, libc::RLIMIT_RTTIME, std::ptr::null(), &raw mut limit) };
    (answer == 0).then_some(Limit { soft: limit.rlim_cur, hard: limit.rlim_max })
}

/// Sets the limit of a process.
///
/// # Errors
/// The kernel's: no such process (`ESRCH`), or no right (`EPERM`).
pub fn set_limit_of_real_time(pid: i32, limit: Limit) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: limit.soft, rlim_max: limit.hard };
    // SAFETY: the limit is live, and the former one is not asked for.
    let answer =
        unsafe { libc::prlimit(pid, libc::RLIMIT_RTTIME, &raw const limit, std::ptr::null_mut()) };
    check(answer.into()).map(drop)
}

/// Sends SIGTERM to a process. Nothing happens when it is not there or not ours.
pub fn terminate(pid: i32) {
    // SAFETY: numbers.
    unsafe { libc::kill(pid, libc::SIGTERM) };
}

/// Lets a stopped process go on (SIGCONT). Nothing happens when it is not there or not ours.
pub fn resume(pid: i32) {
    // SAFETY: numbers.
    unsafe { libc::kill(pid, libc::SIGCONT) };
}

/// Whether a process or thread of this number exists.
#[must_use]
pub fn exists(pid: i32) -> bool {
    // SAFETY: signal 0 is never delivered.
    let answer = unsafe { libc::kill(pid, 0) };
    answer == 0 || last_error().raw_os_error() == Some(libc::EPERM)
}

/// How a child ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ended {
    /// By itself, with this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
    /// Somebody else has reaped it, or the number is no child's.
    Unknown,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Status(status) => write!(f, "ended with status {status}"),
            Ended::Signal(signal) => write!(f, "was ended by signal {signal}"),
            Ended::Unknown => f.write_str("has ended"),
        }
    }
}

/// How a child has ended, if it has; its number is free then.
#[must_use]
pub fn reap_if_ended(pid: i32) -> Option<Ended> {
    let mut status = 0;
    // SAFETY: room for the status is handed over.
    match unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) } {
        0 => None,
        -1 => Some(Ended::Unknown),
        _ if libc::WIFSIGNALED(status) => Some(Ended::Signal(libc::WTERMSIG(status))),
        _ => Some(Ended::Status(libc::WEXITSTATUS(status))),
    }
}

/// Whether a process was a child of ours that has ended; its number is free then. Unlike [`reap_if_ended`], somebody else's
/// child is not taken for one.
#[must_use]
pub fn reap_if_ended_child(pid: i32) -> bool {
    // SAFETY: the status is not asked for.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) > 0 }
}

/// Waits until a child has ended; its number is free then.
pub fn reap(pid: i32) {
    // SAFETY: the status is not asked for.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
}

/// Makes a pipe that is closed when a program is executed: read end, write end.
///
/// # Errors
/// When the process has too many open files.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }.into())?;
    Ok((super::events::owned(ends[0])?, super::events::owned(ends[1])?))
}

/// Waits until a pipe's writers are gone (true) or so many milliseconds have passed (false).
pub fn hung_up(pipe: &OwnedFd, limit_ms: i32) -> bool {
    can_be_read(pipe, limit_ms)
}

/// Waits until a descriptor can be read (true) or so many milliseconds have passed (false).
fn can_be_read(fd: &OwnedFd, limit_ms: i32) -> bool {
    let mut poll = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one live entry.
    unsafe { libc::poll(&raw mut poll, 1, limit_ms) > 0 }
}

/// Writes to standard error without a lock that another thread may have held when this process was forked.
pub fn write_to_stderr(text: &str) {
    // SAFETY: a live text and its length. Nobody may read it any more.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}

/// Has descendants of this process whose parents have ended become its children, or no longer.
pub fn adopt_orphans(adopt: bool) {
    // SAFETY: numbers.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, libc::c_ulong::from(adopt), 0, 0, 0) };
}

/// Keeps all memory of this process in place, what is allocated later included, so that no page fault delays it.
///
/// # Errors
/// The kernel's, when this user may not lock so much memory.
pub fn lock_memory() -> io::Result<()> {
    // SAFETY: numbers.
    check(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) }.into()).map(drop)
}

/// Asks for large pages below a piece of memory, so that writing it all through seldom costs a look into the
/// page tables.
///
/// # Errors
/// The kernel's: before Linux 6.1 always (`EINVAL`), and when no large page is free.
pub fn lay_on_large_pages<T>(memory: &[T]) -> io::Result<()> {
    const LARGE: usize = 1 << 21;
    let from = memory.as_ptr().addr().next_multiple_of(LARGE);
    let to = (memory.as_ptr().addr() + size_of_val(memory)) / LARGE * LARGE;
    if from >= to {
        return Ok(());
    }
    let first =
        memory.as_ptr().cast::<libc::c_void>().wrapping_byte_add(from - memory.as_ptr().addr());
    // SAFETY: the range lies within `memory`; its contents stay what they are.
    check(unsafe { libc::madvise(first.cast_mut(), to - from, libc::MADV_COLLAPSE) }.into())
        .map(drop)
}

/// A signal that asks a process to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StopSignal {
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal is gone. Several come when it is closed.
    HangUp,
}

impl fmt::Display for StopSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopSignal::Interrupt => "SIGINT",
            StopSignal::Terminate => "SIGTERM",
            StopSignal::HangUp => "SIGHUP",
        })
    }
}

/// The signals that ask this process to stop: SIGINT, SIGTERM, SIGHUP. While this lives they arrive on its descriptor instead of
/// interrupting this thread, those that begin later, and programs that are started meanwhile.
pub struct StopSignals {
    arrived: OwnedFd,
    /// The thread's signals before.
    before: libc::sigset_t,
}

impl StopSignals {
    /// Holds them back from now on.
    ///
    /// # Errors
    /// When the process has too many open files.
    pub fn hold() -> io::Result<StopSignals> {
        let (set, before) = mask_stop_signals(libc::SIG_BLOCK);
        // SAFETY: the set is live; the answer is a descriptor of our own or an error.
        let fd =
            unsafe { libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        let arrived = super::events::owned(fd)?;
        Ok(StopSignals { arrived, before })
    }

    /// The descriptor, which can be read when one has arrived.
    #[must_use]
    pub const fn fd(&self) -> &OwnedFd {
        &self.arrived
    }

    /// Waits until one has arrived (true) or so many milliseconds have passed (false).
    #[must_use]
    pub fn arrive(&self, limit_ms: i32) -> bool {
        can_be_read(&self.arrived, limit_ms)
    }

    /// Takes one that has arrived, if any; the descriptor can be read until all are taken.
    pub fn next(&self) -> Option<StopSignal> {
        let mut arrived = [0_u8; 128];
        let fd = self.arrived.as_raw_fd();
        // SAFETY: room for one `signalfd_siginfo` of 128 bytes; the descriptor does not block.
        let read = unsafe { libc::read(fd, arrived.as_mut_ptr().cast(), arrived.len()) };
        // The structure begins with the number of the signal.
        let number = i32::from_ne_bytes([arrived[0], arrived[1], arrived[2], arrived[3]]);
        (read > 0).then_some(match number {
            libc::SIGINT => StopSignal::Interrupt,
            libc::SIGHUP => StopSignal::HangUp,
            _ => StopSignal::Terminate,
        })
    }

    /// Takes all that have arrived.
    pub fn take(&self) {
        while self.next().is_some() {}
    }
}

impl Drop for StopSignals {
    fn drop(&mut self) {
        self.take(); // they were obeyed; as they are let through they would end this process
        // SAFETY: a live set, and the former one is not asked for.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut());
        }
    }
}

/// Blocks or unblocks the signals that ask us to stop, for this thread; which they are, and what was blocked before.
fn mask_stop_signals(how: i32) -> (libc::sigset_t, libc::sigset_t) {
    // SAFETY: the sets are initialised before use; only system calls that a forked child may make.
    unsafe {
        let (mut set, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&raw mut set);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::pthread_sigmask(how, &raw const set, &raw mut before);
        (set, before)
    }
}

/// Has a program begin with the signals of [`StopSignals`] let through; it would inherit that they are held.
pub fn let_signals_through(command: &mut Command) {
    // SAFETY: between fork and exec one system call is made, and nothing is allocated.
    unsafe {
        command.pre_exec(|| {
            mask_stop_signals(libc::SIG_UNBLOCK);
            Ok(())
        });
    }
}

/// A descriptor that can be read when a process has ended.
///
/// # Errors
/// The kernel's: no such process (`ESRCH`), or too many open files.
pub fn pidfd(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: numbers.
    let fd = check(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    super::events::owned(i32::try_from(fd).unwrap_or(-1))
}
