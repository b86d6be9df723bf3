//! Calls that are measured: each with the object of the kernel that it is about, where there is one.

use rustix::fs::MemfdFlags;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use windfall_clocks::SystemClock;
use windfall_os::shared::{Shared, reserve};

/// A page, on most machines.
type Page = [AtomicU64; 512];

/// The objects of calls.
pub(super) struct Objects {
    zero: File,
    null: File,
    word: AtomicU32,
    memory: OwnedFd,
}

impl Objects {
    /// # Errors
    /// The kernel's, when it has no descriptors left.
    pub(super) fn new() -> io::Result<Objects> {
        let memory = rustix::fs::memfd_create("windfall-page", MemfdFlags::CLOEXEC)?;
        reserve(memory.as_fd(), size_of::<Page>())?;
        let (zero, null) =
            (File::open("/dev/zero")?, File::options().write(true).open("/dev/null")?);
        Ok(Objects { zero, null, word: AtomicU32::new(0), memory })
    }
}

/// A call.
pub(super) struct Call {
    /// In names of metrics.
    pub(super) key: &'static str,
    /// In tables and sentences.
    pub(super) name: &'static str,
    /// Whether it is about an object, which can be another thread's, or shared.
    pub(super) has_object: bool,
    /// Calls once. Whether it did what it is to do.
    pub(super) once: fn(&Objects) -> bool,
}

/// The time that measuring adds to each of the others.
pub(super) const NOTHING: &Call = &Call {
    key: "nothing",
    name: "nothing: what measuring adds",
    has_object: false,
    once: |_| black_box(true),
};

/// A clock that the kernel lets programs read in their own memory, where it can.
pub(super) const CLOCK: &Call = &Call {
    key: "clock",
    name: "look at CLOCK_MONOTONIC (vDSO)",
    has_object: false,
    once: |_| black_box(SystemClock::Monotonic.now()).as_nanos() > 0,
};

/// The shortest true call.
pub(super) const SHORTEST: &Call = &Call {
    key: "gettid",
    name: "get the thread's own number (gettid)",
    has_object: false,
    once: |_| !rustix::thread::gettid().is_init(),
};

/// A thread that does nothing.
pub(super) const THREAD: &Call = &Call {
    key: "thread",
    name: "start and join a thread",
    has_object: false,
    once: |_| {
        let thread = std::thread::Builder::new().name("nothing".to_owned()).spawn(|| ());
        thread.is_ok_and(|thread| thread.join().is_ok())
    },
};

/// All, from the shortest on.
pub(super) const CALLS: [&Call; 12] = [
    NOTHING,
    CLOCK,
    SHORTEST,
    &Call {
        key: "clock-call",
        name: "look at CLOCK_THREAD_CPUTIME_ID (a call)",
        has_object: false,
        once: |_| black_box(SystemClock::ThreadCpuTime.now()).as_nanos() > 0,
    },
    &Call {
        key: "futex-wake",
        name: "wake nobody (futex)",
        has_object: true,
        once: |objects| {
            windfall_os::futex::wake_one(&objects.word);
            true
        },
    },
    &Call {
        key: "yield",
        name: "yield (sched_yield)",
        has_object: false,
        once: |_| {
            std::thread::yield_now();
            true
        },
    },
    &Call {
        key: "read",
        name: "read a byte of /dev/zero",
        has_object: true,
        once: |objects| (&objects.zero).read(&mut [1]).is_ok_and(|count| count == 1),
    },
    &Call {
        key: "write",
        name: "write a byte to /dev/null",
        has_object: true,
        once: |objects| (&objects.null).write(&[1]).is_ok_and(|count| count == 1),
    },
    &Call {
        key: "open",
        name: "open and close /dev/null",
        has_object: false,
        once: |_| File::open("/dev/null").is_ok(),
    },
    &Call {
        key: "map",
        name: "map and unmap a page",
        has_object: true,
        once: |objects| Shared::<Page>::of(objects.memory.as_fd()).is_ok(),
    },
    &Call {
        key: "fault",
        name: "map, touch and unmap a page (a fault)",
        has_object: true,
        once: |objects| {
            let page = Shared::<Page>::of(objects.memory.as_fd());
            page.is_ok_and(|page| page[0].fetch_add(1, Ordering::Relaxed) < u64::MAX)
        },
    },
    THREAD,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_call_does_what_it_is_to_do_and_has_a_name_of_its_own() {
        let objects = Objects::new().unwrap();
        let mut keys: Vec<_> = CALLS.iter().map(|call| call.key).collect();
        for call in CALLS {
            assert!((call.once)(&objects), "{}", call.name);
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), CALLS.len());
    }
}
