//! One thread's answer for people.

use super::Reading;
use crate::terminal::{figures, percent, short};
use crate::votes;
use windfall_time::{Instant, Span};
use windfall_trace::explain::{
    Account, Ending, Episode, Explained, Explanation, Kind, Part, Person,
};
use windfall_trace::{Cpu, NodeId, OverheadKind, ThreadId};

/// How many lines an account has at most; the rest is summed up in one more.
const LINES: usize = 10;

pub(super) fn text(read: &Reading) -> String {
    let explanation = &read.explanation;
    let Some(found) = explanation.threads.first() else { return String::new() };
    let mut text = format!("{}\n", whom(explanation, found.thread));
    text.push_str(&counts(explanation, found));
    text.push_str(&super::tasks::text(found));
    if !found.figures.is_empty() {
        let all = super::keyed(&found.figures);
        let others = votes::others(&all);
        if !others.is_empty() {
            text.push_str(&format!("it told: {}\n", figures(&others)));
        }
        let name = explanation.people.get(&found.thread).map_or("this thread", |one| &one.name);
        for sentence in votes::by_one(name, &all) {
            text.push_str(&format!("{sentence}\n"));
        }
    }
    text.push_str(&super::marks::text(&found.marks));
    text.push_str(&losses(read));
    if found.short > 0 && found.missed_episodes() > 0 {
        text.push_str(&format!("{}\n", misses(found.misses, found.short, found.kind)));
    }
    if found.misses == 0 && !read.is_of_one() {
        text.push_str(&no_miss(found, read.question.longer_than));
    }
    let shown: Vec<&Episode> = match (&found.kept[..], &found.longest) {
        ([], Some(longest)) => vec![longest],
        (kept, _) => kept.iter().collect(),
    };
    for episode in &shown {
        text.push('\n');
        text.push_str(&one(explanation, found, episode));
    }
    if read.is_of_one() {
        return text;
    }
    let more = found.misses.saturating_sub(found.kept.len() as u64);
    if more > 0 {
        let plural = if more == 1 { "miss" } else { "misses" };
        text.push_str(&format!(
            "\n{more} more {plural}, less late than these: `--all` explains each, `--miss N` one\n"
        ));
    }
    let (account, what) = if found.misses > 0 {
        (&found.missed, misses(found.misses, found.short, found.kind))
    } else {
        (&found.all, number(found.episodes(), word(found.kind), words(found.kind)))
    };
    if found.misses > 1 || (found.misses == 0 && found.episodes() > 1) {
        text.push_str(&format!("\nall {what} together, {}:\n", short(account.total())));
        text.push_str(&lines(explanation, account));
    }
    text
}

/// The word for an episode of this kind.
pub(super) const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Job => "job",
        Kind::Burst => "burst",
        Kind::Period => "period",
    }
}

pub(super) const fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Job => "jobs",
        Kind::Burst => "bursts",
        Kind::Period => "periods",
    }
}

/// How many misses there are, and of what where they are of two kinds: `7 misses (3 jobs, 4 periods)`.
pub(super) fn misses(all: u64, periods: u64, kind: Kind) -> String {
    let text = number(all, "miss", "misses");
    let others = all.saturating_sub(periods);
    if periods == 0 || others == 0 {
        return text;
    }
    let others = number(others, word(kind), words(kind));
    format!("{text} ({others}, {})", number(periods, "period", "periods"))
}

pub(super) fn number(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A moment of the trace's clock in seconds, to the microsecond, or to the nanosecond where that
/// says more.
pub(crate) fn moment(at: Instant) -> String {
    let (seconds, rest) = (at.as_nanos() / 1_000_000_000, at.as_nanos() % 1_000_000_000);
    if rest % 1_000 == 0 {
        return format!("{seconds}.{:06}s", rest / 1_000);
    }
    format!("{seconds}.{rest:09}s")
}

/// `lame (#18833), under `ts` (time-sharing), promised RESBH 3ms 10ms`.
fn whom(explanation: &Explanation, thread: ThreadId) -> String {
    let Some(person) = explanation.people.get(&thread) else {
        return format!("thread {}", thread.0);
    };
    let mut text = format!("{}{}", person.name, tid(person));
    if let Some(scheduler) = scheduler(explanation, person.node) {
        text.push_str(&format!(", under {scheduler}"));
    }
    if let Some(promise) = &person.promise {
        text.push_str(&format!(", promised {promise}"));
    }
    text
}

fn tid(person: &Person) -> String {
    if person.tid == 0 { String::new() } else { format!(" (#{})", person.tid) }
}

pub(super) fn scheduler(explanation: &Explanation, node: Option<NodeId>) -> Option<String> {
    let scheduler = explanation.schedulers.get(&node?)?;
    Some(format!("{} ({})", scheduler.name, scheduler.kind))
}

/// How many there were, and how they ended.
fn counts(explanation: &Explanation, found: &Explained) -> String {
    let span = explanation.to.saturating_since(explanation.from);
    let all = found.episodes();
    let mut text =
        format!("{} in {}", number(all, word(found.kind), words(found.kind)), short(span));
    let ends = [
        (found.late, "done late"),
        (found.given_up, "given up"),
        (found.overdue, "overdue at the end"),
        (found.open, "under way at the end"),
        (found.too_long, "too long"),
    ];
    for (count, how) in ends.into_iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!(", {count} {how}"));
    }
    if let Some(mean) = found.all.received().as_nanos().checked_div(all) {
        let (mean, most) = (short(Span::from_nanos(mean)), short(found.longest_run));
        text.push_str(&format!("; one runs {mean} on average, {most} at most"));
    }
    text.push('\n');
    if found.periods > 0 {
        text.push_str(&format!(
            "{} in which it could always run, {} of them with less than promised\n",
            number(found.periods, "period", "periods"),
            found.short
        ));
    }
    if found.unsure > 0 {
        text.push_str(&format!(
            "{} too long only if nothing was lost in them, not counted\n",
            found.unsure
        ));
    }
    let unclear = found.unclear + found.periods_unclear;
    if unclear > 0 {
        text.push_str(&format!("{unclear} not judged, because events are missing\n"));
    }
    if found.unopened > 0 {
        text.push_str(&format!("{} began before the recording, not counted\n", found.unopened));
    }
    text
}

/// Events missing in the recording.
pub(super) fn losses(read: &Reading) -> String {
    let mut text = String::new();
    let lost = read.explanation.lost;
    if lost.gaps > 0 {
        let events = match (lost.events, lost.uncounted) {
            (0, _) => "an unknown number of events".to_owned(),
            (events, 0) => number(events, "event", "events"),
            (events, _) => format!("{events} events or more"),
        };
        let silent = match read.silent {
            0 => String::new(),
            silent => format!(" (in {silent} of them the kernel did not report a switch)"),
        };
        let gaps = number(lost.gaps, "gap", "gaps");
        text.push_str(&format!(
            "LOST in {gaps}: {events}{silent}; that time is listed as unknown\n"
        ));
    }
    if read.explanation.conflicts > 0 {
        let records = number(read.explanation.conflicts, "record", "records");
        text.push_str(&format!(
            "{records} contradict others; from there on a processor is unknown\n"
        ));
    }
    for warning in &read.warnings {
        text.push_str(&format!("LOST {warning}\n"));
    }
    text
}

fn no_miss(found: &Explained, limit: Option<Span>) -> String {
    let many = words(found.kind);
    let why = match limit {
        Some(limit) => format!("none takes longer than {limit}"),
        None if found.due + found.periods == 0 => format!(
            "the recording has no deadlines for its {many}; `--longer-than SPAN` sets a limit"
        ),
        None => "no deadline was missed".to_owned(),
    };
    let next = match (&found.kept[..], &found.longest) {
        ([_], Some(_)) => "; the longest wait:",
        (_, Some(_)) => "; the longest:",
        (_, None) => "",
    };
    format!("no miss: {why}{next}\n")
}

/// One episode: what came of it, and where its time went.
fn one(explanation: &Explanation, found: &Explained, episode: &Episode) -> String {
    let account = &episode.account;
    let which = match episode.miss {
        Some(miss) => {
            format!("miss {miss} of {}, {} {}", found.misses, word(episode.kind), episode.number)
        }
        None => format!("{} {}", word(episode.kind), episode.number),
    };
    let (verdict, span) = (verdict(episode), short(episode.span()));
    let unknown = match account.of(Part::Unknown) {
        none if none.is_zero() => String::new(),
        unknown => format!(" ({} of it unknown)", short(unknown)),
    };
    let mut text = format!(
        "{}  {verdict}: in {span}{unknown} ready {}, ran {} ({which})\n",
        moment(episode.from),
        short(account.waited()),
        short(account.of(Part::Ran)),
    );
    text.push_str(&lines(explanation, account));
    text.push_str(&beside(explanation, episode));
    text
}

fn verdict(episode: &Episode) -> String {
    let by = short(episode.by);
    match episode.ending {
        Ending::Late => format!("late {by}"),
        Ending::Overdue => format!("not done, late {by} at the end"),
        Ending::GivenUp => "given up at its deadline".to_owned(),
        Ending::Short(_) => format!("short of its promise by {by}"),
        _ if episode.miss.is_some() => format!("too long by {by}"),
        Ending::Open => "under way at the end".to_owned(),
        Ending::Lost => "its end is not recorded".to_owned(),
        Ending::Done if episode.deadline.is_some() => "in time".to_owned(),
        Ending::Done => "done".to_owned(),
    }
}

/// The parts of an account, most time first; they add up to the whole.
fn lines(explanation: &Explanation, account: &Account) -> String {
    let mut parts: Vec<(Span, String)> = account
        .parts
        .iter()
        .filter_map(|(part, span)| Some((*span, words_for(explanation, *part, account)?)))
        .collect();
    for antagonist in explanation.antagonists(account) {
        let mut name = antagonist.name;
        if antagonist.threads.len() > 1 {
            name = format!("{name} ({} threads)", antagonist.threads.len());
        }
        if let Some(scheduler) = scheduler(explanation, antagonist.scheduler) {
            name = format!("{name}, under {scheduler}");
        }
        parts.push((antagonist.span, format!("{name} ran instead")));
    }
    parts.sort_by_key(|(span, _)| std::cmp::Reverse(*span));
    if parts.len() > LINES + 1 {
        let rest = parts.split_off(LINES);
        let sum = rest.iter().fold(Span::ZERO, |sum, (span, _)| sum.saturating_add(*span));
        parts.push((sum, format!("{} others, each less than these", rest.len())));
    }
    let whole = account.total();
    let line = |(span, what): (Span, String)| {
        format!("  {:>9} {:>6}%  {what}\n", short(span), percent(span, whole))
    };
    parts.into_iter().map(line).collect()
}

/// The words for a part; `None` for time behind other threads, which are listed by name.
fn words_for(explanation: &Explanation, part: Part, account: &Account) -> Option<String> {
    Some(match part {
        Part::Ran => match account.dispatches {
            0 | 1 => "it ran".to_owned(),
            // Turns for earlier jobs are among them.
            _ if !account.of(Part::Earlier).is_zero() => "it ran".to_owned(),
            turns => format!("it ran, in {turns} turns"),
        },
        Part::Stolen(OverheadKind::StationWait) => {
            "its processor stood still: it waited at a station".to_owned()
        }
        Part::Stolen(OverheadKind::StationService) => {
            "its processor stood still: a station served it".to_owned()
        }
        Part::Stolen(kind) => format!("{} while it ran", overhead_name(kind)),
        Part::Earlier => "it did earlier jobs of its own".to_owned(),
        Part::Behind(_) => return None,
        Part::BehindOverhead(kind) => format!("{} where it waited", overhead_name(kind)),
        Part::Idle => "its processor was idle although it was ready".to_owned(),
        Part::Held(node) => match scheduler(explanation, node) {
            Some(above) => format!("held: the reservation of {above} was used up"),
            None => "held: its own reservation was used up".to_owned(),
        },
        Part::Unplaced => "ready, its processor unknown".to_owned(),
        Part::Blocked => "it was blocked".to_owned(),
        Part::Device => "it waited in the kernel, for example for a device".to_owned(),
        Part::Stopped => "it was stopped by a signal".to_owned(),
        _ => "UNKNOWN, since events were lost".to_owned(),
    })
}

const fn overhead_name(kind: OverheadKind) -> &'static str {
    match kind {
        OverheadKind::Interrupt => "interrupts",
        OverheadKind::Softirq => "softirqs",
        OverheadKind::Steal => "stolen by the hypervisor",
        OverheadKind::Scheduling => "Windfall itself",
        OverheadKind::Switching => "switching",
        OverheadKind::StationWait => "a wait at a station",
        OverheadKind::StationService => "a station's service",
    }
}

/// Further facts about an episode: who woke it, where it waited, and what the other processors did.
fn beside(explanation: &Explanation, episode: &Episode) -> String {
    let account = &episode.account;
    let mut facts = Vec::new();
    if let Some((at, by)) = episode.wake {
        let by = by.and_then(|by| explanation.people.get(&by));
        let by = by.map_or("no thread (a timer, a device)".to_owned(), |by| {
            format!("{}{}", by.name, tid(by))
        });
        let late = at.saturating_since(episode.from);
        let after = if late.is_zero() { String::new() } else { format!(" after {}", short(late)) };
        facts.push(format!("woken by {by}{after}"));
    }
    if let Some(deadline) = episode.deadline {
        let after = deadline.saturating_since(episode.from);
        facts.push(format!("deadline after {}", short(after)));
    }
    if account.migrations > 0 {
        facts.push(format!("moved {}", number(account.migrations, "time", "times")));
    }
    let cpus = |map: &std::collections::BTreeMap<Cpu, Span>| {
        let cpus = map.iter().map(|(cpu, span)| format!("cpu {} {}", cpu.0, short(*span)));
        cpus.collect::<Vec<_>>().join(", ")
    };
    match account.waited_on.len() {
        0 => {}
        1 => {
            facts.extend(account.waited_on.keys().map(|cpu| format!("it waited on cpu {}", cpu.0)))
        }
        _ => facts.push(format!("it waited on {}", cpus(&account.waited_on))),
    }
    if !account.idle_elsewhere.is_empty() {
        facts.push(format!("meanwhile idle: {}", cpus(&account.idle_elsewhere)));
    }
    if facts.is_empty() { String::new() } else { format!("  {}\n", facts.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r0013_misses_of_two_kinds_are_counted_apart() {
        assert_eq!(misses(7, 4, Kind::Job), "7 misses (3 jobs, 4 periods)");
        assert_eq!(misses(2, 1, Kind::Burst), "2 misses (1 burst, 1 period)");
        assert_eq!(misses(1, 0, Kind::Job), "1 miss");
        assert_eq!(misses(4, 4, Kind::Job), "4 misses");
    }
}
