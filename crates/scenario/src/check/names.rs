//! Names: which exist, that each is used once, and that each can be written.

use super::Checker;
use crate::diagnostic::Code;
use crate::model::{Change, Scenario, Thread};
use crate::source::Path;
use crate::suggest;
use std::borrow::Cow;
use std::collections::BTreeMap;
use windfall_trace::escape::escaped;

/// The names of a scenario.
pub(crate) struct Names<'a> {
    /// Schedulers from the beginning.
    pub(crate) schedulers: Vec<&'a str>,
    /// Schedulers that requests create.
    pub(crate) created: Vec<&'a str>,
    /// Threads as the file has them.
    pub(crate) threads: Vec<&'a str>,
}

impl<'a> Names<'a> {
    pub(crate) fn of(scenario: &'a Scenario) -> Names<'a> {
        let created = scenario.changes().filter_map(|change| match change {
            Change::Create(scheduler) => Some(scheduler.name.as_str()),
            _ => None,
        });
        Names {
            schedulers: scenario.schedulers.iter().map(|s| s.name.as_str()).collect(),
            created: created.collect(),
            threads: scenario.threads.iter().map(|t| t.name.as_str()).collect(),
        }
    }

    pub(crate) fn is_scheduler(&self, name: &str) -> bool {
        self.schedulers.contains(&name)
    }

    /// A scheduler from the beginning, or one that a request creates.
    pub(crate) fn is_ever_scheduler(&self, name: &str) -> bool {
        self.is_scheduler(name) || self.created.contains(&name)
    }
}

/// Whether a name refers to this thread, or to one or all of its `count`.
pub(crate) fn means(name: &str, thread: &Thread) -> bool {
    name == thread.name || number_in(name, thread).is_some()
}

/// The number of a thread among its `count`, from 1, when the name is one of them.
pub(crate) fn number_in(name: &str, thread: &Thread) -> Option<u32> {
    let number = numbered(name, &thread.name)?;
    thread.count.filter(|count| (1..=*count).contains(&number)).map(|_| number)
}

/// n, when a name is BASE-n, the form for the threads of a `count`.
pub(crate) fn numbered(name: &str, base: &str) -> Option<u32> {
    let digits = name.strip_prefix(base)?.strip_prefix('-')?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| plain)
}

/// The suffix of the name that sums up all threads of a program's entry that ended long ago.
pub const EARLIER: &str = "-earlier";

/// Whether a name is given to threads of the program whose entry is called `base`.
pub(crate) fn is_of_program(name: &str, base: &str) -> bool {
    numbered(name, base).is_some() || name.strip_prefix(base) == Some(EARLIER)
}

/// The threads that a name means.
pub(crate) fn find<'a>(scenario: &'a Scenario, name: &str) -> Option<&'a Thread> {
    scenario.threads.iter().find(|thread| means(name, thread))
}

pub(super) fn check(checker: &mut Checker<'_>) {
    let scenario = checker.scenario;
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let schedulers =
        scenario.schedulers.iter().map(|s| (s.name.as_str(), "schedulers", "scheduler"));
    let threads = scenario.threads.iter().map(|t| (t.name.as_str(), "threads", "thread"));
    for (name, part, sort) in schedulers.chain(threads) {
        let path = Path::of(&[part, name]);
        if let Some(why) = unfit(name) {
            let help = "use letters, digits, `-`, `_`, `.` and the like, at most 64 characters";
            checker.wrong_key(
                Code::InvalidName,
                &path,
                format!("the {sort}'s name `{}` {why}", shown(name)),
                help,
            );
        }
        if let Some(other) = seen.insert(name, sort) {
            let help = "names of schedulers and threads are all different; choose another";
            checker.wrong_key(
                Code::DuplicateName,
                &path,
                format!("`{name}` is the name of a {other} already"),
                help,
            );
        }
    }
    let many = |thread: &&Thread| thread.count.is_some() || thread.external.is_some();
    for thread in scenario.threads.iter().filter(many) {
        let twin = seen.keys().find(|name| match thread.external {
            Some(_) => is_of_program(name, &thread.name),
            None => number_in(name, thread).is_some(),
        });
        if let Some(twin) = twin {
            let message = format!("`{twin}` is also one of the threads `{}`", thread.name);
            checker.wrong_key(
                Code::DuplicateName,
                &Path::of(&["threads", &thread.name]),
                message,
                "choose another name",
            );
        }
    }
}

/// Any name, escaped for printing.
pub(super) fn shown(name: &str) -> String {
    name.chars().take(64).map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Why a name cannot be one.
pub(super) fn unfit(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("is empty");
    }
    if matches!(name, "top" | "machine") {
        return Some("means something else");
    }
    if name.chars().count() > 64 {
        return Some("is too long");
    }
    let bad = |c: char| matches!(c, '*' | '`' | '"' | '\'' | '\\');
    let steers = matches!(escaped(name), Cow::Owned(_));
    if steers || name.chars().any(bad) || name.trim() != name {
        return Some("holds characters that cannot stand in a name");
    }
    None
}

impl Checker<'_> {
    /// A scheduler's name that must name one from the beginning, or (`ever`) any.
    pub(crate) fn scheduler_exists(&mut self, name: &str, ever: bool, paths: &[Path]) -> bool {
        let known =
            if ever { self.names.is_ever_scheduler(name) } else { self.names.is_scheduler(name) };
        // That there are no schedulers at all has been said.
        let none = self.names.schedulers.is_empty() && self.names.created.is_empty();
        if !known && !none && !self.is_unread(name) {
            let mut all = self.names.schedulers.clone();
            if ever {
                all.extend(&self.names.created);
            }
            let help = suggest::hint(name, all.iter().copied());
            let message = match find(self.scenario, name) {
                Some(_) => format!("`{name}` is a thread, not a scheduler"),
                None => format!("unknown scheduler `{name}`"),
            };
            self.wrong(Code::UnknownScheduler, paths, message, &help);
        }
        known
    }

    /// A thread's name, or that of all of its `count`.
    pub(crate) fn thread_exists(&mut self, name: &str, path: &Path) -> bool {
        let known = find(self.scenario, name).is_some();
        if !known && !self.is_unread(name) {
            let help = suggest::hint(name, self.names.threads.iter().copied());
            let message = if self.names.is_ever_scheduler(name) {
                format!("`{name}` is a scheduler, not a thread")
            } else {
                format!("unknown thread `{name}`")
            };
            self.wrong(Code::UnknownThread, std::slice::from_ref(path), message, &help);
        }
        known
    }
}
