//! What a run records of itself, under the lock and into memory that is reserved beforehand.
//!
//! Invariant: the trace follows the accounts of the processors, so that what it says a thread received is
//! what its outcome says, to the nanosecond. When in a stretch of time interrupts struck is not known, but how much
//! they took of it: they stand at its end. Nothing is built when nobody wants a trace.
//! Who takes it out of memory: `taker.rs`.

use crate::account::cpu::Running;
use crate::supervise::supervisor::Supervisor;
use crate::threads::member::{Kind, Member};
use rustc_hash::FxHashMap;
use windfall_hierarchy::JournalEntry;
use windfall_observe::rings::{Taken, Where};
use windfall_os::process;
use windfall_scenario::Tracer;
use windfall_scenario::outcome::Promise;
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

    /// What a scheduler has noted.
    #[inline]
    pub(crate) fn noted(&mut self, entry: &JournalEntry, numbers: &[u32], members: &[Member]) {
        self.tracer.entry(entry, |id| {
            let number = numbers.get(id.index())?;
            members.get(*number as usize)?.traced
        });
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

impl Supervisor {
    /// The clock starts: schedulers are there, processors are idle but for the one that the event loop has.
    pub(crate) fn trace_begin(&mut self, trace: Trace) {
        self.books.trace = trace;
        self.books.trace.tracer.declare_nodes(Instant::ZERO, &self.hierarchy);
        for cpu in 0..self.books.trace.doing.len() {
            let to = match self.cpus[cpu].occupant {
                Running::Supervisor => Occupancy::Decides,
                _ => Occupancy::Nothing,
            };
            self.books.trace.turns(cpu, Instant::ZERO, Stop::Preempted, to);
        }
    }

    /// Records something about a member that has been told of.
    #[inline]
    pub(crate) fn trace_about(
        &mut self,
        number: u32,
        at: Instant,
        event: impl FnOnce(ThreadId) -> Event,
    ) {
        if let Some(thread) = self.threads.members[number as usize].traced {
            self.books.trace.tracer.record(at, || event(thread));
        }
    }

    /// A member is granted a processor from here on.
    pub(crate) fn trace_granted(&mut self, cpu: usize) {
        if let Some(granted) = self.books.trace.granted.get_mut(cpu) {
            *granted = self.agenda.last_call();
        }
    }

    /// What passed before a member does something that divides its time, so that it stands before that.
    pub(crate) fn trace_before(&mut self, number: u32) {
        if let (true, Some(cpu)) =
            (self.books.trace.tracer.is_on(), self.threads.members[number as usize].on)
        {
            self.listen();
            let now = self.time();
            self.account(cpu, now);
        }
    }

    /// What the trace calls a thread that wakes another, by the kernel's number.
    pub(crate) fn trace_waker(&mut self, tid: i32, at: Instant) -> Option<ThreadId> {
        if !self.books.trace.tracer.is_on() {
            return None;
        }
        match self.threads.tids.get(&tid) {
            Some(number) => self.threads.members[*number as usize].traced,
            // Of many who come and go, as clients do, not all are remembered.
            None if self.books.trace.others.len() < OTHERS
                || self.books.trace.others.contains_key(&tid) =>
            {
                // It may turn out to have been on a processor before that, but not for long.
                let before = Instant::ZERO + (at - Instant::ZERO).saturating_sub(LATELY);
                Some(self.books.trace.other(tid, before))
            }
            None => None,
        }
    }

    /// A member can run.
    pub(crate) fn trace_wake(&mut self, number: u32, at: Instant, by: Option<ThreadId>) {
        self.trace_about(number, at, |thread| Event::Wake { thread, by });
    }

    /// A member has got its place in the hierarchy.
    pub(crate) fn trace_birth(&mut self, number: u32, now: Instant) {
        if self.books.trace.tracer.is_on() {
            let member = &self.threads.members[number as usize];
            let at = if member.is_external() { member.heard } else { now };
            self.threads.members[number as usize].traced = Some(self.books.trace.fresh());
            self.trace_thread(number, at);
        }
    }

    /// A member is there, or has another name, scheduler or promise.
    pub(crate) fn trace_thread(&mut self, number: u32, at: Instant) {
        let member = &self.threads.members[number as usize];
        let (Some(thread), Some(id)) = (member.traced, member.id) else { return };
        let numbers = (member.tid.cast_unsigned(), member.pid().cast_unsigned());
        let parent = self.hierarchy.parent_of(id).ok();
        let tracer = &mut self.books.trace.tracer;
        tracer.thread(at, thread, numbers, &member.outcome.name, parent);
        tracer.promise(at, thread, member.outcome.promised.as_deref());
    }

    /// What members have been promised has changed; who is not named has no promise.
    pub(crate) fn trace_promises(&mut self, promises: &[Promise]) {
        let now = self.time();
        for number in 0..self.threads.members.len() {
            let member = &self.threads.members[number];
            let (Some(_), Some(thread)) = (member.id, member.traced) else { continue };
            let owner = match member.kind {
                Kind::InProcess(_) => &member.outcome.name,
                Kind::External { spec, .. } => &self.threads.specs[spec].name,
            };
            let its = promises.iter().find(|one| one.own.is_none() && one.owner == *owner);
            let guarantee = its.map(|promise| promise.guarantee.to_string());
            self.books.trace.tracer.record(now, || Event::Promise { thread, guarantee });
        }
    }

    /// A processor has gone from one thread to another, and its accounts have been brought up to that. The
    /// occupant is the one that it has got.
    #[inline]
    pub(crate) fn trace_switch(
        &mut self,
        cpu: usize,
        at: Instant,
        (prev, stop): (i32, Stop),
        next: i32,
    ) {
        if self.books.trace.tracer.is_on() {
            let stop = match (self.books.trace.doing[cpu].0, self.threads.tids.get(&prev)) {
                (Occupancy::Thread(_), None) => Stop::Exited, // or it is supervised no longer
                (Occupancy::Thread(_), Some(number)) => {
                    self.threads.members[*number as usize].why(stop, at)
                }
                _ => stop,
            };
            let since = self.cpus[cpu].since();
            let granted =
                self.cpus[cpu].actual.map(|number| &self.threads.members[number as usize]);
            let granted = granted.is_some_and(|member| member.ready);
            let others =
                !self.threads.tids.contains_key(&prev) && !self.external.agents.contains(&prev);
            if granted && others && prev != 0 {
                self.books.trace.was_held_by(prev, cpu, since);
            }
            let to = match self.cpus[cpu].occupant {
                Running::Member(number) => self.threads.members[number as usize]
                    .traced
                    .map_or(Occupancy::Nothing, Occupancy::Thread),
                Running::Supervisor => Occupancy::Decides,
                Running::Other if next != 0 && granted => {
                    Occupancy::Other(self.books.trace.other(next, since))
                }
                Running::Other => Occupancy::Nothing,
            };
            self.books.trace.turns(cpu, since, stop, to);
        }
    }

    /// A member that was on its way into the freezer does something else.
    pub(crate) fn trace_thread_goes_on(&mut self, cpu: usize, number: u32) {
        if self.books.trace.tracer.is_on() {
            let to = self.threads.members[number as usize]
                .traced
                .map_or(Occupancy::Nothing, Occupancy::Thread);
            self.books.trace.turns(cpu, self.cpus[cpu].since(), Stop::Preempted, to);
        }
    }

    /// So much was taken of what was accounted for last.
    #[inline]
    pub(crate) fn trace_taken(&mut self, cpu: usize, Taken { all, soft, steal }: Taken) {
        if !self.books.trace.tracer.is_on() {
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
            self.books.trace.tracer.overhead(from, cpu, kind, 0);
            self.books.trace.tracer.overhead_end(to, cpu);
        }
    }

    /// Events of the kernel were lost.
    pub(crate) fn trace_lost(&mut self, place: Where, count: u64) {
        let (at, cpu) = match place {
            Where::Here(cpu) => (self.cpus[cpu].since(), Some(cpu)),
            Where::Elsewhere => (self.time(), None),
        };
        for (number, doing) in self.books.trace.doing.iter_mut().enumerate() {
            if cpu.is_none_or(|cpu| cpu == number) {
                *doing = (Occupancy::Unknown, at);
            }
        }
        let cpu = cpu.and_then(|cpu| u16::try_from(cpu).ok()).map(Cpu);
        self.books.trace.tracer.record(at, || Event::Lost { cpu, count: Some(count) });
    }

    /// A request was carried out or refused; it may have made a scheduler, or moved threads.
    pub(crate) fn trace_control(&mut self, text: String, moved: impl Iterator<Item = u32>) {
        if self.books.trace.tracer.is_on() {
            let now = self.time();
            self.books.trace.tracer.declare_nodes(now, &self.hierarchy);
            moved.for_each(|number| self.trace_thread(number, now));
            self.books.trace.tracer.record(now, || Event::Control { text });
        }
    }
}

impl Member {
    /// The process that it belongs to.
    fn pid(&self) -> i32 {
        match self.kind {
            Kind::InProcess(_) => std::process::id().cast_signed(),
            Kind::External { pid, .. } => pid,
        }
    }

    /// Why it has left a processor at `at`, when the kernel says `stop`: to the kernel, a thread of ours that waits
    /// to be granted one waits, and so does one that is frozen.
    fn why(&self, stop: Stop, at: Instant) -> Stop {
        match stop {
            _ if self.id.is_none() => Stop::Exited,
            _ if self.ready && self.awake <= at => Stop::Preempted,
            Stop::Preempted => Stop::Blocked, // it has said that it waits, and is about to
            other => other,
        }
    }
}
