//! Three processes vote over Zenoh: the same test as over all other transports.

#[path = "../../tests/common/mod.rs"]
mod common;

use common::{LOCAL, addresses, law_a_lie_and_a_kill_are_tolerated};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::time::{Duration, Instant};

const REPLICA: &str = env!("CARGO_BIN_EXE_zenoh-replica");

fn refused(args: &[&str]) -> String {
    common::refused(REPLICA, args)
}

fn list(addresses: &[SocketAddr]) -> String {
    let endpoints = addresses.iter().map(|address| format!("tcp/{address}"));
    endpoints.collect::<Vec<_>>().join(",")
}

#[test]
fn law_zenoh_tolerates_a_lie_and_a_kill() {
    let addresses = addresses();
    law_a_lie_and_a_kill_are_tolerated(
        &LOCAL,
        |_| Command::new(REPLICA),
        "zenoh",
        &list(&addresses),
    );
    for address in addresses {
        TcpListener::bind(address).expect("no socket is left");
    }
}

#[test]
fn limit_nobody_waits_for_the_dead_for_ever() {
    let begun = Instant::now();
    let places = list(&addresses());
    let said = refused(&["zenoh", "2", &places, "--patience", "300"]);
    assert!(said.contains("nothing was heard of replicas 0, 1"), "{said}");
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_millis(300), "{waited:?}");
    assert!(waited < Duration::from_secs(30), "{waited:?}");
}

#[test]
fn refuses_places_that_cannot_be() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("it is bound");
    let other = format!("tcp/{}", addresses()[0]);
    for (places, said) in [
        (format!("tcp/{address},{other}"), "zenoh cannot listen"),
        (other.clone(), "1 replicas cannot vote"),
        (format!("{other},{other}"), "replicas 0 and 1 both have endpoint"),
        // It may lose what a session says once.
        (format!("{other},udp/127.0.0.1:7"), "allowed: tcp/ with"),
        (format!("{other},quic/127.0.0.1:7"), "allowed: tcp/ with"),
        (format!("{other},127.0.0.1:7"), "allowed: tcp/ with"),
        (format!("{other},tcp/0.0.0.0:7"), "allowed: tcp/ with"),
        (format!("{other},tcp/127.0.0.1:0"), "allowed: tcp/ with"),
        // Of documentation (RFC 5737): no machine has it.
        (format!("tcp/192.0.2.1:7001,{other}"), "zenoh cannot listen"),
    ] {
        let stderr = refused(&["zenoh", "0", &places]);
        assert!(stderr.contains(said), "{places}: {stderr}");
    }
    let places = list(&addresses());
    assert!(refused(&["zenoh", "3", &places]).contains("replica 3 is none of the 3"));
    assert!(refused(&["udp", "0", &places]).contains("unknown transport `udp`; allowed: zenoh"));
}
