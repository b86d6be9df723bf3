//! Where threads of programs start (HLS 8.5.1), as far as a run hears it, and who gets those of which it does not.
//!
//! Listened to only where an entry asks, since each `pthread_create` on the machine then traps into the kernel. A thread of
//! which nobody knows where it starts is told by its name alone if a name is asked for (decision 0007), and the run says so.

use crate::supervise::linux::Linux;
use crate::supervise::supervisor::Supervisor;
use crate::threads::heard::Start;
use crate::threads::processes;
use std::collections::BTreeSet;
use std::path::PathBuf;
use windfall_observe::routines;
use windfall_scenario::model::{self, ExternalProgram};
use windfall_scenario::{Plan, PlannedProgram};

/// The files that threads of a plan's programs are made by, if an entry asks where they start. To find them takes long where
/// programs have many libraries, so do it before anybody watches over a run.
pub(crate) fn makers(plan: &Plan) -> Option<BTreeSet<PathBuf>> {
    let externals = plan.threads.iter().filter_map(|thread| match &thread.program {
        PlannedProgram::External { external, .. } => Some(external),
        PlannedProgram::Declared(_) => None,
    });
    let (mut asked, mut commands, mut pids) = (false, Vec::new(), Vec::new());
    for external in externals {
        asked |= external.threads.routine.is_some();
        match &external.program {
            ExternalProgram::Exec { command, .. } => {
                commands.extend(command.first().map(String::as_str));
            }
            there => pids.push(there),
        }
    }
    asked.then(|| {
        let pids: Vec<i32> = pids.into_iter().flat_map(processes::found).collect();
        routines::makers(&commands, &pids)
    })
}

/// The next thread that a thread makes will start at an address of their process.
pub(crate) fn will_start(linux: &mut Linux, maker: i32, address: u64) {
    if linux.threads.tids.contains_key(&maker) || linux.external.programs.knows(maker) {
        linux.external.programs.starting.insert(maker, address);
    }
}

/// The entry that gets a thread of a program.
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
            tell_unknown(supervisor, program, spec, why);
        }
        if accepted {
            return Some(spec);
        }
    }
    None
}

/// Which threads of its program an entry asks for.
fn wanted(supervisor: &Supervisor, entry: usize) -> Option<&model::ThreadMatch> {
    match &supervisor.host.threads.list[entry].planned().program {
        PlannedProgram::External { external, .. } => Some(&external.threads),
        PlannedProgram::Declared(_) => None,
    }
}

/// Says, if an entry asks where threads start, what it gets of those of which that is not known.
fn tell_unknown(supervisor: &mut Supervisor, program: usize, spec: usize, why: &str) {
    let Some(only) = wanted(supervisor, spec) else { return };
    let Some(routine) = &only.routine else { return };
    let name_of = |entry: usize| &supervisor.host.threads.list[entry].outcome.name;
    let (program, name) = (name_of(program), name_of(spec));
    let why = supervisor.host.machine.external.programs.no_starts.as_deref().unwrap_or(why);
    let what = match &only.comm {
        Some(comm) => format!("`{name}` gets those called `{comm}`, by their name alone"),
        None => format!("`{name}` gets none of them; tell them apart by `comm`, the name"),
    };
    supervisor.say_once(format!(
        "whether threads of `{program}` start at `{routine}` is not known of all ({why}): {what}"
    ));
}
