//! Events of the kernel's scheduler: one model for all sources, BPF programs and perf events.
//!
//! Threads are named by the kernel's numbers; 0 is the idle thread of a processor in a switch, and no thread elsewhere.

use windfall_time::Instant;
use windfall_trace::{OverheadKind, Stop};

/// An event on a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KernelEvent {
    /// The processor goes from one thread to another.
    Switch {
        /// The thread that leaves.
        prev: i32,
        /// Why it leaves.
        stop: Stop,
        /// The thread that enters.
        next: i32,
    },
    /// A thread that waited can run.
    Wake {
        /// The thread.
        tid: i32,
        /// The thread that wakes it; 0: an interrupt.
        by: i32,
    },
    /// A thread has been made, and is about to be woken for the first time.
    Fork {
        /// The thread that made it.
        parent: i32,
        /// The new thread.
        child: i32,
        /// The kind of the new thread, where all events are reported; a supervisor's events lack
        /// it.
        kind: Option<ChildKind>,
    },
    /// A thread has this name from now on.
    Named {
        /// The thread.
        tid: i32,
        /// Its name.
        name: Comm,
    },
    /// A thread runs another program; it may have taken over the number of its process' first thread.
    Executed {
        /// The thread.
        tid: i32,
        /// The number that it had before.
        before: i32,
    },
    /// A thread is about to end.
    Exit {
        /// The thread.
        tid: i32,
    },
    /// An overhead begins: an interrupt, a softirq or a hypervisor takes the processor.
    OverheadBegin {
        /// The kind of overhead.
        kind: OverheadKind,
        /// Which of that kind: the number of an interrupt or a softirq.
        number: u16,
    },
    /// It gives the processor back.
    OverheadEnd,
    /// The processor has stood still until now.
    Steal {
        /// From then on.
        since: Instant,
    },
    /// An interrupt has had the processor for long, until now. Its time is counted besides.
    Interrupted {
        /// From then on.
        since: Instant,
    },
    /// The next thread that a thread makes will start at an address of their process.
    Starts {
        /// The thread that is about to make one.
        tid: i32,
        /// Its process.
        pid: i32,
        /// The address.
        routine: u64,
    },
}

/// The kind of a new thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChildKind {
    /// Whether it is of its parent's process; else it is the first of a process of its own.
    pub thread: bool,
    /// Its name.
    pub name: Comm,
}

/// A thread's name as the kernel keeps it, with zeros behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comm([u8; 16]);

impl Comm {
    /// The one at an offset of the kernel's bytes; what stands behind its end, from earlier names, is left out. `None`: there are
    /// fewer than 16 bytes.
    #[must_use]
    pub fn at(bytes: &[u8], at: usize) -> Option<Comm> {
        let bytes = bytes.get(at..at + 16)?.split(|byte| *byte == 0).next()?;
        let mut name = [0; 16];
        name[..bytes.len()].copy_from_slice(bytes);
        Some(Comm(name))
    }

    /// The name as text; bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).trim_end_matches('\0').to_owned()
    }
}

/// Why a thread no longer runs, from the kernel's `prev_state`.
#[must_use]
pub const fn stop(state: u64) -> Stop {
    const PREEMPTED: u64 = 0x100;
    match state & 0xff {
        0 => Stop::Preempted,
        _ if state & PREEMPTED != 0 => Stop::Preempted,
        s if s & 0x30 != 0 => Stop::Exited,
        s if s & 0x02 != 0 => Stop::Uninterruptible,
        s if s & 0x0c != 0 => Stop::Stopped,
        _ => Stop::Blocked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_a_preempted_thread_can_run_and_a_dead_one_cannot() {
        let states = [(0, Stop::Preempted), (0x100, Stop::Preempted), (1, Stop::Blocked)];
        let more = [(2, Stop::Uninterruptible), (4, Stop::Stopped), (0x10, Stop::Exited)];
        for (state, expected) in states.into_iter().chain(more).chain([(0x80, Stop::Blocked)]) {
            assert_eq!(stop(state), expected, "{state:#x}");
        }
    }
}
