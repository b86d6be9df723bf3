//! Learns from records one by one.
//!
//! Invariant: `lines[i].items` are in order of their records. A wake is added to its waker's items as soon as it is
//! seen, and is removed at the end unless it ended a wait ("taken").

use super::cpus::{Base, Processor};
use super::replay::{Activation, Cause, Learned, LearnedThread};
use std::collections::HashMap;
use windfall_time::{Instant, Span};
use windfall_trace::{COMMAND, Event, NodeId, Record, Stop, ThreadId};

mod finish;
mod line;

pub(super) use finish::add;
use line::{Begins, Item, Line, State, Wake};

// Fields: the state of one pass over a recording; each event may change any of it.
#[derive(Debug, Default)]
pub(super) struct Gather {
    begun: bool,
    start: Instant,
    now: Instant,
    /// The index of each thread in `lines`; only looked up, never iterated, because its order is not deterministic.
    index: HashMap<ThreadId, usize>,
    lines: Vec<Line>,
    cpus: Vec<Processor>,
    wakes: Vec<Wake>,
    /// When events were last lost anywhere, and whether all processors were affected.
    last_loss: Option<Instant>,
    all_lost: bool,
    /// The node that stands for the recorded command.
    command: Option<NodeId>,
    learned: Learned,
}

impl Gather {
    pub(super) fn take(&mut self, record: &Record) {
        if !std::mem::replace(&mut self.begun, true) {
            (self.start, self.now) = (record.at, record.at);
        }
        self.learned.conflicts += u64::from(record.at < self.now);
        self.now = self.now.max(record.at);
        match &record.event {
            Event::Node { node, kind, .. } if kind == COMMAND => self.command = Some(*node),
            Event::Thread { thread, tid, pid, name, node } => {
                let i = self.line(*thread);
                self.lines[i].thread.of_command |= node.is_some() && *node == self.command;
                let known = &mut self.lines[i].thread;
                (known.tid, known.pid) = (*tid, *pid);
                known.name.clone_from(name);
            }
            Event::Wake { thread, by } => self.wake(*thread, *by),
            Event::Release { thread, .. } => self.release(*thread),
            Event::Complete { thread, .. } | Event::Abort { thread } => self.end_job(*thread),
            Event::Switch { cpu, prev, next } => self.switch(usize::from(cpu.0), *prev, *next),
            Event::Exit { thread } => {
                // A thread may report its exit before its last switch; until then it runs.
                let i = self.line(*thread);
                if !matches!(self.lines[i].state, State::Running(_)) {
                    self.set(i, State::Ended);
                }
            }
            Event::OverheadBegin { cpu, kind, number } => {
                let at = self.now;
                self.cpu(usize::from(cpu.0)).begin_overhead(at, *kind, *number);
            }
            Event::OverheadEnd { cpu } => {
                let at = self.now;
                self.cpu(usize::from(cpu.0)).end_overhead(at);
            }
            Event::Lost { cpu, count } => self.lose(cpu.map(|cpu| usize::from(cpu.0)), *count),
            _ => {}
        }
    }

    fn wake(&mut self, target: ThreadId, by: Option<ThreadId>) {
        let target = self.line(target);
        let by = by.map(|by| self.line(by));
        // A waker that is not seen running has no place for the wake in its program, so the wake is timed.
        let by =
            by.filter(|by| *by != target && matches!(self.lines[*by].state, State::Running(_)));
        let number = self.wakes.len();
        self.wakes.push(Wake { target, at: self.now, by, taken: false });
        if let Some(by) = by {
            self.account(by);
            self.lines[by].items.push(Item::Wake(number));
        }
        match self.lines[target].state {
            State::Running(_) => {
                let earlier = self.lines[target].early.replace(number);
                self.learned.dropped.not_waiting += u64::from(earlier.is_some());
            }
            State::Ready => self.learned.dropped.not_waiting += 1,
            State::Ended => self.learned.dropped.ended += 1,
            State::Unseen => {
                self.lines[target].begins = match by {
                    Some(_) => Begins::Woken(self.now),
                    None => Begins::At(self.now),
                };
                self.take_wake(target, number);
                self.set(target, State::Ready);
            }
            State::Blocked | State::Unknown => {
                let waste = self.lines[target].early.take();
                self.learned.dropped.not_waiting += u64::from(waste.is_some());
                self.missed(target);
                self.take_wake(target, number);
                self.set(target, State::Ready);
            }
        }
    }

    /// Ends a wait of `target` by this wake.
    fn take_wake(&mut self, target: usize, number: usize) {
        let wake = &mut self.wakes[number];
        wake.taken = true;
        let (item, cause) = match wake.by {
            Some(by) => (Item::Woken, Cause::Thread(by)),
            None => (Item::Until(wake.at), Cause::Other),
        };
        self.lines[target].items.push(item);
        self.activate(target, cause);
    }

    fn switch(&mut self, cpu: usize, prev: Option<(ThreadId, Stop)>, next: Option<ThreadId>) {
        let prev = prev.map(|(thread, stop)| (self.line(thread), stop));
        let next = next.map(|thread| self.line(thread));
        let leaver = prev.map(|(i, _)| i);
        if let Base::Known(ran) = self.cpu(cpu).base
            && ran != leaver
        {
            self.contradict(cpu);
        }
        if let Some((i, stop)) = prev {
            self.leave(cpu, i, stop);
        }
        let now = self.now;
        self.cpu(cpu).take_work(now);
        self.cpu(cpu).base = Base::Known(next);
        if let Some(i) = next {
            self.enter(cpu, i);
        }
    }

    fn leave(&mut self, cpu: usize, i: usize, stop: Stop) {
        self.leave_other(cpu, i);
        let first = self.cpu(cpu).base == Base::First;
        if self.lines[i].state == State::Unseen && first {
            self.lines[i].begins = Begins::Able(self.start);
            self.begin_at_start(i);
            self.set(i, State::Running(cpu));
        }
        if self.lines[i].state == State::Running(cpu) {
            self.account(i);
        } else {
            // It was woken or moved here unseen, so its state since it was last seen is unknown.
            if self.lines[i].state == State::Unseen {
                self.lines[i].begins = Begins::At(self.now);
                self.lines[i].since = self.last_loss.unwrap_or(self.start);
            }
            self.lines[i].state = State::Unknown;
            self.missed(i);
            if stop == Stop::Preempted {
                self.resume_at(i, Cause::Start);
            }
        }
        if stop == Stop::Preempted {
            let waste = self.lines[i].early.take();
            self.learned.dropped.not_waiting += u64::from(waste.is_some());
        }
        let state = match stop {
            Stop::Preempted => State::Ready,
            Stop::Blocked | Stop::Uninterruptible | Stop::Stopped => State::Blocked,
            Stop::Exited => State::Ended,
        };
        self.set(i, state);
    }

    fn enter(&mut self, cpu: usize, i: usize) {
        self.leave_other(cpu, i);
        let early = self.lines[i].early.take();
        let mut used = false;
        match self.lines[i].state {
            State::Ready | State::Running(_) => {}
            State::Unseen => match self.last_loss {
                None => {
                    self.lines[i].begins = Begins::Able(self.now);
                    self.begin_at_start(i);
                }
                Some(loss) => {
                    self.lines[i].begins = Begins::At(self.now);
                    (self.lines[i].state, self.lines[i].since) = (State::Unknown, loss);
                    self.missed(i);
                    self.resume_at(i, Cause::Start);
                }
            },
            State::Blocked => match early {
                Some(number) => {
                    used = true;
                    self.take_wake(i, number);
                }
                None => {
                    self.learned.dropped.unexplained_waits += 1;
                    self.resume_at(i, Cause::Other);
                }
            },
            State::Unknown => {
                self.missed(i);
                self.resume_at(i, Cause::Start);
            }
            State::Ended => {
                self.learned.conflicts += 1;
                self.resume_at(i, Cause::Start);
            }
        }
        self.learned.dropped.not_waiting += u64::from(early.is_some() && !used);
        self.set(i, State::Running(cpu));
    }

    fn lose(&mut self, cpu: Option<usize>, count: Option<u64>) {
        let lost = &mut self.learned.lost;
        lost.gaps += 1;
        match count {
            Some(count) => lost.events = lost.events.saturating_add(count),
            None => lost.uncounted += 1,
        }
        let all = 0..self.cpus.len();
        for cpu in cpu.map_or(all, |cpu| cpu..cpu + 1) {
            self.forget(cpu);
        }
        self.all_lost |= cpu.is_none();
        self.last_loss = Some(self.now);
        for i in 0..self.lines.len() {
            if matches!(self.lines[i].state, State::Ready | State::Blocked) {
                self.set(i, State::Unknown);
            }
        }
    }

    /// Marks a processor's thread as unknown; the previous one ran there until now.
    fn forget(&mut self, cpu: usize) {
        if let Base::Known(Some(i)) = self.cpu(cpu).base
            && self.lines[i].state == State::Running(cpu)
        {
            self.account(i);
            self.set(i, State::Unknown);
        }
        let now = self.now;
        self.cpu(cpu).forget(now);
    }

    /// Handles a contradiction: another thread than this processor's leaves it, or its own is elsewhere. A switch
    /// is missing, so the time since its thread was last seen there is unknown.
    fn contradict(&mut self, cpu: usize) {
        self.learned.conflicts += 1;
        let (now, seen) = (self.now, self.cpu(cpu).seen);
        if let Base::Known(Some(i)) = self.cpu(cpu).base
            && self.lines[i].state == State::Running(cpu)
        {
            (self.lines[i].state, self.lines[i].since) = (State::Unknown, seen);
        }
        self.cpu(cpu).forget(now);
    }

    fn leave_other(&mut self, cpu: usize, i: usize) {
        if let State::Running(other) = self.lines[i].state
            && other != cpu
        {
            self.contradict(other);
        }
    }

    /// Adds the work of a running thread up to now.
    fn account(&mut self, i: usize) {
        let State::Running(cpu) = self.lines[i].state else { return };
        let now = self.now;
        let work = self.cpu(cpu).take_work(now);
        if work.is_zero() {
            return;
        }
        let line = &mut self.lines[i];
        match line.items.last_mut() {
            Some(Item::Run(run)) => *run = run.saturating_add(work),
            _ => line.items.push(Item::Run(work)),
        }
        let job = line.thread.jobs.get_mut(line.jobs_done);
        for part in line.thread.activations.last_mut().into_iter().chain(job) {
            part.work = part.work.saturating_add(work);
        }
    }

    /// A job is released; it is done after those that are open.
    fn release(&mut self, id: ThreadId) {
        let i = self.line(id);
        self.account(i);
        let (at, by, work) = (self.relative(self.now), Cause::Other, Span::ZERO);
        self.lines[i].thread.jobs.push(Activation { at, by, work });
    }

    /// The oldest job ends.
    fn end_job(&mut self, id: ThreadId) {
        let i = self.line(id);
        self.account(i);
        let line = &mut self.lines[i];
        line.jobs_done = line.thread.jobs.len().min(line.jobs_done + 1);
    }

    fn begin_at_start(&mut self, i: usize) {
        let (at, by, work) = (Instant::ZERO, Cause::Start, Span::ZERO);
        self.lines[i].thread.activations.push(Activation { at, by, work });
    }

    fn activate(&mut self, i: usize, by: Cause) {
        let (at, work) = (self.relative(self.now), Span::ZERO);
        self.lines[i].thread.activations.push(Activation { at, by, work });
    }

    /// Makes a thread ready at the recorded time, because no waker is known.
    fn resume_at(&mut self, i: usize, by: Cause) {
        self.lines[i].items.push(Item::Until(self.now));
        self.activate(i, by);
    }

    /// Counts the time for which a thread's state is unknown.
    fn missed(&mut self, i: usize) {
        let line = &mut self.lines[i];
        if line.state == State::Unknown {
            let span = self.now.saturating_since(line.since);
            line.thread.unknown = line.thread.unknown.saturating_add(span);
            line.since = self.now;
        }
    }

    fn set(&mut self, i: usize, state: State) {
        self.lines[i].state = state;
        self.lines[i].since = self.now;
    }

    fn relative(&self, at: Instant) -> Instant {
        Instant::ZERO.saturating_add(at.saturating_since(self.start))
    }

    fn cpu(&mut self, cpu: usize) -> &mut Processor {
        while self.cpus.len() <= cpu {
            let base = if self.all_lost { Base::Lost } else { Base::First };
            self.cpus.push(Processor::new(self.start, base));
        }
        &mut self.cpus[cpu]
    }

    fn line(&mut self, id: ThreadId) -> usize {
        *self.index.entry(id).or_insert_with(|| {
            let name = format!("thread {}", id.0);
            self.lines.push(Line {
                thread: LearnedThread::new(id, name, 0),
                jobs_done: 0,
                items: Vec::new(),
                state: State::Unseen,
                since: self.now,
                early: None,
                begins: Begins::Able(self.now),
            });
            self.lines.len() - 1
        })
    }
}
