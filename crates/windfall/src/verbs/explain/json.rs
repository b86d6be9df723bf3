//! The whole answer for programs: times in nanoseconds.

use super::Read;
use super::text::word;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use windfall_time::Span;
use windfall_trace::explain::{Account, Ending, Episode, Explained, Explanation, Part};
use windfall_trace::{Cpu, NodeId, Theft, ThreadId};

pub(super) fn all(read: &Read) -> Value {
    let explanation = &read.explanation;
    let threads = explanation.threads.iter().map(|found| thread(explanation, found));
    let lost = explanation.lost;
    json!({
        "from_ns": explanation.from.as_nanos(),
        "to_ns": explanation.to.as_nanos(),
        "lost": { "gaps": lost.gaps, "events": lost.events, "uncounted": lost.uncounted },
        "conflicts": explanation.conflicts,
        "warnings": read.warnings,
        "threads": threads.collect::<Vec<_>>(),
    })
}

fn thread(explanation: &Explanation, found: &Explained) -> Value {
    let person = explanation.people.get(&found.thread).cloned().unwrap_or_default();
    let one = |found: &Episode| episode(explanation, found);
    json!({
        "name": person.name,
        "tid": person.tid,
        "pid": person.pid,
        "scheduler": scheduler(explanation, person.node),
        "promised": person.promise,
        "kind": word(found.kind),
        "episodes": found.episodes(),
        "with_deadline": found.due,
        "done": found.done,
        "late": found.late,
        "given_up": found.given_up,
        "overdue": found.overdue,
        "open": found.open,
        "unclear": found.unclear,
        "unopened": found.unopened,
        "too_long": found.too_long,
        "unsure": found.unsure,
        "periods": found.periods,
        "periods_short": found.short,
        "misses": found.misses,
        "longest_run_ns": found.longest_run.as_nanos(),
        "all": account(explanation, &found.all),
        "missed": account(explanation, &found.missed),
        "longest": found.longest.as_ref().map(one),
        "explained": found.kept.iter().map(one).collect::<Vec<_>>(),
    })
}

fn episode(explanation: &Explanation, episode: &Episode) -> Value {
    let ending = match episode.ending {
        Ending::Done => "done",
        Ending::Late => "late",
        Ending::GivenUp => "given-up",
        Ending::Overdue => "overdue",
        Ending::Open => "open",
        Ending::Lost => "lost",
        Ending::Short(_) => "short",
    };
    let woken = episode.wake.map(
        |(at, by)| json!({ "at_ns": at.as_nanos(), "by": by.map(|by| whom(explanation, by)) }),
    );
    json!({
        "kind": word(episode.kind),
        "number": episode.number,
        "miss": episode.miss,
        "from_ns": episode.from.as_nanos(),
        "to_ns": episode.to.as_nanos(),
        "span_ns": episode.span().as_nanos(),
        "deadline_ns": episode.deadline.map(|deadline| deadline.as_nanos()),
        "ending": ending,
        "by_ns": episode.by.as_nanos(),
        "woken": woken,
        "account": account(explanation, &episode.account),
    })
}

fn account(explanation: &Explanation, account: &Account) -> Value {
    let cpus = |map: &BTreeMap<Cpu, Span>| -> Vec<Value> {
        map.iter().map(|(cpu, span)| json!({ "cpu": cpu.0, "span_ns": span.as_nanos() })).collect()
    };
    let part = |(part, span): (&Part, &Span)| {
        let mut value = json!({ "part": name(*part), "span_ns": span.as_nanos() });
        match part {
            Part::Behind(thread) => value["thread"] = whom(explanation, *thread),
            Part::Held(node) => value["scheduler"] = scheduler(explanation, *node),
            Part::Stolen(kind) | Part::BehindTheft(kind) => value["by"] = json!(thief(*kind)),
            _ => {}
        }
        value
    };
    let mut parts: Vec<(&Part, &Span)> = account.parts.iter().collect();
    parts.sort_by_key(|(_, span)| std::cmp::Reverse(**span));
    json!({
        "total_ns": account.total().as_nanos(),
        "ran_ns": account.of(Part::Ran).as_nanos(),
        "received_ns": account.received().as_nanos(),
        "waited_ns": account.waited().as_nanos(),
        "unknown_ns": account.of(Part::Unknown).as_nanos(),
        "dispatches": account.dispatches,
        "migrations": account.migrations,
        "parts": parts.into_iter().map(part).collect::<Vec<_>>(),
        "waited_on": cpus(&account.waited_on),
        "idle_elsewhere": cpus(&account.idle_elsewhere),
    })
}

const fn name(part: Part) -> &'static str {
    match part {
        Part::Ran => "ran",
        Part::Stolen(_) => "stolen",
        Part::Behind(_) => "behind-thread",
        Part::BehindTheft(_) => "behind-theft",
        Part::Idle => "idle",
        Part::Held(_) => "held",
        Part::Unplaced => "unplaced",
        Part::Blocked => "blocked",
        Part::Device => "device",
        Part::Stopped => "stopped",
        _ => "unknown",
    }
}

const fn thief(kind: Theft) -> &'static str {
    match kind {
        Theft::Interrupt => "interrupt",
        Theft::Softirq => "softirq",
        Theft::Steal => "steal",
        Theft::Scheduling => "scheduling",
        Theft::Switching => "switching",
    }
}

fn whom(explanation: &Explanation, thread: ThreadId) -> Value {
    let person = explanation.people.get(&thread).cloned().unwrap_or_default();
    let scheduler = scheduler(explanation, person.node);
    json!({ "name": person.name, "tid": person.tid, "scheduler": scheduler })
}

fn scheduler(explanation: &Explanation, node: Option<NodeId>) -> Value {
    let scheduler = node.and_then(|node| explanation.schedulers.get(&node));
    scheduler.map_or(Value::Null, |found| json!({ "name": found.name, "kind": found.kind }))
}
