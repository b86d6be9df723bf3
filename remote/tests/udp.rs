//! Datagrams that do not count are left out, counted and named; those of replicas arrive as they were.

use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};
use windfall_ports::transport::{Record, Transport};
use windfall_remote::Carrier;
use windfall_remote::udp::{DatagramError, Udp};
use windfall_time::Span;

const NOW: windfall_time::Instant = windfall_time::Instant::ZERO;
const RECORD: Record = [1, u64::MAX, 3, 4, 5, 6, 7, 8];

fn addresses() -> [SocketAddr; 2] {
    let sockets = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").expect("a free port"));
    sockets.map(|socket| socket.local_addr().expect("it is bound"))
}

/// Waits until something counts, or for long.
fn receive(carrier: &mut Udp, longest: Duration) -> Option<(usize, Record)> {
    let begun = Instant::now();
    loop {
        match carrier.receive(NOW) {
            None if begun.elapsed() < longest => carrier.wait(Span::from_millis(1)),
            received => return received,
        }
    }
}

/// A datagram as replica 1 sends it to replica 0.
fn datagram(addresses: &[SocketAddr; 2]) -> Vec<u8> {
    let zero = UdpSocket::bind(addresses[0]).expect("it is free");
    let mut one = Udp::bind(1, addresses, 7).expect("it is free");
    assert!(one.send(NOW, 0, RECORD));
    let mut bytes = [0; 200];
    let length = zero.recv(&mut bytes).expect("it was sent");
    bytes[..length].to_vec()
}

#[test]
fn law_records_arrive_as_they_were() {
    let addresses = addresses();
    let mut zero = Udp::bind(0, &addresses, 7).expect("it is free");
    let mut one = Udp::bind(1, &addresses, 7).expect("it is free");
    assert!(one.send(NOW, 0, RECORD));
    assert_eq!(receive(&mut zero, Duration::from_secs(20)), Some((1, RECORD)));
    assert!(!zero.send(NOW, 0, RECORD), "there is no way to itself");
    assert!(!zero.send(NOW, 2, RECORD), "there is no such replica");
    assert_eq!(zero.take_left_out(), (0, None));
}

#[test]
fn refuses_datagrams_of_others() {
    let addresses = addresses();
    let good = datagram(&addresses);
    let changed = |place: usize| {
        let mut bad = good.clone();
        bad[place] ^= 1;
        bad
    };
    let from = addresses[1];
    let mut zero = Udp::bind(0, &addresses, 7).expect("it is free");
    let one = UdpSocket::bind(from).expect("it is free");
    let longer = [&good[..], &[0; 50]].concat();
    for (bad, error, said) in [
        (Vec::new(), DatagramError::Size { from, bytes: 0 }, "datagram of 0 bytes"),
        (good[..79].to_vec(), DatagramError::Size { from, bytes: 79 }, "a message has 80"),
        (longer, DatagramError::Size { from, bytes: 81 }, "a message has 80"),
        (changed(0), DatagramError::Size { from, bytes: 80 }, "begins with `wf-nmr`"),
        (changed(6), DatagramError::Version { from, version: 0 }, "allowed: 1"),
        (changed(8), DatagramError::Run { from, run: 6 }, "datagram of run 6"),
    ] {
        let before = zero.take_left_out().0;
        one.send_to(&bad, addresses[0]).expect("it is sent");
        one.send_to(&good, addresses[0]).expect("it is sent");
        // What is left out does not hide what comes after it.
        assert_eq!(receive(&mut zero, Duration::from_secs(20)), Some((1, RECORD)));
        assert_eq!(zero.take_left_out(), (before + 1, Some(error)));
        assert!(error.to_string().contains(said), "{error}");
    }
    let unknown = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    unknown.send_to(&good, addresses[0]).expect("it is sent");
    one.send_to(&good, addresses[0]).expect("it is sent");
    assert_eq!(receive(&mut zero, Duration::from_secs(20)), Some((1, RECORD)));
    let from = unknown.local_addr().expect("it is bound");
    assert_eq!(zero.take_left_out().1, Some(DatagramError::Unknown { from }));
}

#[test]
fn limit_a_wait_ends() {
    let mut zero = Udp::bind(0, &addresses(), 7).expect("it is free");
    for longest in [Span::ZERO, Span::from_millis(20)] {
        let begun = Instant::now();
        zero.wait(longest);
        assert!(begun.elapsed() < Duration::from_secs(10), "{longest}");
    }
}
