//! Admitted jobs, jobs that replace refused ones, and the supply that admitting schedulers need (PORTS 2.2, 2.4).

use super::schedulers::{find_circles, parent_paths, requirement_paths};
use super::{Checker, means, names};
use crate::build::parent_of;
use crate::diagnostic::Code;
use crate::model::{Activation, Jobs, Run, Scenario, Scheduler, Thread};
use crate::source::Path;

pub(super) fn check(checker: &mut Checker<'_>) {
    let scenario = checker.scenario;
    for scheduler in scenario.all_schedulers() {
        if scenario.admits(scheduler) {
            supply(checker, scheduler);
        }
    }
    for thread in &scenario.threads {
        if let Run::Jobs(jobs) = &thread.run {
            let path = Path::of(&["threads", &thread.name]).key(key(jobs));
            admitted(checker, thread, jobs, &path);
            secondary(checker, thread, jobs, &path);
        }
    }
    circles(checker);
}

/// The key that says when jobs are released.
const fn key(jobs: &Jobs) -> &'static str {
    match jobs.activation {
        Activation::Periodic { .. } => "periodic",
        Activation::Sporadic { .. } => "sporadic",
        Activation::After(_) => "after",
        Activation::Instead => "instead",
    }
}

/// A scheduler that admits has one processor, and knows when it receives it.
fn supply(checker: &mut Checker<'_>, scheduler: &Scheduler) {
    let scenario = checker.scenario;
    let (name, kind) = (&scheduler.name, &scheduler.kind);
    let path = Path::of(&["schedulers", name]);
    if scheduler.owns.len() > 1 {
        let mut paths = vec![path.key("processors"), path.key("parents")];
        paths.extend(parent_paths(&path, 1));
        let message = format!("`{name}` is a `{kind}`, which admits jobs for one processor");
        let help = "write one for each processor, and put each thread below one of them";
        checker.wrong(Code::TooMany, &paths, message, help);
        return;
    }
    let Some(own) = scheduler.owns.first() else { return };
    let above = own.parent.name().and_then(|parent| scenario.scheduler_named(parent));
    if own.requires.is_empty() && above.is_some_and(|parent| scenario.admits(parent)) {
        return; // it has what is moved to it (PORTS 2.5)
    }
    let held = own.held();
    if held.is_some_and(|held| held.least_supply().is_some()) {
        return;
    }
    let message = match held {
        Some(held) => format!("`{name}` is to promise deadlines, and {held} bounds no window"),
        None => format!("`{name}` is to promise deadlines, and asks its parent for nothing"),
    };
    let help =
        "ask for ALL, a reservation or a share with a bound: `guarantee = \"RESBS 5ms 10ms\"`";
    checker.wrong(Code::NoBoundedSupply, &requirement_paths(&path, 0, "guarantee"), message, help);
}

/// Jobs that are to be admitted have a deadline, and a scheduler that admits.
fn admitted(checker: &mut Checker<'_>, thread: &Thread, jobs: &Jobs, path: &Path) {
    if !jobs.admit {
        return;
    }
    let paths = [path.key("admit"), path.clone()];
    if jobs.deadline.is_none() {
        let message = format!("jobs of `{}` are to be admitted, and are never due", thread.name);
        checker.wrong(Code::AdmitsNothing, &paths, message, "write `deadline = \"10ms\"`");
    }
    let scenario = checker.scenario;
    let parent = parent_of(scenario, thread).and_then(|parent| scenario.scheduler_named(parent));
    let Some(parent) = parent.filter(|parent| scenario.kind_of(parent).is_some()) else { return };
    if !scenario.admits(parent) {
        let (name, kind) = (&parent.name, &parent.kind);
        let message = format!("`{name}` is a `{kind}`, which admits no jobs");
        let kinds = scenario.kinds_with(|kind| kind.properties.admits);
        let help = format!("put `{}` below one of: {kinds}", thread.name);
        checker.wrong(Code::AdmitsNothing, &paths, message, &help);
    }
}

/// Checks secondary jobs: the thread that `else` names must be released by refusals only, and such
/// a thread must be named.
fn secondary(checker: &mut Checker<'_>, thread: &Thread, jobs: &Jobs, path: &Path) {
    let scenario = checker.scenario;
    let named = |jobs: &Jobs| jobs.secondary.as_ref().is_some_and(|name| means(name, thread));
    let stands = jobs.activation == Activation::Instead;
    if stands && !all_jobs(scenario).any(|(_, jobs)| named(jobs)) {
        let message = format!("no thread names `{}` as its `else`", thread.name);
        let help = format!("write `else = \"{}\"` and `admit = true` there", thread.name);
        checker.wrong(Code::NoSecondary, std::slice::from_ref(path), message, &help);
    }
    let Some(name) = &jobs.secondary else { return };
    let path = path.key("else");
    if !jobs.admit {
        let message = "no job is ever refused without `admit = true`";
        checker.wrong_key(Code::NoSecondary, &path, message, "write `admit = true`, too");
    }
    if !checker.thread_exists(name, &path) {
        return;
    }
    let Some(other) = names::find(scenario, name) else { return };
    match &other.run {
        Run::Jobs(jobs) if jobs.activation == Activation::Instead => {}
        _ => {
            let message = format!("`{name}` is released by itself");
            let help = format!("give `{name}` a program `instead = {{ work = \"1ms\" }}`");
            checker.wrong(Code::NoSecondary, std::slice::from_ref(&path), message, &help);
        }
    }
    if *name == other.name && other.count.is_some() && other.count != thread.count {
        let message = format!("`{name}` is several threads, and not as many as `{}`", thread.name);
        let help = format!("name one of them, as `{name}-1`, or give both the same `count`");
        checker.wrong(Code::CountMismatch, &[path], message, &help);
    }
}

fn all_jobs(scenario: &Scenario) -> impl Iterator<Item = (&Thread, &Jobs)> {
    scenario.threads.iter().filter_map(|thread| match &thread.run {
        Run::Jobs(jobs) => Some((thread, jobs)),
        _ => None,
    })
}

/// Threads that stand for each other in a circle.
fn circles(checker: &mut Checker<'_>) {
    let threads = &checker.scenario.threads;
    let next: Vec<Vec<usize>> = threads
        .iter()
        .map(|thread| match &thread.run {
            Run::Jobs(Jobs { secondary: Some(name), .. }) => {
                threads.iter().position(|other| means(name, other)).into_iter().collect()
            }
            _ => Vec::new(),
        })
        .collect();
    for circle in find_circles(&next) {
        let names: Vec<&str> = circle.iter().map(|at| threads[*at].name.as_str()).collect();
        let first = names.first().copied().unwrap_or_default();
        let message = format!("`{first}` stands for itself: {} -> {first}", names.join(" -> "));
        let path = Path::of(&["threads", first]);
        let help = "let the last of them have no `else`";
        checker.wrong(Code::NoSecondary, &[path], message, help);
    }
}
