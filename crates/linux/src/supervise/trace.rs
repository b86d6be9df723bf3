//! What a run records of itself, under the lock and into memory that is reserved beforehand.
//!
//! Invariant: the trace follows the accounts of the processors, so that what it says a thread received is
//! what its outcome says, to the nanosecond. When in a stretch of time interrupts struck is not known, but how much
//! they took of it: they stand at its end. Nothing is built when nobody wants a trace.
//! Who takes it out of memory: `taker.rs`.

use crate::account::cpu::Running;
use crate::supervise::linux::Linux;
use rustc_hash::FxHashMap;
use windfall_hierarchy::NodeId;
use windfall_host::Thread;
use windfall_observe::rings::{Taken, Where};
use windfall_os::process;
use windfall_scenario::Tracer;
use windfall_time::{Instant, Span};
use windfall_trace::{Cpu, Event, OverheadKind, Record, Ring, Stop, ThreadId};

/// So many records are kept, some 19 MB: some seconds at ten thousand switches a second, minutes at less.
const KEPT: usize = 1 << 18;

/// Of so many who are not supervised it is kept who they are.
const OTHERS: usize = 4_096;

/// The longest that a thread is on a supervised processor without a word about that; a reader waits longer for records
/// to be in order (`taker.rs`).
const LATELY: Span = Span::from_millis(100);

const _: () = assert!(size_of::<Record>() <= 72);

/// What the trace says that a processor does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Occupancy {
    /// Nothing that concerns us.
    Nothing,
    /// It runs a supervised thread.
    Thread(ThreadId),
    /// It runs somebody who is not supervised although a supervised thread is granted it.
    Other(ThreadId),
    /// It decides who runs.
    Decides,
    /// Nobody knows: events were lost.
    Unknown,
}

/// What has been recorded.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) tracer: Tracer<Ring>,
    /// By processor: what it does, since when, and when a thread was granted it last.
    doing: Vec<(Occupancy, Instant)>,
    granted: Vec<Instant>,
    /// Threads that are not supervised and took a processor, by the kernel's numbers.
    others: FxHashMap<i32, ThreadId>,
    threads: u32,
}

impl Trace {
    /// A trace that is kept.
    pub(crate) fn kept(cpus: usize) -> Trace {
        let ring = Ring::new(KEPT);
        let _ = process::lay_on_large_pages(ring.memory()); // refused: some decisions take 2 us more
        Trace {
            tracer: Tracer::new(Some(ring)),
            doing: vec![(Occupancy::Unknown, Instant::ZERO); cpus],
            granted: vec![Instant::ZERO; cpus],
            ..Trace::default()
        }
    }

    fn fresh(&mut self) -> ThreadId {
        self.threads += 1;
        ThreadId(self.threads - 1)
    }

    /// Somebody who is not supervised; the name is looked up by whoever reads the trace.
    fn other(&mut self, tid: i32, at: Instant) -> ThreadId {
        if let Some(there) = self.others.get(&tid) {
            return *there;
        }
        let thread = self.fresh();
        self.others.insert(tid, thread);
        self.tracer.thread(at, thread, (tid.cast_unsigned(), 0), "", None);
        thread
    }

    /// Until `at` a processor was kept from a thread that was granted it, by somebody whose coming was not seen.
    fn was_held_by(&mut self, tid: i32, cpu: usize, at: Instant) {
        let (doing, since) = self.doing[cpu];
        let from = since.max(self.granted[cpu]);
        if doing == Occupancy::Nothing && from < at {
            let other = self.other(tid, from);
            self.turns(cpu, from, Stop::Preempted, Occupancy::Other(other));
        }
    }

    /// A processor does something else; `stop` is why a thread leaves it, if one does.
    fn turns(&mut self, cpu: usize, at: Instant, stop: Stop, to: Occupancy) {
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

impl Linux {
    /// The clock starts: processors are idle but for the one that the event loop has.
    pub(crate) fn trace_begin(&mut self) {
        for cpu in 0..self.trace.doing.len() {
            let to = match self.cpus[cpu].occupant {
                Running::Supervisor => Occupancy::Decides,
                _ => Occupancy::Nothing,
            };
            self.trace.turns(cpu, Instant::ZERO, Stop::Preempted, to);
        }
    }

    /// A member is granted a processor from here on.
    pub(crate) fn trace_granted(&mut self, cpu: usize) {
        if let Some(granted) = self.trace.granted.get_mut(cpu) {
            *granted = self.clock.last();
        }
    }

    /// What the trace calls a thread that wakes another, by the kernel's number.
    pub(crate) fn trace_waker(&mut self, tid: i32, at: Instant) -> Option<ThreadId> {
        if !self.trace.tracer.is_on() {
            return None;
        }
        match self.threads.tids.get(&tid) {
            Some(number) => self.threads.bodies[*number as usize].traced,
            // Of many who come and go, as clients do, not all are remembered.
            None if self.trace.others.len() < OTHERS || self.trace.others.contains_key(&tid) => {
                // It may turn out to have been on a processor before that, but not for long.
                let before = Instant::ZERO + (at - Instant::ZERO).saturating_sub(LATELY);
                Some(self.trace.other(tid, before))
            }
            None => None,
        }
    }

    /// A thread is there, or has another name or scheduler.
    pub(crate) fn trace_thread(&mut self, number: u32, thread: &Thread, parent: Option<NodeId>) {
        if !self.trace.tracer.is_on() {
            return;
        }
        let now = self.clock.now();
        let body = &mut self.threads.bodies[number as usize];
        let at = if body.traced.is_none() && body.is_external() { body.heard } else { now };
        let called = *body.traced.get_or_insert_with(|| self.trace.fresh());
        let numbers = (body.tid.cast_unsigned(), body.pid().cast_unsigned());
        self.trace.tracer.thread(at, called, numbers, &thread.outcome.name, parent);
    }

    /// A processor has gone from one thread to another, and its accounts have been brought up to that. The
    /// occupant is the one that it has got.
    #[inline]
    pub(crate) fn trace_switch(
        &mut self,
        (cpu, at): (usize, Instant),
        (prev, stop, waits): (i32, Stop, bool),
        next: i32,
        threads: &[Thread],
    ) {
        if !self.trace.tracer.is_on() {
            return;
        }
        let left = self.threads.tids.get(&prev).copied();
        let stop = match (self.trace.doing[cpu].0, left) {
            (Occupancy::Thread(_), None) => Stop::Exited, // or it is supervised no longer
            (Occupancy::Thread(_), Some(number)) if !waits => {
                why(&threads[number as usize], stop, at)
            }
            _ => stop,
        };
        let since = self.cpus[cpu].since();
        let actual = self.cpus[cpu].actual;
        let goes_on = actual.filter(|number| !(waits && left == Some(*number)));
        let granted = goes_on.is_some_and(|number| threads[number as usize].is_ready());
        let others = left.is_none() && !self.external.agents.contains(&prev);
        if granted && others && prev != 0 {
            self.trace.was_held_by(prev, cpu, since);
        }
        let to = match self.cpus[cpu].occupant {
            Running::Member(number) => self.occupancy(number),
            Running::Supervisor => Occupancy::Decides,
            Running::Other if next != 0 && granted => {
                Occupancy::Other(self.trace.other(next, since))
            }
            Running::Other => Occupancy::Nothing,
        };
        self.trace.turns(cpu, since, stop, to);
    }

    fn occupancy(&self, number: u32) -> Occupancy {
        let traced = self.threads.bodies[number as usize].traced;
        traced.map_or(Occupancy::Nothing, Occupancy::Thread)
    }

    /// A member that was on its way into the freezer does something else.
    pub(crate) fn trace_thread_goes_on(&mut self, cpu: usize, number: u32) {
        if self.trace.tracer.is_on() {
            let to = self.occupancy(number);
            self.trace.turns(cpu, self.cpus[cpu].since(), Stop::Preempted, to);
        }
    }

    /// So much was taken of what was accounted for last.
    #[inline]
    pub(crate) fn trace_taken(&mut self, cpu: usize, Taken { all, soft, steal }: Taken) {
        if !self.trace.tracer.is_on() {
            return;
        }
        let to = self.cpus[cpu].since();
        let before = |span| Instant::ZERO + (to - Instant::ZERO).saturating_sub(span);
        // Where interrupts lay is not told; a processor that stands still is told of when that is over.
        let [softly, still] = [before(soft + steal), before(steal)];
        let pieces = [
            (OverheadKind::Interrupt, before(all), softly),
            (OverheadKind::Softirq, softly, still),
            (OverheadKind::Steal, still, to),
        ];
        for (kind, from, to) in pieces.into_iter().filter(|(_, from, to)| from < to) {
            self.trace.tracer.overhead(from, cpu, kind, 0);
            self.trace.tracer.overhead_end(to, cpu);
        }
    }

    /// Events of the kernel were lost.
    pub(crate) fn trace_lost(&mut self, place: Where, count: u64) {
        let (at, cpu) = match place {
            Where::Here(cpu) => (self.cpus[cpu].since(), Some(cpu)),
            Where::Elsewhere => (self.clock.time(), None),
        };
        for (number, doing) in self.trace.doing.iter_mut().enumerate() {
            if cpu.is_none_or(|cpu| cpu == number) {
                *doing = (Occupancy::Unknown, at);
            }
        }
        let cpu = cpu.and_then(|cpu| u16::try_from(cpu).ok()).map(Cpu);
        self.trace.tracer.record(at, || Event::Lost { cpu, count: Some(count) });
    }
}

/// Why a thread has left a processor at `at`, when the kernel says `stop`: to the kernel, a thread of ours that waits
/// to be granted one waits, and so does one that is frozen.
fn why(thread: &Thread, stop: Stop, at: Instant) -> Stop {
    match stop {
        _ if thread.id().is_none() => Stop::Exited,
        _ if thread.is_ready() && thread.awake() <= at => Stop::Preempted,
        Stop::Preempted => Stop::Blocked, // it has said that it waits, and is about to
        other => other,
    }
}
