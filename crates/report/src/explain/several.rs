//! Several threads: one line each, the worst first, and how the worst is asked about.

use super::Reading;
use super::kind::{word, words};
use super::one::{losses, scheduler};
use crate::terminal::{percent, short, table, threads};
use crate::votes;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use windfall_time::Span;
use windfall_trace::escape::escaped;
use windfall_trace::explain::{Account, Explained, Explanation, Part, Person};

/// How many lines there are unless all are asked for.
const LISTED: usize = 25;

/// A thread, or all threads of one name under one scheduler.
struct Line<'a> {
    person: Person,
    threads: Vec<&'a Explained>,
    misses: u64,
    longest: Span,
    all: Account,
    missed: Account,
}

pub(super) fn text(read: &Reading, width: Option<usize>) -> String {
    let explanation = &read.explanation;
    let all = read.is_of_all();
    let lines = lines(explanation, all);
    let listed = if all { lines.len() } else { LISTED.min(lines.len()) };
    let rows = lines[..listed].iter().map(|line| row(explanation, line)).collect();
    let head =
        ["THREAD", "TID", "JOBS", "", "MISSES", "LONGEST", "RAN", "WAITED", "MOSTLY", "UNKNOWN"];
    let mut text = table(&head, 1, rows, width);
    if listed < lines.len() {
        let rest = lines.len() - listed;
        text.push_str(&format!("{rest} more, no worse than these: `--all` lists every thread\n"));
    }
    if lines[..listed].iter().any(|line| line.threads.iter().any(is_longest_unsure)) {
        text.push_str(
            "LONGEST leaves out what is unknown of a burst, which may have ended meanwhile\n",
        );
    }
    text.push_str(&losses(read));
    accused(explanation).iter().for_each(|sentence| text.push_str(&format!("{sentence}\n")));
    if lines.iter().all(|line| line.misses == 0) {
        let limit = match read.question.longer_than {
            Some(limit) => format!(": nothing takes longer than {limit}"),
            None => "; `--longer-than SPAN` sets a limit".to_owned(),
        };
        text.push_str(&format!("no miss{limit}\n"));
    }
    text
}

/// Whether the longest burst took longer than is counted, if it did not end in time that is unknown.
fn is_longest_unsure(found: &&Explained) -> bool {
    found.longest.as_ref().is_some_and(|longest| found.most < longest.span())
}

/// The pattern that asks about the worst of the threads listed; `None` where no pattern means less than all of them.
pub(super) fn worst(read: &Reading) -> Option<String> {
    let lines = lines(&read.explanation, read.is_of_all());
    let worst = lines.first()?;
    let named = lines.iter().filter(|line| line.person.name == worst.person.name).count();
    // A thread may have had that name before: then it means several again.
    let is_new = worst.person.name != read.question.thread.as_str();
    let by_name = named == 1 && named < lines.len() && is_new && is_plain(&worst.person.name);
    match worst.person.tid {
        _ if by_name => Some(worst.person.name.clone()),
        0 => None,
        tid => Some(format!("#{tid}")),
    }
}

/// Whether a name as a pattern means itself, and can be typed.
fn is_plain(name: &str) -> bool {
    let number = name.strip_prefix('#').unwrap_or(name).parse::<u32>().is_ok();
    let is_option = name.starts_with('-');
    !name.is_empty() && !number && !is_option && !name.contains('*') && escaped(name) == name
}

/// A sentence for each replica that was wrong or absent.
fn accused(explanation: &Explanation) -> Vec<String> {
    let name = |found: &Explained| {
        explanation.people.get(&found.thread).map_or_else(String::new, |one| one.name.clone())
    };
    let told = explanation.threads.iter().filter(|found| !found.figures.is_empty());
    let told: Vec<_> = told.map(|found| (name(found), super::keyed(&found.figures))).collect();
    let threads: Vec<_> = told.iter().map(|(name, all)| (name.as_str(), all.as_slice())).collect();
    votes::sentences(&threads)
}

/// The threads, the worst first; threads of one name share a line, unless there is only that name.
fn lines(explanation: &Explanation, apart: bool) -> Vec<Line<'_>> {
    let person = |found: &Explained| explanation.people.get(&found.thread).cloned();
    let mut groups: BTreeMap<_, Line<'_>> = BTreeMap::new();
    let first = explanation.threads.first().and_then(person).map(|person| person.name);
    let one_name =
        explanation.threads.iter().all(|found| person(found).map(|person| person.name) == first);
    for found in &explanation.threads {
        let person = person(found).unwrap_or_default();
        let alone = (apart || one_name).then_some(found.thread);
        let line =
            groups.entry((person.name.clone(), person.node, alone)).or_insert_with(|| Line {
                person,
                threads: Vec::new(),
                misses: 0,
                longest: Span::ZERO,
                all: Account::default(),
                missed: Account::default(),
            });
        line.threads.push(found);
        line.misses += found.misses;
        line.longest = line.longest.max(found.most);
        line.all.add(&found.all);
        line.missed.add(&found.missed);
    }
    let mut lines: Vec<Line<'_>> = groups.into_values().collect();
    lines.sort_by_key(|line| Reverse((line.misses, line.all.waited())));
    lines
}

fn row(explanation: &Explanation, line: &Line<'_>) -> Vec<String> {
    let dash = || "-".to_owned();
    let episodes: u64 = line.threads.iter().map(|found| found.episodes()).sum();
    let kind = line.threads[0].kind;
    let account = if line.misses > 0 { &line.missed } else { &line.all };
    let unknown = account.of(Part::Unknown);
    let tid = match (line.threads.len(), line.person.tid) {
        (1, 0) => dash(),
        (1, tid) => tid.to_string(),
        _ => dash(),
    };
    vec![
        threads(&line.person.name, line.threads.len()),
        tid,
        episodes.to_string(),
        if episodes == 1 { word(kind) } else { words(kind) }.to_owned(),
        missed(line),
        short(line.longest),
        short(line.all.received()),
        short(line.all.waited()),
        mostly(explanation, account).unwrap_or_else(dash),
        if unknown.is_zero() { dash() } else { short(unknown) },
    ]
}

/// How many of its jobs or bursts were missed, and of its periods where there are such: `3 + 4 periods`.
fn missed(line: &Line<'_>) -> String {
    let periods: u64 = line.threads.iter().map(|found| found.short).sum();
    let episodes = line.misses.saturating_sub(periods);
    match periods {
        0 => episodes.to_string(),
        1 => format!("{episodes} + 1 period"),
        _ => format!("{episodes} + {periods} periods"),
    }
}

/// The largest part of a thread's waiting, and its share.
fn mostly(explanation: &Explanation, account: &Account) -> Option<String> {
    let first = explanation.antagonists(account).into_iter().next();
    let first = first.map(|antagonist| (antagonist.span, antagonist.name));
    let others = account.parts.iter().filter_map(|(part, span)| {
        let what = match part {
            Part::Held(None) => "held".to_owned(),
            Part::Held(node) => format!("held, {}", scheduler(explanation, *node)?),
            Part::BehindOverhead(_) => "interrupts".to_owned(),
            Part::Idle => "idle processor".to_owned(),
            _ => return None,
        };
        Some((*span, what))
    });
    let (span, what) = others.chain(first).max_by_key(|(span, _)| *span)?;
    Some(format!("{what} {} ({}%)", short(span), percent(span, account.waited())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_time::Instant;
    use windfall_trace::explain::{Explainer, Keep, Question};
    use windfall_trace::{Cpu, Event, Sink, Stop, ThreadId};

    /// Two threads that run from 0 ms to 2 ms, and from 3 ms to 9 ms; what processor 0 did from 4 ms to 8 ms may be lost.
    fn reading(lost: bool) -> Reading {
        let question = Question::new("*".into(), Keep::All);
        let mut explainer = Explainer::new(question.clone());
        let mut record =
            |ms: u32, event| explainer.record(Instant::ZERO + Span::from_millis(ms), &event);
        let switch = |prev: Option<u32>, next: Option<u32>| Event::Switch {
            cpu: Cpu(0),
            prev: prev.map(|thread| (ThreadId(thread), Stop::Blocked)),
            next: next.map(ThreadId),
        };
        for (thread, name) in [(0, "a"), (1, "b")] {
            let (tid, name) = (thread + 1, name.to_owned());
            record(0, Event::Thread { thread: ThreadId(thread), tid, pid: 1, name, node: None });
        }
        record(0, Event::Wake { thread: ThreadId(0), by: None });
        record(0, switch(None, Some(0)));
        record(2, switch(Some(0), None));
        record(3, Event::Wake { thread: ThreadId(1), by: None });
        record(3, switch(None, Some(1)));
        if lost {
            record(4, Event::Lost { cpu: Some(Cpu(0)), count: Some(7) });
            record(8, Event::Wake { thread: ThreadId(1), by: None });
            record(8, switch(None, Some(1)));
        }
        record(9, switch(Some(1), None));
        Reading { question, explanation: explainer.finish(), silent: 0, warnings: Vec::new() }
    }

    #[test]
    fn law_a_longest_time_that_leaves_something_out_is_named_so() {
        let (whole, cut) = (reading(false), reading(true));
        assert!(!text(&whole, None).contains("LONGEST leaves out"));
        let longest = |read: &Reading| {
            let json = super::super::json(read);
            let thread = json["threads"].as_array().unwrap().iter().find(|one| one["name"] == "b");
            let longest = &thread.unwrap()["longest"];
            ["span_ns", "known_ns"].map(|key| longest[key].as_u64().unwrap() / 1_000_000)
        };
        assert_eq!(longest(&whole), [6, 6]);
        let said = text(&cut, None);
        assert_eq!(longest(&cut), [5, 1], "until it is woken again");
        let row = said.lines().find(|line| line.starts_with("b ")).unwrap();
        assert_eq!(row.split_whitespace().nth(5), Some("1.000ms"), "{said}");
        assert!(said.contains("LONGEST leaves out"), "{said}");
    }
}
