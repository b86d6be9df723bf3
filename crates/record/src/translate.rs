//! From events of the kernel to records.
//!
//! Finds out which thread an event means; the assembler makes the records. Invariant: a [`ThreadId`] is declared before it is used and
//! means one life of a thread number.

use super::Recorded;
use super::first::{Early, ThreadSnapshot};
use std::collections::{BTreeMap, HashMap, HashSet};
use windfall_observe::kernel_event::ChildKind;
use windfall_observe::procfs;
use windfall_observe::routines::Routines;
use windfall_observe::{KernelEvent, Observed};
use windfall_programs::learn::Origin;
use windfall_time::Instant;
use windfall_trace::timeline::What;
use windfall_trace::{Assembler, COMMAND, Cpu, Event, NodeId, Sink, Stop, ThreadId};

// Fields: the state of one pass over the kernel's events; each event may change any of it.
pub(super) struct Translator<'a> {
    sink: &'a mut dyn Sink,
    /// The time of the last record.
    now: Instant,
    /// The living threads by number.
    threads: HashMap<i32, Slot>,
    assembler: Assembler,
    /// The command's node, and whose next child it is.
    command: Option<NodeId>,
    parent: Option<i32>,
    /// A process of which every thread is the command's.
    process: Option<i32>,
    /// A new name of a thread that is not known under its number yet.
    unclaimed: Option<(i32, String)>,
    /// Where the next thread that a thread makes will start, in which process.
    starting: HashMap<i32, (i32, u64)>,
    routines: Routines,
    counts: Recorded,
}

/// A living thread.
struct Slot {
    id: ThreadId,
    pid: i32,
    name: String,
    node: Option<NodeId>,
}

impl<'a> Translator<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink, from: Instant) -> Translator<'a> {
        Translator {
            sink,
            now: from,
            threads: HashMap::new(),
            assembler: Assembler::default(),
            command: None,
            parent: None,
            process: None,
            unclaimed: None,
            starting: HashMap::new(),
            routines: Routines::default(),
            counts: Recorded::default(),
        }
    }

    /// Threads of `process`, and children as given by [`expect_child_of`](Self::expect_child_of), belong to a node.
    pub(super) fn begin_command(&mut self, node: NodeId, name: &str, process: Option<i32>) {
        (self.command, self.process) = (Some(node), process);
        self.put(&Event::Node {
            node,
            parent: None,
            name: name.to_owned(),
            kind: COMMAND.to_owned(),
        });
    }

    /// The next child of a thread is the command.
    pub(super) fn expect_child_of(&mut self, tid: i32) {
        self.parent = self.process.is_none().then_some(tid);
    }

    /// The state at the beginning, from /proc and from the first events.
    pub(super) fn begin(&mut self, standing: Vec<ThreadSnapshot>, early: &[Early]) {
        let mut first: BTreeMap<u16, i32> = BTreeMap::new();
        let (mut born, mut met, mut ready) = (HashSet::new(), HashSet::new(), Vec::new());
        for one in early {
            match one.seen {
                KernelEvent::Switch { prev, next, .. } => {
                    first.entry(one.cpu).or_insert(prev);
                    met.insert(prev);
                    if met.insert(next) && next != 0 {
                        ready.push(next);
                    }
                }
                KernelEvent::Wake { tid, .. } => drop(met.insert(tid)),
                KernelEvent::Fork { child, .. } => drop(born.insert(child)),
                _ => {}
            }
        }
        for one in standing {
            if born.contains(&one.tid) {
                continue;
            }
            self.declare(one.tid, one.pid, one.name, None);
            if one.able && !met.contains(&one.tid) {
                ready.push(one.tid);
            }
        }
        for (cpu, tid) in first {
            let next = (tid != 0).then(|| self.thread(tid));
            self.goes_on(cpu, None, next);
        }
        for tid in ready {
            let its = self.threads.get(&tid).and_then(|slot| self.assembler.place(slot.id));
            if !born.contains(&tid) && its.is_none() {
                let thread = self.thread(tid);
                self.assembler.wake(self.sink, self.now, thread, None);
            }
        }
    }

    /// Takes what was observed next on a processor.
    pub(super) fn take(&mut self, cpu: u16, observed: Observed) {
        let (at, seen) = match observed {
            Observed::Event(at, seen) => (at, seen),
            Observed::Lost(count) => {
                self.counts.lost = self.counts.lost.saturating_add(count);
                self.assembler.lose(self.sink, self.now, Some(Cpu(cpu)), Some(count));
                return;
            }
        };
        if at < self.now {
            self.counts.late += 1;
            self.counts.latest = self.counts.latest.max(self.now.saturating_since(at));
        }
        self.now = self.now.max(at);
        match seen {
            KernelEvent::Switch { prev, stop, next } => self.switch(cpu, prev, stop, next),
            KernelEvent::Wake { tid, by } if tid != 0 => self.wake(tid, by),
            KernelEvent::Fork { parent, child, kind: Some(kind) } if child != 0 => {
                self.fork(parent, child, kind);
            }
            KernelEvent::Starts { tid, pid, routine } => {
                self.starting.insert(tid, (pid, routine));
            }
            KernelEvent::Named { tid, name } => self.renamed(tid, name.text()),
            KernelEvent::Executed { tid, before } => {
                self.routines.forget(tid);
                if before != tid && tid > 0 && before > 0 {
                    self.took(cpu, tid, before);
                }
            }
            KernelEvent::OverheadBegin { kind, number } => {
                self.assembler.begin_overhead(self.sink, self.now, Cpu(cpu), kind, number);
            }
            // One that began before the recording has none to end.
            KernelEvent::OverheadEnd => {
                self.assembler.end_overhead(self.sink, self.now, Cpu(cpu));
            }
            // What other events say, too.
            KernelEvent::Wake { .. }
            | KernelEvent::Steal { .. }
            | KernelEvent::Interrupted { .. }
            | KernelEvent::Fork { .. }
            | KernelEvent::Exit { .. } => {}
        }
    }

    /// Whether the sink keeps nothing any more.
    pub(super) fn is_broken(&self) -> bool {
        self.sink.is_broken()
    }

    /// Closes the trace, and gives what was counted.
    pub(super) fn finish(mut self) -> Recorded {
        self.put(&Event::Mark { thread: None, text: "the recording ends".to_owned() });
        self.counts.threads = self.assembler.threads();
        self.counts
    }

    fn switch(&mut self, cpu: u16, prev: i32, stop: Stop, next: i32) {
        self.counts.switches += 1;
        let leaves = (prev != 0).then(|| (self.thread(prev), stop));
        let enters = (next != 0).then(|| self.thread(next));
        self.goes_on(cpu, leaves, enters);
        if prev != next && stop == Stop::Exited && prev != 0 {
            self.starting.remove(&prev);
            if let Some(slot) = self.threads.remove(&prev) {
                self.end(&slot);
            }
        }
    }

    /// A processor goes from one thread to another; what this contradicts is counted.
    fn goes_on(&mut self, cpu: u16, leaves: Option<(ThreadId, Stop)>, enters: Option<ThreadId>) {
        let missing = self.assembler.switch(self.sink, self.now, Cpu(cpu), leaves, enters);
        self.counts.missing += missing.len() as u64;
    }

    fn wake(&mut self, tid: i32, by: i32) {
        self.counts.wakeups += 1;
        let thread = self.thread(tid);
        let by = (by != 0).then(|| self.thread(by));
        // One that is ready was on its way to a wait when another thread took its processor.
        self.assembler.wake(self.sink, self.now, thread, by);
    }

    fn fork(&mut self, parent: i32, child: i32, ChildKind { thread, name }: ChildKind) {
        if let Some(old) = self.threads.remove(&child) {
            // The number is used anew, so its end has been lost.
            self.end(&old);
        }
        let its = self.threads.get(&parent);
        let follows = self.parent == Some(parent) || its.is_some_and(|slot| slot.node.is_some());
        let pid = if thread { its.map_or(0, |slot| slot.pid) } else { child };
        if self.parent == Some(parent) {
            self.parent = None;
        }
        let maker = its.map(|slot| slot.id);
        let id = self.declare(child, pid, name.text(), self.command.filter(|_| follows));
        let starts = if thread {
            self.starting.remove(&parent)
        } else {
            self.routines.forget(child);
            None
        };
        if follows {
            let routine =
                starts.and_then(|(process, address)| self.routines.name(process, address));
            self.counts.origins.insert(id, Origin::new(maker, routine));
        }
    }

    /// A thread has ended; if it is said to run, its last switch is missing.
    fn end(&mut self, slot: &Slot) {
        let missing = self.assembler.exit(self.sink, self.now, slot.id);
        self.counts.missing += u64::from(missing.is_some());
    }

    fn renamed(&mut self, tid: i32, name: String) {
        match self.threads.get_mut(&tid) {
            None => self.unclaimed = Some((tid, name)),
            Some(slot) if slot.name != name => {
                slot.name = name;
                self.put_thread(tid);
            }
            Some(_) => {}
        }
    }

    /// A thread that was not its process' first has executed a program: the two exchange their numbers.
    fn took(&mut self, cpu: u16, tid: i32, old: i32) {
        let mut first = self.threads.remove(&tid);
        let Some(mut slot) = self.threads.remove(&old) else {
            self.threads.extend(first.map(|first| (tid, first)));
            return;
        };
        let ran = self.assembler.runs(Cpu(cpu));
        if let Some(mut same) = first.take_if(|slot| ran == What::Thread(slot.id)) {
            // It has waited under its new number already, and was taken for somebody else.
            self.end(&slot);
            (same.pid, same.node) = (slot.pid, slot.node);
            self.threads.insert(tid, same);
            self.put_thread(tid);
            return;
        }
        if let Some((_, name)) = self.unclaimed.take_if(|(number, _)| *number == tid) {
            slot.name = name;
        }
        for (slot, number) in [(Some(slot), tid), (first, old)] {
            let Some(slot) = slot else { continue };
            self.threads.insert(number, slot);
            self.put_thread(number);
        }
    }

    /// The thread of a number, which is declared at its first use.
    fn thread(&mut self, tid: i32) -> ThreadId {
        if let Some(slot) = self.threads.get(&tid) {
            return slot.id;
        }
        let unclaimed = self.unclaimed.take_if(|(number, _)| *number == tid).map(|(_, name)| name);
        let name = unclaimed.or_else(|| procfs::stat(tid).map(|stat| stat.comm));
        let name = name.unwrap_or_else(|| "<...>".to_owned());
        self.declare(tid, procfs::process_of(tid).unwrap_or(0), name, None)
    }

    fn declare(&mut self, tid: i32, pid: i32, name: String, node: Option<NodeId>) -> ThreadId {
        let id = self.assembler.new_thread();
        let of_process = self.process.is_some_and(|process| process == pid);
        let node = node.or(self.command.filter(|_| of_process));
        let slot = Slot { id, pid, name, node };
        self.threads.insert(tid, slot);
        self.put_thread(tid);
        id
    }

    fn put_thread(&mut self, tid: i32) {
        let Some(slot) = self.threads.get(&tid) else { return };
        let (tid, pid) = (tid.unsigned_abs(), slot.pid.unsigned_abs());
        let (thread, name, node) = (slot.id, slot.name.clone(), slot.node);
        self.put(&Event::Thread { thread, tid, pid, name, node });
    }

    fn put(&mut self, event: &Event) {
        self.sink.record(self.now, event);
    }
}

#[cfg(test)]
mod tests;
