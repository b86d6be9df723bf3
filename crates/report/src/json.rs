//! Results as JSON: integer nanoseconds, keys that end in `_ns`.

use serde_json::{Value, json};
use windfall_guarantees::Length;
use windfall_guarantees::meaning::Verdict as Meaning;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{
    CpuOutcome, Figures, LostTask, Outcome, PromiseStatus, PromiseVerdict, StationOutcome,
    Supervision, ThreadOutcome, Verdict, plain, refusals,
};
use windfall_time::{Instant, Span};

/// Everything that `--json` prints of a run. How long it took by a clock on the wall is not in it: of a simulation equal
/// seeds give equal bytes.
#[must_use]
pub fn json(scenario: &Scenario, outcome: &Outcome, verdicts: &[Verdict]) -> Value {
    let not_promised = refusals(scenario).into_iter();
    let not_promised = not_promised.map(|refused| {
        json!({ "owner": refused.name, "guarantee": refused.requested.to_string(), "why": refused.why })
    });
    let refused = outcome.refused.iter().map(said);
    let nodes = outcome.nodes.iter().map(|node| {
        json!({
            "name": node.name,
            "kind": node.kind,
            "parents": node.parents,
            "received_ns": node.received.as_nanos(),
            "alive": node.alive,
            "stats": figures(&node.stats),
        })
    });
    let quarantined = outcome.quarantined.iter();
    let quarantined = quarantined.map(|(name, why)| json!({ "name": name, "reason": why }));
    json!({
        "machine": outcome.machine,
        "supervision": outcome.supervision.as_ref().map(supervision),
        "length_ns": outcome.length.as_nanos(),
        "events": outcome.notifications,
        "decisions": outcome.decisions,
        "threads": outcome.threads.iter().map(thread).collect::<Vec<_>>(),
        "schedulers": nodes.collect::<Vec<_>>(),
        "cpus": outcome.cpus.iter().map(cpu).collect::<Vec<_>>(),
        "stations": outcome.stations.iter().map(station).collect::<Vec<_>>(),
        "quarantined": quarantined.collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
        "not_admitted": outcome.not_admitted,
        "not_started": outcome.not_started,
        "waiting_for_ever": outcome.waiting,
        "expectations": verdicts.iter().map(expectation).collect::<Vec<_>>(),
        "not_promised": not_promised.collect::<Vec<_>>(),
        "promises": outcome.promises.iter().map(promise).collect::<Vec<_>>(),
        "failure": outcome.failure.as_ref().map(ToString::to_string),
    })
}

fn said((at, what): &(Instant, String)) -> Value {
    json!({ "at_ns": at.as_nanos(), "what": what })
}

fn supervision(supervision: &Supervision) -> Value {
    json!({
        "events": supervision.events,
        "lost": supervision.lost,
        "lag_ns": supervision.lag.as_nanos(),
        "lag_without_steal_ns": supervision.lag_without_steal.as_nanos(),
        "steal_ns": supervision.steal.map(Span::as_nanos),
        "leaked_ns": supervision.leaked.as_nanos(),
        "claimed": {
            "processors": supervision.claimed.processors,
            "threads": supervision.claimed.threads,
            "interrupts": supervision.claimed.interrupts,
            "stays": supervision.claimed.stays,
            "remark": supervision.claimed.remark,
        },
        "remarks": supervision.remarks.iter().map(said).collect::<Vec<_>>(),
        "cut_short": supervision.cut_short,
    })
}

fn cpu(cpu: &CpuOutcome) -> Value {
    json!({
        "received_ns": cpu.received.as_nanos(),
        "idle_ns": cpu.idle.as_nanos(),
        "switching_ns": cpu.switching.as_nanos(),
        "scheduling_ns": cpu.scheduling.as_nanos(),
        "stolen_ns": cpu.stolen.as_nanos(),
        "station_wait_ns": cpu.station_wait.as_nanos(),
        "station_service_ns": cpu.station_service.as_nanos(),
    })
}

fn station(station: &StationOutcome) -> Value {
    json!({
        "name": station.name,
        "visits": station.visits.count,
        "wait_ns": station.visits.waited.as_nanos(),
        "wait_max_ns": station.longest_wait.as_nanos(),
        "service_ns": station.visits.served.as_nanos(),
    })
}

fn expectation(verdict: &Verdict) -> Value {
    json!({
        "what": verdict.what,
        "expected": verdict.expected,
        "found": verdict.found,
        "held": verdict.held,
        "because": Some(&verdict.because).filter(|because| !because.is_empty()),
    })
}

fn tasks(thread: &ThreadOutcome) -> Value {
    let (tasks, late) = (&thread.tasks, &thread.late_tasks);
    json!({
        "submitted": tasks.submitted,
        "refused": tasks.refused,
        "admitted": thread.tasks_admitted(),
        "in_time": tasks.in_time,
        "late": late.count - late.unfinished,
        "unfinished": late.unfinished,
        "lost": tasks.lost,
        "withdrawn": tasks.withdrawn,
        "used_up": tasks.used_up,
        "open": tasks.open,
        "unknown": tasks.unknown,
        "withdrawn_late": tasks.withdrawn_late,
        "done_though_lost": tasks.done_though_lost,
    })
}

fn lost_task(lost: &LostTask) -> Value {
    json!({
        "task": lost.task,
        "at_ns": lost.at.as_nanos(),
        "deadline_ns": lost.deadline.as_nanos(),
        "left_ns": lost.left.map(Span::as_nanos),
        "stolen_ns": lost.stolen.as_nanos(),
    })
}

fn thread(thread: &ThreadOutcome) -> Value {
    let ns = |span: Option<Span>| span.map(Span::as_nanos);
    let response = &thread.response;
    json!({
        "name": thread.name,
        "parent": thread.parent,
        "promised": thread.promised,
        "received_ns": thread.received.as_nanos(),
        "visits": thread.visits.count,
        "station_wait_ns": thread.visits.waited.as_nanos(),
        "station_service_ns": thread.visits.served.as_nanos(),
        "runnable_ns": thread.runnable.as_nanos(),
        "wakeups": thread.wakeups,
        "dispatches": thread.dispatches,
        "preemptions": thread.preemptions,
        "migrations": thread.migrations,
        "submitted": thread.submitted,
        "refused": {
            "no_time": thread.refusals.no_time,
            "slots_taken": thread.refusals.full,
            "other": thread.refusals.other,
        },
        "lost": thread.lost,
        "lost_tasks": thread.lost_tasks.kept().iter().map(lost_task).collect::<Vec<Value>>(),
        "tasks": tasks(thread),
        "tasks_late": {
            "count": thread.late_tasks.count,
            "unfinished": thread.late_tasks.unfinished,
            "most_ns": thread.late_tasks.most.as_nanos(),
            "stolen_ns": thread.late_tasks.stolen.as_nanos(),
        },
        "released": thread.released,
        "jobs": thread.completed,
        "aborted": thread.aborted,
        "deadlines_missed": thread.missed,
        "gap_max_ns": thread.gap.as_nanos(),
        "interval_max_ns": thread.interval.as_nanos(),
        "stats": figures(&thread.stats),
        "response_ns": {
            "min": ns(response.least()),
            "mean": ns(response.mean()),
            "p50": ns(response.quantile(50)),
            "p99": ns(response.quantile(99)),
            "max": ns(response.most()),
        },
    })
}

/// The counters of a scheduler, such as `epochs` and `windfall_ns`.
fn figures(figures: &Figures) -> Value {
    let figure = |(name, count): &(&str, _)| {
        let (key, number) = plain(name, *count);
        (key, number.into())
    };
    Value::Object(figures.iter().map(figure).collect())
}

/// Whole nanoseconds: what is promised, and by how much it was missed, rounded up; the rest down.
fn promise(verdict: &PromiseVerdict) -> Value {
    let down = |length: Length| length.floor().map(Span::as_nanos);
    let up = |length: Length| length.ceil().map(Span::as_nanos);
    let signed = |ns: Option<u64>| ns.and_then(|ns| i64::try_from(ns).ok());
    let margin = match verdict.verdict {
        Some(Meaning::Kept { margin, .. } | Meaning::NotRefuted { margin, .. }) => {
            signed(down(margin))
        }
        Some(Meaning::Broken { short, .. }) => signed(up(short)).map(|ns| -ns),
        Some(Meaning::Exceeded { by, .. }) => signed(up(by)).map(|ns| -ns),
        Some(Meaning::NeverTested) | None => None,
    };
    let worst = verdict.worst().map(|worst| {
        json!({
            "from_ns": down(worst.from),
            "to_ns": down(worst.to),
            "promised_ns": up(worst.promised),
            "received_ns": down(worst.received),
        })
    });
    json!({
        "owner": verdict.promise.owner,
        "own": verdict.promise.own,
        "guarantee": verdict.promise.guarantee.to_string(),
        "granted": verdict.promise.granted,
        "timer_ticks": verdict.tick.is_some(),
        "state": state(verdict.status()),
        "margin_ns": margin,
        "worst": worst,
        "tested": verdict.verdict.as_ref().map_or(0, Meaning::tested),
        "runnable_ns": verdict.runnable.as_nanos(),
        "until_ns": verdict.until.map(windfall_time::Instant::as_nanos),
    })
}

/// A promise's state in documents, which keep their words: one is older than the word in tables.
const fn state(status: PromiseStatus) -> &'static str {
    match status {
        PromiseStatus::Unused => "not asking",
        other => other.name(),
    }
}
