//! The trace of a run, in memory that is reserved beforehand. `trace.rs` decides what is recorded.

use rustc_hash::FxHashMap;
use windfall_os::process;
use windfall_scenario::Tracer;
use windfall_time::Instant;
use windfall_trace::{OverheadKind, Record, Ring, Stop, ThreadId};

/// Number of records that are kept, some 19 MB: some seconds at ten thousand switches a second, minutes at less.
const KEPT: usize = 1 << 18;

const _: () = assert!(size_of::<Record>() <= 72);

/// The activity of a processor, for the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Occupancy {
    /// Nothing that concerns the run.
    Nothing,
    /// It runs a supervised thread.
    Thread(ThreadId),
    /// It runs a thread that is not supervised although a supervised thread is granted it.
    Other(ThreadId),
    /// It runs the supervisor.
    Decides,
    /// Unknown, because events were lost.
    Unknown,
}

/// The records of a run, and the state that is needed to write them.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) tracer: Tracer<Ring>,
    /// By processor: what it does, since when, and the last time that a thread was granted it.
    pub(super) doing: Vec<(Occupancy, Instant)>,
    pub(super) granted: Vec<Instant>,
    /// Threads that are not supervised and took a processor, by kernel id.
    pub(super) others: FxHashMap<i32, ThreadId>,
    threads: u32,
}

impl Trace {
    /// Makes a trace that keeps records.
    pub(crate) fn kept(cpus: usize) -> Trace {
        let ring = Ring::new(KEPT);
        let _ = process::lay_on_large_pages(ring.memory()); // if this fails, some decisions take 2 us more
        Trace {
            tracer: Tracer::new(Some(ring)),
            doing: vec![(Occupancy::Unknown, Instant::ZERO); cpus],
            granted: vec![Instant::ZERO; cpus],
            ..Trace::default()
        }
    }

    pub(super) fn fresh(&mut self) -> ThreadId {
        self.threads += 1;
        ThreadId(self.threads - 1)
    }

    /// Returns a thread that is not supervised, and declares it at first. The reader of the trace looks its name up.
    pub(super) fn other(&mut self, tid: i32, at: Instant) -> ThreadId {
        if let Some(there) = self.others.get(&tid) {
            return *there;
        }
        let thread = self.fresh();
        self.others.insert(tid, thread);
        self.tracer.thread(at, thread, (tid.cast_unsigned(), 0), "", None);
        thread
    }

    /// Records that thread `tid`, whose arrival was not seen, kept the granted thread off a processor until `at`.
    pub(super) fn was_held_by(&mut self, tid: i32, cpu: usize, at: Instant) {
        let (doing, since) = self.doing[cpu];
        let from = since.max(self.granted[cpu]);
        if doing == Occupancy::Nothing && from < at {
            let other = self.other(tid, from);
            self.turns(cpu, from, Stop::Preempted, Occupancy::Other(other));
        }
    }

    /// Records that a processor does something else; `stop` is why a thread leaves it, if one does.
    pub(super) fn turns(&mut self, cpu: usize, at: Instant, stop: Stop, to: Occupancy) {
        let (from, _) = std::mem::replace(&mut self.doing[cpu], (to, at));
        let thread = |doing| match doing {
            Occupancy::Thread(thread) | Occupancy::Other(thread) => Some(thread),
            Occupancy::Nothing | Occupancy::Decides | Occupancy::Unknown => None,
        };
        if from == Occupancy::Decides && to != Occupancy::Decides {
            self.tracer.overhead_end(at, cpu);
        }
        let prev = thread(from).map(|thread| (thread, stop));
        if prev.is_some() || thread(to).is_some() || from == Occupancy::Unknown {
            self.tracer.switch(at, cpu, prev, thread(to));
        }
        if to == Occupancy::Decides && from != Occupancy::Decides {
            self.tracer.overhead(at, cpu, OverheadKind::Scheduling, 0);
        }
    }
}
