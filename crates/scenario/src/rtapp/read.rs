//! From members to tasks: `global`, `tasks`, `phases`.

use super::action::{self, EVENTS};
use super::json::{Member, Node, Value};
use super::keys::{Findings, Keys, nearest};
use super::scheduling::{KEYS, policy, scheduling};
use super::{
    Action, Duplicates, EntryError, Global, Phase, Policy, RtApp, RtAppError, Task, limits,
};
use windfall_time::Span;

/// Keys of the oldest files, which define a program that newer files write as phases.
const OLDEST: [(&str, &str); 2] = [
    ("exec", "write `run` and a `timer` with the period"),
    ("lock_order", "write `lock`, `run` and `unlock` in order"),
];

/// Reads a whole file.
pub(super) fn file(
    node: &Node,
    duplicates: Duplicates,
    warnings: Vec<EntryError>,
) -> Result<RtApp, RtAppError> {
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
    limits::check(&app, &mut f);
    if !f.errors.is_empty() {
        return Err(limits::listed(f.errors));
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
        // rt-app waits only for a time above 0.
        global.duration = span.filter(|span| !span.is_zero());
    }
    global.calibration = keys.text("calibration", f);
    global.default_policy = policy("default_policy", &mut keys, f).unwrap_or(Policy::Other);
    global.pi_line = keys.line("pi_enabled").unwrap_or(0);
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
    members.iter().filter_map(|member| task(member, f)).collect()
}

fn task(member: &Member, f: &mut Findings) -> Option<Task> {
    let (name, node, line) = (member.key.as_str(), &member.node, member.place.line);
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
    let instance_line = keys.line("instance").unwrap_or(line);
    let instance = keys.small("instance", "0 and more", f).unwrap_or(1);
    let delay = keys.span("delay", f).unwrap_or(Span::ZERO);
    let phased = keys.has("phases");
    let loops = loops(&mut keys, phased, None, f);
    let scheduling = scheduling(&mut keys, phased, f);
    let phases = if let Some(node) = keys.take("phases") {
        phases(node, name, f)
    } else {
        let phase = Phase { line, loops: Some(1), ..Phase::default() };
        vec![Phase { events: events(&mut keys, f), ..phase }]
    };
    let own = ["instance", "delay", "loop", "phases"];
    close(keys, &own, f);
    let name = name.to_owned();
    Some(Task { name, instance, instance_line, delay, loops, line, scheduling, phases })
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
        let loops = loops(&mut keys, false, Some(1), f);
        let scheduling = scheduling(&mut keys, false, f);
        let events = events(&mut keys, f);
        close(keys, &["loop"], f);
        let line = member.place.line;
        phases.push(Phase { name: member.key.clone(), loops, line, scheduling, events });
    }
    phases
}

fn close(keys: Keys<'_>, own: &[&str], f: &mut Findings) {
    let known: Vec<&str> = own.iter().chain(&KEYS).chain(&EVENTS).copied().collect();
    keys.close(&known, f);
}

/// -1 means for ever. So does 0, which rt-app's count of rounds never meets; but a task with phases is
/// done at once then (`whole`).
fn loops(
    keys: &mut Keys<'_>,
    whole: bool,
    otherwise: Option<u64>,
    f: &mut Findings,
) -> Option<u64> {
    let Some((value, place)) = keys.integer("loop", f) else { return otherwise };
    let loops = u64::try_from(value).ok();
    if loops.is_none() && value != -1 {
        f.refuse(place, format!("`loop` is {value}; allowed: -1 (for ever), 0 and more"));
    }
    if loops == Some(0) && !whole {
        f.warn(place, "`loop` is 0, which rt-app takes for ever, as it does -1");
        return None;
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
            f.errors.push(EntryError { line: event.line, column: 1, text });
        }
    }
}
