//! A stream of packets that is received on the supervised processor, all within this machine.
//!
//! A network namespace of our own has a loopback device with packets as long as Ethernet's. Sender and receiver
//! are on another processor. A kernel processes packets of a loopback device where they are sent; ours is configured
//! to do so on the supervised processor (receive packet steering), where a network card's interrupts would
//! have it done. A queue in front of the device cuts what TCP sends at once into packets, up to 64 of which come with
//! one interrupt, as of a network card that moderates its interrupts. (Were each announced by itself, most of what is stolen on
//! a virtual machine would be the interrupt's delivery, 10 us of which the kernel knows nothing.) The namespace
//! loses its name before the stream begins: nothing is left, however this process ends.

use super::MOST;
use crate::experiment::LabError;
use crate::native::{pin, processors};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest wait of a thread in one call.
const CALL: Duration = Duration::from_millis(50);

/// The bytes of one send, and the time between two: 1.7 Gbit/s, which takes about a fifth of a processor of today, as 0.1
/// Gbit/s did in 2001 (11.6.3).
const PIECE: usize = 1 << 16;
const EVERY: Duration = Duration::from_micros(300);

/// A sender and a receiver.
pub(crate) struct Stream {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    bytes: AtomicU64,
}

impl Shared {
    fn goes_on(&self, begun: Instant) -> bool {
        !self.stop.load(Ordering::Relaxed) && begun.elapsed() < MOST
    }
}

fn refused(why: &dyn std::fmt::Display) -> LabError {
    let asked = "a stream of packets in a network namespace of our own".to_owned();
    LabError::Machine { asked, why: why.to_string() }
}

impl Stream {
    /// Begins to send at once, or after a delay and then for a given time.
    pub(crate) fn begin(burst: Option<(Duration, Duration)>) -> Result<Stream, LabError> {
        let (supervised, beside) = processors()?;
        let (sender, receiver) = connected(supervised)?;
        let shared = Arc::new(Shared::default());
        let mut stream = Stream { shared, threads: Vec::new() };
        let active = burst.unwrap_or((Duration::ZERO, MOST));
        // Packets are steered to the supervised processor. A receiver that waits there would be served by the fair
        // server, before every real-time thread.
        let beside = beside.unwrap_or(supervised);
        stream.start("send", beside, move |s| send(sender, s, active))?;
        stream.start("receive", beside, move |s| receive(receiver, s))?;
        Ok(stream)
    }

    fn start(
        &mut self,
        name: &str,
        cpu: usize,
        life: impl FnOnce(&Shared) + Send + 'static,
    ) -> Result<(), LabError> {
        let shared = self.shared.clone();
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            if pin(cpu).is_ok() {
                life(&shared);
            }
        });
        self.threads.push(thread.map_err(|why| refused(&why))?);
        Ok(())
    }

    /// Bytes received so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A namespace under a name, which goes away.
struct Named(String);

impl Named {
    fn ip(words: &[&str]) -> Result<(), LabError> {
        let output = Command::new("ip").args(words).output();
        let output = output.map_err(|why| refused(&format!("the command `ip`: {why}")))?;
        let why = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            Ok(())
        } else {
            Err(refused(&format!("`ip {}`: {}", words.join(" "), why.trim())))
        }
    }

    fn new(supervised: usize) -> Result<Named, LabError> {
        let named = Named(format!("windfall-lab-{}", std::process::id()));
        let name = &named.0;
        Named::ip(&["netns", "add", name])?;
        Named::ip(&["-n", name, "link", "set", "lo", "mtu", "1500", "up"])?;
        // The rate is never reached. What is longer than the burst is cut.
        let queue = "qdisc add dev lo root tbf rate 100gbit burst 15k latency 50ms";
        let queue: Vec<_> =
            ["netns", "exec", name, "tc"].into_iter().chain(queue.split(' ')).collect();
        Named::ip(&queue)?;
        let steer = format!("echo {} > /sys/class/net/lo/queues/rx-0/rps_cpus", mask(supervised));
        Named::ip(&["netns", "exec", name, "sh", "-c", &steer])?;
        Ok(named)
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        let _ = Named::ip(&["netns", "del", &self.0]);
    }
}

/// A set of one processor, as the kernel reads it.
fn mask(cpu: usize) -> String {
    format!("{:x}{}", 1_u32 << (cpu % 32), ",00000000".repeat(cpu / 32))
}

/// Two ends of a connection in a namespace of their own.
fn connected(supervised: usize) -> Result<(TcpStream, TcpStream), LabError> {
    let named = Named::new(supervised)?;
    let path = format!("/run/netns/{}", named.0);
    // A thread that enters a namespace stays in it; its sockets do, too.
    let connect = move || {
        let place = std::fs::File::open(&path)?;
        move_into_link_name_space(place.as_fd(), Some(LinkNameSpaceType::Network))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let sender = TcpStream::connect(listener.local_addr()?)?;
        let (receiver, _) = listener.accept()?;
        sender.set_write_timeout(Some(CALL))?;
        receiver.set_read_timeout(Some(CALL))?;
        Ok::<_, std::io::Error>((sender, receiver))
    };
    match std::thread::spawn(connect).join() {
        Ok(ends) => ends.map_err(|why| refused(&why)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn send(mut sender: TcpStream, shared: &Shared, (after, length): (Duration, Duration)) {
    let (begun, piece) = (Instant::now(), vec![0_u8; PIECE]);
    while shared.goes_on(begun) {
        let at = begun.elapsed();
        let active = at >= after && at < after + length;
        if active && sender.write(&piece).is_err_and(|why| is_final(&why)) {
            return;
        }
        std::thread::sleep(EVERY.saturating_sub(begun.elapsed() - at));
    }
}

fn receive(mut receiver: TcpStream, shared: &Shared) {
    let (begun, mut piece) = (Instant::now(), vec![0_u8; 1 << 16]);
    while shared.goes_on(begun) {
        match receiver.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => {
                shared.bytes.fetch_add(count as u64, Ordering::Relaxed);
            }
            Err(why) if is_final(&why) => return,
            Err(_) => {}
        }
    }
}

fn is_final(why: &std::io::Error) -> bool {
    !matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_set_of_processors_is_written_in_words_of_32() {
        assert_eq!((mask(0).as_str(), mask(5).as_str()), ("1", "20"));
        assert_eq!(mask(33), "2,00000000");
    }
}
