//! Replicas on one machine, by shared memory: a publish-subscribe service of iceoryx2 from each to each other.
//!
//! A service holds the last 1,024 records that its reader has not taken; a newer one replaces the oldest, so nobody waits. All lies under a folder and a prefix of each user, so other uses of iceoryx2 are not touched.
//!
//! What a killed process leaves: files in `/dev/shm` and in `/tmp/windfall_nmr_UID` (its node, ports and their memory). The next replica that starts, or that ends, removes it, of whichever run; [`clean`] does so when none does.
//! What an orderly end leaves: one file of 16 bytes in `/dev/shm`, in which iceoryx2 counts nodes, and two empty folders; [`clean`] removes the file.

use crate::program::{Opened, number};
use crate::replica::Carrier;
use core::fmt;
use iceoryx2::node::{Node, NodeBuilder, NodeState};
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::{CallbackProgression, Config, SignalHandlingMode, ipc};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;
use windfall_ports::transport::{Record, Transport};
use windfall_time::{Instant, Span};

/// Records on the way from a replica to another.
const BUFFER: usize = 1_024;
/// A life that was killed may still be counted while the next one begins, and several may begin at once.
const LIVES: usize = 8;
/// How often a replica looks at once before it sleeps, and how long then.
const LOOKS: u32 = 200;
const SLEEP: Duration = Duration::from_micros(50);

type Service = ipc::Service;

/// The ways to and from another replica.
#[derive(Debug)]
struct Ways {
    to: Publisher<Service, Record, ()>,
    from: Subscriber<Service, Record, ()>,
}

/// One replica's ends of all services.
#[derive(Debug)]
pub struct SharedMemory {
    /// By replica; none to itself.
    ways: Vec<Option<Ways>>,
    /// The one to look at next.
    at: usize,
    looks: u32,
    // Last, since it goes after what it made.
    _node: Node<Service>,
}

/// The settings of iceoryx2: where files of this user's replicas are, and how their names begin. Each user has places of its own, since iceoryx2 lets nobody else into a folder that one has made.
///
/// # Errors
/// When it is not known who the user is.
pub fn config() -> Result<Config, SharedMemoryError> {
    let user = std::fs::metadata("/proc/self").map_err(failed("find its user"))?.uid();
    let mut config = Config::default();
    let prefix = format!("windfall_nmr_{user}_");
    config.global.prefix = prefix.as_str().try_into().map_err(failed("name its files"))?;
    let folder = format!("/tmp/windfall_nmr_{user}");
    config.global.set_root_path(&folder.as_str().try_into().map_err(failed("name its folder"))?);
    Ok(config)
}

fn node(config: &Config) -> Result<Node<Service>, SharedMemoryError> {
    let builder = NodeBuilder::new().config(config);
    // What a signal does is not for a library to say.
    let builder = builder.signal_handling_mode(SignalHandlingMode::Disabled);
    builder.create::<Service>().map_err(failed("begin"))
}

/// Removes what replicas of any run left when they were killed, and if none is running, what is left of those that ended as well. How many had been killed.
///
/// It is for the time when no replica is just starting: that could lose what it has made.
///
/// # Errors
/// When they cannot be listed, or something of them cannot be removed.
pub fn clean() -> Result<usize, SharedMemoryError> {
    let (config, mut killed, mut is_any_left, mut error) = (config()?, 0, false, None);
    let listed = Node::<Service>::list(&config, |state| {
        if let NodeState::Dead(dead) = state {
            killed += 1;
            let removed = dead.blocking_remove_stale_resources(Duration::from_secs(1));
            error = error.take().or(removed.err());
        } else {
            is_any_left = true;
        }
        CallbackProgression::Continue
    });
    listed.map_err(failed("list what is left"))?;
    if let Some(error) = error {
        return Err(failed("remove what is left")(error));
    }
    if !is_any_left {
        let prefix = config.global.prefix.to_string();
        remove_counters(&prefix).map_err(failed("remove its counter of nodes"))?;
    }
    Ok(killed)
}

/// The library has no call for this.
fn remove_counters(prefix: &str) -> std::io::Result<()> {
    for file in std::fs::read_dir("/dev/shm")? {
        let (path, name) = file.map(|file| (file.path(), file.file_name()))?;
        let name = name.to_string_lossy();
        if name.starts_with(prefix) && name.ends_with(".global_mgmt") {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

impl SharedMemory {
    /// The ends of one of so many replicas. `run` tells runs apart that go on at the same time.
    ///
    /// # Errors
    /// When there is no such replica, or iceoryx2 refuses.
    pub fn open(own: usize, replicas: usize, run: u64) -> Result<SharedMemory, SharedMemoryError> {
        if own >= replicas {
            return Err(SharedMemoryError::NoSuchReplica { own, replicas });
        }
        let node = node(&config()?)?;
        let service = |from: usize, to: usize| {
            let name = format!("windfall/{run}/{from}-{to}");
            let name = name.as_str().try_into().map_err(failed("name a service"))?;
            let builder = node.service_builder(&name).publish_subscribe::<Record>();
            let builder = builder.enable_safe_overflow(true).history_size(0);
            let builder = builder.subscriber_max_buffer_size(BUFFER).max_nodes(LIVES);
            let builder = builder.max_publishers(LIVES).max_subscribers(LIVES);
            builder.open_or_create().map_err(failed("open a service"))
        };
        let ways = |other: usize| {
            if other == own {
                return Ok(None);
            }
            let to = service(own, other)?.publisher_builder().create();
            let to = to.map_err(failed("write to another"))?;
            let from = service(other, own)?.subscriber_builder().create();
            let from = from.map_err(failed("read from another"))?;
            Ok(Some(Ways { to, from }))
        };
        let ways = (0..replicas).map(ways).collect::<Result<_, _>>()?;
        Ok(SharedMemory { ways, at: 0, looks: 0, _node: node })
    }
}

impl SharedMemory {
    /// What has come from one replica, in its order; nothing of one that is not there. A voter takes such runs faster than single records (`Voter::receive_all`).
    pub fn receive_all(&mut self, of: usize) -> impl Iterator<Item = Record> {
        self.looks = 0;
        let ways = self.ways.get(of).and_then(Option::as_ref);
        std::iter::from_fn(move || Some(*ways?.from.receive().ok()??))
    }
}

impl Transport for SharedMemory {
    fn send(&mut self, _: Instant, to: usize, record: Record) -> bool {
        let Some(Some(ways)) = self.ways.get(to) else { return false };
        ways.to.send_copy(record).is_ok()
    }

    fn receive(&mut self, _: Instant) -> Option<(usize, Record)> {
        for _ in 0..self.ways.len() {
            let at = self.at;
            self.at = (at + 1) % self.ways.len();
            // A way that is broken brings nothing: its sender is absent.
            if let Some(ways) = &self.ways[at]
                && let Ok(Some(sample)) = ways.from.receive()
            {
                self.looks = 0;
                return Some((at, *sample));
            }
        }
        None
    }
}

impl Carrier for SharedMemory {
    fn wait(&mut self, longest: Span) {
        self.looks = self.looks.saturating_add(1);
        if self.looks < LOOKS {
            std::hint::spin_loop();
        } else {
            std::thread::sleep(SLEEP.min(Duration::from_nanos(longest.as_nanos())));
        }
    }
}

/// From a number of replicas.
pub(crate) fn by_name(own: usize, places: &str, run: u64) -> Opened {
    let replicas = number("count", places)?;
    Ok((Box::new(SharedMemory::open(own, replicas, run)?), replicas))
}

/// Why there is no shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SharedMemoryError {
    /// Its number is none of theirs.
    NoSuchReplica {
        /// Which was asked.
        own: usize,
        /// How many there are.
        replicas: usize,
    },
    /// What iceoryx2 refused.
    Refused {
        /// What was asked of it.
        what: &'static str,
        /// What it says.
        why: String,
    },
}

fn failed<E: fmt::Debug>(what: &'static str) -> impl Fn(E) -> SharedMemoryError {
    move |error| SharedMemoryError::Refused { what, why: format!("{error:?}") }
}

impl fmt::Display for SharedMemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SharedMemoryError::NoSuchReplica { own, replicas } => {
                write!(f, "replica {own} is none of the {replicas} replicas, counted from 0")
            }
            SharedMemoryError::Refused { what, why } => write!(
                f,
                "iceoryx2 cannot {what}: {why}; it needs to write to /dev/shm and /tmp, and all replicas the same version and user"
            ),
        }
    }
}

impl core::error::Error for SharedMemoryError {}
