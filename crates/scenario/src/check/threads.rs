//! Threads: their parents, their requirements, and chains of jobs.

use super::schedulers::{find_circles, fits};
use super::{Checker, controls, names};
use crate::diagnostic::Code;
use crate::model::{Activation, Jobs, Run, Setting, Thread};
use crate::parameters::ParameterWriter;
use crate::source::Path;
use crate::suggest;
use windfall_programs::catalogue::Settings;
use windfall_programs::{Node, Program};
use windfall_time::Span;

pub(super) fn check(checker: &mut Checker<'_>, writer: &ParameterWriter<'_>) {
    let scenario = checker.scenario;
    for thread in &scenario.threads {
        let path = Path::of(&["threads", &thread.name]);
        if thread.count == Some(0) && !checker.is_reported(&path.key("count")) {
            checker.wrong(Code::OutOfRange, &[path.key("count")], "no threads", "write 1 or more");
        }
        let parent = match &thread.parent {
            Some(parent) => {
                checker.scheduler_exists(parent, false, &[path.key("parent")]);
                Some(parent.as_str())
            }
            None => scenario.default_scheduler(),
        };
        if parent.is_some_and(|parent| scenario.has_kind(parent)) {
            let paths = |key: &str| vec![path.key(key), path.key("parent")];
            fits(checker, &thread.requires, parent, writer, paths);
        }
        if thread.start.as_nanos() >= scenario.length.as_nanos() && !scenario.length.is_zero() {
            let message = format!("starts at {}, when all is over", thread.start);
            let help = format!("write less than the scenario's length, {}", scenario.length);
            checker.wrong(Code::AfterTheEnd, &[path.key("start")], message, &help);
        }
        match &thread.run {
            Run::Jobs(jobs) => self::jobs(checker, thread, jobs, &path),
            Run::OfKind { kind, settings } => of_kind(checker, thread, (kind, settings), &path),
            _ => {}
        }
    }
    chains(checker);
}

/// A program of a kind that does not exist, or that does not take these settings.
fn of_kind(
    checker: &mut Checker<'_>,
    thread: &Thread,
    (kind, settings): (&str, &[(String, Setting)]),
    path: &Path,
) {
    let path = path.key("program");
    let programs = &checker.scenario.programs;
    let Some(known) = programs.find(kind) else {
        if !checker.is_reported(&path) {
            let help = suggest::hint(kind, programs.kinds().map(|kind| kind.name));
            let message = format!("unknown kind of program `{kind}`");
            checker.wrong(Code::UnknownProgram, &[path], message, &help);
        }
        return;
    };
    // Without a value that was reported, and so left out, others would seem to be wrong.
    if checker.is_reported(&path) {
        return;
    }
    match known.build(&Settings(&Setting::values(settings)), Node(0)) {
        Ok(Program::Process(start)) => controls::check(checker, thread, &start, &path),
        Ok(_) => {}
        Err(bad) => {
            let at = if bad.value.is_some() { path.key(&bad.name) } else { path };
            let help = format!("`windfall catalogue {kind}` lists what it takes");
            checker.wrong(Code::InvalidSetting, &[at], format!("{kind}: {bad}"), &help);
        }
    }
}

fn jobs(checker: &mut Checker<'_>, thread: &Thread, jobs: &Jobs, path: &Path) {
    let Jobs { activation, work, deadline, .. } = jobs;
    let zero = match activation {
        Activation::Periodic { period, .. } => period.is_zero(),
        Activation::Sporadic { least, most, .. } => least.is_zero() || least > most,
        Activation::After(before) => {
            let path = path.key("after").key("thread");
            if checker.thread_exists(before, &path)
                && let Some(other) = names::find(checker.scenario, before)
            {
                after(checker, thread, before, other, &path);
            }
            false
        }
        Activation::Instead => false,
    };
    let keys = ["periodic", "sporadic", "after", "instead"].map(|key| path.key(key));
    if zero || *deadline == Some(Span::ZERO) {
        checker.wrong(
            Code::ZeroTime,
            &keys,
            "jobs without time between them",
            "write times above zero",
        );
    }
    if work.most().is_zero() {
        let inner =
            ["periodic", "sporadic", "after", "instead"].map(|key| path.key(key).key("work"));
        let paths: Vec<Path> = inner.into_iter().chain(keys).collect();
        checker.wrong(
            Code::ZeroWork,
            &paths,
            "jobs without work",
            "write a length of time above zero",
        );
    }
}

/// A thread that follows another: one follows one, or each follows the one with its number.
fn after(checker: &mut Checker<'_>, thread: &Thread, before: &str, other: &Thread, path: &Path) {
    let whole = before == other.name;
    if let Some(theirs) = other.count.filter(|_| whole)
        && thread.count != other.count
    {
        let message = format!("`{before}` is {theirs} threads, `{}` is not", thread.name);
        let help = format!("name one of them, as `{before}-1`, or write `count = {theirs}` here");
        checker.wrong(Code::CountMismatch, std::slice::from_ref(path), message, &help);
    }
    let why = match other.run {
        Run::Spin { .. } => "computes for ever and never ends a job",
        Run::OfKind { .. } => "is a program of a kind, of whose jobs nothing is known",
        Run::Profile(_) | Run::Unknown => "is a program of whose jobs nothing is known",
        _ => return,
    };
    let message = format!("`{before}` {why}");
    checker.wrong(Code::NoJobs, std::slice::from_ref(path), message, "name a thread with jobs");
}

/// Chains of jobs that form a cycle.
fn chains(checker: &mut Checker<'_>) {
    let threads = &checker.scenario.threads;
    let before: Vec<Vec<usize>> = threads
        .iter()
        .map(|thread| match &thread.run {
            Run::Jobs(Jobs { activation: Activation::After(name), .. }) => {
                let at = threads.iter().position(|other| names::means(name, other));
                at.into_iter().collect()
            }
            _ => Vec::new(),
        })
        .collect();
    for circle in find_circles(&before) {
        let names: Vec<&str> = circle.iter().map(|at| threads[*at].name.as_str()).collect();
        let first = names.first().copied().unwrap_or_default();
        let message = format!("`{first}` waits for itself: {} -> {first}", names.join(" -> "));
        let path = Path::of(&["threads", first, "after", "thread"]);
        checker.wrong(
            Code::JobCycle,
            &[path],
            message,
            "one of them must be `periodic` or `sporadic`",
        );
    }
}
