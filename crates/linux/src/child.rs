//! Programs that we start: forked before anything of ours could be in their way, each as a process that
//! waits at a gate.
//!
//! To open the gate is all that starting takes, so no decision waits for a fork or for a program
//! to be loaded, and the process is supervised from its first instruction on. If we are gone before
//! that, the gate tells it, and it ends as it was.

use crate::begin::with_descendants;
use crate::fault::Fault;
use crate::sys::process;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;
use windfall_scenario::model::ExternalProgram;
use windfall_scenario::{Plan, PlannedProgram};

/// A process that is to become a program, or has.
pub(crate) struct Child {
    pid: i32,
    /// Its gate, which it also tells why it could not become its program; `None` when that is known.
    gate: Option<UnixStream>,
    begun: bool,
    ended: bool,
}

/// Forks a child for each command of a plan, by the number of its entry. Call it before there are other threads.
pub(crate) fn fork_all(plan: &Plan) -> Result<BTreeMap<usize, Child>, Fault> {
    let mut children = BTreeMap::new();
    for (number, thread) in plan.threads.iter().enumerate() {
        if let PlannedProgram::External { external, .. } = &thread.program
            && let ExternalProgram::Exec { command, env } = &external.program
        {
            let child = Child::fork(command, env).map_err(|e| {
                let what = format!("cannot fork a process for `{}`", thread.name);
                Fault::of(what, &e, "raise the limit of processes")
            })?;
            children.insert(number, child);
        }
    }
    Ok(children)
}

impl Child {
    fn fork(words: &[String], env: &BTreeMap<String, String>) -> io::Result<Child> {
        let (gate, theirs) = UnixStream::pair()?;
        gate.set_nonblocking(true)?;
        let mut gate = Some(gate);
        let pid = process::fork(|| {
            drop(gate.take()); // or it would itself keep its gate from being closed
            become_program(words, env, theirs);
        })?;
        Ok(Child { pid, gate, begun: false, ended: false })
    }

    pub(crate) const fn pid(&self) -> i32 {
        self.pid
    }

    /// Lets it become its program.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
        if let Some(gate) = &mut self.gate {
            let _ = gate.write_all(&[1]); // or it has ended
        }
    }

    /// Why it could not become its program; told once.
    pub(crate) fn failure(&mut self) -> Option<io::Error> {
        let mut word = [0; 4];
        match self.gate.as_mut().filter(|_| self.begun)?.read(&mut word) {
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => None,
            told => {
                self.gate = None; // closed by the kernel when the program has begun
                let failed = matches!(told, Ok(4));
                failed.then(|| io::Error::from_raw_os_error(i32::from_ne_bytes(word)))
            }
        }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.ended = self.ended || process::reap_if_ended(self.pid);
        self.ended
    }
}

/// The life of a child until it is its program.
fn become_program(words: &[String], env: &BTreeMap<String, String>, mut gate: UnixStream) {
    let [program, arguments @ ..] = words else { return };
    // Whoever looks for it by name finds it before, too.
    process::name_thread(program.rsplit('/').next().unwrap_or(program));
    if gate.read_exact(&mut [0]).is_err() {
        return; // those who would have opened it are gone
    }
    let error = Command::new(program).args(arguments).envs(env).stdin(Stdio::null()).exec();
    let _ = gate.write_all(&error.raw_os_error().unwrap_or(libc::ENOENT).to_ne_bytes());
}

/// Asks the programs that we have started to end, and makes them after a second, with all that they have made.
pub(crate) fn dismiss(children: BTreeMap<usize, Child>) {
    let mut children: Vec<Child> = children.into_values().collect();
    for child in &mut children {
        if !child.begun {
            child.gate = None;
        } else if !child.has_ended() {
            process::ask_to_end(child.pid);
        }
    }
    for _ in 0..100 {
        if children.iter_mut().all(Child::has_ended) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    for child in children.iter_mut().filter(|child| !child.ended) {
        with_descendants(&[child.pid]).into_iter().for_each(process::kill);
        process::reap(child.pid);
    }
}
