//! The state after records that are no longer kept: the threads, which of them run where, and which could run.
//!
//! Invariant: the events that it gives, followed by the records after those that it has taken, have the same
//! timeline as all records from there on. It grows with the number of threads, nodes and processors, not with records: a thread is
//! forgotten with its last switch.

use crate::{Cpu, Event, NodeId, OverheadKind, Stop, ThreadId};
use std::collections::BTreeMap;

/// Takes records, in the order in which they were recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    nodes: BTreeMap<NodeId, Event>,
    threads: BTreeMap<ThreadId, Known>,
    /// Processors of which it is known what they do.
    cpus: BTreeMap<Cpu, CpuState>,
}

/// The state of a thread.
#[derive(Clone, Debug, Default)]
struct Known {
    declared: Option<Event>,
    promise: Option<Event>,
    /// It could run, and does not.
    ready: bool,
    ended: bool,
}

/// The state of a processor.
#[derive(Clone, Debug, Default)]
struct CpuState {
    runs: Option<ThreadId>,
    overheads: Vec<(OverheadKind, u16)>,
}

impl Snapshot {
    pub(crate) fn take(&mut self, event: Event) {
        match event {
            Event::Node { node, .. } => {
                self.nodes.insert(node, event);
            }
            Event::Thread { thread, .. } => {
                self.threads.entry(thread).or_default().declared = Some(event);
            }
            Event::Promise { thread, .. } => {
                self.threads.entry(thread).or_default().promise = Some(event);
            }
            Event::Wake { thread, .. } => {
                let runs = self.cpus.values().any(|doing| doing.runs == Some(thread));
                if let Some(known) = self.threads.get_mut(&thread) {
                    known.ready = !runs;
                }
            }
            Event::Switch { cpu, prev, next } => {
                if let Some((thread, stop)) = prev {
                    self.stops(thread, stop);
                }
                if let Some(known) = next.and_then(|next| self.threads.get_mut(&next)) {
                    known.ready = false;
                }
                self.cpus.entry(cpu).or_default().runs = next;
            }
            Event::Exit { thread } => {
                if self.cpus.values().any(|doing| doing.runs == Some(thread)) {
                    self.threads.entry(thread).or_default().ended = true; // until its last switch
                } else {
                    self.threads.remove(&thread);
                }
            }
            Event::OverheadBegin { cpu, kind, number } => {
                self.cpus.entry(cpu).or_default().overheads.push((kind, number));
            }
            Event::OverheadEnd { cpu } => {
                self.cpus.entry(cpu).or_default().overheads.pop();
            }
            Event::Lost { cpu, .. } => self.lose(cpu),
            _ => {}
        }
    }

    fn stops(&mut self, thread: ThreadId, stop: Stop) {
        let Some(known) = self.threads.get_mut(&thread) else { return };
        known.ready = stop == Stop::Preempted;
        if stop == Stop::Exited || known.ended {
            self.threads.remove(&thread);
        }
    }

    /// Forgets the state of a processor (of all, without one), and which threads are ready.
    fn lose(&mut self, cpu: Option<Cpu>) {
        self.cpus.retain(|there, _| cpu.is_some_and(|cpu| cpu != *there));
        self.threads.values_mut().for_each(|known| known.ready = false);
    }

    /// The events that say so, declarations first.
    pub(crate) fn events(&self) -> impl Iterator<Item = Event> {
        let threads = self.threads.values();
        let declared = threads.flat_map(|known| [&known.declared, &known.promise]).flatten();
        let ready = self.threads.iter().filter(|(_, known)| known.ready);
        let ready = ready.map(|(thread, _)| Event::Wake { thread: *thread, by: None });
        let runs = self.cpus.iter().flat_map(|(cpu, doing)| {
            let switch = Event::Switch { cpu: *cpu, prev: None, next: doing.runs };
            let overheads = doing.overheads.iter();
            let overhead = |&(kind, number)| Event::OverheadBegin { cpu: *cpu, kind, number };
            std::iter::once(switch).chain(overheads.map(overhead))
        });
        self.nodes.values().chain(declared).cloned().chain(ready).chain(runs)
    }
}
