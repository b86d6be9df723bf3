//! The scheduling of a task from its first phase on. Changes by later phases are left out, and reported.
//!
//! rt-app gives a thread the policy of its task, then before each phase what that phase writes: policy,
//! priority and reservation together, as they stand there; `cpus`, else those of the task; `taskgroup`.

use super::Converter;
use crate::rtapp;
use crate::rtapp::{Policy, Scheduling};

/// The keys that one call to the kernel sets, so that writing one of them replaces all.
const CLASS: [&str; 5] = ["policy", "priority", "dl-runtime", "dl-period", "dl-deadline"];
/// Keys that have no counterpart in a hierarchy, and why.
const NOWHERE: [(&str, &str); 3] = [
    ("util_min", "it chooses frequencies, and processors here have one speed"),
    ("util_max", "it chooses frequencies, and processors here have one speed"),
    ("nodes_membind", "there are no nodes of memory here"),
];

impl Converter {
    /// The scheduling of a task with that of its first phase.
    pub(super) fn settle(&mut self, task: &rtapp::Task, default: Policy) -> Scheduling {
        let mut settled = task.scheduling.clone();
        settled.policy.get_or_insert(default);
        if let Some(first) = task.reached().first() {
            adopt(&mut settled, &first.scheduling);
        }
        for (key, why) in NOWHERE {
            let phases = task.phases.iter().map(|phase| &phase.scheduling);
            for line in phases.chain([&task.scheduling]).filter_map(|place| place.line(key)) {
                self.report_line(task, key, line, true, why.to_owned());
            }
        }
        for phase in task.reached().iter().skip(1) {
            self.later(task, phase, &settled);
        }
        settled
    }

    /// Reports the changes that a phase after the first would make.
    fn later(&mut self, task: &rtapp::Task, phase: &rtapp::Phase, settled: &Scheduling) {
        let own = &phase.scheduling;
        let mut changed = settled.clone();
        adopt(&mut changed, own);
        let key = CLASS.into_iter().find(|key| own.line(key).is_some());
        if let Some(key) = key
            && class(&changed) != class(settled)
        {
            let text = format!("phase `{}` changes how the task is scheduled", phase.name);
            self.report_line(task, key, own.line(key).unwrap_or(phase.line), true, text);
        }
        let cpus = own.cpus.as_ref().or(task.scheduling.cpus.as_ref());
        if set(cpus) != set(settled.cpus.as_ref()) {
            let line = own.line("cpus").unwrap_or(phase.line);
            let (there, here) = (words(cpus), words(settled.cpus.as_ref()));
            let text = format!("phase `{}` is for {there}; here it stays on {here}", phase.name);
            self.report_line(task, "cpus", line, true, text);
        }
        if let Some(group) = &own.taskgroup
            && settled.taskgroup.as_ref() != Some(group)
        {
            let line = own.line("taskgroup").unwrap_or(phase.line);
            let text = format!("phase `{}` moves to `{group}`; here it stays", phase.name);
            self.report_line(task, "taskgroup", line, true, text);
        }
    }
}

/// The values of a phase replace earlier ones.
fn adopt(settled: &mut Scheduling, own: &Scheduling) {
    let mut replaced = Vec::new();
    if CLASS.iter().any(|key| own.line(key).is_some()) {
        settled.policy = own.policy.or(settled.policy);
        settled.priority = own.priority;
        settled.dl_runtime = own.dl_runtime;
        settled.dl_period = own.dl_period;
        settled.dl_deadline = own.dl_deadline;
        replaced.extend(CLASS);
    }
    if own.cpus.is_some() {
        settled.cpus.clone_from(&own.cpus);
        replaced.push("cpus");
    }
    if own.taskgroup.is_some() {
        settled.taskgroup.clone_from(&own.taskgroup);
        replaced.push("taskgroup");
    }
    settled.lines.retain(|(key, _)| !replaced.contains(key));
    settled.lines.extend(own.lines.iter().filter(|(key, _)| replaced.contains(key)));
}

/// The scheduling of a thread except processors and groups, with rt-app's defaults.
fn class(scheduling: &Scheduling) -> impl PartialEq + use<> {
    let policy = scheduling.policy.unwrap_or(Policy::Other);
    let priority = scheduling.priority.unwrap_or(if policy.is_fair() { 0 } else { 10 });
    (policy, priority, scheduling.reservation())
}

fn set(cpus: Option<&Vec<u32>>) -> Option<std::collections::BTreeSet<u32>> {
    cpus.map(|cpus| cpus.iter().copied().collect())
}

/// Processors in words.
fn words(cpus: Option<&Vec<u32>>) -> String {
    match set(cpus) {
        None => "all processors".to_owned(),
        Some(cpus) => {
            let list: Vec<String> = cpus.iter().map(u32::to_string).collect();
            format!("processor {}", list.join(", "))
        }
    }
}
