//! The machine's state when a recording begins: all threads, who runs where, who is ready.
//!
//! When events are observed already, all threads are read from /proc, and our own thread visits each processor, so
//! that each one switches. A thread that leaves a processor at its first switch has run there since the beginning; one
//! that enters without having been woken was ready. So nothing is guessed, and idle is distinct from unknown.
//!
//! A processor that we may not visit stays unknown until its first switch.

use super::translate::Translator;
use std::time::Duration;
use windfall_observe::procfs;
use windfall_observe::{EventSource, KernelEvent, Observed};
use windfall_os::LinuxError;
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

/// An event that came before the state was known.
pub(super) struct Early {
    pub(super) at: Instant,
    pub(super) cpu: u16,
    pub(super) seen: KernelEvent,
}

/// Gives `translator` the state at `from`, and what has happened since.
pub(super) fn state(
    translator: &mut Translator<'_>,
    source: &mut EventSource,
    from: Instant,
    cpus: &[u16],
) {
    let standing = threads();
    visit(cpus);
    std::thread::sleep(Duration::from_nanos(super::SETTLED.as_nanos()));
    let settled = clock::now().checked_sub(super::SETTLED).unwrap_or(from);
    let (mut early, mut lost) = (Vec::new(), Vec::new());
    source.until(settled, |cpu, observed| match observed {
        Observed::Event(at, seen) if at >= from => early.push(Early { at, cpu, seen }),
        Observed::Event(..) => {}
        Observed::Lost(count) => lost.push((cpu, count)),
    });
    translator.begin(standing, &early);
    for one in &early {
        translator.take(one.cpu, Observed::Event(one.at, one.seen));
    }
    for (cpu, count) in lost {
        translator.take(cpu, Observed::Lost(count));
    }
}

fn threads() -> Vec<ThreadSnapshot> {
    let threads = procfs::processes().into_iter().flat_map(|pid| {
        procfs::threads(pid).into_iter().filter_map(move |tid| {
            let stat = procfs::stat(tid).filter(|stat| !stat.has_ended())?;
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

/// Refuses where thread numbers are not those of the kernel.
pub(super) fn same_numbers() -> Result<(), LinuxError> {
    const OF_THE_KERNEL: &str = "pid:[4026531836]";
    match std::fs::read_link("/proc/self/ns/pid") {
        Ok(space) if space.as_os_str() != OF_THE_KERNEL => Err(LinuxError::new(
            "cannot record the machine",
            "this process is in a PID namespace of its own, where threads have other numbers than the kernel reports",
            "record outside of the container",
        )),
        _ => Ok(()),
    }
}
