//! Where threads of programs start (HLS 8.5.1), as far as a run hears it, and who gets those of which it does not.
//!
//! Listened to only where an entry asks, since each `pthread_create` on the machine then traps into the kernel. A thread of
//! which nobody knows where it starts is told by its name alone if a name is asked for (decision 0007), and the run says so.

use crate::supervise::linux::Linux;
use crate::supervise::supervisor::Supervisor;
use std::collections::BTreeSet;
use std::path::PathBuf;
use windfall_observe::routines::{self, Routines};
use windfall_scenario::model::{self, ExternalProgram};
use windfall_scenario::{Plan, PlannedProgram};

/// What was heard of where a thread starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// At this address of its process.
    At(u64),
    /// Nothing, for this reason.
    Nothing(&'static str),
}

impl Heard {
    /// Of a thread that was there before anybody listened.
    pub(crate) const BEFORE: Heard = Heard::Nothing("they were there before the run");
    /// Of a thread that was met when events had been lost.
    pub(crate) const LOST: Heard = Heard::Nothing("events were lost");
    /// Of a thread that was made in another way.
    pub(crate) const OTHERWISE: Heard =
        Heard::Nothing("no `pthread_create` of a file that the run knows made them");
}

/// Where a thread starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// With this routine.
    At(String),
    /// As the first thread of its process.
    First,
    /// Nobody knows, for this reason.
    Unknown(&'static str),
}

impl Start {
    /// That of a thread of a process.
    pub(crate) fn of(tid: i32, pid: i32, heard: Heard, routines: &mut Routines) -> Start {
        match heard {
            _ if tid == pid => Start::First,
            Heard::At(address) => routines
                .look_up(pid, address)
                .map_or(Start::Unknown("no file holds their routine"), Start::At),
            Heard::Nothing(why) => Start::Unknown(why),
        }
    }

    const fn known(&self) -> model::Start<'_> {
        match self {
            Start::At(routine) => model::Start::At(routine.as_str()),
            Start::First => model::Start::First,
            Start::Unknown(_) => model::Start::Unknown,
        }
    }
}

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
        let pids: Vec<i32> = pids.into_iter().flat_map(crate::threads::begin::found).collect();
        routines::makers(&commands, &pids)
    })
}

impl Linux {
    /// The next thread that a thread makes will start at an address of their process.
    pub(crate) fn will_start(&mut self, maker: i32, address: u64) {
        if self.threads.tids.contains_key(&maker) || self.external.programs.knows(maker) {
            self.external.programs.starting.insert(maker, address);
        }
    }
}

impl Supervisor {
    /// The entry that gets a thread of a program.
    pub(crate) fn claimed_by(
        &mut self,
        program: usize,
        comm: &str,
        exe: Option<&str>,
        start: &Start,
    ) -> Option<usize> {
        let claims = self.host.machine.external.programs.by_entry.get(&program)?.claims.clone();
        for spec in claims {
            let Some(only) = self.wanted(spec) else { continue };
            let accepted = only.accepts(comm, exe, start.known());
            if let (Start::Unknown(why), true) = (start, only.fits_but_for_start(comm, exe)) {
                self.tell_unknown(program, spec, why);
            }
            if accepted {
                return Some(spec);
            }
        }
        None
    }

    /// Which threads of its program an entry asks for.
    fn wanted(&self, entry: usize) -> Option<&model::ThreadMatch> {
        match &self.host.threads.list[entry].planned().program {
            PlannedProgram::External { external, .. } => Some(&external.threads),
            PlannedProgram::Declared(_) => None,
        }
    }

    /// Says, if an entry asks where threads start, what it gets of those of which that is not known.
    fn tell_unknown(&mut self, program: usize, spec: usize, why: &str) {
        let Some(only) = self.wanted(spec) else { return };
        let Some(routine) = &only.routine else { return };
        let name_of = |entry: usize| &self.host.threads.list[entry].outcome.name;
        let (program, name) = (name_of(program), name_of(spec));
        let why = self.host.machine.external.programs.no_starts.as_deref().unwrap_or(why);
        let what = match &only.comm {
            Some(comm) => format!("`{name}` gets those called `{comm}`, by their name alone"),
            None => format!("`{name}` gets none of them; tell them apart by `comm`, the name"),
        };
        self.say_once(format!(
            "whether threads of `{program}` start at `{routine}` is not known of all ({why}): {what}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_process_first_thread_starts_with_no_routine() {
        let (pid, mut routines) = (std::process::id().cast_signed(), Routines::default());
        let here = Heard::At(law_a_process_first_thread_starts_with_no_routine as *const () as u64);
        assert_eq!(Start::of(pid, pid, here, &mut routines), Start::First);
        assert_eq!(Start::of(pid, pid, Heard::OTHERWISE, &mut routines), Start::First);
        let found = Start::of(pid + 1, pid, here, &mut routines);
        assert!(
            matches!(&found, Start::At(name) if name.contains("starts_with_no_routine")),
            "{found:?}"
        );
        let nowhere = Start::of(pid + 1, pid, Heard::At(1), &mut routines);
        assert_eq!(nowhere, Start::Unknown("no file holds their routine"));
    }
}
