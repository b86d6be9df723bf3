//! Early limits: the number of schedulers and threads, and the depth of the tree. A file that exceeds one is refused
//! before any work that takes longer with more of them.

use super::Checker;
use super::schedulers::parent_paths;
use crate::diagnostic::{Code, ScenarioError};
use crate::model::{Parent, Scenario};
use crate::source::Path;
use crate::tree::Node;
use std::collections::BTreeMap;
use windfall_hierarchy::LEVELS;

/// How many threads a scenario may have; more would be a typing error.
const MOST_THREADS: usize = 100_000;
/// How many schedulers a scenario may have.
const MOST_SCHEDULERS: usize = 10_000;

/// Refuses a file with too many entries before one of them is read.
pub(crate) fn entries(root: &Node<'_>) -> Option<ScenarioError> {
    [("schedulers", MOST_SCHEDULERS), ("threads", MOST_THREADS)].iter().find_map(|(part, most)| {
        let table = root.get_ref().get(*part)?.get_ref().as_table()?;
        let mut places: Vec<_> = table.keys().map(toml::Spanned::span).collect();
        if places.len() <= *most {
            return None;
        }
        places.sort_unstable_by_key(|place| place.start);
        let message = format!("{} {part} are too many", places.len());
        let place = places.get(*most).cloned();
        Some(
            ScenarioError::new(Code::TooMany, message, place).help(format!("write at most {most}")),
        )
    })
}

/// Whether all limits are kept.
pub(super) fn check(checker: &mut Checker<'_>) -> bool {
    let before = checker.mistakes.len();
    let scenario = checker.scenario;
    let total: u64 = scenario.threads.iter().map(|t| u64::from(t.count.unwrap_or(1))).sum();
    if total > MOST_THREADS as u64 {
        let largest = scenario.threads.iter().max_by_key(|thread| thread.count);
        let path = largest.map(|thread| Path::of(&["threads", &thread.name, "count"]));
        let paths: Vec<Path> = path.into_iter().collect();
        let help = format!("write at most {MOST_THREADS} in all");
        checker.wrong(Code::TooMany, &paths, format!("{total} threads are too many"), &help);
    }
    if let Some(first) = scenario.schedulers.get(MOST_SCHEDULERS) {
        let message = format!("{} schedulers are too many", scenario.schedulers.len());
        let help = format!("write at most {MOST_SCHEDULERS}");
        checker.wrong_key(Code::TooMany, &Path::of(&["schedulers", &first.name]), message, &help);
    }
    if let Some((deepest, levels)) = too_deep(scenario) {
        let name = &scenario.schedulers[deepest].name;
        let message = format!("`{name}` stands on level {levels} of the tree");
        let help = format!("a tree may have at most {LEVELS} levels; put it higher up");
        checker.wrong(
            Code::TreeTooDeep,
            &parent_paths(&Path::of(&["schedulers", name]), 0),
            message,
            &help,
        );
    }
    checker.mistakes.len() == before
}

/// The first scheduler, from the top, that is deeper than allowed, and its level. A scheduler below itself has no level.
fn too_deep(scenario: &Scenario) -> Option<(usize, usize)> {
    let schedulers = &scenario.schedulers;
    let numbers: BTreeMap<&str, usize> =
        schedulers.iter().enumerate().map(|(at, one)| (one.name.as_str(), at)).collect();
    let mut below = vec![Vec::new(); schedulers.len()];
    let mut waits = vec![0_usize; schedulers.len()]; // for how many of its parents' levels
    for (at, one) in schedulers.iter().enumerate() {
        for own in &one.owns {
            if let Parent::Scheduler(parent) = &own.parent
                && let Some(above) = numbers.get(parent.as_str())
            {
                below[*above].push(at);
                waits[at] += 1;
            }
        }
    }
    let mut levels = vec![1_usize; schedulers.len()];
    let mut ready: Vec<usize> = (0..schedulers.len()).filter(|at| waits[*at] == 0).collect();
    while let Some(at) = ready.pop() {
        if levels[at] > LEVELS {
            return Some((at, levels[at]));
        }
        for child in &below[at] {
            levels[*child] = levels[*child].max(levels[at] + 1);
            waits[*child] -= 1;
            if waits[*child] == 0 {
                ready.push(*child);
            }
        }
    }
    None
}
