//! Everything that the kernel's scheduler does, as a recording needs it: by BPF programs where they load, by perf events
//! otherwise (decision 0010).
//!
//! Both are read in order of time. BPF costs less at each event, and reports every one; perf events leave out
//! what an idle processor does by itself on some virtual machines.

mod bpf;
mod perf;

use crate::error::ObserveError;
use crate::observed::Observed;
use crate::perf_rings::PerfRings;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use windfall_os::LinuxError;
use windfall_os::events::Poll;
use windfall_time::Instant;

/// Observes all processors.
pub struct EventSource {
    source: Source,
    /// The source of events, and why no better one is used.
    pub by: String,
}

enum Source {
    Bpf(Box<bpf::BpfEvents>),
    Perf(PerfRings),
}

impl EventSource {
    /// Begins to observe; `cpus` are the processors that are switched on.
    ///
    /// # Errors
    /// When neither BPF programs nor perf events may be used: what is missing, and what would help.
    pub fn open(cpus: &[u16]) -> Result<EventSource, LinuxError> {
        match bpf::BpfEvents::open() {
            Ok(events) => {
                let by = events.by();
                Ok(EventSource { source: Source::Bpf(Box::new(events)), by })
            }
            Err(why) => {
                let source = Source::Perf(perf::open(cpus)?);
                Ok(EventSource { source, by: format!("perf events (BPF did not load: {why})") })
            }
        }
    }

    /// Observes, too, which routine each thread starts with that is made by one of these files ([`makers`](crate::routines::makers)).
    ///
    /// # Errors
    /// Why it cannot.
    pub fn report_starts(&mut self, makers: &BTreeSet<PathBuf>) -> Result<(), ObserveError> {
        match &mut self.source {
            Source::Bpf(events) => events.report_starts(makers),
            Source::Perf(_) => Err(ObserveError::NeedsBpf),
        }
    }

    /// Has a poll wait, under this name, until there is much to read.
    ///
    /// # Errors
    /// As [`Poll::add`].
    pub fn join(&self, poll: &Poll, name: u64) -> io::Result<()> {
        match &self.source {
            Source::Bpf(events) => events.join(poll, name),
            Source::Perf(events) => events.join(poll, name),
        }
    }

    /// Reads all that was observed up to an instant, in order of time; `each` gets the processor's number.
    pub fn until(&mut self, last: Instant, each: impl FnMut(u16, Observed)) {
        match &mut self.source {
            Source::Bpf(events) => events.until(last, each),
            Source::Perf(events) => events.until(last, each),
        }
    }

    /// Observes no more; what was observed can still be read.
    pub fn stop(&mut self) {
        match &mut self.source {
            Source::Bpf(events) => events.stop(),
            Source::Perf(events) => events.stop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_event::KernelEvent;
    use crate::procfs::online;
    use std::thread::{Builder, sleep};
    use std::time::Duration;
    use windfall_os::clock;
    use windfall_os::process::name_thread;
    use windfall_os::sched::own_tid;
    use windfall_skips::{Needs, skip};

    /// Named, asleep and awake, parent of a thread.
    fn life() -> i32 {
        name_thread("is observed");
        for _ in 0..20 {
            sleep(Duration::from_millis(1));
        }
        let child = Builder::new().name("child".to_owned()).spawn(own_tid).expect("a thread");
        child.join().expect("it ends");
        own_tid()
    }

    #[test]
    fn twin_both_sources_report_the_same() {
        let (mut bpf, mut perf) = match (bpf::BpfEvents::open(), perf::open(&online())) {
            (Ok(bpf), Ok(perf)) => (bpf, perf),
            (bpf, perf) => {
                let needs = if bpf.is_err() { Needs::Bpf } else { Needs::Real };
                let perf = perf.err().map(|why| why.to_string());
                return skip(
                    needs,
                    bpf.err().map(|why| why.to_string()).or(perf).unwrap_or_default(),
                );
            }
        };
        let tid = std::thread::spawn(life).join().expect("it ends");
        sleep(Duration::from_millis(5));
        let (mut by_bpf, mut by_perf) = (Vec::new(), Vec::new());
        let about = |observed| match observed {
            Observed::Event(_, seen @ KernelEvent::Switch { prev, .. }) if prev == tid => {
                Some(seen)
            }
            Observed::Event(
                _,
                seen @ (KernelEvent::Wake { by, .. } | KernelEvent::Fork { parent: by, .. }),
            ) if by == tid => Some(seen),
            Observed::Event(_, seen @ KernelEvent::Named { tid: named, .. }) if named == tid => {
                Some(seen)
            }
            _ => None, // perf events leave out what an idle processor does on some virtual machines
        };
        bpf.until(clock::now(), |_, observed| by_bpf.extend(about(observed)));
        perf.until(clock::now(), |_, observed| by_perf.extend(about(observed)));
        assert!(by_bpf.len() > 20, "{by_bpf:?}");
        assert_eq!(by_bpf, by_perf);
    }
}
