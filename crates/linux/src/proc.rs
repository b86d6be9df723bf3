//! What /proc says of threads.

use crate::routines::Routines;
use crate::starts::{Heard, Start};
use std::fs;
use std::path::PathBuf;

/// A thread's line in /proc.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stat {
    /// Its name.
    pub(crate) comm: String,
    /// Its state's letter: R, S, D, T, ...
    pub(crate) state: char,
    /// The parent of its process.
    pub(crate) ppid: i32,
    /// The session of its process.
    pub(crate) session: i32,
    /// When it began, in ticks of the machine's life: with the number, it names a thread for good.
    pub(crate) start: u64,
    /// Its scheduling class.
    pub(crate) policy: u32,
    /// Its real-time priority.
    pub(crate) priority: u32,
    /// Whether the kernel refuses to change its affinity (PF_NO_SETAFFINITY).
    pub(crate) fixed: bool,
}

impl Stat {
    /// Whether it has ended, and only its number is left.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

/// The kernel's flag of a thread whose affinity nobody may change.
const NO_SETAFFINITY: u64 = 0x0400_0000;

/// A thread's line; `None` when there is no such thread.
pub(crate) fn stat(tid: i32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{tid}/stat")).ok()?)
}

fn parse(line: &str) -> Option<Stat> {
    // The name may hold anything, parentheses too; the last one ends it.
    let (head, tail) = line.rsplit_once(") ")?;
    let comm = head.split_once(" (")?.1.to_owned();
    let fields: Vec<&str> = tail.split(' ').collect();
    let number = |n: usize| fields.get(n)?.trim().parse::<u64>().ok();
    Some(Stat {
        comm,
        state: fields.first()?.chars().next()?,
        ppid: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        start: number(19)?,
        policy: u32::try_from(number(38)?).ok()?,
        priority: u32::try_from(number(37)?).ok()?,
        fixed: number(6)? & NO_SETAFFINITY != 0,
    })
}

/// What decides to whom a thread belongs.
pub(crate) struct Facts {
    /// Its process.
    pub(crate) pid: i32,
    pub(crate) stat: Stat,
    pub(crate) start: Start,
    exe: Option<PathBuf>,
}

impl Facts {
    /// Those of a thread of which this was heard; `None` when there is no such thread.
    pub(crate) fn of(tid: i32, heard: Heard, routines: &mut Routines) -> Option<Facts> {
        let (stat, pid) = (stat(tid)?, process_of(tid)?);
        let exe = fs::read_link(format!("/proc/{tid}/exe")).ok();
        Some(Facts { pid, stat, start: Start::of(tid, pid, heard, routines), exe })
    }

    /// The file that it executes, if that can be read.
    pub(crate) fn exe(&self) -> Option<&str> {
        self.exe.as_ref()?.to_str()
    }
}

/// The threads of a process.
pub(crate) fn threads(pid: i32) -> Vec<i32> {
    numbers(&format!("/proc/{pid}/task"))
}

/// All processes.
pub(crate) fn processes() -> Vec<i32> {
    numbers("/proc")
}

/// The process that a thread belongs to.
pub(crate) fn process_of(tid: i32) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

/// The processes of a control group (of either version) and of those below it.
pub(crate) fn cgroup(path: &str) -> Vec<i32> {
    let below =
        |of: &str| of == path || of.starts_with(&format!("{}/", path.trim_end_matches('/')));
    let inside = |pid: &i32| {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        groups.lines().filter_map(|line| line.splitn(3, ':').nth(2)).any(below)
    };
    processes().into_iter().filter(inside).collect()
}

/// The processes of a unit of systemd, found by its control group.
pub(crate) fn unit(name: &str) -> Vec<i32> {
    let inside = |pid: &i32| {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        groups.lines().any(|line| line.split('/').any(|part| part == name))
    };
    processes().into_iter().filter(inside).collect()
}

fn numbers(folder: &str) -> Vec<i32> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_a_name_that_looks_like_the_rest_of_the_line() {
        let line = "77 (a) R 1 (b)) S 5 77 77 0 -1 4194624 1 2 3 4 5 6 7 8 20 0 1 0 991 10 \
                    11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 17 73 1 0 0 0 0\n";
        let stat = parse(line).unwrap();
        assert_eq!((stat.comm.as_str(), stat.state, stat.ppid), ("a) R 1 (b)", 'S', 5));
        assert_eq!((stat.start, stat.priority, stat.policy), (991, 73, 1));
        assert!(!stat.fixed && parse(&line.replace("4194624", "69238880")).unwrap().fixed);
    }

    #[test]
    fn accepts_oneself() {
        let stat = stat(0).or_else(|| stat(std::process::id().cast_signed())).unwrap();
        assert!(stat.start > 0 && stat.state == 'R' || stat.state == 'S');
        assert_eq!(
            process_of(std::process::id().cast_signed()),
            Some(std::process::id().cast_signed())
        );
    }
}
