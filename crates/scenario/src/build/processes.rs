//! The nodes of a scenario's processes: each tree of the hierarchy is a node (decision 0011).

use super::threads::parent_of;
use super::trees::Nodes;
use crate::check::MOST_NODES;
use crate::model::{Parent, Run, Scenario, Thread};
use crate::plan::{Home, PlannedProcesses};
use windfall_programs::Node;

/// The scheduler at the top of the tree that a scheduler is in; through a join, of its first parent's.
fn root<'a>(scenario: &'a Scenario, mut name: &'a str) -> &'a str {
    for _ in 0..scenario.schedulers.len() {
        let scheduler = scenario.scheduler_named(name);
        match scheduler.and_then(|scheduler| scheduler.owns.first()).map(|own| &own.parent) {
            Some(Parent::Scheduler(above)) => name = above,
            Some(Parent::Top | Parent::Nowhere) | None => break,
        }
    }
    name
}

/// The schedulers at the top, in the order of the file.
pub(crate) fn roots(scenario: &Scenario) -> impl Iterator<Item = &str> {
    let names = scenario.schedulers.iter().map(|scheduler| scheduler.name.as_str());
    names.filter(|name| root(scenario, name) == *name)
}

/// The node of a thread's processes.
pub(super) fn node(scenario: &Scenario, thread: &Thread) -> Node {
    let parent = parent_of(scenario, thread).unwrap_or_default();
    let root = root(scenario, parent);
    let number = roots(scenario).position(|other| other == root).unwrap_or(0);
    Node(u8::try_from(number).unwrap_or(0)) // the checks have counted them
}

/// The scheduler below which later processes of the tree below `top` begin.
fn home<'a>(scenario: &'a Scenario, top: &'a str) -> &'a str {
    let default = scenario.default_scheduler();
    default.filter(|name| root(scenario, name) == top).unwrap_or(top)
}

impl Scenario {
    /// The scheduler below which the processes begin that a thread makes.
    pub(crate) fn home_of<'a>(&'a self, thread: &'a Thread) -> Option<&'a str> {
        parent_of(self, thread).map(|parent| home(self, root(self, parent)))
    }
}

/// The schedulers below which later processes begin: on its node the default scheduler of all; on other nodes the top one.
pub(super) fn homes(scenario: &Scenario, nodes: &Nodes<'_>) -> PlannedProcesses {
    let mut processes = PlannedProcesses::default();
    let is_one = |thread: &Thread| matches!(thread.run, Run::OfKind { .. });
    let roots: Vec<&str> = roots(scenario).take(MOST_NODES).collect();
    if !scenario.threads.iter().any(is_one) || roots.len() < 2 {
        return processes;
    }
    for top in roots {
        let name = home(scenario, top);
        let home = nodes.iter().find(|(other, _)| *other == name);
        processes.nodes.extend(home.map(|(_, id)| Home::new(*id, |_| Vec::new())));
    }
    processes
}
