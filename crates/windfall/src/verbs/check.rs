//! `windfall check FILE`

use crate::cli::CheckArgs;
use crate::output::{errors_are_read, print, table};
use crate::{Answer, Trouble};
use std::path::Path;
use windfall_hierarchy::{Hierarchy, NodeId, Target};
use windfall_scenario::{Diagnostics, Plan, Scenario, TraceFiles};

pub(crate) fn run(args: &CheckArgs) -> Result<Answer, Trouble> {
    let scenario = load(&args.file, args.json)?;
    let plan = plan(&scenario, &args.file, args.json)?;
    let text = if args.json { json(&scenario, &plan) } else { tree(&scenario, &plan) };
    print(&text)?;
    Ok(Answer::Yes)
}

/// Reads a scenario.
pub(crate) fn load(path: &Path, json: bool) -> Result<Scenario, Trouble> {
    Scenario::load(path).map_err(|mistakes| told(&mistakes, json))
}

/// Builds a scenario; recordings are looked for in its folder.
pub(crate) fn plan(scenario: &Scenario, path: &Path, json: bool) -> Result<Plan, Trouble> {
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let mut recordings = TraceFiles::new(folder);
    scenario.build_with(&mut recordings).map_err(|mistakes| told(&mistakes, json))
}

/// Mistakes as people, or programs, read them.
pub(crate) fn told(mistakes: &Diagnostics, json: bool) -> Trouble {
    if json {
        return Trouble(mistakes.to_json());
    }
    let count = mistakes.list().len();
    let plural = if count == 1 { "" } else { "s" };
    Trouble(format!("{}{count} mistake{plural}", mistakes.render(errors_are_read())))
}

/// The tree with what each child has asked for.
fn tree(scenario: &Scenario, plan: &Plan) -> String {
    let mut rows = Vec::new();
    for (_, node) in &plan.nodes {
        let roots = plan
            .hierarchy
            .node(*node)
            .is_some_and(|view| view.owns.first().is_some_and(|(parent, _)| parent.is_none()));
        if roots {
            below(scenario, plan, *node, 0, &mut rows);
        }
    }
    let mut text = table(&["NAME", "KIND", "ASKS FOR"], 3, rows);
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    text.push_str(&format!(
        "\n{} and {} on {}: the hierarchy is whole, every scheduler admits its children\n",
        count(plan.nodes.len(), "scheduler"),
        count(plan.threads.len(), "thread"),
        count(usize::from(plan.hierarchy.processors()), "processor"),
    ));
    text
}

fn below(
    scenario: &Scenario,
    plan: &Plan,
    node: NodeId,
    depth: usize,
    rows: &mut Vec<Vec<String>>,
) {
    let Some(view) = plan.hierarchy.node(node) else { return };
    let indent = "  ".repeat(depth);
    let asked = scenario.schedulers.iter().find(|scheduler| scheduler.name == view.name);
    let asks: Vec<String> = asked
        .iter()
        .flat_map(|scheduler| &scheduler.owns)
        .filter_map(|own| own.asks.guarantee.map(|guarantee| guarantee.to_string()))
        .collect();
    rows.push(vec![format!("{indent}{}", view.name), view.kind.to_owned(), asks.join(", ")]);
    for thread in plan.threads.iter().filter(|thread| thread.parent == node) {
        let name = format!("{indent}  {}", thread.name);
        rows.push(vec![name, "thread".to_owned(), thread.promised.clone().unwrap_or_default()]);
    }
    let mut seen = Vec::new();
    for child in children(&plan.hierarchy, node) {
        if !seen.contains(&child) {
            seen.push(child);
            below(scenario, plan, child, depth + 1, rows);
        }
    }
}

fn children(hierarchy: &Hierarchy, node: NodeId) -> Vec<NodeId> {
    let children = hierarchy.node(node).map(|view| view.children).unwrap_or_default();
    let nodes = children.into_iter().filter_map(|child| match child {
        Target::Node(node) => Some(node),
        Target::Thread(_) => None,
    });
    nodes.collect()
}

fn json(scenario: &Scenario, plan: &Plan) -> String {
    let nodes = plan.nodes.iter().filter_map(|(name, id)| {
        let view = plan.hierarchy.node(*id)?;
        let parents = view.owns.iter().map(|(parent, _)| {
            let parent = parent.and_then(|parent| plan.hierarchy.node(parent));
            parent.map(|parent| parent.name.to_owned())
        });
        let parents: Vec<Option<String>> = parents.collect();
        Some(serde_json::json!({ "name": name, "kind": view.kind, "parents": parents }))
    });
    let threads = plan.threads.iter().map(|thread| {
        let parent = plan.hierarchy.node(thread.parent).map(|view| view.name.to_owned());
        serde_json::json!({ "name": thread.name, "parent": parent, "promised": thread.promised })
    });
    let value = serde_json::json!({
        "processors": plan.hierarchy.processors(),
        "length_ns": scenario.length.as_nanos(),
        "schedulers": nodes.collect::<Vec<_>>(),
        "threads": threads.collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}
