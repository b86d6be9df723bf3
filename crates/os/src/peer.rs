//! The process at the other end of a Unix socket, and this process.

use super::check;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

/// The process and the user that connected, as they were then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer {
    /// The process; 0 if it lies in a namespace that is not seen from here.
    pub pid: i32,
    /// Its user.
    pub user: u32,
}

/// The process and the user that connected.
///
/// # Errors
/// The kernel's, when the socket is not connected.
pub fn of(stream: &UnixStream) -> io::Result<Peer> {
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
    Ok(Peer { pid: who.pid, user: who.uid })
}

/// The number of the user that this process acts for (its effective user).
#[must_use]
pub fn own_user() -> u32 {
    // SAFETY: takes nothing, and cannot fail.
    unsafe { libc::geteuid() }
}
