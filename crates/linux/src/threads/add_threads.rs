//! From a plan's threads to those of the host: declared programs, and entries that stand for the threads of real ones.

use crate::supervise::supervisor::Supervisor;
use crate::threads::adopt;
use windfall_scenario::{PlannedProgram, PlannedThread};

impl Supervisor {
    /// Takes a plan's threads in, each with who is asked for the threads of its program.
    pub(crate) fn add_threads(
        &mut self,
        threads: impl Iterator<Item = (PlannedThread, Vec<usize>)>,
    ) {
        for (thread, claims) in threads {
            match &thread.program {
                PlannedProgram::Declared(program) => {
                    let program = program.clone();
                    self.host.add(thread, &program);
                }
                PlannedProgram::External { external, .. } => {
                    let program = adopt::Program { what: external.program.clone(), claims };
                    let entry = self.host.add_entry(thread);
                    self.host.machine.external.programs.by_entry.insert(entry, program);
                }
            }
        }
    }
}
