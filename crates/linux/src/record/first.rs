//! The machine's state when a recording begins: all threads, who runs where, who is ready.
//!
//! After the rings have begun to listen, all threads are read from /proc, and our own thread visits each processor, so
//! that each one switches. Whoever leaves a processor at its first switch has run there since the beginning; whoever
//! enters one without having been woken was ready. So nothing is guessed, and idle is told from unknown.
//!
//! A processor that we may not visit stays unknown until its first switch.

use super::event_source::{EventSource, Heard};
use super::translate::Translator;
use crate::error::LinuxError;
use crate::proc;
use crate::tracepoints::Seen;
use std::time::Duration;
use windfall_os::clock;
use windfall_os::sched::Affinity;
use windfall_time::Instant;

/// A thread as /proc has it.
pub(super) struct ThreadSnapshot {
    pub(super) tid: i32,
    pub(super) pid: i32,
    pub(super) name: String,
    /// It can run, or runs.
    pub(super) able: bool,
}

/// What was heard before its turn.
pub(super) struct Early {
    pub(super) at: Instant,
    pub(super) cpu: u16,
    pub(super) seen: Seen,
}

/// Tells `translator` the state at `from`, and what has happened since.
pub(super) fn state(
    translator: &mut Translator<'_>,
    ears: &mut EventSource,
    from: Instant,
    cpus: &[u16],
) {
    let standing = threads();
    visit(cpus);
    std::thread::sleep(Duration::from_nanos(super::SETTLED.as_nanos()));
    let settled = clock::now().checked_sub(super::SETTLED).unwrap_or(from);
    let (mut early, mut lost) = (Vec::new(), Vec::new());
    ears.until(settled, |cpu, heard| match heard {
        Heard::Seen(at, seen) if at >= from => early.push(Early { at, cpu, seen }),
        Heard::Seen(..) => {}
        Heard::Lost(count) => lost.push((cpu, count)),
    });
    translator.begin(standing, &early);
    for one in &early {
        translator.take(one.cpu, Heard::Seen(one.at, one.seen));
    }
    for (cpu, count) in lost {
        translator.take(cpu, Heard::Lost(count));
    }
}

fn threads() -> Vec<ThreadSnapshot> {
    let threads = proc::processes().into_iter().flat_map(|pid| {
        proc::threads(pid).into_iter().filter_map(move |tid| {
            let stat = proc::stat(tid).filter(|stat| !stat.has_ended())?;
            Some(ThreadSnapshot { tid, pid, name: stat.comm, able: stat.state == 'R' })
        })
    });
    threads.collect()
}

/// Goes to each processor and back.
fn visit(cpus: &[u16]) {
    let Ok(home) = Affinity::of(0) else { return };
    for cpu in cpus {
        let _ = Affinity::one(*cpu).give(0); // refused: it stays unknown until it switches
    }
    let _ = home.give(0); // what was allowed a moment ago
}

/// The processors that are switched on.
pub(super) fn online() -> Vec<u16> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let ranges = text.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<u16>().ok()?..=last.parse::<u16>().ok()?)
    });
    ranges.flatten().collect()
}

/// Refuses where thread numbers are not those of the kernel.
pub(super) fn same_numbers() -> Result<(), LinuxError> {
    const OF_THE_KERNEL: &str = "pid:[4026531836]";
    match std::fs::read_link("/proc/self/ns/pid") {
        Ok(space) if space.as_os_str() != OF_THE_KERNEL => Err(LinuxError::new(
            "cannot record the machine",
            "this process is in a PID namespace of its own, where threads have other numbers than the kernel tells",
            "record outside of the container",
        )),
        _ => Ok(()),
    }
}
