//! Brings a program under supervision: a command is let go, a running program is found.

use crate::supervise::linux::Linux;
use crate::supervise::supervisor::Supervisor;
use crate::supervise::work::WorkItem;
use crate::threads::child::Child;
use crate::threads::processes::found;
use std::ffi::OsString;
use std::path::Path;
use windfall_host::Host;
use windfall_os::LinuxError;
use windfall_os::error::NOT_EXECUTABLE;
use windfall_scenario::model::ExternalProgram;
use windfall_scenario::{Plan, PlannedProgram};
use windfall_time::Instant;

/// How the processes of a program are found.
pub(crate) enum Whereabouts {
    /// It is this process, which we have forked for it.
    Child(i32),
    /// It runs already; the scenario says where.
    There(ExternalProgram),
}

impl Whereabouts {
    /// Its processes at this moment.
    pub(crate) fn processes(&self) -> Vec<i32> {
        match self {
            Whereabouts::Child(pid) => vec![*pid],
            Whereabouts::There(program) => found(program),
        }
    }
}

/// Begins a program whose start time has come.
pub(crate) fn begin_entry(linux: &mut Linux, entry: usize) {
    let program = linux.external.programs.by_entry.get(&entry);
    if program.is_some_and(|program| !matches!(program.what, ExternalProgram::Of(_))) {
        linux.external.programs.beginning += 1;
        linux.send(WorkItem::Begin(entry));
    }
}

pub(crate) fn whereabouts(linux: &Linux, entry: usize) -> Whereabouts {
    match linux.external.programs.children.get(&entry) {
        Some(child) => Whereabouts::Child(child.pid()),
        None => Whereabouts::There(linux.external.programs.by_entry[&entry].what.clone()),
    }
}

/// Notes that `threads` threads of a program were looked at, and lets a command go.
pub(crate) fn has_begun(supervisor: &mut Supervisor, entry: usize, threads: usize) {
    supervisor.host.machine.external.programs.beginning -= 1;
    if threads == 0 {
        let name = &supervisor.host.threads.list[entry].outcome.name;
        not_started(supervisor, entry, format!("`{name}` has no running process"));
    }
    if let Some(child) = supervisor.host.machine.external.programs.children.get_mut(&entry) {
        child.begin();
    }
}

/// Reports commands that could not be started.
pub(crate) fn hear_children(supervisor: &mut Supervisor) {
    let programs = &mut supervisor.host.machine.external.programs;
    let children = programs.children.iter_mut();
    let failed = children.filter_map(|(entry, child)| Some((*entry, child.failure()?)));
    for (entry, error) in failed.collect::<Vec<_>>() {
        let programs = &supervisor.host.machine.external.programs;
        let words = match programs.by_entry.get(&entry).map(|program| &program.what) {
            Some(ExternalProgram::Exec { command, .. }) => command.as_slice(),
            _ => &[],
        };
        let program = words.first().map_or("", String::as_str);
        let name = &supervisor.host.threads.list[entry].outcome.name;
        let what = format!("cannot start `{program}` of `{name}`");
        // A right of ours is not what it lacks, so this is no error of a system call.
        let error = LinuxError::new(what, error.to_string(), NOT_EXECUTABLE);
        not_started(supervisor, entry, error.to_string());
    }
}

fn not_started(supervisor: &mut Supervisor, entry: usize, why: String) {
    let now = supervisor.time();
    let name = supervisor.host.threads.list[entry].outcome.name.clone();
    supervisor.host.log.refused.push((now, why));
    supervisor.host.log.not_started.push(name.clone());
    supervisor.host.log.not_admitted.push(name);
}

/// Whether all programs of the scenario have ended, and nothing else will run.
pub(crate) fn nothing_left(supervisor: &mut Supervisor) -> bool {
    let Host { machine, threads, .. } = &mut supervisor.host;
    let programs = &mut machine.external.programs;
    if threads.planned().any(|thread| !thread.is_entry()) || programs.beginning > 0 {
        return false; // a timer may wake in-process programs
    }
    // The system calls come last: this runs with every decision of the event loop.
    threads.list.iter().all(|thread| thread.id().is_none())
        && !supervisor.host.somebody_starts_later()
        && supervisor.host.machine.external.programs.children.values_mut().all(Child::has_ended)
}

/// Refuses a plan whose programs are to begin at once and do not exist.
pub(crate) fn refuse_absent(plan: &Plan) -> Result<(), LinuxError> {
    let (mut absent, mut running) = (Vec::new(), false);
    for thread in plan.threads.iter().filter(|thread| thread.start == Instant::ZERO) {
        let PlannedProgram::External { external, .. } = &thread.program else { continue };
        let why = match &external.program {
            ExternalProgram::Of(_) => continue,
            ExternalProgram::Exec { command, env } => {
                let program = command.first().map_or("", String::as_str);
                match is_there(program, env.get("PATH").map(String::as_str)) {
                    true => continue,
                    false => format!("there is no program `{program}`"),
                }
            }
            there if !found(there).is_empty() => continue,
            ExternalProgram::Pid(pid) => format!("there is no process {pid}"),
            ExternalProgram::Cgroup(path) => format!("no process is in control group `{path}`"),
            ExternalProgram::Unit(unit) => format!("no process is of unit `{unit}`"),
        };
        running |= !matches!(external.program, ExternalProgram::Exec { .. });
        absent.push(format!("`{}`: {why}", thread.name));
    }
    if absent.is_empty() {
        return Ok(());
    }
    let help = match running {
        true => "start it first, or set `start` to a time when it exists",
        false => "install it, or name it with its folder",
    };
    Err(LinuxError::unavailable("cannot find every program", absent.join(", "), help))
}

/// Whether a command's first word names a file, searched for as `execvp` does.
fn is_there(program: &str, path: Option<&str>) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = path.map(OsString::from).or_else(|| std::env::var_os("PATH"));
    let folders = path.unwrap_or_else(|| OsString::from("/bin:/usr/bin"));
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}
