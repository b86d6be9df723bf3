//! Summary of a recording: events recorded, and events missing.

use crate::plural::count;
use serde_json::{Value, json};
use windfall_record::Recorded;

/// For programs.
#[must_use]
pub fn json(recorded: &Recorded) -> Value {
    json!({
        "by": recorded.by,
        "length_ns": recorded.length.as_nanos(),
        "switches": recorded.switches,
        "wakeups": recorded.wakeups,
        "threads": recorded.threads,
        "lost": recorded.lost,
        "missing": recorded.missing,
        "late": recorded.late,
        "latest_ns": recorded.latest.as_nanos(),
        "own_ns": recorded.own.as_nanos(),
        "status": recorded.answer.map(|answered| answered.code),
        "still_running": recorded.still_running.iter().map(|(pid, _)| *pid).collect::<Vec<_>>(),
    })
}

/// For people: what was recorded, what is missing, and what it cost.
#[must_use]
pub fn text(recorded: &Recorded) -> String {
    let Recorded { by, switches, wakeups, threads, .. } = recorded;
    let mut text = format!(
        "recorded {}.{:03} s by {by}: {} and {} of {}\n",
        recorded.length.as_nanos() / 1_000_000_000,
        recorded.length.as_nanos() / 1_000_000 % 1_000,
        if *switches == 1 { "1 switch".to_owned() } else { format!("{switches} switches") },
        count(*wakeups, "wake-up"),
        count(*threads, "thread"),
    );
    let share = recorded.overhead() + 50;
    text.push_str(&format!(
        "overhead: {}.{} % of a processor at {} switches a second; the kernel's own part, a little for each event, is not in it\n",
        share / 1_000,
        share / 100 % 10,
        recorded.rate(),
    ));
    match recorded.lost {
        0 if recorded.missing > 0 => {} // the next line says what is lost
        0 => text.push_str("0 events lost\n"),
        lost => text.push_str(&format!("LOST: {lost} events; the time around them is unknown\n")),
    }
    if recorded.missing > 0 {
        text.push_str(&format!(
            "LOST: {} switches that the kernel did not report; the time around them is unknown\n",
            recorded.missing
        ));
    }
    if recorded.late > 0 {
        text.push_str(&format!(
            "{} events arrived too late to be sorted and were moved, by {} at most\n",
            recorded.late, recorded.latest
        ));
    }
    for (pid, name) in &recorded.still_running {
        text.push_str(&format!("{pid} {name} still runs; end it with `kill -KILL {pid}`\n"));
    }
    text
}
