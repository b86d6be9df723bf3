//! Whether the promises of a scenario compose: the tree as text, everything as JSON.

use crate::plural::count;
use crate::rows::{FEW, alike};
use crate::terminal::{table, threads};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use windfall_scenario::explain::Explanation;
use windfall_scenario::outcome::Promise;
use windfall_scenario::{Assessment, Deadline, Promises, Scenario};
use windfall_time::{Instant, Span};

/// How many refusals are explained at once, fewer where an answer takes many children; `--why`
/// explains any.
const EXPLAINED: usize = 10;

/// Why schedulers or threads have what they have.
#[must_use]
pub fn explained(explanations: &[Explanation]) -> String {
    explanations.iter().map(|why| format!("{why:#}")).collect::<Vec<_>>().join("\n")
}

/// The same for programs.
#[must_use]
pub fn explained_json(explanations: &[Explanation]) -> Value {
    json!({ "explanations": explanations })
}

/// How many refusals are explained at once.
fn at_once(promises: &Promises) -> usize {
    let widest = promises.tree.nodes.iter().map(|node| node.children.len()).max().unwrap_or(0);
    (10_000 / widest.max(1)).clamp(1, EXPLAINED)
}

/// Promises that requests of the scenario itself break, one line each.
#[must_use]
pub fn broken(scenario: &Scenario) -> Vec<String> {
    let broken = scenario.broken_by_requests().into_iter();
    let line = |(at, promise): (Instant, Promise)| {
        let Promise { guarantee, owner, .. } = promise;
        format!("BROKEN at {at}: a request takes {guarantee} from {owner}, to whom it is granted")
    };
    broken.map(line).collect()
}

/// The tree with what each has asked for and whether it is granted; then the refusals.
#[must_use]
pub fn text(scenario: &Scenario, found: &Assessment, width: Option<usize>) -> String {
    let Assessment { promises, deadlines, overloads, underserved, .. } = found;
    let mut text = tree(promises, deadlines, width);
    let explained = at_once(promises);
    for vp in promises.refused().take(explained) {
        text.push('\n');
        text.push_str(&promises.explain(vp).to_string());
    }
    let asked = promises.tree.vps.iter().filter(|vp| vp.requested.is_some()).count();
    let refused = promises.refused().count();
    if refused > explained {
        text.push_str(&format!(
            "\n{} more are refused; `--why NAME` explains each\n",
            refused - explained
        ));
    }
    text.push_str(&format!(
        "\n{} and {}{} on {}: {}\n",
        count(promises.tree.nodes.len(), "scheduler"),
        count(promises.tree.vps.iter().filter(|vp| vp.child.is_none()).count(), "thread"),
        match scenario.replicas() {
            0 => String::new(),
            replicas => format!(" with {}", count(replicas, "replica")),
        },
        count(scenario.machine.speeds.len(), "processor"),
        match (asked, refused) {
            (0, _) => "no guarantee is asked for".to_owned(),
            (_, 0) => format!("{} granted", count(asked, "promise")),
            _ => format!("{} of {} refused", refused, count(asked, "promise")),
        },
    ));
    text.push_str(&of_deadlines(found));
    for overload in overloads {
        text.push_str(&format!("OVERLOAD: {overload}\n"));
    }
    for short in underserved {
        text.push_str(&format!("OVERLOAD: {short}\n"));
    }
    for line in promises.never_served() {
        text.push_str(&format!("{line}\n"));
    }
    for thread in scenario.waits_for_ever() {
        text.push_str(&format!("{thread}\n"));
    }
    for line in broken(scenario) {
        text.push_str(&format!("{line}\n"));
    }
    if let (Some(until), true) = (promises.until, asked > 0 || !deadlines.is_empty()) {
        text.push_str(&format!("holds until {until}, when a request changes the tree\n"));
    }
    if let (Some(first), true) = (promises.requesters.first(), asked > 0 || !deadlines.is_empty()) {
        let others = match promises.requesters.len() - 1 {
            0 => String::new(),
            1 => ", or one other,".to_owned(),
            others => format!(", or one of {others} others,"),
        };
        text.push_str(&format!("holds until {first}{others} requests something for itself\n"));
    }
    text
}

/// How many threads with deadlines may be late, and of how many neither is shown.
fn of_deadlines(assessment: &Assessment) -> String {
    let Assessment { promises, deadlines, underserved, .. } = assessment;
    let mut text = String::new();
    let of = count(deadlines.len(), "thread");
    let late = deadlines.iter().filter(|deadline| deadline.is_late()).count();
    if late > 0 {
        text.push_str(&format!("{late} of {of} with deadlines may be late\n"));
    }
    // Of a thread that never receives what it needs there is a line of its own.
    let served = |deadline: &&Deadline| {
        !underserved.iter().any(|one| one.thread == promises.tree.vps[deadline.vp].name)
    };
    let open = deadlines.iter().filter(served).filter(|deadline| deadline.is_open()).count();
    if open > 0 {
        text.push_str(&format!("no bound within the deadline: {open} of {of} with deadlines\n"));
    }
    text
}

fn tree(promises: &Promises, deadlines: &[Deadline], width: Option<usize>) -> String {
    let mut rows = Vec::new();
    for (at, vp) in promises.tree.vps.iter().enumerate() {
        // A scheduler stands below its first parent.
        let first = vp.child.is_none_or(|node| promises.tree.nodes[node].own.first() == Some(&at));
        if vp.parent.is_none() && first {
            below(promises, deadlines, at, 0, &mut rows);
        }
    }
    let mut rows = together(rows);
    let mut head = vec!["NAME", "KIND", "GUARANTEE", "VERDICT", "ANSWERS WITHIN"];
    if deadlines.is_empty() {
        head.pop();
        rows.iter_mut().for_each(|row| row.truncate(head.len()));
    }
    let several = promises.tree.nodes.iter().find_map(|node| node.own.get(1));
    let several = several.map_or_else(String::new, |own| {
        format!(
            "{}: a scheduler's second virtual processor, on another processor or below another parent\n",
            promises.tree.vps[*own].name
        )
    });
    table(&head, head.len(), rows, width) + &several
}

/// Many threads of a scheduler whose names differ by their number alone, and which have the same findings, in one row.
fn together(rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let is_thread = |row: &Vec<String>| row[1] == THREAD;
    let key = |row: &Vec<String>| (alike(&row[0]).to_owned(), row[2..].to_vec());
    let mut merged = Vec::new();
    for siblings in rows.chunk_by(|one, next| is_thread(one) && is_thread(next)) {
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        siblings.iter().for_each(|row| *counts.entry(key(row)).or_default() += 1);
        let mut known = BTreeSet::new();
        for row in siblings {
            let key = key(row);
            let count = counts[&key];
            if count <= FEW || !is_thread(row) {
                merged.push(row.clone());
            } else if known.insert(key.clone()) {
                let mut row = row.clone();
                row[0] = threads(&key.0, count);
                merged.push(row);
            }
        }
    }
    merged
}

/// The kind of a thread's row.
const THREAD: &str = "thread";

fn below(
    promises: &Promises,
    deadlines: &[Deadline],
    at: usize,
    depth: usize,
    rows: &mut Vec<Vec<String>>,
) {
    let vp = &promises.tree.vps[at];
    let indent = "  ".repeat(depth);
    let Some(node) = vp.child.map(|node| &promises.tree.nodes[node]) else {
        let [requested, verdict] = verdict(promises, at);
        let deadline = deadlines.binary_search_by_key(&at, |deadline| deadline.vp).ok();
        let answers = deadline.map(|at| answers(&deadlines[at])).unwrap_or_default();
        let name = format!("{indent}{}", vp.name);
        rows.push(vec![name, THREAD.to_owned(), requested, verdict, answers]);
        return;
    };
    for (number, own) in node.own.iter().enumerate() {
        let [requested, verdict] = verdict(promises, *own);
        let (name, kind) = match number {
            0 => (node.name.as_str(), node.kind),
            _ => (promises.tree.vps[*own].name.as_str(), ""),
        };
        rows.push(vec![
            format!("{indent}{name}"),
            kind.to_owned(),
            requested,
            verdict,
            String::new(),
        ]);
    }
    for child in &node.children {
        let first = promises.tree.vps[*child]
            .child
            .is_none_or(|child_node| promises.tree.nodes[child_node].own.first() == Some(child));
        if first {
            below(promises, deadlines, *child, depth + 1, rows);
        }
    }
}

/// The longest time from a job's release to its end, beside its deadline.
fn answers(deadline: &Deadline) -> String {
    match &deadline.bound {
        Ok(bound) if deadline.is_met() => format!("{bound} of {}", deadline.deadline),
        Ok(bound) => {
            let late = if deadline.is_late() { "LATE: " } else { "" };
            let in_step = deadline.in_step.map_or(String::new(), |in_step| {
                format!("; {in_step} if its periods begin with the reservation's")
            });
            format!("{late}{bound}, due in {}{in_step}", deadline.deadline)
        }
        Err(why) => format!("no bound: {why}"),
    }
}

/// The request of a virtual processor and the checker's verdict on it.
fn verdict(promises: &Promises, at: usize) -> [String; 2] {
    let (vp, found) = (&promises.tree.vps[at], &promises.findings.vps[at]);
    let requested = vp.requested.map(|requested| requested.to_string()).unwrap_or_default();
    let has = || {
        let has = promises.findings.counted_on(at);
        let has: Vec<String> = has.iter().map(ToString::to_string).collect();
        if has.is_empty() { "has NULL".to_owned() } else { format!("has {}", has.join(", ")) }
    };
    let parent = vp.parent.map_or("top", |parent| &promises.tree.nodes[parent].name);
    let verdict = match (vp.requested, found.is_refused()) {
        (_, true) => format!("REFUSED by {parent}"),
        (Some(_), false) => "granted".to_owned(),
        (None, false) => has(),
    };
    [requested, verdict]
}

/// Everything about it.
#[must_use]
pub fn json(scenario: &Scenario, found: &Assessment) -> Value {
    let Assessment { promises, deadlines, overloads, underserved, .. } = found;
    let tree = &promises.tree;
    let parent = |vp: &usize| {
        let parent = tree.vps[*vp].parent;
        parent.map(|parent| tree.nodes[parent].name.clone())
    };
    let granted = |vp: usize| {
        let requested = tree.vps[vp].requested.filter(|_| !promises.findings.vps[vp].is_refused());
        requested.map(|requested| requested.to_string())
    };
    let schedulers = tree.nodes.iter().map(|node| {
        let parents: Vec<Option<String>> = node.own.iter().map(parent).collect();
        let promised: Vec<Option<String>> = node.own.iter().map(|own| granted(*own)).collect();
        json!({ "name": node.name, "kind": node.kind, "parents": parents, "promised": promised })
    });
    let threads = (0..tree.vps.len()).filter(|vp| tree.vps[*vp].child.is_none()).map(|vp| {
        json!({
            "name": tree.vps[vp].name, "parent": parent(&vp), "promised": granted(vp),
        })
    });
    let deadlines = deadlines.iter().map(|deadline| {
        json!({
            "thread": tree.vps[deadline.vp].name,
            "deadline_ns": deadline.deadline.as_nanos(),
            "met": deadline.is_met(),
            "in_step_bound_ns": deadline.in_step.map(Span::as_nanos),
            "bound_ns": deadline.bound.as_ref().ok().map(|bound| bound.as_nanos()),
            "why_not": deadline.bound.as_ref().err().map(|why| why.to_string()),
        })
    });
    let broken = scenario.broken_by_requests().into_iter().map(|(at, promise)| {
        let guarantee = promise.guarantee.to_string();
        json!({ "at_ns": at.as_nanos(), "owner": promise.owner, "guarantee": guarantee })
    });
    let explained = (0..tree.vps.len()).filter(|vp| tree.vps[*vp].requested.is_some());
    json!({
        "processors": scenario.machine.speeds.len(),
        "length_ns": scenario.length.as_nanos(),
        "composes": promises.refused().next().is_none(),
        "in_time": found.is_in_time(),
        "overloads": overloads.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "underserved": underserved.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "never_served": promises.never_served(),
        "waits_for_ever": scenario.waits_for_ever().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "warnings": scenario.warnings().map(|warnings| warnings.list().to_vec()).unwrap_or_default(),
        "broken_by_requests": broken.collect::<Vec<_>>(),
        "holds_until_ns": promises.until.map(Instant::as_nanos),
        "holds_until_requests_of": promises.requesters,
        "schedulers": schedulers.collect::<Vec<_>>(),
        "threads": threads.collect::<Vec<_>>(),
        "deadlines": deadlines.collect::<Vec<_>>(),
        "promises": explained.map(|vp| promises.explain(vp)).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_nine_threads_with_the_same_findings_have_a_row_together() {
        let row = |name: &str, kind: &str, verdict: &str| {
            [name, kind, "", verdict, ""].map(str::to_owned).to_vec()
        };
        for (many, rows) in [(8, 10), (9, 3)] {
            let mut all = vec![row("ts", "edf", "has ALL")];
            all.extend((1..=many).map(|n| row(&format!("  w-{n}"), THREAD, "has NULL")));
            all.insert(3, row("  w-77", THREAD, "granted"));
            let merged = together(all);
            assert_eq!(merged.len(), rows, "{merged:?}");
            assert_eq!(merged[1][0], if many == 9 { "  w (9 threads)" } else { "  w-1" });
            assert!(merged.contains(&row("  w-77", THREAD, "granted")), "other findings");
        }
    }
}
