//! Translates lines: [`Waiting`] lines in order of time become records.
//!
//! Finds out which thread a line means; the assembler makes the records. Where a line contradicts them
//! (another thread leaves than entered; a thread is on two processors), this is reported.

use super::Report;
use super::record::{RawEvent, Task, Waiting};
use super::threads::Threads;
use crate::timeline::What;
use crate::{Assembler, Contradiction, Cpu, Event, OverheadKind, Record, Stop, ThreadId};
use std::collections::VecDeque;
use windfall_time::Instant;

/// Interrupts do not nest deeper; a hostile source gets no more than this.
const MOST_OVERHEADS: usize = 16;

/// Turns lines into records; they are taken from `out`.
#[derive(Default)]
pub(super) struct Translator {
    pub(super) out: VecDeque<Record>,
    now: Instant,
    threads: Threads,
    assembler: Assembler,
}

impl Translator {
    /// Takes the next line, which is not earlier than the one before.
    pub(super) fn take(&mut self, waiting: Waiting, report: &mut Report) {
        self.now = Instant::from_nanos(waiting.ns);
        let Waiting { line, cpu, by, pid, interrupt, raw, .. } = waiting;
        if let RawEvent::Lost { count } = raw {
            self.assembler.lose(&mut self.out, self.now, cpu.map(Cpu), count);
            return;
        }
        if let Some(task) = &by {
            let event = self.threads.learn(task, false, pid, report);
            self.emit(event);
        }
        let cpu = Cpu(cpu.unwrap_or(0));
        let context = by.as_ref().map_or(0, |task| task.tid);
        if !matches!(raw, RawEvent::Switch { .. }) && by.is_some() {
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
                if self.threads.declared(task.tid).is_some() && !self.threads.slot(task.tid).fresh {
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
    pub(super) fn foresee(&mut self, cpu: Cpu, tid: u32, line: u64, report: &mut Report) {
        let runs = match self.threads.declared(tid) {
            _ if tid == 0 => What::Idle,
            thread => thread.map_or(What::Unknown, What::Thread),
        };
        let open = self.assembler.overheads(cpu).len() as u64;
        if let Some(found) = self.assembler.expect(&mut self.out, self.now, cpu, runs) {
            report.unpaired_overheads += open;
            self.contradicts(found, tid, cpu, line, report);
        }
    }

    /// Reports that the records contradict a line, which says that thread `tid` is on `now`.
    fn contradicts(
        &mut self,
        found: Contradiction,
        tid: u32,
        now: Cpu,
        line: u64,
        report: &mut Report,
    ) {
        let text = match found {
            Contradiction::Ran { cpu, thread } => {
                let ran = thread.map_or(0, |thread| self.threads.number(thread));
                format!("cpu {} ran thread {ran}, but now {tid}", cpu.0)
            }
            Contradiction::Elsewhere { cpu, thread } => {
                let tid = self.threads.number(thread);
                format!("thread {tid} is on cpu {} and on {}", now.0, cpu.0)
            }
        };
        report.mismatches.add(line, &text);
    }

    fn switch(
        &mut self,
        line: u64,
        cpu: Cpu,
        prev: &Task,
        stop: Stop,
        next: &Task,
        report: &mut Report,
    ) {
        report.unpaired_overheads += self.assembler.overheads(cpu).len() as u64;
        self.meet(prev, report);
        self.meet(next, report);
        let leaves = self.declare(prev.tid, report).map(|thread| (thread, stop));
        let enters = self.declare(next.tid, report);
        for found in self.assembler.switch(&mut self.out, self.now, cpu, leaves, enters) {
            self.contradicts(found, prev.tid, cpu, line, report);
        }
        if prev.tid != 0 {
            self.threads.slot(prev.tid).woken &= stop == Stop::Preempted;
        }
        if stop == Stop::Exited && prev.tid != next.tid {
            self.end(line, prev.tid, report);
        }
        if next.tid != 0 {
            self.threads.slot(next.tid).fresh = false;
        }
    }

    fn overhead_begins(&mut self, cpu: Cpu, kind: OverheadKind, number: u16, report: &mut Report) {
        if self.assembler.overheads(cpu).len() < MOST_OVERHEADS {
            self.assembler.begin_overhead(&mut self.out, self.now, cpu, kind, number);
        } else {
            report.unpaired_overheads += 1;
        }
    }

    fn overhead_ends(&mut self, cpu: Cpu, kind: OverheadKind, report: &mut Report) {
        if self.assembler.overheads(cpu).last() == Some(&kind) {
            self.assembler.end_overhead(&mut self.out, self.now, cpu);
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
        let Some(thread) = self.declare(task.tid, report) else { return };
        let slot = self.threads.slot(task.tid);
        (slot.woken, slot.fresh) = (true, false);
        if !self.assembler.wake(&mut self.out, self.now, thread, by) {
            report.redundant_wakes += 1;
        }
    }

    /// The thread that caused the event of a line, unless an interrupt did.
    fn cause(
        &mut self,
        cpu: Cpu,
        context: u32,
        interrupt: Option<bool>,
        report: &mut Report,
    ) -> Option<ThreadId> {
        let interrupted = interrupt.unwrap_or(!self.assembler.overheads(cpu).is_empty());
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
        let event = self.threads.renumber(old, tid);
        self.emit(event);
    }

    /// A thread number is free again; if its thread was running, events are missing.
    fn end(&mut self, line: u64, tid: u32, report: &mut Report) {
        let Some(thread) = self.threads.close(tid) else { return };
        if let Some(Cpu(cpu)) = self.assembler.exit(&mut self.out, self.now, thread) {
            report.mismatches.add(line, &format!("thread {tid} has ended and is on cpu {cpu}"));
        }
    }

    /// Where a thread runs, as far as the records say.
    fn runs(&self, tid: u32) -> Option<Cpu> {
        self.assembler.place(self.threads.declared(tid)?)
    }

    fn meet(&mut self, task: &Task, report: &mut Report) {
        let event = self.threads.learn(task, true, None, report);
        self.emit(event);
    }

    fn declare(&mut self, tid: u32, report: &mut Report) -> Option<ThreadId> {
        let (id, event) = self.threads.id(tid, &mut self.assembler, report)?;
        self.emit(event);
        Some(id)
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
