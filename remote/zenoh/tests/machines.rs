//! Three replicas on three machines over Zenoh: the same tests as over plain UDP.

#[path = "../../tests/common/mod.rs"]
mod common;

use common::machines::Machines;
use common::over_machines;
use std::process::Command;

const REPLICA: &str = env!("CARGO_BIN_EXE_zenoh-replica");

fn replica(machines: &Machines, number: usize) -> Command {
    machines.command(number, REPLICA)
}

#[test]
fn law_zenoh_between_machines_tolerates_a_lie_and_a_kill() {
    over_machines::law_a_lie_and_a_kill_are_tolerated(replica, "zenoh", "tcp/");
}

#[test]
fn law_zenoh_between_machines_tolerates_a_bad_network() {
    over_machines::law_a_bad_network_is_tolerated(replica, "zenoh", "tcp/");
}

#[test]
fn law_zenoh_between_machines_tolerates_a_pulled_cable() {
    over_machines::law_a_pulled_cable_is_tolerated(replica, "zenoh", "tcp/");
}
