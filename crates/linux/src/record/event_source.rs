//! Everything that the kernel's scheduler does, as it is heard: by BPF programs where they load, by perf events
//! otherwise (decision 0010).
//!
//! Both are read in order of time. BPF costs less at each event, and hears every one; perf events leave out
//! what an idle processor does by itself on some virtual machines.

use super::{bpf, perf};
use crate::error::LinuxError;
use crate::routines;
use crate::tracepoints::Seen;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use windfall_os::events::Poll;
use windfall_time::Instant;

/// What was heard on a processor.
#[derive(Clone, Copy, Debug)]
pub(super) enum Heard {
    /// Something happened.
    Seen(Instant, Seen),
    /// So many events did not fit into a ring.
    Lost(u64),
}

/// Listens to all processors.
pub(super) struct EventSource {
    source: Source,
    /// By what it listens, and why not by something better.
    pub(super) by: String,
}

enum Source {
    Bpf(Box<bpf::BpfEvents>),
    Perf(perf::PerfEvents),
}

impl EventSource {
    pub(super) fn open(cpus: &[u16]) -> Result<EventSource, LinuxError> {
        match bpf::BpfEvents::open() {
            Ok(ears) => {
                let by = ears.by();
                Ok(EventSource { source: Source::Bpf(Box::new(ears)), by })
            }
            Err(why) => {
                let source = Source::Perf(perf::PerfEvents::open(cpus)?);
                Ok(EventSource { source, by: format!("perf events (BPF did not load: {why})") })
            }
        }
    }

    /// Hears, too, which routine each thread starts with that one of these files makes, or says why that cannot be heard.
    pub(super) fn hear_starts(&mut self, makers: &BTreeSet<PathBuf>) -> Result<(), String> {
        match &mut self.source {
            Source::Bpf(ears) => ears.hear_starts(makers),
            Source::Perf(_) => Err(routines::BY_BPF.to_owned()),
        }
    }

    /// Has a poll wait until there is much to read.
    pub(super) fn join(&self, poll: &Poll, name: u64) -> io::Result<()> {
        match &self.source {
            Source::Bpf(ears) => ears.join(poll, name),
            Source::Perf(ears) => ears.join(poll, name),
        }
    }

    /// Reads all that was heard up to an instant, in order of time.
    pub(super) fn until(&mut self, last: Instant, each: impl FnMut(u16, Heard)) {
        match &mut self.source {
            Source::Bpf(ears) => ears.until(last, each),
            Source::Perf(ears) => ears.until(last, each),
        }
    }

    /// Listens no more; what was heard can still be read.
    pub(super) fn stop(&mut self) {
        match &mut self.source {
            Source::Bpf(ears) => ears.stop(),
            Source::Perf(ears) => ears.stop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::first::online;
    use std::thread::{Builder, sleep};
    use std::time::Duration;
    use windfall_os::clock;
    use windfall_os::process::name_thread;
    use windfall_os::sched::own_tid;
    use windfall_skips::{Needs, skip};

    /// Named, asleep and awake, parent of a thread.
    fn life() -> i32 {
        name_thread("is heard");
        for _ in 0..20 {
            sleep(Duration::from_millis(1));
        }
        let child = Builder::new().name("child".to_owned()).spawn(own_tid).expect("a thread");
        child.join().expect("it ends");
        own_tid()
    }

    #[test]
    fn twin_both_ways_of_listening_hear_the_same() {
        let (mut bpf, mut perf) = match (bpf::BpfEvents::open(), perf::PerfEvents::open(&online()))
        {
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
        let about = |heard| match heard {
            Heard::Seen(_, seen @ Seen::Switch { prev, .. }) if prev == tid => Some(seen),
            Heard::Seen(_, seen @ (Seen::Wake { by, .. } | Seen::Made { parent: by, .. }))
                if by == tid =>
            {
                Some(seen)
            }
            Heard::Seen(_, seen @ Seen::Named { tid: named, .. }) if named == tid => Some(seen),
            _ => None, // perf events leave out what an idle processor does on some virtual machines
        };
        bpf.until(clock::now(), |_, heard| by_bpf.extend(about(heard)));
        perf.until(clock::now(), |_, heard| by_perf.extend(about(heard)));
        assert!(by_bpf.len() > 20, "{by_bpf:?}");
        assert_eq!(by_bpf, by_perf);
    }
}
