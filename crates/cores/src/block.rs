//! How much memory each processor works on: more than its caches hold, if there is as much.
//!
//! Sizes are read from `/sys/devices/system/cpu` and `/proc/meminfo`, below a root that tests choose.

use std::fs;
use std::path::Path;

/// Where no cache is known.
const USUAL: u64 = 64 << 20;
/// At least so much.
const LEAST: u64 = 4 << 20;

/// The memory of each processor, and why it is as much.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Block {
    /// Bytes for each processor.
    pub bytes: u64,
    /// Whether all blocks together are larger than the caches that they go through; `None` where no cache is known, or the size was asked for.
    pub is_beyond_caches: Option<bool>,
    /// In words.
    pub why: String,
}

impl Block {
    /// A size that was asked for.
    pub(crate) fn requested(bytes: u64) -> Block {
        Block { bytes, is_beyond_caches: None, why: "as asked".to_owned() }
    }

    /// No work on memory was asked for.
    pub(crate) fn none() -> Block {
        Block { bytes: 0, is_beyond_caches: None, why: "no work on memory".to_owned() }
    }

    /// Twice the largest cache of these processors, shared by those that share it, but at most a quarter of the memory that is available.
    #[must_use]
    pub fn of_machine(root: &Path, processors: &[u16]) -> Block {
        let caches: Vec<Cache> = processors.iter().filter_map(|cpu| largest(root, *cpu)).collect();
        let share = |cache: &Cache| {
            let sharing = caches.iter().filter(|other| other.shared == cache.shared).count();
            2 * cache.bytes / sharing.max(1) as u64
        };
        let wanted = caches.iter().map(share).max().unwrap_or(USUAL).max(LEAST) & !4095;
        let largest = caches.iter().map(|cache| cache.bytes).max();
        let room = available(root).map(|bytes| bytes / 4 / processors.len().max(1) as u64);
        match (largest, room) {
            (_, Some(room)) if room < wanted => Block {
                bytes: room.max(4096) & !4095,
                is_beyond_caches: largest.map(|_| false),
                why: format!(
                    "a quarter of the memory that is available; {} would be more than caches hold",
                    mib(wanted)
                ),
            },
            (Some(largest), _) => Block {
                bytes: wanted,
                is_beyond_caches: Some(true),
                why: format!("together twice the largest cache of {}", mib(largest)),
            },
            (None, _) => Block {
                bytes: wanted,
                is_beyond_caches: None,
                why: "the kernel does not say how large caches are".to_owned(),
            },
        }
    }
}

pub(crate) fn mib(bytes: u64) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}

struct Cache {
    bytes: u64,
    /// The processors that share it, as the kernel writes them.
    shared: String,
}

/// The largest cache of a processor.
fn largest(root: &Path, processor: u16) -> Option<Cache> {
    let folder = root.join(format!("sys/devices/system/cpu/cpu{processor}/cache"));
    let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let caches = entries.filter_map(|entry| {
        let read = |file: &str| fs::read_to_string(entry.path().join(file)).ok();
        let bytes = size(read("size")?.trim())?;
        Some(Cache { bytes, shared: read("shared_cpu_list")?.trim().to_owned() })
    });
    caches.max_by_key(|cache| cache.bytes)
}

/// As the kernel writes it: `307200K`.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => (text.strip_suffix('M')?, 1 << 20),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

fn available(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A machine of processors, each with its caches, and memory in KiB. It is removed when it is dropped.
    struct Machine(PathBuf);

    impl Machine {
        fn new(name: &str, caches: &[(u16, &str, &str)], available: Option<u64>) -> Machine {
            let own = format!("windfall-cores-{}-{name}", std::process::id());
            let root = std::env::temp_dir().join(own);
            for (place, (cpu, size, shared)) in caches.iter().enumerate() {
                let cache = format!("sys/devices/system/cpu/cpu{cpu}/cache/index{place}");
                let folder = root.join(cache);
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join("size"), format!("{size}\n")).unwrap();
                fs::write(folder.join("shared_cpu_list"), format!("{shared}\n")).unwrap();
            }
            fs::create_dir_all(root.join("proc")).unwrap();
            if let Some(kib) = available {
                let text = format!("MemTotal: 9 kB\nMemAvailable:   {kib} kB\n");
                fs::write(root.join("proc/meminfo"), text).unwrap();
            }
            Machine(root)
        }
    }

    impl Drop for Machine {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const CACHES: [(u16, &str, &str); 4] =
        [(0, "48K", "0"), (0, "32M", "0-1"), (1, "48K", "1"), (1, "32768K", "0-1")];

    #[test]
    fn law_blocks_together_are_twice_the_cache_that_is_shared() {
        let machine = Machine::new("shared", &CACHES, Some(8 << 20));
        let block = Block::of_machine(&machine.0, &[0, 1]);
        assert_eq!((block.bytes, block.is_beyond_caches), (32 << 20, Some(true)));
        assert_eq!(block.why, "together twice the largest cache of 32 MiB");
        assert_eq!(Block::of_machine(&machine.0, &[1]).bytes, 64 << 20);
    }

    #[test]
    fn limit_blocks_take_a_quarter_of_the_memory_that_is_available() {
        let machine = Machine::new("small", &CACHES, Some(80 << 10));
        let block = Block::of_machine(&machine.0, &[0, 1]);
        assert_eq!((block.bytes, block.is_beyond_caches), (10 << 20, Some(false)));
        assert!(block.why.ends_with("32 MiB would be more than caches hold"), "{}", block.why);
    }

    #[test]
    fn accepts_a_machine_that_says_nothing() {
        let machine = Machine::new("silent", &[(0, "huge", "0")], None);
        let block = Block::of_machine(&machine.0, &[0]);
        assert_eq!((block.bytes, block.is_beyond_caches), (64 << 20, None));
    }
}
