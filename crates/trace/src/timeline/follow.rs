//! Follows records: in which state each thread and each processor is, and what has just ended.
//!
//! Invariant: a thread is in `state` since `since` (nothing, when it has ended); so is a processor.
//! A change closes what is open, unless it is empty, and opens the next; what was closed is taken
//! from `closed` by the caller. Memory grows with threads and processors, not with records.

use super::{LostCount, Slice, State, Stretch, What};
use crate::{Cpu, Event, OverheadKind, Stop, ThreadId};
use std::collections::{BTreeMap, HashMap};
use windfall_time::Instant;

/// A stretch or slice that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Closed {
    /// A thread's stretch; threads by place, in order of declaration.
    Thread(usize, Stretch),
    /// A processor's slice.
    Cpu(Cpu, Slice),
}

/// Takes records one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Follower {
    /// When the first record happened, and the last one.
    pub(crate) from: Instant,
    pub(crate) to: Instant,
    begun: bool,
    pub(crate) lost: LostCount,
    /// As [`super::Timeline::conflicts`].
    pub(crate) conflicts: u64,
    /// Where a thread stands in `open`. Looked up, never walked.
    index: HashMap<ThreadId, usize>,
    open: Vec<OpenThread>,
    cpus: BTreeMap<Cpu, OpenCpu>,
    /// Stretches and slices that the last record closed.
    pub(crate) closed: Vec<Closed>,
}

#[derive(Clone, Debug)]
struct OpenThread {
    id: ThreadId,
    since: Instant,
    state: Option<State>,
    /// Woken while it still ran: a waker on another processor can be faster than the switch.
    woken_early: bool,
    /// It has been declared, has had no other event, and nothing was lost since: so it waits, which
    /// is certain when it is woken, or when the trace ends.
    silent: bool,
}

#[derive(Clone, Debug)]
struct OpenCpu {
    since: Instant,
    /// Its activity while no time is stolen.
    base: What,
    overheads: Vec<OverheadKind>,
}

impl OpenCpu {
    fn unknown(since: Instant) -> OpenCpu {
        OpenCpu { since, base: What::Unknown, overheads: Vec::new() }
    }

    fn what(&self) -> What {
        self.overheads.last().map_or(self.base, |kind| What::Overhead(*kind))
    }

    fn close(&mut self, at: Instant, cpu: Cpu, closed: &mut Vec<Closed>) {
        if at > self.since {
            closed.push(Closed::Cpu(cpu, Slice { from: self.since, to: at, what: self.what() }));
        }
        self.since = at;
    }
}

impl Follower {
    /// The time at which a record counts: never before the last one.
    pub(crate) fn clamp(&self, at: Instant) -> Instant {
        if self.begun { at.max(self.to) } else { at }
    }

    /// The threads in order of declaration.
    pub(crate) fn threads(&self) -> impl ExactSizeIterator<Item = ThreadId> {
        self.open.iter().map(|open| open.id)
    }

    /// Where a thread stands among those that have been declared or used.
    pub(crate) fn place(&self, thread: ThreadId) -> Option<usize> {
        self.index.get(&thread).copied()
    }

    /// The state of the thread at a place, as known so far. Later records may show that it waits
    /// where this says ready.
    pub(crate) fn state(&self, place: usize) -> Option<State> {
        let open = &self.open[place];
        match open.state {
            Some(State::Blocked | State::Uninterruptible) if open.woken_early => Some(State::Ready),
            Some(State::Unknown) if open.silent => Some(State::Blocked),
            state => state,
        }
    }

    /// Whether a thread has been seen to stop and waits since.
    pub(crate) fn waits(&self, place: usize) -> bool {
        let open = &self.open[place];
        let stopped = [State::Blocked, State::Uninterruptible, State::Stopped];
        open.state.is_some_and(|state| stopped.contains(&state)) && !open.woken_early
    }

    /// The activity of a processor, and since when.
    pub(crate) fn state_of(&self, cpu: Cpu) -> Option<(Instant, What)> {
        self.cpus.get(&cpu).map(|open| (open.since, open.what()))
    }

    /// The processors that were seen.
    pub(crate) fn cpus(&self) -> impl Iterator<Item = Cpu> {
        self.cpus.keys().copied()
    }

    /// Adds what one record says. A time before the last one counts as a conflict and as now.
    pub(crate) fn take(&mut self, at: Instant, event: &Event) {
        if !self.begun {
            self.begun = true;
            (self.from, self.to) = (at, at);
        }
        if at < self.to {
            self.conflicts += 1;
        }
        let at = at.max(self.to);
        self.to = at;
        match event {
            Event::Thread { thread, .. } => {
                self.declared(*thread, at);
            }
            Event::Wake { thread, .. } => self.wake(at, *thread),
            Event::Switch { cpu, prev, next } => self.switch(at, *cpu, *prev, *next),
            Event::Exit { thread } => self.end(at, *thread),
            Event::OverheadBegin { cpu, kind, .. } => {
                self.close(at, *cpu).overheads.push(*kind);
            }
            Event::OverheadEnd { cpu } => {
                self.close(at, *cpu).overheads.pop();
            }
            Event::Lost { cpu, count } => self.lose(at, *cpu, *count),
            _ => {}
        }
    }

    /// Closes everything at the last record's time.
    pub(crate) fn finish(&mut self) {
        let to = self.to;
        for i in 0..self.open.len() {
            self.break_silence(i);
            self.set(i, to, None);
        }
        for (cpu, open) in &mut self.cpus {
            open.close(to, *cpu, &mut self.closed);
        }
    }

    fn wake(&mut self, at: Instant, thread: ThreadId) {
        let i = self.known(thread, at);
        self.break_silence(i);
        match self.open[i].state {
            Some(State::Running(_)) => self.open[i].woken_early = true,
            Some(State::Ready) => {}
            _ => self.set(i, at, Some(State::Ready)),
        }
    }

    fn switch(
        &mut self,
        at: Instant,
        cpu: Cpu,
        prev: Option<(ThreadId, Stop)>,
        next: Option<ThreadId>,
    ) {
        let ran = self.cpu(cpu).base;
        let leaves = prev.map_or(What::Idle, |(thread, _)| What::Thread(thread));
        if ran != What::Unknown && ran != leaves {
            self.conflicts += 1;
            self.forget(at, cpu);
        }
        if let Some((thread, stop)) = prev {
            let i = self.known(thread, at);
            self.leave_other(at, i, cpu);
            match stop {
                Stop::Preempted => self.set(i, at, Some(State::Ready)),
                Stop::Blocked => self.set(i, at, Some(State::Blocked)),
                Stop::Uninterruptible => self.set(i, at, Some(State::Uninterruptible)),
                Stop::Stopped => self.set(i, at, Some(State::Stopped)),
                Stop::Exited => self.set(i, at, None),
            }
        }
        self.close(at, cpu).base = next.map_or(What::Idle, What::Thread);
        if let Some(thread) = next {
            let i = self.known(thread, at);
            self.leave_other(at, i, cpu);
            let open = &mut self.open[i];
            let waited = matches!(open.state, Some(State::Blocked | State::Uninterruptible));
            if open.woken_early && waited {
                open.state = Some(State::Ready);
            }
            open.woken_early = false;
            self.set(i, at, Some(State::Running(cpu)));
        }
    }

    /// A thread that is about to be somewhere else contradicts the processor that it ran on.
    fn leave_other(&mut self, at: Instant, i: usize, cpu: Cpu) {
        if let Some(State::Running(other)) = self.open[i].state
            && other != cpu
        {
            self.conflicts += 1;
            self.forget(at, other);
        }
    }

    fn end(&mut self, at: Instant, thread: ThreadId) {
        // sched_process_exit comes before the thread's last switch: until then it runs.
        let i = self.known(thread, at);
        if !matches!(self.open[i].state, Some(State::Running(_))) {
            self.set(i, at, None);
        }
    }

    fn lose(&mut self, at: Instant, cpu: Option<Cpu>, count: Option<u64>) {
        self.lost.gaps += 1;
        match count {
            Some(count) => {
                self.lost.events = self.lost.events.saturating_add(count);
            }
            None => self.lost.uncounted += 1,
        }
        match cpu {
            Some(cpu) => {
                self.cpu(cpu);
                self.forget(at, cpu);
            }
            None => {
                for cpu in self.cpus.keys().copied().collect::<Vec<_>>() {
                    self.forget(at, cpu);
                }
            }
        }
        for i in 0..self.open.len() {
            self.open[i].silent = false;
            if !matches!(self.open[i].state, Some(State::Running(_)) | None) {
                self.set(i, at, Some(State::Unknown));
            }
        }
    }

    /// From here on the state of a processor and its thread is unknown.
    fn forget(&mut self, at: Instant, cpu: Cpu) {
        let open = self.close(at, cpu);
        open.overheads.clear();
        if let What::Thread(thread) = std::mem::replace(&mut open.base, What::Unknown) {
            let i = self.known(thread, at);
            if self.open[i].state == Some(State::Running(cpu)) {
                self.set(i, at, Some(State::Unknown));
            }
        }
    }

    /// Ends what a processor does; what it does next is up to the caller.
    fn close(&mut self, at: Instant, cpu: Cpu) -> &mut OpenCpu {
        let open = self.cpus.entry(cpu).or_insert_with(|| OpenCpu::unknown(self.from));
        open.close(at, cpu, &mut self.closed);
        open
    }

    fn cpu(&mut self, cpu: Cpu) -> &mut OpenCpu {
        let from = self.from;
        self.cpus.entry(cpu).or_insert_with(|| OpenCpu::unknown(from))
    }

    /// The place of a thread that should have been declared.
    fn known(&mut self, thread: ThreadId, at: Instant) -> usize {
        if !self.index.contains_key(&thread) {
            self.conflicts += 1;
        }
        self.declared(thread, at)
    }

    fn declared(&mut self, id: ThreadId, at: Instant) -> usize {
        *self.index.entry(id).or_insert_with(|| {
            let state = Some(State::Unknown);
            self.open.push(OpenThread { id, since: at, state, woken_early: false, silent: true });
            self.open.len() - 1
        })
    }

    /// A thread that has had no event until now has waited.
    fn break_silence(&mut self, i: usize) {
        let open = &mut self.open[i];
        if std::mem::take(&mut open.silent) && open.state == Some(State::Unknown) {
            open.state = Some(State::Blocked);
        }
    }

    fn set(&mut self, i: usize, at: Instant, state: Option<State>) {
        let open = &mut self.open[i];
        open.silent = false;
        // Whether the switch that it was too fast for has happened is not known either.
        open.woken_early &= !matches!(state, Some(State::Unknown) | None);
        if let Some(state) = open.state
            && at > open.since
        {
            let stretch = Stretch { from: open.since, to: at, state };
            self.closed.push(Closed::Thread(i, stretch));
        }
        (open.since, open.state) = (at, state);
    }
}
