//! Makes records that never contradict each other from what processors are said to do.
//!
//! Invariants: `base` of a processor is what the records say that it runs; after a loss it is unknown. A thread runs on a processor if
//! both say so, and can run for certain only until the next loss. Overheads on a processor end in the order in which they began, at the
//! latest when it switches.
//!
//! Absent on purpose: who a thread is. Sources name threads by numbers that are used again, by names or not at all; whoever reads one
//! finds out which [`ThreadId`] is meant, and declares it.

use crate::timeline::What;
use crate::{Cpu, Event, OverheadKind, Sink, Stop, ThreadId};
use windfall_time::Instant;

/// Turns what a source says about processors and threads into records: recordings, imported texts and supervised runs use it.
///
/// A source may omit events. Where it contradicts what was recorded, a switch is missing: the assembler records a loss on the processor
/// concerned, and says so. Its methods take threads that [`new_thread`](Assembler::new_thread) has returned, and panic for others.
///
/// ```
/// use windfall_time::Instant;
/// use windfall_trace::{Assembler, Contradiction, Cpu, Event, Memory, Stop};
///
/// let (mut records, mut assembler) = (Memory::default(), Assembler::default());
/// let (audio, video, at) = (assembler.new_thread(), assembler.new_thread(), Instant::from_nanos);
/// assembler.switch(&mut records, at(1), Cpu(0), None, Some(audio));
///
/// // Nobody has said that audio left the processor.
/// let missing = assembler.switch(&mut records, at(5), Cpu(0), Some((video, Stop::Blocked)), None);
/// assert_eq!(missing, [Contradiction::Ran { cpu: Cpu(0), thread: Some(audio) }]);
/// assert!(matches!(records.records[1].event, Event::Lost { cpu: Some(Cpu(0)), .. }));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    cpus: Vec<Processor>,
    threads: Vec<State>,
    /// How many losses there were; what was known before one may be wrong after it.
    losses: u64,
}

/// The records so far do not agree with an event: a switch is missing between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Contradiction {
    /// The processor ran another thread (`None`: it was idle) than the one that is said to leave it.
    Ran {
        /// The processor.
        cpu: Cpu,
        /// The thread that it ran.
        thread: Option<ThreadId>,
    },
    /// The thread was on another processor, which has not been said to switch.
    Elsewhere {
        /// That other processor.
        cpu: Cpu,
        /// The thread.
        thread: ThreadId,
    },
}

#[derive(Clone, Debug)]
struct Processor {
    base: What,
    overheads: Vec<OverheadKind>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// It runs there, if the processor agrees.
    Running(Cpu),
    /// It can run, if there was no loss since this one.
    Ready(u64),
    /// It waits, or this is unknown.
    Other,
}

impl Processor {
    const UNKNOWN: Processor = Processor { base: What::Unknown, overheads: Vec::new() };
}

impl Assembler {
    /// An assembler with room for so many processors and threads; with more it takes more memory.
    #[must_use]
    pub fn with_capacity(cpus: usize, threads: usize) -> Assembler {
        let one = |_| Processor { base: What::Unknown, overheads: Vec::with_capacity(4) };
        let threads = Vec::with_capacity(threads);
        Assembler { cpus: (0..cpus).map(one).collect(), threads, losses: 0 }
    }

    /// Returns a thread that the records do not have yet. The caller declares it by [`Event::Thread`] before it is used.
    pub fn new_thread(&mut self) -> ThreadId {
        let number = u32::try_from(self.threads.len()).expect("threads are numbered by 32 bits");
        self.threads.push(State::Other);
        ThreadId(number)
    }

    /// How many threads there have been.
    #[must_use]
    pub fn threads(&self) -> u32 {
        u32::try_from(self.threads.len()).expect("threads are numbered by 32 bits")
    }

    /// Returns what a processor runs according to the records, overheads aside.
    #[inline]
    #[must_use]
    pub fn runs(&self, cpu: Cpu) -> What {
        self.cpus.get(usize::from(cpu.0)).map_or(What::Unknown, |processor| processor.base)
    }

    /// The overheads that have a processor according to the records, the innermost last.
    #[inline]
    #[must_use]
    pub fn overheads(&self, cpu: Cpu) -> &[OverheadKind] {
        self.cpus.get(usize::from(cpu.0)).map_or(&[], |processor| &processor.overheads)
    }

    /// The processor that runs a thread according to the records.
    #[must_use]
    pub fn place(&self, thread: ThreadId) -> Option<Cpu> {
        match self.threads.get(thread.0 as usize) {
            Some(State::Running(cpu)) if self.runs(*cpu) == What::Thread(thread) => Some(*cpu),
            _ => None,
        }
    }

    /// Records that a processor goes from one thread (`None`: it was idle) to another, as a source says that may have omitted
    /// something. Returns what contradicts the records so far; each is a loss among them. Overheads that are open end here.
    pub fn switch(
        &mut self,
        sink: &mut (impl Sink + ?Sized),
        at: Instant,
        cpu: Cpu,
        prev: Option<(ThreadId, Stop)>,
        next: Option<ThreadId>,
    ) -> Vec<Contradiction> {
        self.end_overheads(sink, at, cpu);
        let leaves = prev.map(|(thread, _)| thread);
        let expected = self.expect(sink, at, cpu, leaves.map_or(What::Idle, What::Thread));
        let mut found: Vec<Contradiction> = expected.into_iter().collect();
        for thread in [leaves, next].into_iter().flatten() {
            if let Some(other) = self.place(thread).filter(|other| *other != cpu) {
                found.push(Contradiction::Elsewhere { cpu: other, thread });
                self.lose(sink, at, Some(other), None);
            }
        }
        self.turn(sink, at, cpu, prev, next);
        found
    }

    /// Compares the records with what a source says that a processor runs until now; [`What::Unknown`] is a thread that the records do not have.
    /// If they differ, that is a loss on the processor, and returned.
    pub fn expect(
        &mut self,
        sink: &mut (impl Sink + ?Sized),
        at: Instant,
        cpu: Cpu,
        runs: What,
    ) -> Option<Contradiction> {
        let thread = match self.runs(cpu) {
            ran if ran == runs => return None,
            What::Thread(thread) => Some(thread),
            What::Idle => None,
            What::Unknown | What::Overhead(_) => return None,
        };
        self.lose(sink, at, Some(cpu), None);
        Some(Contradiction::Ran { cpu, thread })
    }

    /// Does the same as [`switch`](Assembler::switch), for a source that omits nothing: what it says is taken as it is.
    #[inline]
    pub fn turn(
        &mut self,
        sink: &mut (impl Sink + ?Sized),
        at: Instant,
        cpu: Cpu,
        prev: Option<(ThreadId, Stop)>,
        next: Option<ThreadId>,
    ) {
        self.end_overheads(sink, at, cpu);
        sink.record(at, &Event::Switch { cpu, prev, next });
        if let Some((thread, stop)) = prev {
            let able = stop == Stop::Preempted;
            self.threads[thread.0 as usize] =
                if able { State::Ready(self.losses) } else { State::Other };
        }
        if let Some(thread) = next {
            self.threads[thread.0 as usize] = State::Running(cpu);
        }
        self.processor(cpu).base = next.map_or(What::Idle, What::Thread);
    }

    /// Records that a thread can run, and which thread woke it. Returns false, and records nothing, if that was known.
    ///
    /// A thread that still runs may be about to wait: then this undoes the switch to come, or it is void. Only the next event of the thread
    /// tells, so it is not taken to be ready after such a switch.
    pub fn wake(
        &mut self,
        sink: &mut (impl Sink + ?Sized),
        at: Instant,
        thread: ThreadId,
        by: Option<ThreadId>,
    ) -> bool {
        if self.threads[thread.0 as usize] == State::Ready(self.losses) {
            return false;
        }
        if self.place(thread).is_none() {
            self.threads[thread.0 as usize] = State::Ready(self.losses);
        }
        sink.record(at, &Event::Wake { thread, by });
        true
    }

    /// Records that a thread has ended. If it is said to run, its last switch is missing: that is a loss on its processor, which is
    /// returned.
    pub fn exit(
        &mut self,
        sink: &mut (impl Sink + ?Sized),
        at: Instant,
        thread: ThreadId,
    ) -> Option<Cpu> {
        let on = self.place(thread);
        if on.is_some() {
            self.lose(sink, at, on, None);
        }
        self.threads[thread.0 as usize] = State::Other;
        sink.record(at, &Event::Exit { thread });
        on
    }

    /// Records that an overhead begins on a processor.
    #[inline]
    pub fn begin_overhead(
        &mut self,
        sink: &mut (impl Sink + ?Sized),
        at: Instant,
        cpu: Cpu,
        kind: OverheadKind,
        number: u16,
    ) {
        self.processor(cpu).overheads.push(kind);
        sink.record(at, &Event::OverheadBegin { cpu, kind, number });
    }

    /// Records that the innermost overhead on a processor ends. Returns false, and records nothing, if there is none.
    pub fn end_overhead(&mut self, sink: &mut (impl Sink + ?Sized), at: Instant, cpu: Cpu) -> bool {
        let ends = self.processor(cpu).overheads.pop().is_some();
        if ends {
            sink.record(at, &Event::OverheadEnd { cpu });
        }
        ends
    }

    /// Records that every overhead on a processor ends.
    #[inline]
    pub fn end_overheads(&mut self, sink: &mut (impl Sink + ?Sized), at: Instant, cpu: Cpu) {
        while self.end_overhead(sink, at, cpu) {}
    }

    /// Records that events of a processor (`None`: of all) are lost: `count` of them, if the source says so. The processor is unknown from
    /// here on, and so is every thread that the records do not show running elsewhere.
    pub fn lose(
        &mut self,
        sink: &mut (impl Sink + ?Sized),
        at: Instant,
        cpu: Option<Cpu>,
        count: Option<u64>,
    ) {
        self.losses += 1;
        let lost = match cpu {
            Some(cpu) => std::slice::from_mut(self.processor(cpu)),
            None => &mut self.cpus[..],
        };
        for processor in lost {
            processor.base = What::Unknown;
            processor.overheads.clear();
        }
        sink.record(at, &Event::Lost { cpu, count });
    }

    #[inline]
    fn processor(&mut self, cpu: Cpu) -> &mut Processor {
        let number = usize::from(cpu.0);
        if number >= self.cpus.len() {
            self.cpus.resize(number + 1, Processor::UNKNOWN);
        }
        &mut self.cpus[number]
    }
}

#[cfg(test)]
mod tests;
