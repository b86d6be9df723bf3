//! Schedulers: kinds, parents, cycles, processors at the top.

use super::Checker;
use crate::diagnostic::Code;
use crate::model::{Attachment, Parent, Requirements, Scheduler};
use crate::parameters::ParameterWriter;
use crate::source::Path;
use crate::suggest;

/// How many own virtual processors a scheduler may have.
const MOST_OWNS: usize = 1024;

pub(super) fn check(checker: &mut Checker<'_>, writer: &ParameterWriter<'_>) {
    let scenario = checker.scenario;
    if scenario.schedulers.is_empty() {
        let help =
            "write `[schedulers.NAME]` with `scheduler = \"round-robin\"` and `parent = \"top\"`";
        checker.wrong(Code::NoSchedulers, &[Path::of(&["schedulers"])], "no schedulers", help);
    }
    let (mut roots, count) = (0, scenario.machine.speeds.len());
    for scheduler in &scenario.schedulers {
        let path = Path::of(&["schedulers", &scheduler.name]);
        alone(checker, scheduler, &path, writer, false);
        for (number, own) in scheduler.owns.iter().enumerate() {
            roots += usize::from(own.parent == Parent::Top);
            if own.parent == Parent::Top && roots == count + 1 {
                let message =
                    format!("more virtual processors at the top than processors: {count}");
                let help = "take away one, put this scheduler below another, or add processors";
                checker.wrong(Code::TooManyAtTop, &parent_paths(&path, number), message, help);
            }
        }
    }
    circles(checker);
    if let Some(default) = &scenario.default {
        checker.scheduler_exists(default, false, &[Path::of(&["default"])]);
    }
}

/// Where the parent of an own virtual processor may be written.
pub(crate) fn parent_paths(path: &Path, number: usize) -> Vec<Path> {
    let entry = path.key("parents").item(number);
    vec![path.key("parent"), entry.key("parent"), entry]
}

/// Where the requirements of an own virtual processor may be written.
pub(crate) fn requirement_paths(path: &Path, number: usize, key: &str) -> Vec<Path> {
    let entry = path.key("parents").item(number);
    vec![path.key(key), entry.key(key), path.key("parent"), entry]
}

/// One scheduler by itself.
pub(super) fn alone(
    checker: &mut Checker<'_>,
    scheduler: &Scheduler,
    path: &Path,
    writer: &ParameterWriter<'_>,
    ever: bool,
) {
    let kind = scheduler.kind.as_str();
    let known = checker.scenario.kind_of(scheduler);
    if known.is_none() && !checker.is_reported(path) {
        let help = suggest::hint(kind, checker.scenario.catalogue.kinds().map(|kind| kind.name));
        checker.wrong(
            Code::UnknownKind,
            &[path.key("scheduler")],
            format!("unknown scheduler `{kind}`"),
            &help,
        );
    }
    if scheduler.owns.len() > MOST_OWNS {
        let message = format!("{} virtual processors are too many", scheduler.owns.len());
        checker.wrong(Code::TooMany, &[path.key("processors")], message, "write at most 1024");
        return;
    }
    if known.is_some_and(|kind| scheduler.owns.len() < kind.properties.least_parents) {
        let help = format!("name two or more in `parents`, or leave the {kind} out");
        checker.wrong(
            Code::TooFewParents,
            &parent_paths(path, 0),
            format!("a {kind} with one parent"),
            &help,
        );
    }
    for (number, Attachment { parent, requires }) in scheduler.owns.iter().enumerate() {
        if let Parent::Scheduler(name) = parent
            && !checker.scheduler_exists(name, ever, &parent_paths(path, number))
        {
            continue;
        }
        if parent.name().is_none_or(|name| checker.scenario.has_kind(name)) {
            let own_parent = parent.name();
            let paths = |key: &str| requirement_paths(path, number, key);
            fits(checker, requires, own_parent, writer, paths);
        }
    }
}

/// Whether the parent takes the requirements.
pub(super) fn fits(
    checker: &mut Checker<'_>,
    requires: &Requirements,
    parent: Option<&str>,
    writer: &ParameterWriter<'_>,
    paths: impl Fn(&str) -> Vec<Path>,
) {
    if let Err((code, key, message, help)) = writer.messages(requires, parent) {
        checker.wrong(code, &paths(key), message, &help);
    }
}

/// Schedulers that are below themselves, each cycle once.
fn circles(checker: &mut Checker<'_>) {
    let schedulers = &checker.scenario.schedulers;
    let at = |name: &str| schedulers.iter().position(|scheduler| scheduler.name == name);
    let parents: Vec<Vec<usize>> = schedulers
        .iter()
        .map(|scheduler| {
            let named = scheduler.owns.iter().filter_map(|own| match &own.parent {
                Parent::Scheduler(name) => at(name),
                Parent::Top | Parent::Nowhere => None,
            });
            named.collect()
        })
        .collect();
    for circle in find_circles(&parents) {
        let names: Vec<&str> = circle.iter().map(|at| schedulers[*at].name.as_str()).collect();
        let first = names.first().copied().unwrap_or_default();
        let message = format!("`{first}` lies below itself: {} -> {first}", names.join(" -> "));
        let path = Path::of(&["schedulers", first]);
        checker.wrong(
            Code::SchedulerCycle,
            &parent_paths(&path, 0),
            message,
            "one of them must lie below `top`",
        );
    }
}

/// The cycles of a graph, each once: walks upwards from every node that no walk has visited.
pub(super) fn find_circles(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        OnWalk,
        Done,
    }
    let mut seen = vec![Seen::Not; next.len()];
    let mut circles = Vec::new();
    for start in 0..next.len() {
        if seen[start] != Seen::Not {
            continue;
        }
        seen[start] = Seen::OnWalk;
        let mut walk = vec![(start, 0)];
        while let Some((node, tried)) = walk.last_mut() {
            let Some(above) = next[*node].get(*tried).copied() else {
                seen[*node] = Seen::Done;
                walk.pop();
                continue;
            };
            *tried += 1;
            match seen[above] {
                Seen::Done => {}
                Seen::Not => {
                    seen[above] = Seen::OnWalk;
                    walk.push((above, 0));
                }
                Seen::OnWalk => {
                    let from = walk.iter().position(|(node, _)| *node == above).unwrap_or(0);
                    circles.push(walk[from..].iter().map(|(node, _)| *node).collect());
                }
            }
        }
    }
    circles
}
