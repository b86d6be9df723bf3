//! Translates lines: [`Waiting`] lines in order of time become records.
//!
//! Invariants: `running` is what the records say that a processor runs; after a loss it is unknown.
//! A contradiction (another thread leaves than entered; a thread is on two processors) is counted
//! and becomes a loss on the processor that was wrong, so the records never contradict each other.
//! Overheads on a processor are closed in the order in which they were opened, at the latest when it
//! switches.

use super::Report;
use super::record::{RawEvent, Task, Waiting};
use super::threads::Threads;
use crate::{Cpu, Event, OverheadKind, Record, Stop, ThreadId};
use std::collections::{HashMap, VecDeque};
use windfall_time::Instant;

/// Interrupts do not nest deeper; a hostile source gets no more than this.
const MOST_OVERHEADS: usize = 16;

/// Turns lines into records; they are taken from `out`.
#[derive(Default)]
pub(super) struct Translator {
    pub(super) out: VecDeque<Record>,
    now: Instant,
    threads: Threads,
    cpus: HashMap<u16, Processor>,
    /// How many losses there were; what was known before one may be wrong after it.
    losses: u64,
}

#[derive(Default)]
struct Processor {
    /// The thread number, 0 for idle; `None` when it is unknown.
    running: Option<u32>,
    overheads: Vec<OverheadKind>,
}

impl Translator {
    /// Takes the next line, which is not earlier than the one before.
    pub(super) fn take(&mut self, waiting: Waiting, report: &mut Report) {
        self.now = Instant::from_nanos(waiting.ns);
        let Waiting { line, cpu, by, pid, interrupt, raw, .. } = waiting;
        if let RawEvent::Lost { count } = raw {
            self.lose(cpu, count);
            return;
        }
        if let Some(task) = &by {
            let event = self.threads.learn(task, false, pid, report);
            self.emit(event);
        }
        let cpu = cpu.unwrap_or(0);
        let context = by.as_ref().map_or(0, |task| task.tid);
        if let RawEvent::Switch { prev, .. } = &raw {
            self.foresee(cpu, prev.tid, line, report);
        } else if by.is_some() {
            self.foresee(cpu, context, line, report);
        }
        match raw {
            RawEvent::Switch { prev, stop, next } => {
                self.switch(line, cpu, &prev, stop, &next, report)
            }
            RawEvent::Wakeup(Some(task))
                if self.threads.slot(task.tid).woken || self.runs(task.tid).is_some() =>
            {
                self.meet(&task, report);
            }
            RawEvent::Waking(Some(task)) | RawEvent::Wakeup(Some(task)) => {
                let by = self.cause(cpu, context, interrupt, report);
                self.waking(&task, by, report);
            }
            RawEvent::WakeupNew(Some(task)) => {
                if self.threads.is_declared(task.tid) && !self.threads.slot(task.tid).fresh {
                    self.end(line, task.tid, report);
                }
                let by = self.cause(cpu, context, interrupt, report);
                self.waking(&task, by, report);
            }
            RawEvent::Seen(task) | RawEvent::Rename(task) => self.meet(&task, report),
            RawEvent::Fork { child, pid } => self.fork(line, &child, pid, report),
            RawEvent::Exec { tid, old } => self.exec(line, tid, old, report),
            RawEvent::OverheadBegin { kind, number } => {
                self.overhead_begins(cpu, kind, number, report)
            }
            RawEvent::OverheadEnd { kind } => self.overhead_ends(cpu, kind, report),
            RawEvent::Mark(text) => {
                let interrupt = interrupt == Some(true);
                let thread = if interrupt { None } else { self.declare(context, report) };
                self.put(Event::Mark { thread, text });
            }
            // The thread still runs until its last switch, which says that it has ended.
            RawEvent::Exiting(_)
            | RawEvent::Waking(None)
            | RawEvent::Wakeup(None)
            | RawEvent::WakeupNew(None)
            | RawEvent::Lost { .. } => {}
        }
    }

    /// Compares who runs on a processor with what `line`, its next one, says. If they differ, at
    /// least one switch is missing between them, so from here on the processor is unknown.
    pub(super) fn foresee(&mut self, cpu: u16, tid: u32, line: u64, report: &mut Report) {
        if let Some(ran) = self.cpu(cpu).running
            && ran != tid
        {
            report.mismatches.add(line, &format!("cpu {cpu} ran thread {ran}, but now {tid}"));
            report.unpaired_overheads += self.cpu(cpu).overheads.len() as u64;
            self.lose(Some(cpu), None);
        }
    }

    fn switch(
        &mut self,
        line: u64,
        cpu: u16,
        prev: &Task,
        stop: Stop,
        next: &Task,
        report: &mut Report,
    ) {
        while self.cpu(cpu).overheads.pop().is_some() {
            report.unpaired_overheads += 1;
            self.put(Event::OverheadEnd { cpu: Cpu(cpu) });
        }
        for task in [prev, next] {
            if let Some(other) = self.runs(task.tid)
                && other != cpu
            {
                let text = format!("thread {} is on cpu {cpu} and on {other}", task.tid);
                report.mismatches.add(line, &text);
                self.lose(Some(other), None);
            }
            self.meet(task, report);
        }
        let leaves = self.declare(prev.tid, report).map(|thread| (thread, stop));
        let enters = self.declare(next.tid, report);
        let losses = self.losses;
        if prev.tid != 0 {
            let slot = self.threads.slot(prev.tid);
            slot.on = None;
            slot.ready_since = (stop == Stop::Preempted).then_some(losses);
            slot.woken &= stop == Stop::Preempted;
        }
        self.put(Event::Switch { cpu: Cpu(cpu), prev: leaves, next: enters });
        if stop == Stop::Exited
            && prev.tid != next.tid
            && let Some(thread) = self.threads.close(prev.tid)
        {
            self.put(Event::Exit { thread });
        }
        if next.tid != 0 {
            let slot = self.threads.slot(next.tid);
            (slot.on, slot.ready_since, slot.fresh) = (Some(cpu), None, false);
        }
        self.cpu(cpu).running = Some(next.tid);
    }

    fn overhead_begins(&mut self, cpu: u16, kind: OverheadKind, number: u16, report: &mut Report) {
        if self.cpu(cpu).overheads.len() < MOST_OVERHEADS {
            self.cpu(cpu).overheads.push(kind);
            self.put(Event::OverheadBegin { cpu: Cpu(cpu), kind, number });
        } else {
            report.unpaired_overheads += 1;
        }
    }

    fn overhead_ends(&mut self, cpu: u16, kind: OverheadKind, report: &mut Report) {
        if self.cpu(cpu).overheads.last() == Some(&kind) {
            self.cpu(cpu).overheads.pop();
            self.put(Event::OverheadEnd { cpu: Cpu(cpu) });
        } else {
            report.unpaired_overheads += 1;
        }
    }

    /// A thread can run; gives no event if that was known.
    fn waking(&mut self, task: &Task, by: Option<ThreadId>, report: &mut Report) {
        self.meet(task, report);
        if task.tid == 0 {
            return;
        }
        let runs = self.runs(task.tid).is_some();
        let Some(thread) = self.declare(task.tid, report) else { return };
        let losses = self.losses;
        let slot = self.threads.slot(task.tid);
        slot.woken = true;
        slot.fresh = false;
        if slot.ready_since == Some(losses) {
            report.redundant_wakes += 1;
            return;
        }
        // One that runs may be about to wait: whether this wake counts, its next switch tells.
        slot.ready_since = (!runs).then_some(losses);
        self.put(Event::Wake { thread, by });
    }

    /// The thread that caused the event of a line, unless an interrupt did.
    fn cause(
        &mut self,
        cpu: u16,
        context: u32,
        interrupt: Option<bool>,
        report: &mut Report,
    ) -> Option<ThreadId> {
        let interrupted = interrupt.unwrap_or(!self.cpu(cpu).overheads.is_empty());
        if interrupted || context == 0 {
            return None;
        }
        report.unsure_wakers += u64::from(interrupt.is_none());
        self.declare(context, report)
    }

    fn fork(&mut self, line: u64, child: &Task, pid: Option<u32>, report: &mut Report) {
        if child.tid == 0 {
            return;
        }
        let told_twice = self.threads.slot(child.tid).fresh;
        if !told_twice {
            self.end(line, child.tid, report);
        }
        let event = self.threads.learn(child, true, pid, report);
        self.emit(event);
        self.threads.slot(child.tid).fresh = true;
    }

    /// A thread that is not the first of its process takes the first one's number over.
    fn exec(&mut self, line: u64, tid: u32, old: u32, report: &mut Report) {
        if tid == old || tid == 0 || old == 0 {
            return;
        }
        self.end(line, tid, report);
        let runs = self.runs(old);
        let event = self.threads.renumber(old, tid);
        self.emit(event);
        if let Some(cpu) = runs {
            self.cpu(cpu).running = Some(tid);
        }
    }

    /// A thread number is free again; if its thread was running, events are missing.
    fn end(&mut self, line: u64, tid: u32, report: &mut Report) {
        if let Some(cpu) = self.runs(tid) {
            report.mismatches.add(line, &format!("thread {tid} has ended and is on cpu {cpu}"));
            self.lose(Some(cpu), None);
        }
        if let Some(thread) = self.threads.close(tid) {
            self.put(Event::Exit { thread });
        }
    }

    /// Forgets the state of a processor (of all, without one), and of every thread that is not seen
    /// running.
    fn lose(&mut self, cpu: Option<u16>, count: Option<u64>) {
        self.losses += 1;
        match cpu {
            Some(cpu) => *self.cpu(cpu) = Processor::default(),
            None => self.cpus.clear(),
        }
        self.put(Event::Lost { cpu: cpu.map(Cpu), count });
    }

    /// Where a thread runs, as far as the records say.
    fn runs(&mut self, tid: u32) -> Option<u16> {
        let on = if tid == 0 { None } else { self.threads.slot(tid).on }?;
        (self.cpus.get(&on)?.running == Some(tid)).then_some(on)
    }

    fn meet(&mut self, task: &Task, report: &mut Report) {
        let event = self.threads.learn(task, true, None, report);
        self.emit(event);
    }

    fn declare(&mut self, tid: u32, report: &mut Report) -> Option<ThreadId> {
        let (id, event) = self.threads.id(tid, report)?;
        self.emit(event);
        Some(id)
    }

    fn cpu(&mut self, cpu: u16) -> &mut Processor {
        self.cpus.entry(cpu).or_default()
    }

    fn emit(&mut self, event: Option<Event>) {
        if let Some(event) = event {
            self.put(event);
        }
    }

    fn put(&mut self, event: Event) {
        self.out.push_back(Record { at: self.now, event });
    }
}
