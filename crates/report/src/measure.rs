//! The measured costs of this machine: switches, timers, decisions and caches.

use crate::terminal::table;
use serde_json::{Value, json};
use windfall_doctor::measure::{Cost, Costs, Interruption};

/// For people.
#[must_use]
pub fn text(costs: &Costs, width: Option<usize>) -> String {
    let row = |cost: &Cost| {
        let Cost { what, median, p99, spread: (least, most), samples, discarded } = cost;
        let spread = format!("{least}..{most}");
        let counts = [samples.to_string(), discarded.to_string()];
        let [samples, discarded] = counts;
        vec![(*what).to_owned(), median.to_string(), p99.to_string(), spread, samples, discarded]
    };
    let rows = costs.all().into_iter().map(row).collect();
    let head = ["COST", "MEDIAN", "P99", "MEDIANS", "SAMPLES", "DISCARDED"];
    let mut text =
        format!("{}, processor {}\n\n{}\n", costs.machine, costs.cpu, table(&head, 1, rows, width));
    if costs.timer.is_err() {
        text += "Timers go off at ticks only.\n";
    }
    text += &format!(
        "Model: switch {}, decision {}, notification {}, {} KiB of cache at {} a KiB.\n",
        costs.switch.median,
        costs.decision,
        costs.notification,
        costs.cache.0,
        costs.cache.1.median,
    );
    for Interruption { steal, every, cost: (least, mean, most), .. } in &costs.interruptions {
        let what = if *steal { "Lost processor" } else { "Interrupts" };
        text += &format!("{what}: every {every} on average, for {least} to {most}, mean {mean}.\n");
    }
    if cfg!(debug_assertions) {
        text += "This is a build for debugging: decision and notification are too large.\n";
    }
    text
}

/// For programs.
#[must_use]
pub fn json(costs: &Costs) -> Value {
    let cost = |cost: &Cost| {
        json!({
            "what": cost.what, "median_ns": cost.median.as_nanos(), "p99_ns": cost.p99.as_nanos(),
            "least_median_ns": cost.spread.0.as_nanos(),
            "largest_median_ns": cost.spread.1.as_nanos(),
            "samples": cost.samples, "discarded": cost.discarded,
        })
    };
    let overhead = |overhead: &Interruption| {
        json!({
            "kind": if overhead.steal { "steal" } else { "interrupt" }, "count": overhead.count,
            "every_ns": overhead.every.as_nanos(), "least_ns": overhead.cost.0.as_nanos(),
            "mean_ns": overhead.cost.1.as_nanos(), "largest_ns": overhead.cost.2.as_nanos(),
        })
    };
    json!({
        "machine": costs.machine, "cpu": costs.cpu,
        "tick_ns": costs.timer.err().map(|tick| tick.as_nanos()),
        "switch_ns": costs.switch.median.as_nanos(),
        "decision_ns": costs.decision.as_nanos(),
        "notification_ns": costs.notification.as_nanos(),
        "cache_kib": costs.cache.0, "refill_ns": costs.cache.1.median.as_nanos(),
        "costs": costs.all().into_iter().map(cost).collect::<Vec<_>>(),
        "interrupts": costs.interruptions.iter().map(overhead).collect::<Vec<_>>(),
    })
}
