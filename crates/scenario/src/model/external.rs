//! Programs of a real machine: which one, and which of its threads.
//!
//! Such a program creates any number of threads; those of an entry are called NAME-1, NAME-2
//! and so on in order of appearance, and each has all properties of the entry. Entries `of` a
//! program choose first, in the order of the file; the remaining threads belong to the program's own entry,
//! or, if that has a pattern that does not fit, stay with the kernel.
//! A reservation of the program's own entry is for all its threads together (`together.rs`).

use std::collections::BTreeMap;
use windfall_trace::glob::fits;

/// Threads of a program that a real machine runs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct External {
    /// The program.
    pub program: ExternalProgram,
    /// Which of its threads; if empty, all that other entries leave.
    pub threads: ThreadMatch,
    /// Whether each of these threads has the entry's reservation for itself; otherwise all share
    /// one.
    pub each: bool,
}

/// A program that a real machine runs, with all processes that it forks and executes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExternalProgram {
    /// A command to be started.
    Exec {
        /// Its words; the first is the program.
        command: Vec<String>,
        /// Variables of its environment that add to, or replace, inherited ones.
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

/// Where a thread starts (HLS 8.5.1), as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start<'a> {
    /// With this routine, as a profile writes it: `player:decode`.
    At(&'a str),
    /// As the first thread of its process, which no routine begins.
    First,
    /// Unknown.
    Unknown,
}

/// Patterns for threads, in which `*` stands for any text; what is absent fits all.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ThreadMatch {
    /// The thread's name, of which the kernel keeps 15 bytes.
    pub comm: Option<String>,
    /// The path of the file that its process executes.
    pub exe: Option<String>,
    /// The routine that the thread starts with, as a profile writes it: `player:decode`.
    pub routine: Option<String>,
}

impl External {
    /// All threads of a program that no other entry chooses.
    #[must_use]
    pub fn new(program: ExternalProgram) -> External {
        External { program, threads: ThreadMatch::default(), each: false }
    }

    /// The same, of these threads alone.
    #[must_use]
    pub fn threads(mut self, threads: ThreadMatch) -> External {
        self.threads = threads;
        self
    }

    /// The same, where each thread has what is reserved.
    #[must_use]
    pub const fn each(mut self) -> External {
        self.each = true;
        self
    }
}

impl ThreadMatch {
    /// The same, of that name.
    #[must_use]
    pub fn comm(mut self, pattern: impl Into<String>) -> ThreadMatch {
        self.comm = Some(pattern.into());
        self
    }

    /// The same, of processes that execute that file.
    #[must_use]
    pub fn exe(mut self, pattern: impl Into<String>) -> ThreadMatch {
        self.exe = Some(pattern.into());
        self
    }

    /// The same, that start with that routine.
    #[must_use]
    pub fn routine(mut self, pattern: impl Into<String>) -> ThreadMatch {
        self.routine = Some(pattern.into());
        self
    }

    /// Whether a thread fits. `exe` is `None` when it cannot be read; no pattern fits that. If it is unknown
    /// where a thread starts, its name alone decides, if the pattern has a name.
    #[must_use]
    pub fn accepts(&self, comm: &str, exe: Option<&str>, start: Start<'_>) -> bool {
        self.fits_but_for_start(comm, exe)
            && self.routine.as_ref().is_none_or(|pattern| match start {
                Start::At(routine) => fits(pattern, routine),
                Start::First => false,
                Start::Unknown => self.comm.is_some(),
            })
    }

    /// Whether a thread fits by name and file.
    #[must_use]
    pub fn fits_but_for_start(&self, comm: &str, exe: Option<&str>) -> bool {
        self.comm.as_ref().is_none_or(|pattern| fits(pattern, comm))
            && self.exe.as_ref().is_none_or(|pattern| exe.is_some_and(|exe| fits(pattern, exe)))
    }

    /// Whether it has any pattern.
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
        let first = Start::First;
        assert!(loops.accepts("data-loop.0", Some("/usr/bin/pipewire"), first));
        assert!(!loops.accepts("data-loop.0", Some("/usr/bin/pipewire-pulse"), first));
        assert!(!loops.accepts("main", Some("/usr/bin/pipewire"), first));
        assert!(!loops.accepts("data-loop.0", None, first));
        assert!(only(Some("data-loop*"), None).accepts("data-loop.0", None, first));
        assert!(ThreadMatch::default().accepts("", None, first) && ThreadMatch::default().is_any());
    }

    #[test]
    fn paper_a_thread_is_meant_by_its_start_routine_and_by_its_name_where_that_is_unknown() {
        let routine = Some("*:decode".to_owned());
        let anybody = ThreadMatch { routine: routine.clone(), ..ThreadMatch::default() };
        let named = ThreadMatch { comm: Some("loop*".to_owned()), routine, exe: None };
        for only in [&anybody, &named] {
            assert!(only.accepts("loop", None, Start::At("player:decode")));
            assert!(!only.accepts("loop", None, Start::At("player:encode")));
            assert!(!only.accepts("loop", None, Start::First));
        }
        assert!(!named.accepts("main", None, Start::At("player:decode")));
        assert!(named.accepts("loop", None, Start::Unknown));
        assert!(!named.accepts("main", None, Start::Unknown));
        assert!(!anybody.accepts("loop", None, Start::Unknown));
    }
}
