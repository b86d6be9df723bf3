//! From members to tasks: `global`, `tasks`, `phases`, scheduling.

use super::action::{self, EVENTS};
use super::json::{Node, Value};
use super::keys::{Findings, Keys, nearest};
use super::{Action, Duplicates, Global, Phase, Policy, Problem, Refusal, RtApp, Scheduling, Task};
use windfall_time::Span;

const SCHEDULING: [&str; 13] = [
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
/// Keys of the oldest files, which mean a program that phases say otherwise.
const OLDEST: [(&str, &str); 2] = [
    ("exec", "write `run` and a `timer` with the period"),
    ("lock_order", "write `lock`, `run` and `unlock` in order"),
];

/// Reads a whole file.
pub(super) fn file(
    node: &Node,
    duplicates: Duplicates,
    warnings: Vec<Problem>,
) -> Result<RtApp, Refusal> {
    let mut f = Findings { errors: Vec::new(), warnings, duplicates };
    let mut app = RtApp::default();
    if let Some(mut keys) = f.open(node, "the file") {
        if let Some(node) = keys.take("global") {
            app.global = global(node, &mut f);
        }
        if let Some(node) = keys.take("resources") {
            app.resources = resources(node);
        }
        match keys.take("tasks") {
            Some(node) => app.tasks = tasks(node, &mut f),
            None => f.refuse(keys.place(), "no `tasks`; write \"tasks\": { \"name\": { ... } }"),
        }
        keys.close(&["tasks", "global", "resources"], &mut f);
    }
    forks(&app, &mut f);
    if !f.errors.is_empty() {
        f.errors.sort_by_key(|problem| (problem.line, problem.column));
        return Err(Refusal { problems: f.errors });
    }
    f.warnings.sort_by_key(|problem| (problem.line, problem.column));
    app.warnings = f.warnings;
    Ok(app)
}

fn global(node: &Node, f: &mut Findings) -> Global {
    let mut global = Global::default();
    let Some(mut keys) = f.open(node, "`global`") else { return global };
    if let Some((seconds, place)) = keys.integer("duration", f) {
        let span = u32::try_from(seconds).ok().map(Span::from_secs);
        if span.is_none() && seconds != -1 {
            let text = format!("`duration` is {seconds}; allowed: -1 (for ever) to 4294967295 s");
            f.refuse(place, text);
        }
        global.duration = span;
    }
    global.calibration = keys.text("calibration", f);
    global.default_policy = policy("default_policy", &mut keys, f).unwrap_or(Policy::Other);
    global.pi_enabled = keys.truth("pi_enabled", f).unwrap_or(false);
    global.lock_pages = keys.truth("lock_pages", f).unwrap_or(true);
    global.logdir = keys.text("logdir", f).unwrap_or(global.logdir);
    global.log_basename = keys.text("log_basename", f).unwrap_or(global.log_basename);
    global.log_size = keys.text("log_size", f);
    global.ftrace = keys.text("ftrace", f).unwrap_or(global.ftrace);
    global.gnuplot = keys.truth("gnuplot", f).unwrap_or(false);
    global.io_device = keys.text("io_device", f);
    let size = keys.small("mem_buffer_size", "0 bytes and more", f);
    global.mem_buffer_size = size.unwrap_or(global.mem_buffer_size);
    global.cumulative_slack = keys.truth("cumulative_slack", f).unwrap_or(false);
    let known = [
        "duration",
        "calibration",
        "default_policy",
        "pi_enabled",
        "lock_pages",
        "logdir",
        "log_basename",
        "log_size",
        "ftrace",
        "gnuplot",
        "io_device",
        "mem_buffer_size",
        "cumulative_slack",
    ];
    keys.close(&known, f);
    global
}

/// Older files declare resources as an object or a list of objects; only the names matter.
fn resources(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Object(members) => members.iter().map(|member| member.key.clone()).collect(),
        Value::List(nodes) => nodes.iter().flat_map(resources).collect(),
        _ => Vec::new(),
    }
}

fn tasks(node: &Node, f: &mut Findings) -> Vec<Task> {
    let Some(mut keys) = f.open(node, "`tasks`") else { return Vec::new() };
    let members = keys.take_all(|_| true);
    if members.is_empty() {
        f.refuse(node.place, "`tasks` is empty; write \"name\": { \"run\": 1000 }");
    }
    members.iter().filter_map(|member| task(&member.key, &member.node, f)).collect()
}

fn task(name: &str, node: &Node, f: &mut Findings) -> Option<Task> {
    let mut keys = f.open(node, &format!("task `{name}`"))?;
    for (key, remedy) in OLDEST {
        if let Some(node) = keys.take(key) {
            let text = format!("`{key}` is of rt-app's oldest files and not read; {remedy}");
            f.refuse(node.place, text);
        }
    }
    if let Some(node) = keys.take("resources") {
        let remedy = "write `lock`, `run` and `unlock` in order";
        let text = format!("`resources` in a task is of rt-app's oldest files; {remedy}");
        f.refuse(node.place, text);
    }
    let instance = keys.small("instance", "0 and more", f).unwrap_or(1);
    let delay = keys.span("delay", f).unwrap_or(Span::ZERO);
    let loops = loops(&mut keys, None, f);
    let phased = keys.has("phases");
    let scheduling = scheduling(&mut keys, phased, f);
    let phases = if let Some(node) = keys.take("phases") {
        phases(node, name, f)
    } else {
        let phase = Phase { name: String::new(), loops: Some(1), ..Phase::default() };
        vec![Phase { events: events(&mut keys, f), ..phase }]
    };
    let own = ["instance", "delay", "loop", "phases"];
    close(keys, &own, f);
    Some(Task { name: name.to_owned(), instance, delay, loops, scheduling, phases })
}

fn phases(node: &Node, task: &str, f: &mut Findings) -> Vec<Phase> {
    let Some(mut keys) = f.open(node, &format!("`phases` of task `{task}`")) else {
        return Vec::new();
    };
    let members = keys.take_all(|_| true);
    if members.is_empty() {
        f.refuse(node.place, format!("`phases` of task `{task}` is empty"));
    }
    let mut phases = Vec::new();
    for member in members {
        let what = format!("phase `{}` of task `{task}`", member.key);
        let Some(mut keys) = f.open(&member.node, &what) else { continue };
        let loops = loops(&mut keys, Some(1), f);
        let scheduling = scheduling(&mut keys, false, f);
        let events = events(&mut keys, f);
        close(keys, &["loop"], f);
        phases.push(Phase { name: member.key.clone(), loops, scheduling, events });
    }
    phases
}

fn close(keys: Keys<'_>, own: &[&str], f: &mut Findings) {
    let known: Vec<&str> = own.iter().chain(&SCHEDULING).chain(&EVENTS).copied().collect();
    keys.close(&known, f);
}

/// -1 means for ever.
fn loops(keys: &mut Keys<'_>, otherwise: Option<u64>, f: &mut Findings) -> Option<u64> {
    let Some((value, place)) = keys.integer("loop", f) else { return otherwise };
    let loops = u64::try_from(value).ok();
    if loops.is_none() && value != -1 {
        f.refuse(place, format!("`loop` is {value}; allowed: -1 (for ever), 0 and more"));
    }
    loops
}

fn events(keys: &mut Keys<'_>, f: &mut Findings) -> Vec<super::Event> {
    let members = keys.take_all(|key| action::kind(key).is_some());
    if members.is_empty() {
        let text = format!("{} has no events; write at least \"run\": 1000", keys.what());
        f.refuse(keys.place(), text);
    }
    members.iter().filter_map(|member| action::event(member, f)).collect()
}

/// `phased`: whether the object is a task with phases, so that its `runtime` can be no event.
fn scheduling(keys: &mut Keys<'_>, phased: bool, f: &mut Findings) -> Scheduling {
    let policy = policy("policy", keys, f);
    let deadline = policy == Some(Policy::Deadline);
    // `runtime` beside a bare `period` or `deadline` is what older files call `dl-runtime`.
    let older = phased || deadline && (keys.has("period") || keys.has("deadline"));
    let older = older && !keys.has("dl-runtime");
    if older && keys.has("runtime") && !phased {
        let text = "`runtime` is read as the older name of `dl-runtime`, not as an event";
        f.warn(keys.place(), text);
    }
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
        cpus: keys.integers("cpus", f),
        util_min: utilisation("util_min", keys, f),
        util_max: utilisation("util_max", keys, f),
        nodes_membind: keys.integers("nodes_membind", f),
        taskgroup: keys.text("taskgroup", f),
    }
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

fn policy(key: &str, keys: &mut Keys<'_>, f: &mut Findings) -> Option<Policy> {
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

/// A fork must name a task.
fn forks(app: &RtApp, f: &mut Findings) {
    let names: Vec<&str> = app.tasks.iter().map(|task| task.name.as_str()).collect();
    for event in app.tasks.iter().flat_map(|task| &task.phases).flat_map(|phase| &phase.events) {
        if let Action::Fork(name) = &event.action
            && !names.contains(&name.as_str())
        {
            let hint = nearest(name, &names)
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            let text = format!("`{}` names no task: `{name}`{hint}", event.name);
            f.errors.push(Problem { line: event.line, column: 1, text });
        }
    }
}
