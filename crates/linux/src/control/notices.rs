//! Clients that receive notices about a thread: each gets a line for each set of notices, when it comes (decision 0024).
//!
//! Nothing waits for a client: what it does not read stays in the set of its thread, which is sent when there is room again.

use super::wire::{ControlError, VERSION};
use crate::control;
use crate::supervise::locked::Locked;
use crate::supervise::supervisor::Supervisor;
use serde_json::json;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use windfall_programs::{Notice, Notices};

/// Most clients, and most of one process.
const MOST: usize = 64;
const MOST_EACH: usize = 8;

/// A client, its process, and its thread by number and name.
struct Listener {
    stream: UnixStream,
    pid: i32,
    number: u32,
    name: String,
    /// Notices that could not be sent yet, and the rest of a line that was sent in part.
    pending: Notices,
    line: Vec<u8>,
}

/// All clients that receive notices.
#[derive(Default)]
pub(super) struct Listeners(Vec<Listener>);

impl Listeners {
    /// Whether one more client of a process may listen.
    pub(super) fn room(&self, pid: i32) -> Result<(), ControlError> {
        let its = self.0.iter().filter(|one| one.pid == pid).count();
        if self.0.len() < MOST && its < MOST_EACH {
            return Ok(());
        }
        let why = format!("{MOST} clients listen, or {MOST_EACH} of process {pid}");
        Err(ControlError::new("`notices`", why, "close one of those connections"))
    }

    /// Keeps a client for the notices of a thread.
    pub(super) fn join(
        &mut self,
        host: &Locked,
        stream: UnixStream,
        pid: i32,
        (number, name): (u32, String),
    ) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        let first = !self.0.iter().any(|one| one.number == number);
        let listener =
            Listener { stream, pid, number, name, pending: Notices::default(), line: Vec::new() };
        self.0.push(listener);
        if first {
            host.call(move |s| s.host.keep_notices(number, true));
        }
    }

    /// Sends what has come, and closes connections whose clients, or threads, have gone.
    pub(super) fn send(&mut self, host: &Locked) {
        if self.0.is_empty() {
            return;
        }
        let mut wanted: Vec<(u32, String)> =
            self.0.iter().map(|one| (one.number, one.name.clone())).collect();
        wanted.sort();
        wanted.dedup();
        let taken_now: Vec<(u32, Option<Notices>)> = host.call(move |s| {
            let take = |(number, name): (u32, String)| (number, taken(s, number, &name));
            wanted.into_iter().map(take).collect()
        });
        self.0.retain_mut(|one| {
            let mut its = taken_now.iter().filter(|(number, _)| *number == one.number);
            match its.next() {
                Some((_, Some(notices))) => {
                    notices.iter().for_each(|notice| one.pending.insert(notice));
                    one.goes_on()
                }
                _ => {
                    one.goes_on();
                    false // its thread has ended
                }
            }
        });
        let left: Vec<u32> = self.0.iter().map(|one| one.number).collect();
        let done = taken_now.into_iter().filter(|(number, _)| !left.contains(number));
        let done: Vec<u32> = done.map(|(number, _)| number).collect();
        if !done.is_empty() {
            host.call(move |s| done.into_iter().for_each(|at| s.host.keep_notices(at, false)));
        }
    }
}

/// Takes the notices of a thread; `None` if it has ended.
fn taken(s: &mut Supervisor, number: u32, name: &str) -> Option<Notices> {
    let lives = s.host.threads.list.get(number as usize)?.id().is_some();
    (lives && control::is_called(s, number as usize, name)).then(|| s.host.take_notices(number))
}

impl Listener {
    /// Sends what there is room for. Returns whether the client is still there.
    fn goes_on(&mut self) -> bool {
        let mut ignored = [0; 64];
        match self.stream.read(&mut ignored) {
            Ok(0) => return false,
            Err(error) if error.kind() != ErrorKind::WouldBlock => return false,
            _ => {}
        }
        if self.line.is_empty() && !self.pending.is_empty() {
            let names: Vec<&str> =
                std::mem::take(&mut self.pending).iter().map(Notice::name).collect();
            self.line =
                format!("{}\n", json!({ "windfall": VERSION, "notices": names })).into_bytes();
        }
        while !self.line.is_empty() {
            match self.stream.write(&self.line) {
                Ok(count) => drop(self.line.drain(..count)),
                Err(error) => return error.kind() == ErrorKind::WouldBlock,
            }
        }
        true
    }
}
