//! `windfall measure`: what this machine costs, printed and kept as a file that scenarios inherit from.

use crate::cli::MeasureArgs;
use crate::output::{Destinations, document, print, table};
use crate::{Answer, VerbError};
use serde_json::{Value, json};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};
use windfall_doctor::measure::{Cost, Costs, Interruption, Measuring, measure};

pub(crate) fn run(args: &MeasureArgs) -> Result<Answer, VerbError> {
    let mut outputs = Destinations::new(args.force.force, [])?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = args.output.as_deref().map(|path| outputs.claim("--output", path)).transpose()?;
    let costs = measure(Measuring { cpu: args.cpu, quick: args.quick })?;
    if let Some(output) = output {
        let quick = if args.quick { " --quick" } else { "" };
        let text = costs.toml(&format!("windfall measure{quick}"), &today());
        output.write(|out| out.write_all(text.as_bytes()))?;
    }
    match args.json {
        true => print(&document(data(&costs)))?,
        false => outputs.print(&text(&costs))?,
    }
    Ok(Answer::Yes)
}

fn text(costs: &Costs) -> String {
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
        format!("{}, processor {}\n\n{}\n", costs.machine, costs.cpu, table(&head, 1, rows));
    if costs.timer.is_err() {
        text += "Timers are kept at ticks only.\n";
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

fn data(costs: &Costs) -> Value {
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

/// The date in the Gregorian calendar, UTC: 400 years have 146,097 days.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / 86_400)
}

/// The date so many days after 1970-01-01.
fn date(days: u64) -> String {
    // Years begin in March here, so that a leap day is the last of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (400 * era + year, if month < 10 { month + 3 } else { month - 9 });
    format!("{}-{month:02}-{day:02}", year + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_days_around_leap_days() {
        let dates = [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01")];
        for (days, expected) in
            dates.into_iter().chain([(20_778, "2026-11-21"), (20_818, "2026-12-31")])
        {
            assert_eq!(date(days), expected);
        }
    }
}
