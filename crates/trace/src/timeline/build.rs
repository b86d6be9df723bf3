//! Builds a [`Timeline`] record by record.
//!
//! Invariant: `threads[i]` is open from `since` in `state` (nothing, when it has ended); so is
//! `cpus[c]`. A change closes what is open and opens the next; what is empty is dropped, what
//! equals its predecessor is joined to it.

use super::{CpuLine, Slice, State, Stretch, ThreadLine, Timeline, What};
use crate::{Cpu, Event, Sink, Stop, Theft, ThreadId};
use std::collections::{BTreeMap, HashMap};
use windfall_time::Instant;

/// Takes records one by one; [`Builder::finish`] gives the timeline. Also a [`Sink`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    done: Timeline,
    begun: bool,
    /// Where a thread stands in `done.threads` and `open`. Looked up, never walked.
    index: HashMap<ThreadId, usize>,
    open: Vec<OpenThread>,
    cpus: BTreeMap<Cpu, OpenCpu>,
}

#[derive(Clone, Debug)]
struct OpenThread {
    since: Instant,
    state: Option<State>,
    /// Woken while it still ran: a waker on another processor can be faster than the switch.
    woken_early: bool,
    /// Nothing has been told of it but that it is there, and nothing was lost since: it waits, as
    /// will be known when it is woken, or when the trace ends.
    silent: bool,
}

#[derive(Clone, Debug)]
struct OpenCpu {
    since: Instant,
    /// What it does when nobody steals it.
    base: What,
    thefts: Vec<Theft>,
    slices: Vec<Slice>,
}

impl OpenCpu {
    fn what(&self) -> What {
        self.thefts.last().map_or(self.base, |kind| What::Theft(*kind))
    }

    fn close(&mut self, at: Instant) {
        let what = self.what();
        if at > self.since {
            match self.slices.last_mut() {
                Some(last) if last.what == what && last.to == self.since => last.to = at,
                _ => self.slices.push(Slice { from: self.since, to: at, what }),
            }
        }
        self.since = at;
    }
}

impl Builder {
    /// An empty timeline.
    #[must_use]
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Adds what one record says. A time before the last one counts as a conflict and as now.
    pub fn take(&mut self, at: Instant, event: &Event) {
        if !self.begun {
            self.begun = true;
            (self.done.from, self.done.to) = (at, at);
        }
        if at < self.done.to {
            self.done.conflicts += 1;
        }
        let at = at.max(self.done.to);
        self.done.to = at;
        match event {
            Event::Thread { thread, tid, pid, name, node } => {
                let i = self.declared(*thread, at);
                let line = &mut self.done.threads[i];
                (line.tid, line.pid, line.node) = (*tid, *pid, *node);
                line.name.clone_from(name);
            }
            Event::Wake { thread, .. } => self.wake(at, *thread),
            Event::Switch { cpu, prev, next } => self.switch(at, *cpu, *prev, *next),
            Event::Exit { thread } => self.end(at, *thread),
            Event::TheftBegin { cpu, kind, .. } => {
                let line = self.cpu(*cpu);
                line.close(at);
                line.thefts.push(*kind);
            }
            Event::TheftEnd { cpu } => {
                let line = self.cpu(*cpu);
                line.close(at);
                line.thefts.pop();
            }
            Event::Lost { cpu, count } => self.lose(at, *cpu, *count),
            _ => {}
        }
    }

    /// Closes everything at the last record's time.
    #[must_use]
    pub fn finish(mut self) -> Timeline {
        let to = self.done.to;
        for i in 0..self.open.len() {
            self.break_silence(i);
            self.set(i, to, None);
        }
        for (cpu, mut line) in self.cpus {
            line.close(to);
            self.done.cpus.push(CpuLine { cpu, slices: line.slices });
        }
        self.done
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
            self.done.conflicts += 1;
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
        let line = self.cpu(cpu);
        line.close(at);
        line.base = next.map_or(What::Idle, What::Thread);
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
            self.done.conflicts += 1;
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
        self.done.lost.gaps += 1;
        match count {
            Some(count) => {
                self.done.lost.events = self.done.lost.events.saturating_add(count);
            }
            None => self.done.lost.uncounted += 1,
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

    /// From here on nobody knows what a processor and its thread do.
    fn forget(&mut self, at: Instant, cpu: Cpu) {
        let line = self.cpu(cpu);
        line.close(at);
        line.thefts.clear();
        if let What::Thread(thread) = std::mem::replace(&mut line.base, What::Unknown) {
            let i = self.known(thread, at);
            if self.open[i].state == Some(State::Running(cpu)) {
                self.set(i, at, Some(State::Unknown));
            }
        }
    }

    fn cpu(&mut self, cpu: Cpu) -> &mut OpenCpu {
        let since = self.done.from;
        self.cpus.entry(cpu).or_insert_with(|| OpenCpu {
            since,
            base: What::Unknown,
            thefts: Vec::new(),
            slices: Vec::new(),
        })
    }

    /// The place of a thread that should have been declared.
    fn known(&mut self, thread: ThreadId, at: Instant) -> usize {
        if !self.index.contains_key(&thread) {
            self.done.conflicts += 1;
        }
        self.declared(thread, at)
    }

    fn declared(&mut self, id: ThreadId, at: Instant) -> usize {
        *self.index.entry(id).or_insert_with(|| {
            let name = format!("thread {}", id.0);
            let (stretches, node) = (Vec::new(), None);
            self.done.threads.push(ThreadLine { id, name, tid: 0, pid: 0, node, stretches });
            let state = Some(State::Unknown);
            self.open.push(OpenThread { since: at, state, woken_early: false, silent: true });
            self.open.len() - 1
        })
    }

    /// A thread of which nothing was told until now has waited.
    fn break_silence(&mut self, i: usize) {
        let open = &mut self.open[i];
        if std::mem::take(&mut open.silent) && open.state == Some(State::Unknown) {
            open.state = Some(State::Blocked);
        }
    }

    fn set(&mut self, i: usize, at: Instant, state: Option<State>) {
        let open = &mut self.open[i];
        open.silent = false;
        if let Some(state) = open.state
            && at > open.since
        {
            let stretches = &mut self.done.threads[i].stretches;
            match stretches.last_mut() {
                Some(last) if last.state == state && last.to == open.since => last.to = at,
                _ => stretches.push(Stretch { from: open.since, to: at, state }),
            }
        }
        (open.since, open.state) = (at, state);
    }
}

impl Sink for Builder {
    fn record(&mut self, at: Instant, event: &Event) {
        self.take(at, event);
    }
}
