//! Programs of a real machine: which one, and which of its threads.
//!
//! Such a program has as many threads as it makes; those that an entry gets are called NAME-1, NAME-2
//! and so on in the order in which they appear, and each has all that the entry says. Entries `of` a
//! program choose first, in the order of the file; what they leave belongs to the program's own entry,
//! or, where that has a pattern of its own that does not fit, to nobody: it stays with the kernel.

use std::collections::BTreeMap;
use windfall_trace::glob::fits;

/// Threads of a program that a real machine runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    /// The program.
    pub program: ExternalProgram,
    /// Which of its threads; all that others leave when it says nothing.
    pub threads: ThreadMatch,
}

/// A program that a real machine runs, over all that it forks and executes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExternalProgram {
    /// A command to be started.
    Exec {
        /// Its words; the first is the program.
        command: Vec<String>,
        /// What its environment has beside, or instead of, what is inherited.
        env: BTreeMap<String, String>,
    },
    /// A process that is there.
    Pid(u32),
    /// All processes of a control group and of those below it, as `/user.slice/game.scope`.
    Cgroup(String),
    /// All processes of a unit of systemd, as `pipewire.service`.
    Unit(String),
    /// The program of the entry of that name.
    Of(String),
}

/// Patterns for threads, in which `*` stands for any text; what is absent fits all.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ThreadMatch {
    /// The thread's name, of which the kernel keeps 15 bytes.
    pub comm: Option<String>,
    /// The path of the file that its process executes.
    pub exe: Option<String>,
    /// The routine that the thread starts with, as a profile writes it: `player:decode`.
    pub routine: Option<String>,
}

impl ThreadMatch {
    /// Whether a thread is meant, as far as names and files tell; the routine is for profiles alone. `exe` is `None` when it
    /// cannot be read; no pattern fits that.
    #[must_use]
    pub fn accepts(&self, comm: &str, exe: Option<&str>) -> bool {
        self.comm.as_ref().is_none_or(|pattern| fits(pattern, comm))
            && self.exe.as_ref().is_none_or(|pattern| exe.is_some_and(|exe| fits(pattern, exe)))
    }

    /// Whether it says anything.
    #[must_use]
    pub const fn is_any(&self) -> bool {
        self.comm.is_none() && self.exe.is_none() && self.routine.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_threads_that_fit_every_pattern_given() {
        let only = |comm: Option<&str>, exe: Option<&str>| ThreadMatch {
            comm: comm.map(str::to_owned),
            exe: exe.map(str::to_owned),
            routine: None,
        };
        let loops = only(Some("data-loop*"), Some("*/pipewire"));
        assert!(loops.accepts("data-loop.0", Some("/usr/bin/pipewire")));
        assert!(!loops.accepts("data-loop.0", Some("/usr/bin/pipewire-pulse")));
        assert!(!loops.accepts("main", Some("/usr/bin/pipewire")));
        assert!(!loops.accepts("data-loop.0", None));
        assert!(only(Some("data-loop*"), None).accepts("data-loop.0", None));
        assert!(ThreadMatch::default().accepts("", None) && ThreadMatch::default().is_any());
    }
}
