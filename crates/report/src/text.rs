//! The result of a run, for people: a row for each thread, promises, processors, expectations.

use crate::terminal::{self, figures, percent, short, table_with};
use crate::{admission, promises, votes};
use std::time::Duration;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{
    Claimed, Outcome, StationOutcome, Supervision, ThreadOutcome, Verdict, groups, plain,
};
use windfall_time::Span;

/// Results for people, on lines of at most `width` characters where that matters.
#[must_use]
pub fn text(
    scenario: &Scenario,
    outcome: &Outcome,
    verdicts: &[Verdict],
    wall: Duration,
    width: Option<usize>,
) -> String {
    let mut text = String::new();
    for (what, words) in [("Question", &scenario.question), ("Answer", &scenario.answer)] {
        if let Some(words) = words {
            text.push_str(&format!("{what}: {words}\n"));
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let head = [
        "THREAD",
        "SCHEDULER",
        "PROMISED",
        "RECEIVED",
        "%CPU",
        "RUNNABLE",
        "DONE",
        "MISSED",
        "RESPONSE p50",
        "p99",
        "MAX",
    ];
    let rows = rows(scenario, outcome);
    text.push_str(&table_with(&head, 3, 8..11, rows, width));
    text.push_str(&admission::text(outcome));
    text.push_str(&promises::text(scenario, outcome, width));
    text.push_str(&counted(scenario, outcome));
    text.push_str(&accused(outcome));
    text.push('\n');
    text.push_str(&cpus(outcome));
    text.push_str(&stations(outcome));
    text.push_str(&migrations(outcome));
    text.push_str(&took(outcome, wall));
    text.push_str(&outcome.supervision.as_ref().map_or_else(String::new, supervised));
    for (name, reason) in &outcome.quarantined {
        text.push_str(&format!("QUARANTINED {name}: {reason}\n"));
    }
    for name in &outcome.not_admitted {
        let why = match outcome.not_started.contains(name) {
            true => "did not start",
            false => "was not admitted by any scheduler",
        };
        text.push_str(&format!("thread {name} {why}\n"));
    }
    text.push_str(&waiting(&outcome.waiting));
    for (at, why) in &outcome.refused {
        text.push_str(&format!("refused at {at}: {why}\n"));
    }
    text.push_str(&expectations(verdicts));
    text
}

/// Where each processor's time went.
fn cpus(outcome: &Outcome) -> String {
    let mut text = String::new();
    for (number, cpu) in outcome.cpus.iter().enumerate() {
        let of = |span: Span| percent(span, outcome.length);
        text.push_str(&format!(
            "cpu {number}: threads {}%, idle {}%, switching {}%, scheduling {}%, stolen {}%",
            of(cpu.received),
            of(cpu.idle),
            of(cpu.switching),
            of(cpu.scheduling),
            of(cpu.stolen),
        ));
        if !outcome.stations.is_empty() {
            let (wait, service) = (of(cpu.station_wait), of(cpu.station_service));
            text.push_str(&format!(", waiting at stations {wait}%, served there {service}%"));
        }
        text.push('\n');
    }
    text
}

/// How busy each station was, and how long its visits waited.
fn stations(outcome: &Outcome) -> String {
    let mut text = String::new();
    for StationOutcome { name, visits, longest_wait, .. } in &outcome.stations {
        let mean = visits.waited.as_nanos().checked_div(visits.count).unwrap_or(0);
        text.push_str(&format!(
            "station {name}: busy {}%, {} visits, which waited {} on average and {} at most\n",
            percent(visits.served, outcome.length),
            visits.count,
            short(Span::from_nanos(mean)),
            short(*longest_wait),
        ));
    }
    text
}

/// How often threads came to another processor, if they ever did (HLS 4.3.7.2).
fn migrations(outcome: &Outcome) -> String {
    let sum = |of: fn(&ThreadOutcome) -> u64| outcome.threads.iter().map(of).sum::<u64>();
    let (dispatches, migrations) = (sum(|t| t.dispatches), sum(|t| t.migrations));
    if migrations == 0 {
        return String::new();
    }
    let hundredths = u128::from(migrations) * 10_000 / u128::from(dispatches.max(1));
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    format!("migrations: {migrations} of {dispatches} dispatches, {whole}.{rest:02}%\n")
}

/// Figures about the supervision of a run.
fn supervised(supervision: &Supervision) -> String {
    let mut text = String::new();
    text.push_str(&format!(
        "supervised by {}, {} events lost; timers served at most {} late{}; threads ran {} without a grant\n",
        supervision.events,
        supervision.lost,
        short(supervision.lag),
        if supervision.lag_without_steal < supervision.lag {
            format!(" ({} of it our own delay)", short(supervision.lag_without_steal))
        } else {
            String::new()
        },
        short(supervision.leaked),
    ));
    text.push_str(&claimed(&supervision.claimed));
    for (at, what) in &supervision.remarks {
        text.push_str(&format!("at {at}: {what}\n"));
    }
    if let Some(steal) = supervision.steal.filter(|steal| !steal.is_zero()) {
        text.push_str(&format!(
            "processors stood still for {} in total, as their hypervisor or late timers show\n",
            short(steal),
        ));
    }
    text
}

fn expectations(verdicts: &[Verdict]) -> String {
    let mut text = String::new();
    if !verdicts.is_empty() {
        text.push('\n');
    }
    for verdict in verdicts {
        let word = if verdict.held { "held  " } else { "FAILED" };
        let because = match verdict.because.as_str() {
            "" => String::new(),
            because => format!(" ({because})"),
        };
        text.push_str(&format!(
            "{word} {} {}: found {}{because}\n",
            verdict.what, verdict.expected, verdict.found
        ));
    }
    text
}

/// Threads and interrupts that a run moved off its processors.
fn claimed(claimed: &Claimed) -> String {
    let mut text = String::new();
    let remark = claimed.remark.iter();
    remark.for_each(|remark| text.push_str(&format!("{remark}\n")));
    if claimed.processors.is_empty() {
        return text;
    }
    let numbers: Vec<String> = claimed.processors.iter().map(ToString::to_string).collect();
    text.push_str(&format!(
        "claimed processor {}: {} threads and {} interrupts were moved to others for the run\n",
        numbers.join(", "),
        claimed.threads,
        claimed.interrupts,
    ));
    text
}

/// How long it took by a clock on the wall: no part of the results, which the seed alone decides.
#[must_use]
pub fn took(outcome: &Outcome, wall: Duration) -> String {
    let did = if outcome.supervision.is_some() { "ran" } else { "simulated" };
    format!(
        "{did} {} in {:.3} s: {} notifications, {} decisions\n",
        outcome.length,
        wall.as_secs_f64(),
        outcome.notifications,
        outcome.decisions,
    )
}

/// Threads that wait at the end, when nothing can happen any more.
fn waiting(threads: &[String]) -> String {
    if threads.is_empty() {
        return String::new();
    }
    let first: Vec<&str> = threads.iter().take(10).map(String::as_str).collect();
    let more = match threads.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("WAITING FOR EVER, all threads that are left: {}{more}\n", first.join(", "))
}

/// Counters of schedulers and threads, for those that have any. Threads that are shown as a group
/// are left out; `--json` has them.
fn counted(scenario: &Scenario, outcome: &Outcome) -> String {
    let nodes = outcome.nodes.iter().map(|node| (&node.name, &node.stats));
    let groups = groups(scenario, outcome).into_iter().filter(|group| !group.together);
    let threads = groups.flat_map(|group| group.threads);
    let threads = threads.map(|thread| (&thread.name, &thread.stats));
    let mut text = String::new();
    for (name, all) in nodes.chain(threads).filter(|(_, all)| !all.is_empty()) {
        let all: Vec<_> = all.iter().map(|(name, count)| plain(name, *count)).collect();
        // What is about a replica is in its sentence.
        let all = votes::others(&all);
        if !all.is_empty() {
            text.push_str(&format!("{name} counted: {}\n", figures(&all)));
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// A sentence for each replica that was wrong or absent, after an empty line.
fn accused(outcome: &Outcome) -> String {
    let lines = votes::of(outcome).into_iter().map(|sentence| format!("{sentence}\n"));
    let text: String = lines.collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// A row for each thread; many threads that are alike share one. `--json` has them all.
fn rows(scenario: &Scenario, outcome: &Outcome) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for group in groups(scenario, outcome) {
        if group.together {
            rows.push(row_of_many(group.name, group.threads, outcome.length));
        } else {
            rows.extend(group.threads.iter().map(|thread| row(thread, outcome.length)));
        }
    }
    rows
}

/// Sums over threads that are alike; of response times only the longest, since quantiles do not add.
fn row_of_many(name: &str, threads: &[ThreadOutcome], length: Span) -> Vec<String> {
    let dash = || "-".to_owned();
    let sum = |of: fn(&ThreadOutcome) -> Span| {
        threads.iter().map(of).fold(Span::ZERO, Span::saturating_add)
    };
    let count = |of: fn(&ThreadOutcome) -> u64| threads.iter().map(of).sum::<u64>().to_string();
    let mut parents: Vec<&str> = threads.iter().filter_map(|t| t.parent.as_deref()).collect();
    parents.dedup();
    let promised = threads.iter().find_map(|thread| thread.promised.clone());
    vec![
        terminal::threads(name, threads.len()),
        parents.first().map_or_else(dash, |parent| (*parent).to_owned()),
        promised.map_or_else(dash, |promised| format!("{promised} each")),
        short(sum(|thread| thread.received)),
        percent(sum(|thread| thread.received), length),
        short(sum(|thread| thread.runnable)),
        count(|thread| thread.completed),
        if threads.iter().any(|thread| thread.due) {
            count(|thread| thread.missed)
        } else {
            dash()
        },
        dash(),
        dash(),
        threads.iter().filter_map(|t| t.response.most()).max().map_or_else(dash, short),
    ]
}

fn row(thread: &ThreadOutcome, length: Span) -> Vec<String> {
    let dash = || "-".to_owned();
    let span = |span: Option<Span>| span.map_or_else(dash, short);
    vec![
        thread.name.clone(),
        thread.parent.clone().unwrap_or_else(dash),
        thread.promised.clone().unwrap_or_else(dash),
        short(thread.received),
        percent(thread.received, length),
        short(thread.runnable),
        thread.completed.to_string(),
        if thread.due { thread.missed.to_string() } else { dash() },
        span(thread.response.quantile(50)),
        span(thread.response.quantile(99)),
        span(thread.response.most()),
    ]
}
