//! Clients whose requests are being received: each has a limited time and number of bytes, and none waits for another.

use super::wire::LONGEST;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant as Clock};
use windfall_os::events::{EventFd, Poll};
use windfall_time::Span;

/// Longest time that a client may take for its request.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most clients at a time. One more drops the client that connected first.
const MOST: usize = 16;

const LISTENER: u64 = 0;
const OVER: u64 = 1;
const NOTICED: u64 = 2;
const CLIENT: u64 = 3;

/// A client whose request is not complete.
struct Client {
    stream: UnixStream,
    line: Vec<u8>,
    until: Clock,
}

/// All clients whose requests are not complete.
pub(super) struct Clients {
    poll: Poll,
    clients: VecDeque<Client>,
}

/// A client and its request; `None` if the request is too long.
pub(super) type Heard = (UnixStream, Option<Vec<u8>>);

impl Clients {
    pub(super) fn new(
        listener: &UnixListener,
        over: &EventFd,
        noticed: &EventFd,
    ) -> io::Result<Clients> {
        let poll = Poll::new()?;
        poll.add(listener.as_raw_fd(), LISTENER)?;
        poll.add(over.as_raw_fd(), OVER)?;
        poll.add(noticed.as_raw_fd(), NOTICED)?;
        Ok(Clients { poll, clients: VecDeque::new() })
    }

    /// Waits at most `limit` and returns the clients whose requests are complete; `None` once the run is over.
    pub(super) fn listen(&mut self, listener: &UnixListener, limit: Span) -> Option<Vec<Heard>> {
        let mut ready = Vec::new();
        let ms = i32::try_from(limit.as_nanos() / 1_000_000).unwrap_or(0);
        self.poll.wait(ms, &mut ready);
        if ready.contains(&OVER) {
            return None;
        }
        if ready.contains(&LISTENER)
            && let Ok((stream, _)) = listener.accept()
        {
            self.join(stream);
        }
        let mut heard = Vec::new();
        for _ in 0..self.clients.len() {
            let Some(mut client) = self.clients.pop_front() else { break };
            match client.read() {
                Ok(None) if Clock::now() < client.until => self.clients.push_back(client),
                Ok(Some(line)) => {
                    // It may be kept for notices, and what it sends then is not looked at here.
                    let _ = self.poll.remove(client.stream.as_raw_fd());
                    heard.push((client.stream, line));
                }
                Ok(None) | Err(_) => {} // dropping the client closes its socket, which ends polling it
            }
        }
        Some(heard)
    }

    fn join(&mut self, stream: UnixStream) {
        if self.clients.len() >= MOST {
            self.clients.pop_front();
        }
        let joined = stream.set_nonblocking(true).and(self.poll.add(stream.as_raw_fd(), CLIENT));
        if joined.is_ok() {
            let until = Clock::now() + PATIENCE;
            self.clients.push_back(Client { stream, line: Vec::new(), until });
        }
    }
}

impl Client {
    /// Reads what has arrived: `None` if the request is not complete.
    fn read(&mut self) -> io::Result<Option<Option<Vec<u8>>>> {
        let mut part = [0; 4096];
        loop {
            let count = match self.stream.read(&mut part) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            };
            let end = part[..count].iter().position(|byte| *byte == b'\n');
            self.line.extend_from_slice(&part[..end.unwrap_or(count)]);
            if self.line.len() > LONGEST {
                return Ok(Some(None));
            }
            if end.is_some() {
                return Ok(Some(Some(std::mem::take(&mut self.line))));
            }
        }
    }
}
