//! The trace of a run, in memory that is reserved beforehand. `trace.rs` decides what is recorded.

use rustc_hash::FxHashMap;
use windfall_os::process;
use windfall_scenario::Tracer;
use windfall_time::Instant;
use windfall_trace::timeline::What;
use windfall_trace::{Assembler, Cpu, OverheadKind, Record, Ring, Stop, ThreadId};

/// Number of records that are kept, some 19 MB: some seconds at ten thousand switches a second, minutes at less.
const KEPT: usize = 1 << 18;

/// The most threads that are not supervised and are remembered.
pub(super) const OTHERS: usize = 4_096;

const _: () = assert!(size_of::<Record>() <= 72);

/// The activity of a processor from now on, for the trace.
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
}

/// The records of a run, and the state that is needed to write them.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) tracer: Tracer<Ring>,
    /// The activity of each processor according to the records.
    assembler: Assembler,
    /// By processor: what began last, and when.
    began: Vec<(Occupancy, Instant)>,
    /// By processor: the last time that a thread was granted it.
    pub(super) granted: Vec<Instant>,
    /// Threads that are not supervised and took a processor, by kernel id.
    pub(super) others: FxHashMap<i32, ThreadId>,
}

impl Trace {
    /// Makes a trace that keeps records.
    pub(crate) fn kept(cpus: usize) -> Trace {
        let ring = Ring::new(KEPT);
        let _ = process::lay_on_large_pages(ring.memory()); // if this fails, some decisions take 2 us more
        Trace {
            tracer: Tracer::new(Some(ring)),
            assembler: Assembler::with_capacity(cpus, OTHERS),
            began: vec![(Occupancy::Nothing, Instant::ZERO); cpus],
            granted: vec![Instant::ZERO; cpus],
            ..Trace::default()
        }
    }

    pub(super) fn fresh(&mut self) -> ThreadId {
        self.assembler.new_thread()
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

    /// Whether a processor runs a supervised thread according to the trace.
    pub(super) fn runs_supervised(&self, cpu: usize) -> bool {
        let known = self.assembler.runs(cpu_id(cpu)) != What::Unknown;
        known && matches!(self.began[cpu].0, Occupancy::Thread(_))
    }

    /// Records that thread `tid`, whose arrival was not seen, kept the granted thread off a processor until `at`.
    pub(super) fn was_held_by(&mut self, tid: i32, cpu: usize, at: Instant) {
        let (began, since) = self.began[cpu];
        let known = self.assembler.runs(cpu_id(cpu)) != What::Unknown;
        let from = since.max(self.granted[cpu]);
        if known && began == Occupancy::Nothing && from < at {
            let other = self.other(tid, from);
            self.turns(cpu, from, Stop::Preempted, Occupancy::Other(other));
        }
    }

    /// Records that a processor does something else; `stop` is why a thread leaves it, if one does.
    pub(super) fn turns(&mut self, cpu: usize, at: Instant, stop: Stop, to: Occupancy) {
        self.began[cpu] = (to, at);
        let Trace { assembler, tracer, .. } = self;
        let cpu = cpu_id(cpu);
        let ran = assembler.runs(cpu);
        let prev = if let What::Thread(thread) = ran { Some((thread, stop)) } else { None };
        let next = match to {
            Occupancy::Thread(thread) | Occupancy::Other(thread) => Some(thread),
            Occupancy::Nothing | Occupancy::Decides => None,
        };
        let decided = !assembler.overheads(cpu).is_empty();
        if to != Occupancy::Decides {
            assembler.end_overheads(tracer, at, cpu);
        }
        if prev.is_some() || next.is_some() || ran == What::Unknown {
            assembler.turn(tracer, at, cpu, prev, next);
        }
        if to == Occupancy::Decides && !decided {
            assembler.begin_overhead(tracer, at, cpu, OverheadKind::Scheduling, 0);
        }
    }

    /// Records an overhead in a stretch of time that is over.
    pub(super) fn overhead(&mut self, cpu: usize, kind: OverheadKind, from: Instant, to: Instant) {
        let (Trace { assembler, tracer, .. }, cpu) = (self, cpu_id(cpu));
        assembler.begin_overhead(tracer, from, cpu, kind, 0);
        assembler.end_overhead(tracer, to, cpu);
    }

    /// Records that events of a processor, or of any, are lost.
    pub(super) fn lose(&mut self, cpu: Option<usize>, at: Instant, count: u64) {
        self.assembler.lose(&mut self.tracer, at, cpu.map(cpu_id), Some(count));
    }
}

fn cpu_id(cpu: usize) -> Cpu {
    Cpu(u16::try_from(cpu).expect("at most 1,024 processors"))
}
