//! Replicas on one or several machines, by Zenoh: each record is a publication, from each to each other.
//!
//! Replicas are peers that connect to each other directly, by TCP, at the endpoints that they are given; there is no discovery and no router. The one with the higher number connects, and does so again while the other is away.
//!
//! TCP alone, since a session says once which keys it uses and which it subscribes to: where that is lost on the way, as UDP may lose it, two replicas do not hear of each other any longer.
//!
//! Nobody waits: where the way to another is full or broken, a record is left out, as if it were lost; of those that have arrived, the last 1,024 are kept. Who has sent a record is said by its key, and whoever connects can use any: this is for networks whose hosts are trusted.
#![forbid(unsafe_code)]

mod error;

pub use error::ZenohError;

use error::refused;
use std::time::Duration;
use windfall_ports::transport::{Record, Transport};
use windfall_remote::Carrier;
use windfall_remote::program::Opened;
use windfall_time::{Instant, Span};
use zenoh::handlers::{RingChannel, RingChannelHandler};
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::CongestionControl;
use zenoh::sample::Sample;
use zenoh::{Config, Session, Wait};

/// Records that have arrived and were not taken.
const BUFFER: usize = 1_024;
/// Bytes of a record.
const SIZE: usize = 64;
/// So many records that do not count are left out in one call.
const LEFT_OUT_AT_ONCE: usize = 64;

/// One replica's session.
#[derive(Debug)]
pub struct Zenoh {
    own: usize,
    /// By replica; none to itself.
    to: Vec<Option<Publisher<'static>>>,
    from: Subscriber<RingChannelHandler<Sample>>,
    /// What was waited for.
    arrived: Option<Sample>,
    left_out: u64,
    session: Session,
}

impl Zenoh {
    /// A session of one of the replicas at these endpoints, in their order, as `tcp/10.0.0.1:7447`. `run` tells runs apart.
    ///
    /// # Errors
    /// When the endpoints are not those of several replicas, this one is not among them, or Zenoh refuses.
    pub fn open(own: usize, endpoints: &[&str], run: u64) -> Result<Zenoh, ZenohError> {
        let replicas = endpoints.len();
        let Some(endpoint) = endpoints.get(own) else {
            return Err(ZenohError::NoSuchReplica { own, replicas });
        };
        for (replica, one) in endpoints.iter().enumerate() {
            check(replica, one)?;
            if let Some(before) = endpoints[..replica].iter().position(|other| other == one) {
                let endpoint = (*one).to_owned();
                return Err(ZenohError::Twice { replicas: [before, replica], endpoint });
            }
        }
        let config = config(endpoint, &endpoints[..own]).map_err(refused("take its settings"))?;
        let session = zenoh::open(config).wait().map_err(refused("listen and connect"))?;
        let from = session
            .declare_subscriber(format!("windfall/{run}/*/{own}"))
            .with(RingChannel::new(BUFFER))
            .wait()
            .map_err(refused("subscribe"))?;
        let to = |other: usize| {
            if other == own {
                return Ok(None);
            }
            let publisher = session
                .declare_publisher(format!("windfall/{run}/{own}/{other}"))
                .congestion_control(CongestionControl::Drop)
                .express(true)
                .wait();
            publisher.map(Some).map_err(refused("publish"))
        };
        let to = (0..replicas).map(to).collect::<Result<_, _>>()?;
        Ok(Zenoh { own, to, from, arrived: None, left_out: 0, session })
    }

    /// How many publications were no records of other replicas.
    #[must_use]
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Who has sent it, and what.
    fn decode(&self, sample: &Sample) -> Option<(usize, Record)> {
        let from = sample.key_expr().as_str().split('/').nth(2)?.parse::<usize>().ok()?;
        let is_other = from != self.own && from < self.to.len();
        let bytes = sample.payload().to_bytes();
        let (words, rest) = bytes.as_chunks::<8>();
        if !is_other || !rest.is_empty() {
            return None;
        }
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        Some((from, words.try_into().ok()?))
    }
}

impl Transport for Zenoh {
    fn send(&mut self, _: Instant, to: usize, record: Record) -> bool {
        let Some(Some(publisher)) = self.to.get(to) else { return false };
        let mut bytes = [0; SIZE];
        for (into, word) in bytes.as_chunks_mut().0.iter_mut().zip(record) {
            *into = word.to_le_bytes();
        }
        publisher.put(bytes).wait().is_ok()
    }

    fn receive(&mut self, _: Instant) -> Option<(usize, Record)> {
        for _ in 0..LEFT_OUT_AT_ONCE {
            let arrived = self.arrived.take();
            let sample = arrived.or_else(|| self.from.try_recv().ok().flatten())?;
            let received = self.decode(&sample);
            if received.is_some() {
                return received;
            }
            self.left_out += 1;
        }
        None
    }
}

impl Carrier for Zenoh {
    fn wait(&mut self, longest: Span) {
        if self.arrived.is_none() {
            let longest = Duration::from_nanos(longest.as_nanos());
            self.arrived = self.from.recv_timeout(longest).ok().flatten();
        }
    }
}

impl Drop for Zenoh {
    fn drop(&mut self) {
        // Others hear at once that it has gone. Whoever does not will find out.
        _ = self.session.close().wait();
    }
}

/// An endpoint that others can connect to.
fn check(replica: usize, endpoint: &str) -> Result<(), ZenohError> {
    let address = endpoint.strip_prefix("tcp/");
    let place = address.and_then(|address| address.parse::<std::net::SocketAddr>().ok());
    match place.filter(|place| place.port() > 0 && !place.ip().is_unspecified()) {
        Some(_) => Ok(()),
        None => Err(ZenohError::Endpoint { replica, endpoint: endpoint.to_owned() }),
    }
}

/// A peer that listens at one endpoint, and keeps on connecting to others.
fn config(listen: &str, connect: &[&str]) -> zenoh::Result<Config> {
    let mut config = Config::default();
    for (key, value) in [
        ("mode", r#""peer""#.to_owned()),
        ("listen/endpoints", format!("{:?}", [listen])),
        ("connect/endpoints", format!("{connect:?}")),
        ("connect/timeout_ms", "-1".to_owned()),
        ("connect/exit_on_failure", "false".to_owned()),
        ("connect/retry", "{period_init_ms: 50, period_max_ms: 500}".to_owned()),
        // So long, in milliseconds, until a machine that fell silent is connected to anew; 10,000 otherwise.
        ("transport/link/tx/lease", "2000".to_owned()),
        ("scouting/multicast/enabled", "false".to_owned()),
        ("scouting/gossip/enabled", "false".to_owned()),
    ] {
        config.insert_json5(key, &value)?;
    }
    Ok(config)
}

/// From a list of endpoints, with a comma between two.
///
/// # Errors
/// As [`Zenoh::open`].
pub fn by_name(own: usize, places: &str, run: u64) -> Opened {
    let endpoints: Vec<&str> = places.split(',').collect();
    Ok((Box::new(Zenoh::open(own, &endpoints, run)?), endpoints.len()))
}
