//! Finds the processes of programs that run already, and their descendants.

use std::collections::BTreeSet;
use windfall_observe::procfs;
use windfall_os::process;
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

/// The existing ones of these processes, with all their descendants.
pub(crate) fn with_descendants(pids: &[i32]) -> Vec<i32> {
    let alive = |pid: &i32| *pid > 0 && process::exists(*pid);
    let mut found: BTreeSet<i32> = pids.iter().copied().filter(alive).collect();
    let parents: Vec<(i32, i32)> = procfs::processes()
        .into_iter()
        .filter_map(|pid| Some((pid, procfs::stat(pid)?.ppid)))
        .collect();
    loop {
        let before = found.len();
        found.extend(
            parents
                .iter()
                .filter(|(_, parent)| found.contains(parent))
                .map(|(pid, _)| *pid)
                .collect::<Vec<_>>(),
        );
        if found.len() == before {
            return found.into_iter().collect();
        }
    }
}
