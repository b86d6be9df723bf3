//! The thread that a number denotes, and its name.
//!
//! Invariants: a [`ThreadId`] is declared by an [`Event::Thread`] before it is used, and belongs to
//! one life of a number: after the thread's end, or when the number is forked anew, it gets another.
//! A name in an event's own text is sure; one in a line's head may be stale, since the source looks
//! it up when it prints, and only stands in until a sure one is seen.

use super::Report;
use super::record::Task;
use crate::{Assembler, Event, ThreadId};
use std::collections::HashMap;

/// The living threads by number.
#[derive(Default)]
pub(super) struct Threads {
    slots: HashMap<u32, Slot>,
    /// The number under which each thread was declared or goes on.
    numbers: Vec<u32>,
}

#[derive(Default)]
pub(super) struct Slot {
    id: Option<ThreadId>,
    name: Option<String>,
    sure: bool,
    pid: u32,
    /// It belonged to a thread that has ended.
    ended: bool,
    /// Forked, and in no event since.
    pub(super) fresh: bool,
    /// Woken since it last began to wait.
    pub(super) woken: bool,
}

impl Threads {
    /// The state of a thread, empty at first.
    pub(super) fn slot(&mut self, tid: u32) -> &mut Slot {
        self.slots.entry(tid).or_default()
    }

    /// The thread of a number, if it is in the records.
    pub(super) fn declared(&self, tid: u32) -> Option<ThreadId> {
        self.slots.get(&tid)?.id
    }

    /// The number of a thread that is in the records.
    pub(super) fn number(&self, thread: ThreadId) -> u32 {
        self.numbers[thread.0 as usize]
    }

    /// Takes a name and a process from a line. Returns a new declaration if the thread has been
    /// declared otherwise.
    pub(super) fn learn(
        &mut self,
        task: &Task,
        sure: bool,
        pid: Option<u32>,
        report: &mut Report,
    ) -> Option<Event> {
        if task.tid == 0 {
            return None;
        }
        let slot = self.slot(task.tid);
        let mut changed = false;
        if let Some(name) = &task.name
            && (sure || slot.name.is_none())
        {
            if slot.name.as_ref() != Some(name) {
                report.renamed += u64::from(slot.sure);
                report.named_later += u64::from(slot.id.is_some() && slot.name.is_none());
                slot.name = Some(name.clone());
                changed = true;
            }
            slot.sure |= sure;
        }
        if let Some(pid) = pid
            && slot.pid != pid
        {
            slot.pid = pid;
            changed = true;
        }
        (changed && slot.id.is_some()).then(|| slot.declaration(task.tid)).flatten()
    }

    /// The thread's id, and its declaration if this is its first use. `None` for idle.
    pub(super) fn id(
        &mut self,
        tid: u32,
        assembler: &mut Assembler,
        report: &mut Report,
    ) -> Option<(ThreadId, Option<Event>)> {
        if tid == 0 {
            return None;
        }
        if let Some(id) = self.slot(tid).id {
            return Some((id, None));
        }
        let id = assembler.new_thread();
        self.numbers.push(tid);
        report.threads += 1;
        let slot = self.slot(tid);
        report.reused_tids += u64::from(std::mem::take(&mut slot.ended));
        slot.id = Some(id);
        Some((id, slot.declaration(tid)))
    }

    /// Frees the number; returns the thread that it denoted, if one was declared.
    pub(super) fn close(&mut self, tid: u32) -> Option<ThreadId> {
        let slot = self.slots.get_mut(&tid)?;
        let ended = slot.ended || slot.id.is_some();
        std::mem::replace(slot, Slot { ended, ..Slot::default() }).id
    }

    /// The thread `old` goes on as `tid`, which is free. Returns the event that says so.
    pub(super) fn renumber(&mut self, old: u32, tid: u32) -> Option<Event> {
        let slot = self.slots.remove(&old)?;
        self.slots.insert(old, Slot { ended: true, ..Slot::default() });
        let event = slot.declaration(tid);
        if let Some(thread) = slot.id {
            self.numbers[thread.0 as usize] = tid;
        }
        self.slots.insert(tid, slot);
        event
    }
}

impl Slot {
    fn declaration(&self, tid: u32) -> Option<Event> {
        let name = self.name.clone().unwrap_or_else(|| "<...>".to_owned());
        Some(Event::Thread { thread: self.id?, tid, pid: self.pid, name, node: None })
    }
}
