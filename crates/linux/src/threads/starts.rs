//! Where threads of programs start (HLS 8.5.1), and which entry gets a thread.
//!
//! Start routines are traced only if an entry asks for one, because each `pthread_create` on the machine then traps into the kernel.
//! If a thread's routine is unknown, an entry that also has a name accepts it by its name alone (decision 0007), and the run says so.

use crate::supervise::linux::Linux;
use crate::supervise::supervisor::Supervisor;
use crate::threads::heard::Start;
use crate::threads::processes;
use std::collections::BTreeSet;
use std::path::PathBuf;
use windfall_observe::routines;
use windfall_scenario::model::{self, ExternalProgram};
use windfall_scenario::{Plan, PlannedProgram};

/// The files that make threads of a plan's programs, if an entry asks for a start routine. Finding them takes long for programs with many
/// libraries, so this is done before a guardian expects heartbeats.
pub(crate) fn makers(plan: &Plan) -> Option<BTreeSet<PathBuf>> {
    let externals = plan.threads.iter().filter_map(|thread| match &thread.program {
        PlannedProgram::External { external, .. } => Some(external),
        PlannedProgram::Declared(_) => None,
    });
    let (mut requested, mut commands, mut pids) = (false, Vec::new(), Vec::new());
    for external in externals {
        requested |= external.threads.routine.is_some();
        match &external.program {
            ExternalProgram::Exec { command, .. } => {
                commands.extend(command.first().map(String::as_str));
            }
            there => pids.push(there),
        }
    }
    requested.then(|| {
        let pids: Vec<i32> = pids.into_iter().flat_map(processes::found).collect();
        routines::makers(&commands, &pids)
    })
}

/// Notes that the next thread which `maker` makes will start at this address of their process.
pub(crate) fn will_start(linux: &mut Linux, maker: i32, address: u64) {
    if linux.threads.tids.contains_key(&maker) || linux.external.programs.knows(maker) {
        linux.external.programs.starting.insert(maker, address);
    }
}

/// The first entry that accepts a thread of a program.
pub(crate) fn claimed_by(
    supervisor: &mut Supervisor,
    program: usize,
    comm: &str,
    exe: Option<&str>,
    start: &Start,
) -> Option<usize> {
    let claims = supervisor.host.machine.external.programs.by_entry.get(&program)?.claims.clone();
    for spec in claims {
        let Some(only) = wanted(supervisor, spec) else { continue };
        let accepted = only.accepts(comm, exe, start.known());
        if let (Start::Unknown(why), true) = (start, only.fits_but_for_start(comm, exe)) {
            report_unknown_start(supervisor, program, spec, why);
        }
        if accepted {
            return Some(spec);
        }
    }
    None
}

/// The threads of its program that an entry asks for.
fn wanted(supervisor: &Supervisor, entry: usize) -> Option<&model::ThreadMatch> {
    match &supervisor.host.threads.list[entry].planned().program {
        PlannedProgram::External { external, .. } => Some(&external.threads),
        PlannedProgram::Declared(_) => None,
    }
}

/// Reports what an entry that asks for a start routine does with a thread whose routine is unknown.
fn report_unknown_start(supervisor: &mut Supervisor, program: usize, spec: usize, why: &str) {
    let Some(only) = wanted(supervisor, spec) else { return };
    let Some(routine) = &only.routine else { return };
    let name_of = |entry: usize| &supervisor.host.threads.list[entry].outcome.name;
    let (program, name) = (name_of(program), name_of(spec));
    let why = supervisor.host.machine.external.programs.no_starts.as_deref().unwrap_or(why);
    let what = match &only.comm {
        Some(comm) => format!("`{name}` gets those called `{comm}`, by their name alone"),
        None => format!("`{name}` gets none of them; select them by their name (`comm`)"),
    };
    supervisor.say_once(format!(
        "it is not known of all threads of `{program}` whether they start at `{routine}` ({why}): {what}"
    ));
}
