//! How a task or a phase is scheduled.

use super::keys::{Findings, Keys, nearest};
use super::{Policy, Scheduling, limits};

/// The keys; the last three are the older names of `dl-period`, `dl-deadline` and `dl-runtime`.
pub(super) const KEYS: [&str; 13] = [
    "policy",
    "priority",
    "dl-runtime",
    "dl-period",
    "dl-deadline",
    "cpus",
    "util_min",
    "util_max",
    "nodes_membind",
    "taskgroup",
    "period",
    "deadline",
    "runtime",
];
const POLICIES: [(&str, Policy); 6] = [
    ("SCHED_OTHER", Policy::Other),
    ("SCHED_BATCH", Policy::Batch),
    ("SCHED_IDLE", Policy::Idle),
    ("SCHED_RR", Policy::RoundRobin),
    ("SCHED_FIFO", Policy::Fifo),
    ("SCHED_DEADLINE", Policy::Deadline),
];

/// `phased`: whether the object is a task with phases, so that its `runtime` can be no event.
pub(super) fn scheduling(keys: &mut Keys<'_>, phased: bool, f: &mut Findings) -> Scheduling {
    let policy = policy("policy", keys, f);
    let deadline = policy == Some(Policy::Deadline);
    // `runtime` beside a bare `period` or `deadline` is what older files call `dl-runtime`.
    let older = phased || deadline && (keys.has("period") || keys.has("deadline"));
    let older = older && !keys.has("dl-runtime");
    if older && keys.has("runtime") && !phased {
        let text = "`runtime` is read as the older name of `dl-runtime`, not as an event";
        f.warn(keys.place(), text);
    }
    let lines = lines(keys, older);
    let mut either = |key: &str, name: &str, allowed: bool, f: &mut Findings| {
        let older = if allowed { keys.span(name, f) } else { None };
        keys.span(key, f).or(older)
    };
    let dl_runtime = either("dl-runtime", "runtime", older, f);
    let dl_period = either("dl-period", "period", true, f);
    let dl_deadline = either("dl-deadline", "deadline", true, f);
    Scheduling {
        policy,
        dl_runtime,
        dl_period,
        dl_deadline,
        priority: keys.small("priority", "-2147483648 to 2147483647", f),
        cpus: keys.integers("cpus", limits::MOST_PROCESSORS, f),
        util_min: utilisation("util_min", keys, f),
        util_max: utilisation("util_max", keys, f),
        nodes_membind: keys.integers("nodes_membind", limits::MOST_PROCESSORS, f),
        taskgroup: keys.text("taskgroup", f),
        lines,
    }
}

/// The places of the scheduling keys, the older ones under their present names.
fn lines(keys: &Keys<'_>, older: bool) -> Vec<(&'static str, u32)> {
    let today = |key: &'static str| match key {
        "runtime" if older => Some("dl-runtime"),
        "runtime" => None,
        "period" => Some("dl-period"),
        "deadline" => Some("dl-deadline"),
        _ => Some(key),
    };
    KEYS.into_iter().filter_map(|key| Some((today(key)?, keys.line(key)?))).collect()
}

fn utilisation(key: &str, keys: &mut Keys<'_>, f: &mut Findings) -> Option<u16> {
    let (value, place) = keys.integer(key, f)?;
    let clamp = u16::try_from(value).ok().filter(|value| *value <= 1024);
    if clamp.is_none() && value != -1 {
        let text = format!("`{key}` is {value}; allowed: 0 to 1024, or -1 for no change");
        f.refuse(place, text);
    }
    clamp
}

pub(super) fn policy(key: &str, keys: &mut Keys<'_>, f: &mut Findings) -> Option<Policy> {
    let name = keys.text(key, f)?;
    let found = POLICIES.iter().find(|(known, _)| *known == name).map(|(_, policy)| *policy);
    if found.is_none() {
        let known: Vec<&str> = POLICIES.iter().map(|(known, _)| *known).collect();
        let remedy = match nearest(&name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("allowed: {}", known.join(", ")),
        };
        f.refuse(keys.place(), format!("unknown policy `{name}`; {remedy}"));
    }
    found
}
