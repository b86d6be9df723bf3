//! Real threads that must not run although their processor would idle: a hard reservation is used up (decision 0012).
//!
//! Needs root (real-time priorities, tracepoints, control groups of version 2) and a C compiler; says so and passes where
//! one is missing.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/compiled.rs"]
mod compiled;
#[path = "common/real.rs"]
mod real;
#[path = "common/supervised.rs"]
mod supervised;
#[path = "common/taken.rs"]
mod taken;

use serde_json::Value;
use std::path::PathBuf;

/// The result of a run of `length` with these threads below a proportional share with 4 ms in each 10 ms, and a budget
/// that `charges` that; `None`, with the reason, where that cannot be tried.
fn run(name: &str, charges: &str, length: &str, threads: &str) -> Option<Value> {
    let schedulers = format!(
        "[schedulers.res]\nscheduler = \"rez\"\nparent = \"top\"\ncharges = \"{charges}\"\n\
         [schedulers.ps]\nscheduler = \"proportional-share\"\nparent = \"res\"\n\
         guarantee = \"RESBH 4ms 10ms\"\n"
    );
    supervised::run(name, length, &schedulers, threads)
}

/// Threads with bursts of 2 to 3 ms, 1 ms apart; nothing where they cannot be compiled.
fn bursts(name: &str, threads: u32) -> Option<String> {
    let program: PathBuf = compiled::compile("bursts", name)?;
    Some(format!(
        "[threads.work]\nparent = \"ps\"\nexec = [\"{}\", \"{threads}\", \"1000\"]\n",
        program.display()
    ))
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap()
}

fn received(outcome: &Value, list: &str, name: &str) -> f64 {
    let all = outcome[list].as_array().unwrap();
    all.iter().filter(|one| one["name"] == name).map(|one| number(&one["received_ns"])).sum()
}

/// In three runs: received and for scheduling, in parts of a hundred; nothing where that cannot be tried. In up to six, while deciding cost `most` in all of them.
fn held(charges: &str, most: f64) -> Vec<(f64, f64)> {
    let mut seen = Vec::new();
    let Some(threads) = bursts(&format!("bursts-{charges}"), 14) else { return seen };
    // A round in which the hypervisor took more than a hundredth of the time is made again, so often at most.
    for round in 0..9 {
        let Some(outcome) = run(charges, charges, "10s", &threads) else { return seen };
        let (length, cpu) = (number(&outcome["length_ns"]), &outcome["cpus"][0]);
        let [stolen, scheduling] = ["stolen_ns", "scheduling_ns"].map(|part| number(&cpu[part]));
        let steal = number(&outcome["supervision"]["steal_ns"]);
        let leaked = number(&outcome["supervision"]["leaked_ns"]);
        // Where a budget pays for interrupts, of the time that was the processor's own.
        let own = if charges == "received" { length } else { length - stolen };
        let got = 100.0 * received(&outcome, "schedulers", "ps") / own;
        let (cost, leaked) = (100.0 * scheduling / length, 100.0 * leaked / length);
        println!(
            "{charges}, round {round}: {got:.2} % received, {cost:.2} % scheduling, {leaked:.2} % leaked"
        );
        if steal > length / 100.0 {
            continue;
        }
        assert_eq!(outcome["refused"], serde_json::json!([]), "{outcome:#}");
        assert!(got <= 40.4, "hard: {got:.2} %");
        assert!(leaked < 1.0, "{leaked:.2} % leaked");
        seen.push((got, cost));
        if seen.len() == 6 || seen.len() >= 3 && seen.iter().any(|(_, cost)| *cost < most) {
            break;
        }
    }
    seen
}

/// The round in which deciding cost least. Other work on the machine only raises the cost, by a half from round to round.
fn best(rounds: Vec<(f64, f64)>) -> Option<(f64, f64)> {
    rounds.into_iter().min_by(|one, other| one.1.total_cmp(&other.1))
}

#[test]
fn limit_holding_fourteen_threads_leaves_a_hard_reservation_what_it_is_promised() {
    // A build for debugging decides some four times as slowly, and twice as slowly again beside a busy sibling. The budget pays for
    // most of that, so what is short is held to a part of it there: it was 0.64 at costs of 14 to 16 %. Where deciding costs little
    // all the same, it is held to no more than an optimised build is.
    let most = if cfg!(debug_assertions) { MOST_DEBUGGED } else { LIMITS.1 };
    if let Some((got, cost)) = best(held("elapsed", most)) {
        let debugged = if cfg!(debug_assertions) { 40.0 - 0.75 * cost } else { LIMITS.0 };
        let least = debugged.min(LIMITS.0);
        assert!(got >= least, "{got:.2} % received, at least {least:.2} %");
        assert!(cost < most, "{cost:.2} % scheduling");
    }
}

#[test]
fn limit_a_budget_of_time_received_gives_fourteen_threads_what_was_promised() {
    // A rest of a budget that is no more than what deciding takes is dropped: some 20 us of 4 ms. A build for debugging decides
    // several times as slowly, and twice as slowly again beside a busy sibling, so there what is short is held to a part of what
    // deciding cost: it was an eighth at costs of 7 and of 15 %.
    let most = if cfg!(debug_assertions) { MOST_DEBUGGED } else { LIMITS.1 };
    if let Some((got, cost)) = best(held("received", 1.5 * most)) {
        let debugged = if cfg!(debug_assertions) { 40.0 - cost / 6.0 } else { 39.5 };
        let least = debugged.min(39.5_f64);
        assert!(got >= least, "{got:.2} % received, at least {least:.2} %");
        assert!(cost < 1.5 * most, "{cost:.2} % scheduling: a budget's end is decided on twice");
    }
}

/// At least so much received, and less than so much for scheduling (%): what this way of holding threads reaches on two virtual
/// processors beside others' work, with a third to spare. Before it was 34.3 and 6.8.
const LIMITS: (f64, f64) = (36.5, 4.5);
/// Less than so much for scheduling (%) in a build for debugging.
const MOST_DEBUGGED: f64 = 18.0;

#[test]
fn law_who_wakes_while_a_processor_rests_is_held() {
    let Some(threads) = bursts("bursts-wakes", 4) else { return };
    let Some(outcome) = run("wakes", "elapsed", "3s", &threads) else { return };
    let (length, leaked) = (number(&outcome["length_ns"]), &outcome["supervision"]["leaked_ns"]);
    // What leaks is the moment until a wake-up is heard of, and at the beginning until there are groups. Without a grant it was a tenth.
    assert!(number(leaked) < 0.03 * length, "{leaked} ns of {length}");
}

#[test]
fn law_nobody_is_in_the_group_that_freezes_another() {
    let groups = std::env::temp_dir().join(format!("windfall-groups-{}", std::process::id()));
    let _ = std::fs::remove_file(&groups);
    // Each says in which group it is and who it is, under a name that no entry accepts.
    let says = format!("sleep 0.5; echo $(grep ^0:: /proc/$$/cgroup) $$ >> {}", groups.display());
    // Made while their maker has a group of its own.
    let count = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done";
    let makes = format!("{count}; for n in 1 2 3 4 5 6 7 8; do bash -c '{says}' & done; {count}");
    let threads = format!(
        "[threads.maker]\nparent = \"ps\"\nmatch = {{ comm = \"sh\" }}\nexec = [\"sh\", \"-c\", \"\"\"{makes}; wait\"\"\"]\n"
    );
    if run("maker", "elapsed", "10s", &threads).is_none() {
        return;
    }
    let said = std::fs::read_to_string(&groups).unwrap();
    std::fs::remove_file(groups).unwrap();
    assert_eq!(said.lines().count(), 8, "{said}");
    for line in said.lines() {
        let (group, process) = line.split_once(' ').unwrap();
        let own = group.ends_with(&format!("/t{process}"));
        assert!(own || !group.contains("/windfall-"), "{said}");
    }
}
