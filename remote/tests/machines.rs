//! Three replicas on three machines, each with an address of its own, over networks that lose, double, delay and reorder frames, and whose cables are pulled. Needs root; elsewhere it is a skip that counts.

mod common;

use common::machines::Machines;
use common::over_machines;
use std::process::Command;

const REPLICA: &str = env!("CARGO_BIN_EXE_replica");

fn replica(machines: &Machines, number: usize) -> Command {
    machines.command(number, REPLICA)
}

#[test]
fn law_udp_between_machines_tolerates_a_lie_and_a_kill() {
    over_machines::law_a_lie_and_a_kill_are_tolerated(replica, "udp", "");
}

#[test]
fn law_udp_between_machines_tolerates_a_bad_network() {
    over_machines::law_a_bad_network_is_tolerated(replica, "udp", "");
}

#[test]
fn law_udp_between_machines_tolerates_a_pulled_cable() {
    over_machines::law_a_pulled_cable_is_tolerated(replica, "udp", "");
}
