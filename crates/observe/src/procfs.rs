//! Threads, processes and processors in /proc and /sys. A thread or process that may have ended meanwhile is `None` or
//! left out, never an error.

use std::collections::BTreeSet;
use std::fs;
use windfall_os::process;

/// The process whose children are the kernel's own threads.
pub const KTHREADD: i32 = 2;

/// A thread's line in /proc (`stat`).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Stat {
    /// Its name.
    pub comm: String,
    /// Its state's letter: R, S, D, T, ...
    pub state: char,
    /// The parent of its process.
    pub ppid: i32,
    /// The session of its process.
    pub session: i32,
    /// When it began, in ticks of the machine's life: with the number, it names a thread for good.
    pub start: u64,
    /// The kernel's number of its scheduling class.
    pub policy: u32,
    /// Its real-time priority.
    pub priority: u32,
    /// Whether the kernel refuses to change its affinity (PF_NO_SETAFFINITY).
    pub fixed: bool,
}

impl Stat {
    /// Whether it has ended, and only its number is left.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

/// The kernel's flag of a thread whose affinity cannot be changed.
const NO_SETAFFINITY: u64 = 0x0400_0000;

/// The processor time that a thread has received, in ns; `None` when there is no such thread, or the kernel does not count it.
#[must_use]
pub fn received(tid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{tid}/schedstat")).ok()?;
    let received: u64 = text.split(' ').next()?.parse().ok()?;
    (received > 0).then_some(received)
}

/// How long a processor has not been idle, in clock ticks; `None` if there is none of that number, or it is not counted.
#[must_use]
pub fn worked(cpu: u32) -> Option<u64> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let name = format!("cpu{cpu} ");
    let mut fields = text.lines().find_map(|line| line.strip_prefix(&name))?.split(' ');
    // user, nice, system; idle, iowait; irq, softirq
    let busy =
        [0, 0, 0, 2, 0].map(|skipped| fields.nth(skipped).and_then(|n| n.parse::<u64>().ok()));
    busy.into_iter().sum()
}

/// A thread's line; `None` when there is no such thread.
#[must_use]
pub fn stat(tid: i32) -> Option<Stat> {
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

/// The threads of a process.
#[must_use]
pub fn threads(pid: i32) -> Vec<i32> {
    numbers(&format!("/proc/{pid}/task"))
}

/// All processes.
#[must_use]
pub fn processes() -> Vec<i32> {
    numbers("/proc")
}

/// The process that a thread belongs to.
#[must_use]
pub fn process_of(tid: i32) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

/// The processes of a control group (of either version) and of those below it; the path begins at the mount.
#[must_use]
pub fn cgroup(path: &str) -> Vec<i32> {
    let below =
        |of: &str| of == path || of.starts_with(&format!("{}/", path.trim_end_matches('/')));
    let inside = |pid: &i32| {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        groups.lines().filter_map(|line| line.splitn(3, ':').nth(2)).any(below)
    };
    processes().into_iter().filter(inside).collect()
}

/// The processes of a unit of systemd, found by its control group.
#[must_use]
pub fn unit(name: &str) -> Vec<i32> {
    let inside = |pid: &i32| {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        groups.lines().any(|line| line.split('/').any(|part| part == name))
    };
    processes().into_iter().filter(inside).collect()
}

/// The existing ones of these processes, with all their descendants.
#[must_use]
pub fn with_descendants(pids: &[i32]) -> Vec<i32> {
    let alive = |pid: &i32| *pid > 0 && process::exists(*pid);
    let mut found: BTreeSet<i32> = pids.iter().copied().filter(alive).collect();
    let parents: Vec<(i32, i32)> =
        processes().into_iter().filter_map(|pid| Some((pid, stat(pid)?.ppid))).collect();
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

/// The processors that are switched on; none where the kernel does not say.
#[must_use]
pub fn online() -> Vec<u16> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    processors(&text).unwrap_or_default()
}

/// A list of processors as the kernel writes it, `0-3,7`; `None` when it is something else.
#[must_use]
pub fn processors(text: &str) -> Option<Vec<u16>> {
    let mut all = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        all.extend(first.parse::<u16>().ok()?..=last.parse().ok()?);
    }
    Some(all)
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
    fn accepts_lists_of_processors_and_refuses_others() {
        assert_eq!(processors("0-2,7\n"), Some(vec![0, 1, 2, 7]));
        assert_eq!(processors("5"), Some(vec![5]));
        assert_eq!(processors(""), None);
        assert_eq!(processors("0-x"), None);
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
