//! Who is at the other end of a Unix socket, and who we are.

use super::check;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

/// The number of the user that connected.
///
/// # Errors
/// The kernel's, when the socket is not connected.
pub fn user(stream: &UnixStream) -> io::Result<u32> {
    let mut who = libc::ucred { pid: 0, uid: u32::MAX, gid: u32::MAX };
    let mut size = libc::socklen_t::try_from(size_of::<libc::ucred>()).unwrap_or(0);
    // SAFETY: the kernel writes at most `size` bytes into a live struct of that size.
    let answer = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut who).cast(),
            &raw mut size,
        )
    };
    check(answer.into())?;
    Ok(who.uid)
}

/// The number of the user that this process acts for (its effective user).
#[must_use]
pub fn own_user() -> u32 {
    // SAFETY: takes nothing, and cannot fail.
    unsafe { libc::geteuid() }
}
