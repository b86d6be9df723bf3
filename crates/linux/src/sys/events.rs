//! Waiting for several things at once: timers, signals, rings.

use super::{check, clock};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use windfall_time::Instant;

/// A timer that can be polled.
pub(crate) struct Timer(OwnedFd);

impl Timer {
    pub(crate) fn new() -> io::Result<Timer> {
        // SAFETY: no pointers; the answer is a descriptor of our own or an error.
        let fd = unsafe {
            libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_NONBLOCK | libc::TFD_CLOEXEC)
        };
        Ok(Timer(owned(fd)?))
    }

    /// Has it expire at an instant of the clock, or never.
    pub(crate) fn set(&self, at: Option<Instant>) {
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // A value of zero would disarm it; the past is as good as any.
        let value = at.map_or(zero, |at| clock::timespec(at.max(Instant::from_nanos(1))));
        let spec = libc::itimerspec { it_interval: zero, it_value: value };
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

    /// Takes note that it has expired.
    pub(crate) fn clear(&self) {
        drain(self.0.as_raw_fd());
    }
}

impl AsRawFd for Timer {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A bell that any thread may ring, and that can be polled.
pub(crate) struct EventFd(OwnedFd);

impl EventFd {
    pub(crate) fn new() -> io::Result<EventFd> {
        // SAFETY: no pointers; the answer is a descriptor of our own or an error.
        let fd = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) };
        Ok(EventFd(owned(fd)?))
    }

    pub(crate) fn ring(&self) {
        let one = 1_u64;
        // SAFETY: eight bytes of a live number. A full counter means that it rings already.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const one).cast(), 8) };
    }

    pub(crate) fn clear(&self) {
        drain(self.0.as_raw_fd());
    }
}

impl AsRawFd for EventFd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A set of descriptors to wait for.
pub(crate) struct Poll(OwnedFd);

impl Poll {
    pub(crate) fn new() -> io::Result<Poll> {
        // SAFETY: no pointers.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        Ok(Poll(owned(fd)?))
    }

    /// Waits for this one, too; `name` is told when it can be read.
    pub(crate) fn add(&self, fd: RawFd, name: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events: libc::EPOLLIN.cast_unsigned(), u64: name };
        // SAFETY: the event is live; both descriptors are checked by the kernel.
        let answer =
            unsafe { libc::epoll_ctl(self.0.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &raw mut event) };
        check(answer.into()).map(drop)
    }

    /// Waits for this one no longer.
    pub(crate) fn remove(&self, fd: RawFd) -> io::Result<()> {
        // SAFETY: this needs no event.
        let answer = unsafe {
            libc::epoll_ctl(self.0.as_raw_fd(), libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut())
        };
        check(answer.into()).map(drop)
    }

    /// Waits until something can be read, and gives the names of all that can.
    pub(crate) fn wait(&self, limit_ms: i32, ready: &mut Vec<u64>) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 16];
        // SAFETY: room for 16 events is handed over as such.
        let count =
            unsafe { libc::epoll_wait(self.0.as_raw_fd(), events.as_mut_ptr(), 16, limit_ms) };
        ready.clear();
        let count = usize::try_from(count).unwrap_or(0); // interrupted: nothing is ready
        ready.extend(events.iter().take(count).map(|event| event.u64));
    }
}

/// A descriptor that has just been made for us.
pub(crate) fn owned(fd: i32) -> io::Result<OwnedFd> {
    check(fd.into())?;
    // SAFETY: the kernel has just made it, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn drain(fd: RawFd) {
    let mut count = 0_u64;
    // SAFETY: eight bytes of a live number. Nothing to read is no harm.
    unsafe { libc::read(fd, (&raw mut count).cast(), 8) };
}
