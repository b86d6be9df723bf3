//! Replicas on one or several machines, by UDP: each record is a datagram.
//!
//! A datagram counts only if it is of this size and version, of the same run, and from the address of another replica; each other is left out, counted, and the last one named. An address is no proof:
//! whoever can send from it can lie in its name, so this is for networks whose hosts are trusted.

use crate::program::Opened;
use crate::replica::Carrier;
use core::fmt;
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;
use windfall_ports::transport::{Record, Transport};
use windfall_time::{Instant, Span};

/// The first bytes of each datagram.
const MAGIC: [u8; 6] = *b"wf-nmr";
const VERSION: u16 = 1;
/// Magic, version, run, record: bytes of a datagram.
const SIZE: usize = 6 + 2 + 8 + 64;
/// So many datagrams that do not count are left out in one call.
const LEFT_OUT_AT_ONCE: usize = 64;

/// One replica's socket.
#[derive(Debug)]
pub struct Udp {
    socket: UdpSocket,
    own: usize,
    addresses: Box<[SocketAddr]>,
    run: u64,
    left_out: u64,
    last: Option<DatagramError>,
}

impl Udp {
    /// The socket of one of the replicas at these addresses, in their order. `run` tells runs apart that use the same addresses one after another.
    ///
    /// # Errors
    /// When the addresses are not those of several replicas, this one is not among them, or its address cannot be had.
    pub fn bind(own: usize, addresses: &[SocketAddr], run: u64) -> Result<Udp, UdpError> {
        let replicas = addresses.len();
        let Some(address) = addresses.get(own).copied() else {
            return Err(UdpError::NoSuchReplica { own, replicas });
        };
        for (place, one) in addresses.iter().enumerate() {
            if one.port() == 0 || one.ip().is_unspecified() {
                return Err(UdpError::NoAddress { replica: place, address: *one });
            }
            if one.is_ipv4() != address.is_ipv4() {
                return Err(UdpError::Families { own: address, other: *one });
            }
            if let Some(before) = addresses[..place].iter().position(|other| other == one) {
                return Err(UdpError::Twice { replicas: [before, place], address: *one });
            }
        }
        let failed = |error| UdpError::Bind { address, error };
        let socket = UdpSocket::bind(address).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        Ok(Udp { socket, own, addresses: addresses.into(), run, left_out: 0, last: None })
    }

    /// How many datagrams did not count, and the last of them since the last call.
    pub fn take_left_out(&mut self) -> (u64, Option<DatagramError>) {
        (self.left_out, self.last.take())
    }

    fn encode(&self, record: Record) -> [u8; SIZE] {
        let mut datagram = [0; SIZE];
        datagram[..6].copy_from_slice(&MAGIC);
        datagram[6..8].copy_from_slice(&VERSION.to_le_bytes());
        datagram[8..16].copy_from_slice(&self.run.to_le_bytes());
        for (bytes, word) in datagram[16..].chunks_exact_mut(8).zip(record) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        datagram
    }

    fn decode(&self, datagram: &[u8], from: SocketAddr) -> Result<(usize, Record), DatagramError> {
        let sender = self.addresses.iter().position(|address| *address == from);
        let Some(sender) = sender.filter(|sender| *sender != self.own) else {
            return Err(DatagramError::Unknown { from });
        };
        if datagram.len() != SIZE || datagram[..6] != MAGIC {
            return Err(DatagramError::Size { from, bytes: datagram.len() });
        }
        let version = u16::from_le_bytes([datagram[6], datagram[7]]);
        if version != VERSION {
            return Err(DatagramError::Version { from, version });
        }
        let mut words = datagram[8..]
            .chunks_exact(8)
            .map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        let run = words.next().unwrap_or_default();
        if run != self.run {
            return Err(DatagramError::Run { from, run });
        }
        let mut record = Record::default();
        record.iter_mut().zip(words).for_each(|(into, word)| *into = word);
        Ok((sender, record))
    }
}

impl Transport for Udp {
    fn send(&mut self, _: Instant, to: usize, record: Record) -> bool {
        let Some(address) = self.addresses.get(to).filter(|_| to != self.own) else { return false };
        // A full buffer, or no way there at this moment: as if it were lost.
        self.socket.send_to(&self.encode(record), address).is_ok()
    }

    fn receive(&mut self, _: Instant) -> Option<(usize, Record)> {
        // One byte more, so that a datagram that is too long does not look right.
        let mut datagram = [0; SIZE + 1];
        for _ in 0..LEFT_OUT_AT_ONCE {
            let (bytes, from) = self.socket.recv_from(&mut datagram).ok()?;
            match self.decode(&datagram[..bytes], from) {
                Ok(received) => return Some(received),
                Err(error) => (self.left_out, self.last) = (self.left_out + 1, Some(error)),
            }
        }
        None
    }
}

impl Carrier for Udp {
    fn wait(&mut self, longest: Span) {
        // A time of 0 would be for ever.
        let longest = Duration::from_nanos(longest.as_nanos().max(1_000));
        let waits = self
            .socket
            .set_read_timeout(Some(longest))
            .and_then(|()| self.socket.set_nonblocking(false))
            .and_then(|()| self.socket.peek_from(&mut [0]));
        let timed_out = [ErrorKind::WouldBlock, ErrorKind::TimedOut, ErrorKind::Interrupted];
        // A socket that cannot be waited at is looked at again soon.
        if waits.is_err_and(|error| !timed_out.contains(&error.kind())) {
            std::thread::sleep(longest.min(Duration::from_micros(100)));
        }
        _ = self.socket.set_nonblocking(true);
    }
}

/// From a list of addresses, with a comma between two.
pub(crate) fn by_name(own: usize, places: &str, run: u64) -> Opened {
    let address = |word: &str| {
        let failed = |_| format!("`{word}` is no address and port, as 127.0.0.1:7001");
        word.parse().map_err(failed)
    };
    let addresses: Vec<SocketAddr> = places.split(',').map(address).collect::<Result<_, _>>()?;
    Ok((Box::new(Udp::bind(own, &addresses, run)?), addresses.len()))
}

/// Why a replica has no socket.
#[derive(Debug)]
#[non_exhaustive]
pub enum UdpError {
    /// Its number is none of theirs.
    NoSuchReplica {
        /// Which was asked.
        own: usize,
        /// How many addresses there are.
        replicas: usize,
    },
    /// An address that nobody can send to.
    NoAddress {
        /// Whose.
        replica: usize,
        /// Which.
        address: SocketAddr,
    },
    /// Two replicas with one address.
    Twice {
        /// Whose.
        replicas: [usize; 2],
        /// Which.
        address: SocketAddr,
    },
    /// IPv4 and IPv6 among the addresses.
    Families {
        /// Its own.
        own: SocketAddr,
        /// One of the other family.
        other: SocketAddr,
    },
    /// Its address cannot be had.
    Bind {
        /// Which.
        address: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
}

impl fmt::Display for UdpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UdpError::NoSuchReplica { own, replicas } => {
                write!(f, "replica {own} is none of the {replicas} with an address, counted from 0")
            }
            UdpError::NoAddress { replica, address } => write!(
                f,
                "replica {replica} has address {address}, to which nobody can send; allowed: an address of its machine, and a port from 1 on"
            ),
            UdpError::Twice { replicas: [one, other], address } => {
                write!(
                    f,
                    "replicas {one} and {other} both have address {address}; each needs its own"
                )
            }
            UdpError::Families { own, other } => {
                write!(
                    f,
                    "{own} and {other} cannot reach each other; allowed: all IPv4, or all IPv6"
                )
            }
            UdpError::Bind { address, error } if error.kind() == ErrorKind::AddrInUse => write!(
                f,
                "address {address} is in use, perhaps by this replica's last life; end that, or choose another port for all replicas"
            ),
            UdpError::Bind { address, error } => {
                write!(
                    f,
                    "cannot receive at {address}: {error}; an address of this machine is needed"
                )
            }
        }
    }
}

impl core::error::Error for UdpError {}

/// Why a datagram does not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DatagramError {
    /// None of the other replicas has this address.
    Unknown {
        /// Who sent it.
        from: SocketAddr,
    },
    /// It is no message of replicas.
    Size {
        /// Who sent it.
        from: SocketAddr,
        /// How long it was; one more than a message is any longer one.
        bytes: usize,
    },
    /// It is of another version.
    Version {
        /// Who sent it.
        from: SocketAddr,
        /// Which.
        version: u16,
    },
    /// It is of another run.
    Run {
        /// Who sent it.
        from: SocketAddr,
        /// Which.
        run: u64,
    },
}

impl fmt::Display for DatagramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatagramError::Unknown { from } => {
                write!(f, "datagram from {from}, which is no other replica's address")
            }
            DatagramError::Size { from, bytes } => {
                write!(
                    f,
                    "datagram of {bytes} bytes from {from}; a message has {SIZE} and begins with `wf-nmr`"
                )
            }
            DatagramError::Version { from, version } => write!(
                f,
                "datagram of version {version} from {from}; allowed: {VERSION}, so run the same program everywhere"
            ),
            DatagramError::Run { from, run } => {
                write!(
                    f,
                    "datagram of run {run} from {from}; all replicas of a run need its number"
                )
            }
        }
    }
}

impl core::error::Error for DatagramError {}
