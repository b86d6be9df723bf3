//! `windfall run -- COMMAND`: without a file, with the command's own exit status.
//!
//! Needs root (real-time priorities, tracepoints); says so and passes where it is missing.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/real.rs"]
mod real;
#[path = "common/taken.rs"]
mod taken;

use serde_json::Value;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// One run at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn windfall(arguments: &[&str]) -> Option<Output> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if !real::is_ready() {
        return None;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.arg("run").args(arguments);
    taken::once_free(|| command.output().unwrap())
}

#[test]
fn law_the_exit_status_is_the_commands() {
    let budget = ["--budget", "30ms", "--period", "100ms", "--"];
    for (command, status) in [
        (&["true"][..], 0),
        (&["sh", "-c", "exit 7"], 7),
        (&["sh", "-c", "kill -TERM $$"], 143),
        (&["/no/such/file"], 127),
        (&["/etc"], 126),
    ] {
        let Some(output) = windfall(&[&budget[..], command].concat()) else { return };
        assert_eq!(output.status.code(), Some(status), "{command:?}: {output:?}");
    }
}

#[test]
fn law_standard_output_is_the_commands() {
    let Some(output) = windfall(&["--share", "2", "--", "echo", "a  b"]) else { return };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a  b\n", "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("RESBH 20ms 30ms"), "{told}");
}

#[test]
fn law_with_json_standard_output_is_the_document_alone() {
    let Some(output) = windfall(&["--share", "2", "--json", "--", "echo", "a  b"]) else { return };
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(outcome["threads"].is_array(), "{outcome:#}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.lines().any(|line| line == "a  b"), "{told}");
}

#[test]
fn law_a_dry_run_shows_the_command_and_ends_with_it() {
    let Some(output) = windfall(&["--share", "2", "--dry-run", "--", "make", "-j4"]) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("`command` would start `make -j4`, its threads"), "{said}");
    assert!(said.contains("given back when the command ends, when interrupted"), "{said}");
}

#[test]
fn law_a_command_gets_no_more_than_its_budget() {
    let spin = "--budget 20ms --period 100ms --for 2s --json -- sh -c";
    let words: Vec<&str> = spin.split(' ').chain(["while :; do :; done"]).collect();
    let Some(output) = windfall(&words) else { return };
    assert_eq!(output.status.code(), Some(0), "it was asked to end: {output:?}");
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    let threads = outcome["threads"].as_array().unwrap();
    let received: u64 = threads.iter().map(|one| one["received_ns"].as_u64().unwrap()).sum();
    // A fifth of 2 s, and what is served late.
    assert!((300_000_000..=420_000_000).contains(&received), "{outcome:#}");
}
