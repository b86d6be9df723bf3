//! Programs of steps: locks in pairs, waits that some thread ends, loops in which time passes.

use super::{Checker, names, own, stations};
use crate::build::roots;
use crate::diagnostic::Code;
use crate::file::StepFile;
use crate::model::{Phase, Run, Step, Thread};
use crate::parameters::ParameterWriter;
use crate::source::Path;
use std::collections::{BTreeMap, BTreeSet};
use windfall_programs::{Interaction, Sharing};

/// The most nodes that processes may be on.
pub(crate) const MOST_NODES: usize = 256;

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

/// The names that the steps of all threads use.
#[derive(Default)]
struct Uses<'a> {
    names: BTreeMap<&'a str, Use>,
    suspended: Vec<(&'a Thread, Path)>,
    resumed: Vec<&'a str>,
}

pub(super) fn check(checker: &mut Checker<'_>, writer: &ParameterWriter<'_>) {
    let mut uses = Uses::default();
    for thread in &checker.scenario.threads {
        let Run::Phases { loops, phases } = &thread.run else {
            continue;
        };
        let path = Path::of(&["threads", &thread.name]);
        let steps = flat(phases, &path);
        let paths = [path.key("steps"), path.key("phases")];
        if phases.iter().any(|phase| phase.steps.is_empty()) {
            if !paths.iter().any(|path| checker.is_reported(path)) {
                checker.wrong(
                    Code::EmptyPhase,
                    &paths,
                    "a phase without steps",
                    "write at least one step",
                );
            }
            continue;
        }
        if *loops != Some(0) && !steps.iter().any(|(step, _)| step.effect().takes_time()) {
            let help = "add a `run` or `sleep` step with a time above zero";
            checker.wrong(Code::TimelessLoop, &paths, "a loop in which no time passes", help);
        }
        uses.gather(checker, thread, &steps);
        locks(checker, &steps);
        own::check(checker, thread, &steps, writer);
    }
    uses.check(checker);
    nodes(checker);
}

/// Programs of a kind on a machine of more nodes than a handle can name.
fn nodes(checker: &mut Checker<'_>) {
    let scenario = checker.scenario;
    let of_kind = scenario.threads.iter().find(|one| matches!(one.run, Run::OfKind { .. }));
    let Some(thread) = of_kind else { return };
    let nodes = roots(scenario).count();
    if nodes > MOST_NODES {
        let message = format!("{nodes} schedulers at the top are too many nodes for processes");
        let help = format!("put them below {MOST_NODES} schedulers at most");
        let path = Path::of(&["threads", &thread.name, "program"]);
        checker.wrong(Code::TooMany, &[path], message, &help);
    }
}

impl<'a> Uses<'a> {
    /// Adds a thread's steps; a name of two kinds is refused at its second use.
    fn gather(
        &mut self,
        checker: &mut Checker<'_>,
        thread: &'a Thread,
        steps: &[(&'a Step, Path)],
    ) {
        let number = u64::from(thread.count.unwrap_or(1));
        let mut mine: BTreeSet<&str> = BTreeSet::new();
        for (step, path) in steps {
            stations::step(checker, step, path);
            if let Some((code, key, message, help)) = StepFile::mistake(step) {
                checker.wrong(code, &[path.key(key)], message, help);
            }
            for (name, sort) in step.shared() {
                let entry = self.names.entry(name).or_default();
                if mine.insert(name) {
                    entry.users += number;
                }
                match &entry.sort {
                    None => entry.sort = Some((sort, path.clone())),
                    Some((other, _)) if *other != sort => {
                        let message = format!("`{name}` is a {} elsewhere", word(*other));
                        let help = format!("give the {} another name", word(sort));
                        checker.wrong(Code::MixedUse, std::slice::from_ref(path), message, &help);
                    }
                    Some(_) => {}
                }
            }
            match step.interaction() {
                Interaction::AwaitsSignal { condition, .. } => {
                    self.names.entry(condition).or_default().waited = Some(path.clone());
                }
                Interaction::Signals(condition) => {
                    self.names.entry(condition).or_default().signalled = true;
                }
                Interaction::AwaitsResume => self.suspended.push((thread, path.clone())),
                Interaction::Resumes(other) => {
                    checker.thread_exists(other, &path.key("resume"));
                    self.resumed.push(other);
                }
                _ => {}
            }
        }
    }

    /// Whether some thread ends each wait.
    fn check(self, checker: &mut Checker<'_>) {
        for (thread, path) in self.suspended {
            if !self.resumed.iter().any(|name| names::means(name, thread)) {
                let message = format!("no thread resumes `{}`", thread.name);
                let help =
                    format!("add a step `{{ resume = \"{}\" }}` to another thread", thread.name);
                checker.wrong(Code::NeverResumed, &[path], message, &help);
            }
        }
        for (name, entry) in self.names {
            if let Some((Sharing::Barrier, path)) = &entry.sort
                && entry.users < 2
            {
                let message = format!("one thread alone uses the barrier `{name}`");
                let help = "let another thread use it, or leave it out";
                checker.wrong(Code::LoneBarrier, std::slice::from_ref(path), message, help);
            }
            if let Some(path) = entry.waited
                && !entry.signalled
            {
                let help = format!("add a step `{{ signal = \"{name}\" }}` to another thread");
                checker.wrong(
                    Code::NeverSignalled,
                    &[path],
                    format!("no thread signals `{name}`"),
                    &help,
                );
            }
        }
    }
}

/// All steps and their positions.
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

fn word(sort: Sharing) -> &'static str {
    match sort {
        Sharing::Lock => "lock",
        Sharing::Condition => "condition",
        Sharing::Barrier => "barrier",
    }
}

/// Locks that a thread releases, or waits with, and never takes; or takes and keeps.
fn locks(checker: &mut Checker<'_>, steps: &[(&Step, Path)]) {
    let does = |interaction| steps.iter().any(|(step, _)| step.interaction() == interaction);
    for (step, path) in steps {
        let (lock, verb) = match step.interaction() {
            Interaction::Releases(lock) => (lock, "unlocks"),
            Interaction::AwaitsSignal { lock, .. } => (lock, "waits with"),
            Interaction::Takes(lock) if !does(Interaction::Releases(lock)) => {
                let help = format!("add a step `{{ unlock = \"{lock}\" }}`");
                checker.wrong(
                    Code::NeverUnlocked,
                    std::slice::from_ref(path),
                    format!("`{lock}` is never given back"),
                    &help,
                );
                continue;
            }
            _ => continue,
        };
        if !does(Interaction::Takes(lock)) {
            let message = format!("{verb} `{lock}`, which this thread never locks");
            let help = format!("add a step `{{ lock = \"{lock}\" }}` before it");
            checker.wrong(Code::NeverLocked, std::slice::from_ref(path), message, &help);
        }
    }
}
