//! Features of the machine: the resolution of timers, limits of this process, whether BPF may be
//! used.

use super::check;
use super::clock::timespec;
use super::events::owned;
use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use windfall_time::{Instant, Span};

/// How finely the clock's timers are kept: 1 ns with high-resolution timers, else a tick.
#[must_use]
pub fn timer_resolution() -> Span {
    let mut time = timespec(Instant::ZERO);
    // SAFETY: the pointer is to a live timespec; the clock exists on every Linux.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &raw mut time) };
    Span::from_nanos(
        time.tv_sec.unsigned_abs().saturating_mul(1_000_000_000) + time.tv_nsec.unsigned_abs(),
    )
}

/// Sleeps until an instant of the clock; a signal may end it earlier.
pub fn sleep_until(at: Instant) {
    let at = timespec(at);
    // SAFETY: the time is live; the time left is not asked for.
    unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &raw const at,
            std::ptr::null_mut(),
        )
    };
}

/// The highest real-time priority that this process may take without a capability; 0: none.
#[must_use]
pub fn priority_limit() -> u64 {
    limit(libc::RLIMIT_RTPRIO)
}

/// How much memory this process may lock without a capability, in bytes; `u64::MAX`: any.
#[must_use]
pub fn memory_limit() -> u64 {
    limit(libc::RLIMIT_MEMLOCK)
}

fn limit(which: libc::__rlimit_resource_t) -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a live limit.
    unsafe { libc::getrlimit(which, &raw mut limit) };
    limit.rlim_cur
}

/// The free bytes of the file system of a folder in which this process may make files.
///
/// # Errors
/// The kernel's: no such folder (`ENOENT`), no right (`EACCES`), or it may only be read (`EROFS`).
pub fn room_in(folder: &Path) -> io::Result<u64> {
    let name = CString::new(folder.as_os_str().as_bytes())?;
    let modes = libc::W_OK | libc::X_OK;
    // SAFETY: a live C string, and no memory of ours is written to.
    let answer = unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), modes, libc::AT_EACCESS) };
    check(answer.into())?;
    // SAFETY: all zeroes is a value of it.
    let mut room: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: a live C string, and room for the answer.
    check(unsafe { libc::statvfs(name.as_ptr(), &raw mut room) }.into())?;
    Ok(room.f_bavail.saturating_mul(room.f_frsize))
}

/// Makes one of the kernel's ring buffers for BPF programs, of 64 KiB; it is gone when it is dropped.
///
/// # Errors
/// The kernel's: no right (`EPERM`), or a kernel that does not know such buffers (`EINVAL`).
pub fn bpf_ring() -> io::Result<OwnedFd> {
    const MAP_CREATE: i32 = 0;
    const RINGBUF: u32 = 27;
    // Kind, bytes of a key, bytes of a value, size; the rest of `bpf_attr` may be left out.
    let attributes: [u32; 4] = [RINGBUF, 0, 0, 64 * 1024];
    // SAFETY: the attributes are live and as long as is said.
    let fd = unsafe {
        libc::syscall(libc::SYS_bpf, MAP_CREATE, attributes.as_ptr(), size_of_val(&attributes))
    };
    owned(i32::try_from(check(fd)?).unwrap_or(-1))
}

/// Loads a BPF program that only ends, of the kind that is attached to tracepoints; it is gone when it is dropped.
///
/// # Errors
/// The kernel's: no right (`EPERM`), or a kernel without BPF (`ENOSYS`).
pub fn bpf_program() -> io::Result<OwnedFd> {
    const PROGRAM_LOAD: i32 = 5;
    const RAW_TRACEPOINT: u32 = 17;

    #[repr(C)]
    struct Instruction {
        code: u8,
        registers: u8,
        offset: i16,
        immediate: i32,
    }
    /// The beginning of `bpf_attr`; the rest may be left out.
    #[repr(C)]
    struct Attributes {
        kind: u32,
        instructions: u32,
        first: *const Instruction,
        license: *const libc::c_char,
        log: [u64; 2],
        version: u32,
        flags: u32,
    }
    // r0 = 0; exit
    let program =
        [0xb7, 0x95].map(|code| Instruction { code, registers: 0, offset: 0, immediate: 0 });
    let attributes = Attributes {
        kind: RAW_TRACEPOINT,
        instructions: 2,
        first: program.as_ptr(),
        license: c"GPL".as_ptr(),
        log: [0; 2],
        version: 0,
        flags: 0,
    };
    // SAFETY: the attributes, and what they point to, are live and as long as is said.
    let fd = unsafe {
        libc::syscall(libc::SYS_bpf, PROGRAM_LOAD, &raw const attributes, size_of_val(&attributes))
    };
    owned(i32::try_from(check(fd)?).unwrap_or(-1))
}
