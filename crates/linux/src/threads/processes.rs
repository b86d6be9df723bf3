//! Finds the processes of programs that run already.

use windfall_observe::procfs::{self, with_descendants};
use windfall_scenario::model::ExternalProgram;

/// The processes of a program that runs already.
pub(crate) fn found(program: &ExternalProgram) -> Vec<i32> {
    match program {
        ExternalProgram::Of(_) | ExternalProgram::Exec { .. } => Vec::new(),
        // A number that exceeds the kernel's type belongs to no process.
        ExternalProgram::Pid(pid) => {
            i32::try_from(*pid).map_or_else(|_| Vec::new(), |pid| with_descendants(&[pid]))
        }
        ExternalProgram::Cgroup(path) => with_descendants(&procfs::cgroup(path)),
        ExternalProgram::Unit(unit) => with_descendants(&procfs::unit(unit)),
    }
}
