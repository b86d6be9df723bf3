//! The whole answer for programs: times in nanoseconds.

use super::Reading;
use super::one::word;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use windfall_time::Span;
use windfall_trace::explain::{Account, Ending, Episode, Explained, Explanation, Part};
use windfall_trace::{Cpu, NodeId, OverheadKind, ThreadId};

/// How many parts an account has at most, unless one episode is asked for; the smaller ones are summed up.
const PARTS: usize = 20;
/// How many episodes are explained at most.
const EPISODES: usize = 1_000;
/// How many threads are listed at most.
const THREADS: usize = 1_000;

/// Writes answers, and knows what they leave out.
struct Out<'a> {
    explanation: &'a Explanation,
    /// How many parts of an account are listed.
    parts: usize,
    /// How many more episodes may be explained.
    room: usize,
    /// How many parts, and episodes, were left out.
    left_out: (usize, usize),
}

/// The answer; if one miss or job is asked for, with every part of its account.
#[must_use]
pub fn json(read: &Reading) -> Value {
    let explanation = &read.explanation;
    let parts = if read.is_of_one() { usize::MAX } else { PARTS };
    let mut out = Out { explanation, parts, room: EPISODES, left_out: (0, 0) };
    let listed = explanation.threads.iter().take(THREADS);
    let threads: Vec<Value> = listed.map(|found| out.thread(found)).collect();
    let lost = explanation.lost;
    json!({
        "from_ns": explanation.from.as_nanos(),
        "to_ns": explanation.to.as_nanos(),
        "lost": { "gaps": lost.gaps, "events": lost.events, "uncounted": lost.uncounted },
        "conflicts": explanation.conflicts,
        "warnings": read.warnings,
        "left_out": left_out(explanation.threads.len() - threads.len(), out.left_out),
        "threads": threads,
    })
}

/// Counts of everything omitted from the answer, and how to get it; null when nothing is.
fn left_out(threads: usize, (parts, episodes): (usize, usize)) -> Value {
    if (threads, parts, episodes) == (0, 0, 0) {
        return Value::Null;
    }
    json!({
        "threads": threads,
        "episodes": episodes,
        "parts": parts,
        "how": "`--thread NAME` asks about fewer threads, `--miss N` or `--job N` about one episode with all its parts; \
                parts that are left out are summed up as `others`",
    })
}

impl Out<'_> {
    fn thread(&mut self, found: &Explained) -> Value {
        let explanation = self.explanation;
        let kept = found.kept.len().min(self.room);
        self.room -= kept;
        self.left_out.1 += found.kept.len() - kept;
        let explained: Vec<Value> =
            found.kept[..kept].iter().map(|one| self.episode(one)).collect();
        let longest = found.longest.as_ref().map(|one| self.episode(one));
        let (all, missed) = (self.account(&found.all), self.account(&found.missed));
        let person = explanation.people.get(&found.thread).cloned().unwrap_or_default();
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
            "tasks": super::tasks::json(found),
            "figures": super::keyed(&found.figures).into_iter().collect::<BTreeMap<_, _>>(),
            "marks": found.marks.count,
            "first_marks": found.marks.first.iter().map(|(at, text)| json!({ "at_ns": at.as_nanos(), "text": text })).collect::<Vec<_>>(),
            "unsure": found.unsure,
            "periods": found.periods,
            "periods_short": found.short,
            "periods_unclear": found.periods_unclear,
            "misses": found.misses,
            "episodes_missed": found.missed_episodes(),
            "longest_run_ns": found.longest_run.as_nanos(),
            "all": all,
            "missed": missed,
            "longest": longest,
            "explained": explained,
        })
    }

    fn episode(&mut self, episode: &Episode) -> Value {
        let (explanation, account) = (self.explanation, self.account(&episode.account));
        let known = episode.span().saturating_sub(episode.account.of(Part::Unknown));
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
            "known_ns": known.as_nanos(),
            "deadline_ns": episode.deadline.map(|deadline| deadline.as_nanos()),
            "ending": ending,
            "by_ns": episode.by.as_nanos(),
            "woken": woken,
            "account": account,
        })
    }

    fn account(&mut self, account: &Account) -> Value {
        let explanation = self.explanation;
        let cpus = |map: &BTreeMap<Cpu, Span>| -> Vec<Value> {
            map.iter()
                .map(|(cpu, span)| json!({ "cpu": cpu.0, "span_ns": span.as_nanos() }))
                .collect()
        };
        let part = |(part, span): (&Part, &Span)| {
            let mut value = json!({ "part": name(*part), "span_ns": span.as_nanos() });
            match part {
                Part::Behind(thread) => value["thread"] = whom(explanation, *thread),
                Part::Held(node) => value["scheduler"] = scheduler(explanation, *node),
                Part::Stolen(kind) | Part::BehindOverhead(kind) => {
                    value["by"] = json!(overhead_name(*kind))
                }
                _ => {}
            }
            value
        };
        let mut parts: Vec<(&Part, &Span)> = account.parts.iter().collect();
        parts.sort_by_key(|(_, span)| std::cmp::Reverse(**span));
        let rest = if parts.len() > self.parts { parts.split_off(self.parts) } else { Vec::new() };
        self.left_out.0 += rest.len();
        let sum = rest.iter().fold(Span::ZERO, |sum, (_, span)| sum.saturating_add(**span));
        let others = (!rest.is_empty())
            .then(|| json!({ "part": "others", "count": rest.len(), "span_ns": sum.as_nanos() }));
        json!({
            "total_ns": account.total().as_nanos(),
            "ran_ns": account.of(Part::Ran).as_nanos(),
            "received_ns": account.received().as_nanos(),
            "waited_ns": account.waited().as_nanos(),
            "unknown_ns": account.of(Part::Unknown).as_nanos(),
            "dispatches": account.dispatches,
            "migrations": account.migrations,
            "parts": parts.into_iter().map(part).chain(others).collect::<Vec<_>>(),
            "waited_on": cpus(&account.waited_on),
            "idle_elsewhere": cpus(&account.idle_elsewhere),
        })
    }
}

const fn name(part: Part) -> &'static str {
    match part {
        Part::Ran => "ran",
        Part::Stolen(kind) if kind.is_station() => "at-station",
        Part::Stolen(_) => "stolen",
        Part::Earlier => "earlier-jobs",
        Part::Behind(_) => "behind-thread",
        Part::BehindOverhead(_) => "behind-overhead",
        Part::Idle => "idle",
        Part::Held(_) => "held",
        Part::Unplaced => "unplaced",
        Part::Blocked => "blocked",
        Part::Device => "device",
        Part::Stopped => "stopped",
        _ => "unknown",
    }
}

const fn overhead_name(kind: OverheadKind) -> &'static str {
    match kind {
        OverheadKind::Interrupt => "interrupt",
        OverheadKind::Softirq => "softirq",
        OverheadKind::Steal => "steal",
        OverheadKind::Scheduling => "scheduling",
        OverheadKind::Switching => "switching",
        OverheadKind::StationWait => "station-wait",
        OverheadKind::StationService => "station-service",
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
