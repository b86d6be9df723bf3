#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! `wire.rs` is the control protocol (decisions 0009 and 0024) as far as a program speaks it; a request is one connection, and so is each
//! stream of [`Notices`].
#![forbid(unsafe_code)]

mod error;
mod notices;
mod wire;

pub use error::ClientError;
pub use notices::{Notice, Notices};

use std::path::{Path, PathBuf};
use std::time::Duration;

/// A thread that a run supervises, for which a program makes requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    socket: PathBuf,
    tid: i32,
}

impl Thread {
    /// The calling thread.
    ///
    /// # Errors
    /// When /proc does not show its number.
    pub fn current() -> Result<Thread, ClientError> {
        let link = std::fs::read_link("/proc/thread-self").map_err(ClientError::Tid)?;
        let tid = link.file_name().and_then(|name| name.to_str()?.parse().ok());
        let missing =
            || ClientError::Tid(std::io::Error::other("/proc/thread-self names no thread"));
        Ok(Thread { socket: usual_socket(), tid: tid.ok_or_else(missing)? })
    }

    /// Another thread, by the kernel's number: one of the same process, or any if the caller owns the run.
    #[must_use]
    pub fn numbered(tid: i32) -> Thread {
        Thread { socket: usual_socket(), tid }
    }

    /// The same thread, of the run with this socket.
    #[must_use]
    pub fn at(self, socket: impl Into<PathBuf>) -> Thread {
        Thread { socket: socket.into(), ..self }
    }

    /// The kernel's number of the thread.
    #[must_use]
    pub const fn tid(&self) -> i32 {
        self.tid
    }

    /// The socket of the run.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Begins or changes a reservation: `amount` of processor time in every `period`, in whole nanoseconds. `at` is the scheduler that is to
    /// give it, to which the thread moves; without one it is the scheduler above the thread.
    ///
    /// # Errors
    /// The refusal, and then nothing has changed; or that the run cannot be reached.
    pub fn reserve(
        &self,
        amount: Duration,
        period: Duration,
        at: Option<&str>,
    ) -> Result<(), ClientError> {
        let value = format!("\"{}ns/{}ns\"", amount.as_nanos(), period.as_nanos());
        let at = at.map(wire::quoted);
        let at = at.map_or_else(String::new, |at| format!(",\"to\":{at}"));
        self.send("reserve", &format!(",\"reserve\":{value}{at}"))
    }

    /// Requests a guarantee, as `RESBH 3ms 10ms`, in the form that the scheduler gives it. Unlike a plain reservation it is a promise,
    /// which the run judges: [`Notice::PromiseBroken`]. `at` is as in [`reserve`](Self::reserve).
    ///
    /// # Errors
    /// As of [`reserve`](Self::reserve).
    pub fn guarantee(&self, guarantee: &str, at: Option<&str>) -> Result<(), ClientError> {
        let at = at.map(wire::quoted);
        let at = at.map_or_else(String::new, |at| format!(",\"to\":{at}"));
        self.send("guarantee", &format!(",\"guarantee\":{}{at}", wire::quoted(guarantee)))
    }

    /// Ends the reservation. A thread that moved for it returns to the scheduler that it came from.
    ///
    /// # Errors
    /// As of [`reserve`](Self::reserve).
    pub fn unreserve(&self) -> Result<(), ClientError> {
        self.send("unreserve", "")
    }

    /// Sets the share: a weight relative to those of its siblings; at least 1.
    ///
    /// # Errors
    /// As of [`reserve`](Self::reserve).
    pub fn share(&self, share: u32) -> Result<(), ClientError> {
        self.send("share", &format!(",\"share\":{share}"))
    }

    /// Sets the priority; a larger number is served first.
    ///
    /// # Errors
    /// As of [`reserve`](Self::reserve).
    pub fn priority(&self, priority: i32) -> Result<(), ClientError> {
        self.send("priority", &format!(",\"priority\":{priority}"))
    }

    /// Moves the thread to a scheduler at or below the one that it began at.
    ///
    /// # Errors
    /// As of [`reserve`](Self::reserve).
    pub fn move_to(&self, scheduler: &str) -> Result<(), ClientError> {
        self.send("move", &format!(",\"to\":{}", wire::quoted(scheduler)))
    }

    /// Subscribes to notices about the thread.
    ///
    /// # Errors
    /// As of [`reserve`](Self::reserve).
    pub fn notices(&self) -> Result<Notices, ClientError> {
        let (stream, line) = wire::exchange(&self.socket, &self.request("notices", ""))?;
        wire::understand(&line)?;
        Ok(Notices::new(stream))
    }

    fn send(&self, verb: &str, more: &str) -> Result<(), ClientError> {
        let (_, line) = wire::exchange(&self.socket, &self.request(verb, more))?;
        wire::understand(&line)
    }

    fn request(&self, verb: &str, more: &str) -> String {
        format!("{{\"windfall\":{},\"do\":\"{verb}\",\"own\":{}{more}}}\n", wire::VERSION, self.tid)
    }
}

/// `$WINDFALL_SOCKET`, else the socket of root's run if there is one, else that of a user's.
fn usual_socket() -> PathBuf {
    if let Some(socket) = std::env::var_os("WINDFALL_SOCKET") {
        return socket.into();
    }
    let roots = PathBuf::from("/run/windfall/windfall.sock");
    match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(folder) if !roots.exists() => PathBuf::from(folder).join("windfall/windfall.sock"),
        _ => roots,
    }
}
