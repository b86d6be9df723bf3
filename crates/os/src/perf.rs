//! One processor's kernel tracepoints, read from memory that the kernel writes.
//!
//! All tracepoints of a processor share one ring, so their order is kept. Only those with
//! [`wakes_reader`](Listen::wakes_reader) wake the reader; the others wait until it looks.

use super::events::owned;
use super::{check, last_error};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use windfall_time::Instant;

/// `perf_event_attr`, version 5 (112 bytes).
// Fields: as the kernel lays them out.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint: u32,
    config1: u64,
    config2: u64,
    branches: u64,
    regs_user: u64,
    stack_user: u32,
    clockid: i32,
    regs_intr: u64,
    aux_watermark: u32,
    max_stack: u16,
    reserved: u16,
}

const TRACEPOINT: u32 = 2;
const SAMPLE_TIME: u64 = 1 << 2;
const SAMPLE_RAW: u64 = 1 << 10;
const DISABLED: u64 = 1;
const USE_CLOCKID: u64 = 1 << 25;
const ENABLE: u64 = 0x2400;
const DISABLE: u64 = 0x2401;
const SET_OUTPUT: u64 = 0x2405;
const SET_FILTER: u64 = 0x4008_2406;
const RECORD_LOST: u32 = 2;
const RECORD_SAMPLE: u32 = 9;

/// A tracepoint to listen to.
pub struct Listen<'a> {
    /// Its number in tracefs.
    pub id: u64,
    /// The kernel's filter, in its own language; empty: everything passes.
    pub filter: &'a str,
    /// Whether each one wakes the reader.
    pub wakes_reader: bool,
}

/// An entry of a ring.
pub enum Entry<'a> {
    /// A tracepoint was passed: when, and its fields as the kernel has them.
    Sample(Instant, &'a [u8]),
    /// This many did not fit.
    Lost(u64),
}

/// The tracepoints of one processor. The descriptor can be read when a sample wakes the reader.
pub struct Ring {
    events: Vec<OwnedFd>,
    base: *mut u8,
    page: usize,
    size: usize,
    /// For an entry that is broken by the end of the ring.
    whole: Vec<u8>,
}

// SAFETY: the mapping belongs to no thread; reading moves the tail, which needs `&mut`.
unsafe impl Send for Ring {}

fn open_event(cpu: u16, listen: &Listen<'_>) -> io::Result<OwnedFd> {
    let attr = Attr {
        kind: TRACEPOINT,
        size: 112,
        config: listen.id,
        sample_period: 1,
        sample_type: SAMPLE_TIME | SAMPLE_RAW,
        flags: DISABLED | USE_CLOCKID,
        wakeup_events: u32::from(listen.wakes_reader),
        clockid: libc::CLOCK_MONOTONIC,
        ..Attr::default()
    };
    let cloexec = 8_u64;
    // SAFETY: the attributes are live and say their size; the rest are numbers.
    let fd = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attr, -1, i32::from(cpu), -1, cloexec)
    };
    let fd = owned(i32::try_from(check(fd)?).unwrap_or(-1))?;
    if !listen.filter.is_empty() {
        let filter = CString::new(listen.filter).map_err(io::Error::other)?;
        ioctl(&fd, SET_FILTER, filter.as_ptr() as u64)?;
    }
    Ok(fd)
}

impl Ring {
    /// Listens to a processor's tracepoints; `pages`, the size of the ring in pages of memory, must be a power of two.
    ///
    /// # Errors
    /// The kernel's: no right (`EACCES`, `EPERM`), too little memory may be locked (`EPERM`), a filter that it does not understand
    /// (`EINVAL`); and when `listen` is empty.
    pub fn open(cpu: u16, listen: &[Listen<'_>], pages: usize) -> io::Result<Ring> {
        let events = listen.iter().map(|one| open_event(cpu, one));
        let events = events.collect::<io::Result<Vec<OwnedFd>>>()?;
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let (first, others) =
            events.split_first().ok_or_else(|| io::Error::other("nothing to listen to"))?;
        let size = page * pages;
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing of ours.
        let base = unsafe {
            let prot = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(
                std::ptr::null_mut(),
                page + size,
                prot,
                libc::MAP_SHARED,
                first.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(last_error());
        }
        for other in others {
            ioctl(other, SET_OUTPUT, u64::from(first.as_raw_fd().cast_unsigned()))?;
        }
        let ring = Ring { base: base.cast(), page, size, whole: Vec::new(), events };
        for event in &ring.events {
            ioctl(event, ENABLE, 0)?;
        }
        Ok(ring)
    }

    /// Whether there is nothing to read.
    #[inline]
    fn is_empty(&self) -> bool {
        self.word(1024).load(Ordering::Acquire) == self.word(1032).load(Ordering::Relaxed)
    }

    /// A word of the page that the ring shares with the kernel.
    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the first page of the mapping is `perf_event_mmap_page`; `data_head` lies at
        // 1024 and `data_tail` at 1032, both aligned, and both are changed by single stores only.
        unsafe { &*self.base.add(offset).cast::<AtomicU64>() }
    }

    /// When the oldest sample was taken that has not been read, or nothing; a loss, which belongs to
    /// what was read before it, has no time: it gives [`Instant::ZERO`].
    #[must_use]
    pub fn oldest(&self) -> Option<Instant> {
        if self.is_empty() {
            return None;
        }
        let tail = self.word(1032).load(Ordering::Relaxed);
        // Entries begin at multiples of eight, so these words are never broken by the ring's end.
        let kind = u32_at(&self.copy(tail, 8), 0);
        let sample = kind == RECORD_SAMPLE;
        Some(Instant::from_nanos(if sample { u64_at(&self.copy(tail + 8, 8), 0) } else { 0 }))
    }

    /// Has the kernel write no more; what it has written can still be read.
    pub fn stop(&self) {
        for event in &self.events {
            let _ = ioctl(event, DISABLE, 0); // it ends with the descriptor at the latest
        }
    }

    /// Reads up to and including an instant.
    pub fn drain_until(&mut self, last: Instant, mut each: impl FnMut(Entry<'_>)) {
        let head = self.word(1024).load(Ordering::Acquire);
        let mut tail = self.word(1032).load(Ordering::Relaxed);
        while tail < head {
            let header = self.copy(tail, 8);
            let kind = u32_at(&header, 0);
            let size = usize::from(u16_at(&header, 6));
            if size < 8 {
                tail = head; // not a ring that we understand; what is left is given up
                break;
            }
            let mut whole = std::mem::take(&mut self.whole);
            let body = self.slice(tail + 8, size - 8, &mut whole);
            match kind {
                RECORD_SAMPLE if body.len() >= 12 => {
                    let at = Instant::from_nanos(u64_at(body, 0));
                    if at > last {
                        self.whole = whole;
                        break;
                    }
                    let length = usize::try_from(u32_at(body, 8)).unwrap_or(0);
                    each(Entry::Sample(at, body.get(12..12 + length).unwrap_or_default()));
                }
                RECORD_LOST if body.len() >= 16 => each(Entry::Lost(u64_at(body, 8))),
                _ => {}
            }
            self.whole = whole;
            tail += size as u64;
        }
        fence(Ordering::SeqCst); // everything is read before its room is given back
        self.word(1032).store(tail, Ordering::Release);
    }

    /// Bytes of the ring from a position on, put together in `whole` when its end breaks them.
    fn slice<'a>(&self, at: u64, length: usize, whole: &'a mut Vec<u8>) -> &'a [u8] {
        let start = usize::try_from(at % self.size as u64).unwrap_or(0);
        if start + length <= self.size {
            // SAFETY: within the data pages; the kernel does not write between tail and head,
            // and the tail moves only after the last use.
            return unsafe { std::slice::from_raw_parts(self.base.add(self.page + start), length) };
        }
        whole.clear();
        let first = self.size - start;
        // SAFETY: as above, for both parts.
        unsafe {
            whole.extend_from_slice(std::slice::from_raw_parts(
                self.base.add(self.page + start),
                first,
            ));
            whole.extend_from_slice(std::slice::from_raw_parts(
                self.base.add(self.page),
                length - first,
            ));
        }
        whole
    }

    fn copy(&self, at: u64, length: usize) -> [u8; 8] {
        let mut scratch = Vec::new();
        let mut copied = [0; 8];
        copied.copy_from_slice(self.slice(at, length, &mut scratch));
        copied
    }
}

impl AsRawFd for Ring {
    fn as_raw_fd(&self) -> RawFd {
        self.events.first().map_or(-1, AsRawFd::as_raw_fd)
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: mapped by `open` with this size; nothing borrows it any more.
        unsafe { libc::munmap(self.base.cast(), self.page + self.size) };
    }
}

fn ioctl(fd: &OwnedFd, what: u64, argument: u64) -> io::Result<()> {
    // SAFETY: the argument is a number, a descriptor, or a live C string, as `what` has it.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), what, argument) }.into()).map(drop)
}

/// The number of two bytes at an offset, in the machine's byte order; 0 past the end.
#[must_use]
#[inline]
pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|b| b.try_into().ok()).map_or(0, u16::from_ne_bytes)
}

/// The number of four bytes; see [`u16_at`].
#[must_use]
#[inline]
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_ne_bytes)
}

/// The number of eight bytes; see [`u16_at`].
#[must_use]
#[inline]
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_ne_bytes)
}
