//! Ways to hand a message from one thread to another: those of the kernel, and those that a program makes itself (AIRLAB, 3).

use crate::validate::machine::Spin;
use std::fs::File;
use std::io::{self, Error, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use windfall_exchange::{Reader, Writer, ring};
use windfall_os::futex::Gate;

/// The unit of a message's size.
pub(super) const WORD: usize = 8;
/// Words of a record in the ring where messages are no shorter: a cache line.
const LINE: usize = 8;
/// Records for which a ring has room; as much as a pipe holds, where they are cache lines.
const RECORDS: u32 = 1_024;
/// Messages for which a channel has room.
const MESSAGES: usize = 16;

/// One of two ends, each of which sends to the other.
pub(super) trait End: Send {
    /// Sends a message with this as its first word.
    fn send(&mut self, word: u64) -> io::Result<()>;
    /// Waits for a message, and has a copy of it. Its first word.
    fn receive(&mut self) -> io::Result<u64>;
}

/// A way to hand over a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mechanism {
    /// The ring of crate `exchange`, at which the receiver looks again and again.
    Ring,
    /// A word in memory, and a futex that wakes the receiver.
    Futex,
    /// A counter of the kernel.
    EventFd,
    /// The bounded channel of the standard library.
    Channel,
    Pipe,
    /// A pair of Unix stream sockets.
    Socket,
}

impl Mechanism {
    pub(super) const ALL: [Mechanism; 6] = [
        Mechanism::Ring,
        Mechanism::Futex,
        Mechanism::EventFd,
        Mechanism::Channel,
        Mechanism::Pipe,
        Mechanism::Socket,
    ];

    /// In tables, and in names of metrics.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Mechanism::Ring => "ring",
            Mechanism::Futex => "futex",
            Mechanism::EventFd => "eventfd",
            Mechanism::Channel => "channel",
            Mechanism::Pipe => "pipe",
            Mechanism::Socket => "socket",
        }
    }

    /// In sentences.
    pub(super) const fn named(self) -> &'static str {
        match self {
            Mechanism::Ring => "a ring that the receiver polls",
            Mechanism::Futex => "a word and a futex",
            Mechanism::EventFd => "an eventfd",
            Mechanism::Channel => "a channel of the standard library",
            Mechanism::Pipe => "a pipe",
            Mechanism::Socket => "a Unix stream socket",
        }
    }

    /// Whether both ends need a processor of their own, since they never sleep.
    pub(super) const fn is_polled(self) -> bool {
        matches!(self, Mechanism::Ring)
    }

    /// Whether it carries single words only, of which the next may replace one that was not taken yet.
    pub(super) const fn is_signal(self) -> bool {
        matches!(self, Mechanism::Futex | Mechanism::EventFd)
    }

    /// Two ends for messages of so many bytes, a multiple of eight; of 64 where it is more than eight.
    ///
    /// # Errors
    /// The kernel's, when it has no descriptors left.
    pub(super) fn ends(self, bytes: usize) -> io::Result<[Box<dyn End>; 2]> {
        Ok(match self {
            Mechanism::Ring if bytes == WORD => ring_ends::<1>(bytes),
            Mechanism::Ring => ring_ends::<LINE>(bytes),
            Mechanism::Futex => {
                let [one, other]: [Arc<Cell>; 2] = Default::default();
                let first = FutexEnd { to: one.clone(), from: other.clone() };
                [Box::new(first), Box::new(FutexEnd { to: other, from: one })]
            }
            Mechanism::EventFd => {
                let counter = || -> io::Result<File> {
                    let flags = rustix::event::EventfdFlags::CLOEXEC;
                    Ok(File::from(rustix::event::eventfd(0, flags)?))
                };
                let (one, other) = (counter()?, counter()?);
                let first = EventFdEnd { to: one.try_clone()?, from: other.try_clone()? };
                [Box::new(first), Box::new(EventFdEnd { to: other, from: one })]
            }
            Mechanism::Channel => {
                let ((to, here), (back, there)) = (sync_channel(MESSAGES), sync_channel(MESSAGES));
                let message = vec![0; bytes / WORD];
                let first = ChannelEnd { to, from: there, message: message.clone() };
                [Box::new(first), Box::new(ChannelEnd { to: back, from: here, message })]
            }
            Mechanism::Pipe => {
                let pipe = || -> io::Result<(File, File)> {
                    let flags = rustix::pipe::PipeFlags::CLOEXEC;
                    let (from, to) = rustix::pipe::pipe_with(flags)?;
                    Ok((File::from(from), File::from(to)))
                };
                let ((here, to), (there, back)) = (pipe()?, pipe()?);
                let message = vec![0; bytes];
                let first = StreamEnd { to, from: there, message: message.clone() };
                [Box::new(first), Box::new(StreamEnd { to: back, from: here, message })]
            }
            Mechanism::Socket => {
                let (one, other) = UnixStream::pair()?;
                let end = |socket: UnixStream| -> io::Result<Box<dyn End>> {
                    let to = socket.try_clone()?;
                    Ok(Box::new(StreamEnd { to, from: socket, message: vec![0; bytes] }))
                };
                [end(one)?, end(other)?]
            }
        })
    }
}

struct RingEnd<const WORDS: usize> {
    to: Writer<WORDS>,
    from: Reader<WORDS>,
    sent: Vec<[u64; WORDS]>,
    received: Vec<[u64; WORDS]>,
}

fn ring_ends<const WORDS: usize>(bytes: usize) -> [Box<dyn End>; 2] {
    let ((to, here), (back, there)) = (ring::<WORDS>(RECORDS), ring::<WORDS>(RECORDS));
    let message = vec![[0; WORDS]; bytes / (WORDS * WORD)];
    let end = |to, from| -> Box<dyn End> {
        Box::new(RingEnd { to, from, sent: message.clone(), received: message.clone() })
    };
    [end(to, there), end(back, here)]
}

impl<const WORDS: usize> End for RingEnd<WORDS> {
    fn send(&mut self, word: u64) -> io::Result<()> {
        self.sent[0][0] = word;
        let (mut done, mut spin) = (0, Spin::default());
        while done < self.sent.len() {
            match self.to.write(&self.sent[done..]) {
                0 => spin.waits().map_err(Error::other)?,
                count => done += count,
            }
        }
        Ok(())
    }

    fn receive(&mut self) -> io::Result<u64> {
        let (mut done, mut spin) = (0, Spin::default());
        while done < self.received.len() {
            match self.from.read(&mut self.received[done..]) {
                0 => spin.waits().map_err(Error::other)?,
                count => done += count,
            }
        }
        Ok(self.received[0][0])
    }
}

/// A word, and where its receiver sleeps.
#[derive(Default)]
struct Cell {
    word: AtomicU64,
    gate: Gate,
}

struct FutexEnd {
    to: Arc<Cell>,
    from: Arc<Cell>,
}

impl End for FutexEnd {
    fn send(&mut self, word: u64) -> io::Result<()> {
        self.to.word.store(word, Ordering::Relaxed);
        self.to.gate.open_and_wake();
        Ok(())
    }

    fn receive(&mut self) -> io::Result<u64> {
        self.from.gate.pass();
        Ok(self.from.word.load(Ordering::Relaxed))
    }
}

struct EventFdEnd {
    to: File,
    from: File,
}

impl End for EventFdEnd {
    fn send(&mut self, word: u64) -> io::Result<()> {
        // To add nothing would wake nobody.
        self.to.write_all(&(word + 1).to_ne_bytes())
    }

    fn receive(&mut self) -> io::Result<u64> {
        let mut word = [0; WORD];
        self.from.read_exact(&mut word)?;
        Ok(u64::from_ne_bytes(word) - 1)
    }
}

struct ChannelEnd {
    to: SyncSender<Vec<u64>>,
    from: Receiver<Vec<u64>>,
    message: Vec<u64>,
}

impl End for ChannelEnd {
    fn send(&mut self, word: u64) -> io::Result<()> {
        self.message[0] = word;
        self.to.send(self.message.clone()).map_err(Error::other)
    }

    fn receive(&mut self) -> io::Result<u64> {
        Ok(self.from.recv().map_err(Error::other)?[0])
    }
}

struct StreamEnd<S> {
    to: S,
    from: S,
    message: Vec<u8>,
}

impl<S: Read + Write + Send> End for StreamEnd<S> {
    fn send(&mut self, word: u64) -> io::Result<()> {
        self.message[..WORD].copy_from_slice(&word.to_ne_bytes());
        self.to.write_all(&self.message)
    }

    fn receive(&mut self) -> io::Result<u64> {
        self.from.read_exact(&mut self.message)?;
        let mut word = [0; WORD];
        word.copy_from_slice(&self.message[..WORD]);
        Ok(u64::from_ne_bytes(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_mechanism_carries_messages_whole_and_in_order_in_both_directions() {
        for mechanism in Mechanism::ALL {
            let sizes: &[usize] = if mechanism.is_signal() { &[8] } else { &[8, 64, 1 << 17] };
            for bytes in sizes {
                let [mut here, mut there] = mechanism.ends(*bytes).unwrap();
                std::thread::scope(|scope| {
                    scope.spawn(move || {
                        for _ in 0..50 {
                            let word = there.receive().unwrap();
                            there.send(word * 3).unwrap();
                        }
                    });
                    for word in 0..50 {
                        here.send(word).unwrap();
                        assert_eq!(here.receive().unwrap(), word * 3, "{mechanism:?} {bytes}");
                    }
                });
            }
        }
    }

    #[test]
    fn law_an_end_whose_other_end_is_gone_says_so() {
        for mechanism in [Mechanism::Channel, Mechanism::Pipe, Mechanism::Socket] {
            let [mut here, there] = mechanism.ends(64).unwrap();
            drop(there);
            assert!(here.receive().is_err(), "{mechanism:?}");
        }
    }
}
