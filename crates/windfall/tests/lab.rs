//! `windfall lab` as it is typed: the list, a run with everything kept, refusals.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/real.rs"]
mod real;
#[path = "common/signal.rs"]
mod signal;

use signal::Signal;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Two that take a processor for themselves would take it from each other.
static ALONE: Mutex<()> = Mutex::new(());

fn lab(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.arg("lab").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_list_has_every_experiment_of_the_paper() {
    let output = lab(&["list"]);
    assert_eq!(output.status.code(), Some(0));
    let list = text(&output.stdout);
    for table in
        ["table-10-1", "table-10-2", "table-10-3", "table-10-4", "table-10-5", "table-11-1"]
    {
        assert!(list.contains(table), "{table} in:\n{list}");
    }
    for figure in ["10-1", "10-3", "10-4", "11-1", "11-2", "11-3", "11-4", "11-5"] {
        assert!(list.contains(&format!("figure-{figure}")), "{figure} in:\n{list}");
    }
    for ports in ["figure-1", "table-1", "table-2", "collection", "processors"] {
        let ports = format!("ports-{ports}");
        assert!(list.contains(&ports), "{ports} in:\n{list}");
    }
}

#[test]
fn a_run_prints_paper_and_now_and_keeps_page_figures_and_raw_numbers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lab");
    let _ = std::fs::remove_dir_all(&folder);
    let page = folder.join("page.html");
    std::fs::create_dir_all(&folder).unwrap();
    let (kept, page) = (folder.to_str().unwrap(), page.to_str().unwrap());
    let output =
        lab(&["figure-10-5", "--quick", "--host", "sim", "--keep", kept, "--report", page]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let printed = text(&output.stdout);
    for part in ["Claim stands", "paper %1", "sim %1", "0.313"] {
        assert!(printed.contains(part), "no `{part}` in:\n{printed}");
    }
    for name in ["page.html", "table-10-4.csv", "table-10-4.svg"] {
        assert!(folder.join(name).metadata().unwrap().len() > 100, "{name}");
    }
}

#[test]
fn refuses_what_cannot_be_run_and_says_what_can() {
    for (arguments, part) in [
        (vec!["table-9-9"], "there are: table-10-1"),
        (vec!["table-10-1", "--host", "linux"], "it runs on: here"),
        (vec!["table-11-1"], "it runs on: linux"),
        (vec!["table-10-4", "--report", "page.txt"], "`.html`"),
        (vec!["table-10-4", "--report", "/nowhere/page.html"], "there is no folder"),
        (vec!["list", "--quick"], "runs nothing"),
    ] {
        let output = lab(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let why = text(&output.stderr);
        assert!(why.contains(part), "no `{part}` in: {why}");
        assert!(output.stdout.is_empty());
    }
}

/// Needs root (real-time priorities, tracepoints); says so and passes where it is missing.
#[test]
fn real_threads_fill_the_columns_of_every_scheduler() {
    if !real::is_ready() {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let output = lab(&["table-10-2", "--quick", "--host", "linux"]);
    let why = text(&output.stderr);
    let told = text(&output.stdout);
    for line in ["system", "time sharing", "CPU reservation", "proportional share"] {
        let row =
            told.lines().find(|row| row.starts_with(line)).unwrap_or_else(|| panic!("{told}{why}"));
        let switches: u64 = row.split_whitespace().rev().nth(1).unwrap().parse().unwrap();
        assert!(switches > 100, "{row}");
    }
}

/// Needs root, too. A signal that stops an experiment stops all its runs.
#[test]
fn law_a_signal_ends_the_experiment_not_one_of_its_runs() {
    if !real::is_ready() {
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.args(["lab", "table-10-4", "--host", "linux"]).stderr(Stdio::piped());
    let started = command.stdout(Stdio::null()).spawn().unwrap();
    let pid = started.id();
    let waiter = std::thread::spawn(move || started.wait_with_output().unwrap());
    let begun = Instant::now();
    std::thread::sleep(Duration::from_secs(6));
    while !waiter.is_finished() {
        assert!(begun.elapsed() < Duration::from_secs(120), "it goes on");
        signal::send(Signal::INT, pid);
        std::thread::sleep(Duration::from_secs(1));
    }
    let output = waiter.join().unwrap();
    let why = text(&output.stderr);
    // Before its first run there is nothing to keep from a signal.
    if output.status.code().is_some() {
        assert_eq!(output.status.code(), Some(2), "{why}");
        assert!(why.contains("stopped after") || why.contains("another run"), "{why}");
    }
}
