//! The thread that wakes an external thread, where the event of the wake-up names it with certainty.
//!
//! The kernel reports a wake-up where it is carried out. That is the waker's processor, unless it shares no cache with
//! the woken thread's: then the waker interrupts that processor to carry it out, and the thread that runs there is not
//! the waker.

use std::path::Path;

/// The processors on which the waker that an event names is certain to be the waker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certain {
    /// All, since all processors share a cache.
    Everywhere,
    /// Wake-ups that are carried out on another processor than the thread's own.
    Elsewhere,
}

impl Certain {
    /// On this machine, for the processors that are switched on.
    #[must_use]
    pub fn of(online: &[u16]) -> Certain {
        let shared = |cpu: &u16| shared(Path::new("/sys/devices/system/cpu"), *cpu);
        let mut all = online.iter().map(shared);
        let first = all.next().flatten();
        if first.is_some() && all.all(|other| other == first) {
            Certain::Everywhere
        } else {
            Certain::Elsewhere
        }
    }

    /// The waker of a thread, which is pinned to the processor that `at_home` says the event comes from, or not: the one that
    /// the event names, or unknown.
    #[must_use]
    pub fn waker(self, tid: i32, by: i32, at_home: bool) -> Option<i32> {
        let certain = !at_home || self == Certain::Everywhere;
        (by != 0 && by != tid && certain).then_some(by)
    }
}

/// The processors that share a processor's last cache, as the kernel lists them.
fn shared(root: &Path, cpu: u16) -> Option<String> {
    let folder = std::fs::read_dir(root.join(format!("cpu{cpu}/cache"))).ok()?;
    let read = |path: &Path, name: &str| {
        std::fs::read_to_string(path.join(name)).ok().map(|text| text.trim().to_owned())
    };
    let levels = folder.flatten().filter_map(|entry| {
        let level: u8 = read(&entry.path(), "level")?.parse().ok()?;
        Some((level, read(&entry.path(), "shared_cpu_list")?))
    });
    levels.max().map(|(_, list)| list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_nobody_is_told_who_may_only_have_been_interrupted() {
        let (tid, by) = (7, 8);
        for at_home in [true, false] {
            assert_eq!(Certain::Everywhere.waker(tid, by, at_home), Some(by));
            assert_eq!(Certain::Everywhere.waker(tid, 0, at_home), None);
            assert_eq!(Certain::Everywhere.waker(tid, tid, at_home), None);
        }
        assert_eq!(Certain::Elsewhere.waker(tid, by, false), Some(by));
        assert_eq!(Certain::Elsewhere.waker(tid, by, true), None);
    }

    #[test]
    fn law_the_last_cache_counts() {
        let root = std::env::temp_dir().join(format!("windfall-caches-{}", std::process::id()));
        for (index, level, list) in [(0, 1, "3"), (1, 3, "0-3"), (2, 2, "2-3")] {
            let folder = root.join(format!("cpu3/cache/index{index}"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("level"), format!("{level}\n")).unwrap();
            std::fs::write(folder.join("shared_cpu_list"), format!("{list}\n")).unwrap();
        }
        let (found, absent) = (shared(&root, 3), shared(&root, 2));
        std::fs::remove_dir_all(root).unwrap();
        assert_eq!((found.as_deref(), absent), (Some("0-3"), None));
    }
}
