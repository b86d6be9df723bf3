//! Programs of steps: locks in pairs, waits that somebody ends, loops in which time passes.

use super::{Checker, names};
use crate::model::{Phase, Run, Step};
use crate::source::Path;
use std::collections::BTreeMap;
use windfall_programs::Sharing;

/// How a name is used over the whole scenario.
#[derive(Default)]
struct Use {
    /// As what, and where first.
    sort: Option<(Sharing, Path)>,
    /// How many threads use it.
    users: u64,
    waited: Option<Path>,
    signalled: bool,
}

pub(super) fn check(checker: &mut Checker<'_>) {
    let scenario = checker.scenario;
    let mut uses: BTreeMap<&str, Use> = BTreeMap::new();
    let mut suspended = Vec::new();
    let mut resumed: Vec<&str> = Vec::new();
    for thread in &scenario.threads {
        let Run::Phases { loops, phases } = &thread.run else {
            continue;
        };
        let path = Path::of(&["threads", &thread.name]);
        // A thread that could not be read in full has been told of.
        let steps = flat(phases, &path);
        if phases.iter().any(|phase| phase.steps.is_empty()) {
            let paths = [path.key("steps"), path.key("phases")];
            let told = paths.iter().any(|path| checker.origin().has_below(path));
            if !told {
                checker.wrong(&paths, "a phase without steps", "write at least one step");
            }
            continue;
        }
        if *loops != Some(0) && !steps.iter().any(|(step, _)| takes_time(step)) {
            let help = "add a `run` or `sleep` step with a time above zero";
            let paths = [path.key("steps"), path.key("phases")];
            checker.wrong(&paths, "a loop in which no time passes", help);
        }
        let number = u64::from(thread.count.unwrap_or(1));
        let mut mine: BTreeMap<&str, ()> = BTreeMap::new();
        for (step, path) in &steps {
            for (name, sort) in step.shared() {
                let entry = uses.entry(name).or_default();
                if mine.insert(name, ()).is_none() {
                    entry.users += number;
                }
                match &entry.sort {
                    None => entry.sort = Some((sort, path.clone())),
                    Some((other, _)) if *other != sort => {
                        let message = format!("`{name}` is a {} elsewhere", word(*other));
                        let help = format!("give the {} another name", word(sort));
                        checker.wrong(std::slice::from_ref(path), message, &help);
                    }
                    Some(_) => {}
                }
            }
            match step {
                Step::Wait { condition, .. } => {
                    uses.entry(condition).or_default().waited = Some(path.clone());
                }
                Step::Signal(condition) | Step::Broadcast(condition) => {
                    uses.entry(condition).or_default().signalled = true;
                }
                Step::Suspend => suspended.push((thread, path.clone())),
                Step::Resume(other) => {
                    checker.thread_exists(other, &path.key("resume"));
                    resumed.push(other);
                }
                _ => {}
            }
        }
        locks(checker, &steps);
    }
    for (thread, path) in suspended {
        if !resumed.iter().any(|name| names::means(name, thread)) {
            let message = format!("no thread resumes `{}`", thread.name);
            let help = format!("add a step `{{ resume = \"{}\" }}` to another thread", thread.name);
            checker.wrong(&[path], message, &help);
        }
    }
    for (name, entry) in uses {
        if let Some((Sharing::Barrier, path)) = &entry.sort
            && entry.users < 2
        {
            let help = "let another thread use it, or leave it out";
            checker.wrong(
                std::slice::from_ref(path),
                format!("one thread alone uses the barrier `{name}`"),
                help,
            );
        }
        if let Some(path) = entry.waited
            && !entry.signalled
        {
            let help = format!("add a step `{{ signal = \"{name}\" }}` to another thread");
            checker.wrong(&[path], format!("no thread signals `{name}`"), &help);
        }
    }
}

/// All steps and where they stand.
fn flat<'a>(phases: &'a [Phase], path: &Path) -> Vec<(&'a Step, Path)> {
    let mut list = Vec::new();
    for (number, phase) in phases.iter().enumerate() {
        let inner = path.key("phases").item(number).key("steps");
        for (at, step) in phase.steps.iter().enumerate() {
            let alone = path.key("steps");
            let place = if phases.len() == 1 && phase.name == "main" { &alone } else { &inner };
            list.push((step, place.item(at)));
        }
    }
    list
}

fn takes_time(step: &Step) -> bool {
    match step {
        Step::Run(work) => !work.most().is_zero(),
        Step::Sleep(span) => !span.is_zero(),
        Step::Timer { .. } | Step::Wait { .. } | Step::Barrier(_) | Step::Suspend => true,
        _ => false,
    }
}

fn word(sort: Sharing) -> &'static str {
    match sort {
        Sharing::Lock => "lock",
        Sharing::Condition => "condition",
        Sharing::Barrier => "barrier",
    }
}

/// Locks that a thread gives back, or waits with, and never takes; or takes and keeps.
fn locks(checker: &mut Checker<'_>, steps: &[(&Step, Path)]) {
    let takes =
        |lock: &str| steps.iter().any(|(step, _)| matches!(step, Step::Lock(l) if l == lock));
    let gives =
        |lock: &str| steps.iter().any(|(step, _)| matches!(step, Step::Unlock(l) if l == lock));
    for (step, path) in steps {
        let (lock, verb) = match step {
            Step::Unlock(lock) => (lock, "unlocks"),
            Step::Wait { lock, .. } => (lock, "waits with"),
            Step::Lock(lock) if !gives(lock) => {
                let help = format!("add a step `{{ unlock = \"{lock}\" }}`");
                checker.wrong(
                    std::slice::from_ref(path),
                    format!("`{lock}` is never given back"),
                    &help,
                );
                continue;
            }
            _ => continue,
        };
        if !takes(lock) {
            let message = format!("{verb} `{lock}`, which this thread never locks");
            let help = format!("add a step `{{ lock = \"{lock}\" }}` before it");
            checker.wrong(std::slice::from_ref(path), message, &help);
        }
    }
}
