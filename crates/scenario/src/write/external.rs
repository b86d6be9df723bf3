//! Programs of a real machine, as they are written.

use crate::file::{Command, Lax, MatchFile, ThreadFile};
use crate::model::{External, ExternalProgram};

/// Into the file of its thread.
pub(super) fn external(external: &External, file: ThreadFile) -> ThreadFile {
    let text = |text: &String| Lax::good(text.clone());
    let only = &external.threads;
    let file = ThreadFile {
        only: (!only.is_any()).then(|| MatchFile {
            comm: only.comm.as_ref().and_then(text),
            exe: only.exe.as_ref().and_then(text),
            routine: only.routine.as_ref().and_then(text),
        }),
        each: external.each.then_some(Lax(Ok(true))),
        ..file
    };
    match &external.program {
        ExternalProgram::Exec { command, env } => {
            let command = command.iter().filter_map(text).collect();
            let variable =
                |(name, value): (&String, &String)| (name.clone(), Lax(Ok(value.clone())));
            let env = (!env.is_empty()).then(|| env.iter().map(variable).collect());
            ThreadFile { exec: Some(Command(command)), env, ..file }
        }
        ExternalProgram::Pid(pid) => ThreadFile { pid: Lax::good(*pid), ..file },
        ExternalProgram::Cgroup(path) => ThreadFile { cgroup: text(path), ..file },
        ExternalProgram::Unit(name) => ThreadFile { unit: text(name), ..file },
        ExternalProgram::Of(name) => ThreadFile { of: text(name), ..file },
    }
}
