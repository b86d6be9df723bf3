//! Several threads: one line each, the worst first, and how to ask about one.

use super::Read;
use super::text::{losses, word, words};
use crate::cli::ExplainArgs;
use crate::output::{percent, short, table};
use std::cmp::Reverse;
use windfall_time::Span;
use windfall_trace::explain::{Episode, Explained, Explanation};

/// How many threads are listed unless all are asked for.
const LISTED: usize = 25;

pub(super) fn text(args: &ExplainArgs, read: &Read) -> String {
    let explanation = &read.explanation;
    let mut threads: Vec<&Explained> = explanation.threads.iter().collect();
    let longest = |found: &Explained| found.longest.as_ref().map_or(Span::ZERO, Episode::span);
    threads.sort_by_key(|found| Reverse((found.misses, longest(found))));
    let listed = if args.all { threads.len() } else { LISTED.min(threads.len()) };
    let rows = threads[..listed].iter().map(|found| row(explanation, found)).collect();
    let head = ["THREAD", "TID", "JOBS", "", "MISSES", "LONGEST", "RAN", "WAITED", "MOSTLY BEHIND"];
    let mut text = table(&head, 1, rows);
    if listed < threads.len() {
        let rest = threads.len() - listed;
        text.push_str(&format!("{rest} more threads, no worse than these: `--all` lists them\n"));
    }
    text.push_str(&losses(read));
    if threads.iter().all(|found| found.misses == 0) {
        let limit = match args.longer_than {
            Some(limit) => format!(": nothing takes longer than {limit}"),
            None => "; `--longer-than SPAN` says what is too long".to_owned(),
        };
        text.push_str(&format!("no miss{limit}\n"));
    }
    if let Some(worst) = threads.first() {
        let person = explanation.people.get(&worst.thread);
        let named = threads
            .iter()
            .filter(|found| {
                let other = explanation.people.get(&found.thread);
                other.map(|other| &other.name) == person.map(|person| &person.name)
            })
            .count();
        let ask = match person {
            Some(person) if named > 1 && person.tid != 0 => format!("'#{}'", person.tid),
            Some(person) => format!("'{}'", person.name),
            None => return text,
        };
        let file = args.recording.display();
        text.push_str(&format!("next: windfall explain {file} --thread {ask}\n"));
    }
    text
}

fn row(explanation: &Explanation, found: &Explained) -> Vec<String> {
    let person = explanation.people.get(&found.thread).cloned().unwrap_or_default();
    let dash = || "-".to_owned();
    let all = found.episodes();
    let account = if found.misses > 0 { &found.missed } else { &found.all };
    let antagonists = explanation.antagonists(account);
    let behind = antagonists.first().map_or_else(dash, |first| {
        let share = percent(first.span, account.waited());
        format!("{} {} ({share}% of its waiting)", first.name, short(first.span))
    });
    vec![
        person.name,
        if person.tid == 0 { dash() } else { person.tid.to_string() },
        all.to_string(),
        if all == 1 { word(found.kind) } else { words(found.kind) }.to_owned(),
        found.misses.to_string(),
        found.longest.as_ref().map_or_else(dash, |longest| short(longest.span())),
        short(found.all.received()),
        short(found.all.waited()),
        behind,
    ]
}
