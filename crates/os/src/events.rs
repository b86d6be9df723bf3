//! Waiting for several things at once: timers, signals, rings.

use super::{check, clock};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use windfall_time::{Instant, Span};

/// A timer (`timerfd`) that can be polled.
pub struct Timer(OwnedFd);

impl Timer {
    /// Makes one that does not expire.
    ///
    /// # Errors
    /// When the process has too many open files.
    pub fn new() -> io::Result<Timer> {
        // SAFETY: no pointers; the answer is a descriptor of our own or an error.
        let fd = unsafe {
            libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_NONBLOCK | libc::TFD_CLOEXEC)
        };
        Ok(Timer(owned(fd)?))
    }

    /// Has it expire at an instant of the clock, or never. An instant in the past expires at once.
    #[inline]
    pub fn set(&self, at: Option<Instant>) {
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // A value of zero would disarm it; the past is as good as any.
        let value = at.map_or(zero, |at| clock::timespec(at.max(Instant::from_nanos(1))));
        let spec = libc::itimerspec { it_interval: zero, it_value: value };
        self.arm(spec);
    }

    /// Has it expire at an instant of the clock, and again after each such span, which is above zero.
    pub fn repeat(&self, first: Instant, every: Span) {
        let first = clock::timespec(first.max(Instant::from_nanos(1)));
        let every = clock::timespec(Instant::ZERO + every);
        let spec = libc::itimerspec { it_interval: every, it_value: first };
        self.arm(spec);
    }

    fn arm(&self, spec: libc::itimerspec) {
        // SAFETY: the specification is live, the old one is not asked for.
        unsafe {
            libc::timerfd_settime(
                self.0.as_raw_fd(),
                libc::TFD_TIMER_ABSTIME,
                &raw const spec,
                std::ptr::null_mut(),
            )
        };
    }

    /// Has it no longer be readable, until it expires again.
    pub fn clear(&self) {
        drain(self.0.as_raw_fd());
    }

    /// Takes how often it has expired since this was asked last.
    pub fn take(&self) -> u64 {
        drain(self.0.as_raw_fd())
    }
}

impl AsRawFd for Timer {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A counter (`eventfd`) that any thread may raise, and that can be polled.
pub struct EventFd(OwnedFd);

impl EventFd {
    /// Makes one that is not readable.
    ///
    /// # Errors
    /// When the process has too many open files.
    pub fn new() -> io::Result<EventFd> {
        // SAFETY: no pointers; the answer is a descriptor of our own or an error.
        let fd = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) };
        Ok(EventFd(owned(fd)?))
    }

    /// Makes it readable.
    #[inline]
    pub fn signal(&self) {
        let one = 1_u64;
        // SAFETY: eight bytes of a live number. A full counter means that it is readable already.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const one).cast(), 8) };
    }

    /// Has it no longer be readable.
    pub fn clear(&self) {
        drain(self.0.as_raw_fd());
    }
}

impl AsRawFd for EventFd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A set of descriptors to wait for (`epoll`).
pub struct Poll(OwnedFd);

impl Poll {
    /// Makes an empty one.
    ///
    /// # Errors
    /// When the process has too many open files.
    pub fn new() -> io::Result<Poll> {
        // SAFETY: no pointers.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        Ok(Poll(owned(fd)?))
    }

    /// Waits for this descriptor, too; [`wait`](Self::wait) gives `name` when it can be read.
    ///
    /// # Errors
    /// When it is no open descriptor, cannot be polled, or was added before.
    pub fn add(&self, fd: RawFd, name: u64) -> io::Result<()> {
        self.control(fd, name, libc::EPOLLIN)
    }

    /// As [`add`](Self::add); [`wait`](Self::wait) gives `name` once for each time that more can be read.
    ///
    /// # Errors
    /// When it is no open descriptor, cannot be polled, or was added before.
    pub fn add_edges(&self, fd: RawFd, name: u64) -> io::Result<()> {
        self.control(fd, name, libc::EPOLLIN | libc::EPOLLET)
    }

    /// As [`add_edges`](Self::add_edges), for a descriptor that several sets wait for in this way: among those in which a
    /// thread waits, the set that it was added to first wakes that thread, and the others none. A descriptor that is
    /// ready in a set in which no thread waits is found by the next wait there, if it can still be read then.
    ///
    /// # Errors
    /// As there; or when the descriptor is a set itself.
    pub fn add_shared_edges(&self, fd: RawFd, name: u64) -> io::Result<()> {
        self.control(fd, name, libc::EPOLLIN | libc::EPOLLET | libc::EPOLLEXCLUSIVE)
    }

    fn control(&self, fd: RawFd, name: u64, events: i32) -> io::Result<()> {
        let mut event = libc::epoll_event { events: events.cast_unsigned(), u64: name };
        // SAFETY: the event is live; both descriptors are checked by the kernel.
        let answer =
            unsafe { libc::epoll_ctl(self.0.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &raw mut event) };
        check(answer.into()).map(drop)
    }

    /// Waits for this descriptor no longer.
    ///
    /// # Errors
    /// When it was not added.
    pub fn remove(&self, fd: RawFd) -> io::Result<()> {
        // SAFETY: this needs no event.
        let answer = unsafe {
            libc::epoll_ctl(self.0.as_raw_fd(), libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut())
        };
        check(answer.into()).map(drop)
    }

    /// The most names that one [`wait`](Self::wait) gives.
    pub const MOST: usize = 16;

    /// Waits until something can be read or so many milliseconds have passed (-1: without limit), and replaces the contents of
    /// `ready` by the names of what can be read, at most [`MOST`](Self::MOST). An interrupted wait gives none.
    #[inline]
    pub fn wait(&self, limit_ms: i32, ready: &mut Vec<u64>) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 16];
        // SAFETY: room for 16 events is handed over as such.
        let count =
            unsafe { libc::epoll_wait(self.0.as_raw_fd(), events.as_mut_ptr(), 16, limit_ms) };
        ready.clear();
        let count = usize::try_from(count).unwrap_or(0); // interrupted: nothing is ready
        ready.extend(events.iter().take(count).map(|event| event.u64));
    }
}

impl AsRawFd for Poll {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A descriptor that a system call has just returned, or its error.
pub(crate) fn owned(fd: i32) -> io::Result<OwnedFd> {
    check(fd.into())?;
    // SAFETY: the kernel has just made it, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Another descriptor of the file that `fd` names; `fd` itself stays with its owner.
///
/// # Errors
/// When it is closed, or the process has too many open files.
pub fn duplicate(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: no pointers; the kernel checks the number. The answer is a descriptor of our own or an error.
    owned(unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 0) })
}

/// A signal that arrives on a descriptor, instead of interrupting this thread and those that begin later.
pub struct SignalFd(OwnedFd);

impl SignalFd {
    /// Holds a signal back in this thread, from now on.
    ///
    /// # Errors
    /// When there is no such signal, or the process has too many open files.
    pub fn hold(signal: i32) -> io::Result<SignalFd> {
        // SAFETY: the set is initialised before use, and live; the answer is a descriptor of our own or an error.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            check(libc::sigaddset(&raw mut set, signal).into())?;
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            owned(libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))
        }
        .map(SignalFd)
    }

    /// Takes those that have arrived; how many. Equal signals that come together are one.
    pub fn take(&self) -> u64 {
        let mut arrived = [0_u8; 128];
        let mut count = 0;
        // SAFETY: room for one `signalfd_siginfo` of 128 bytes; the descriptor does not block.
        while unsafe { libc::read(self.0.as_raw_fd(), arrived.as_mut_ptr().cast(), 128) } > 0 {
            count += 1;
        }
        count
    }
}

impl AsRawFd for SignalFd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

fn drain(fd: RawFd) -> u64 {
    let mut count = 0_u64;
    // SAFETY: eight bytes of a live number. Nothing to read is no harm.
    unsafe { libc::read(fd, (&raw mut count).cast(), 8) };
    count
}
