//! From the simulation's events to the trace's.
//!
//! Nothing is built when nobody records.

use windfall_hierarchy::{Hierarchy, NodeId, Note};
use windfall_time::Instant;
use windfall_trace as trace;
use windfall_trace::{Cpu, Event, Sink, Stop, Theft};

/// Passes events on to a sink, if there is one.
pub(crate) struct Tracer<'a> {
    sink: Option<&'a mut dyn Sink>,
    nodes: Vec<NodeId>,
    pub(crate) records: u64,
}

impl<'a> Tracer<'a> {
    pub(crate) fn new(sink: Option<&'a mut dyn Sink>) -> Tracer<'a> {
        Tracer { sink, nodes: Vec::new(), records: 0 }
    }

    #[inline]
    pub(crate) const fn is_on(&self) -> bool {
        self.sink.is_some()
    }

    #[inline]
    pub(crate) fn record(&mut self, at: Instant, event: impl FnOnce() -> Event) {
        if let Some(sink) = &mut self.sink {
            self.records += 1;
            sink.record(at, &event());
        }
    }

    pub(crate) fn switch(
        &mut self,
        at: Instant,
        cpu: usize,
        prev: Option<(u32, Stop)>,
        next: Option<u32>,
    ) {
        self.record(at, || Event::Switch {
            cpu: cpu_id(cpu),
            prev: prev.map(|(thread, stop)| (trace::ThreadId(thread), stop)),
            next: next.map(trace::ThreadId),
        });
    }

    pub(crate) fn theft(&mut self, at: Instant, cpu: usize, kind: Theft, number: u16) {
        self.record(at, || Event::TheftBegin { cpu: cpu_id(cpu), kind, number });
    }

    pub(crate) fn theft_end(&mut self, at: Instant, cpu: usize) {
        self.record(at, || Event::TheftEnd { cpu: cpu_id(cpu) });
    }

    pub(crate) fn thread(&mut self, at: Instant, thread: u32, name: &str, parent: Option<NodeId>) {
        if self.is_on() {
            let node = parent.map(|node| self.node_number(node));
            self.record(at, || Event::Thread {
                thread: trace::ThreadId(thread),
                tid: thread + 1,
                pid: thread + 1,
                name: name.to_owned(),
                node,
            });
        }
    }

    /// Declares every instance that has not been declared yet, parents first.
    pub(crate) fn declare_nodes(&mut self, at: Instant, hierarchy: &Hierarchy) {
        if !self.is_on() {
            return;
        }
        let unknown: Vec<NodeId> =
            hierarchy.nodes().into_iter().filter(|id| !self.nodes.contains(id)).collect();
        for id in unknown {
            self.declare(at, hierarchy, id);
        }
    }

    fn declare(&mut self, at: Instant, hierarchy: &Hierarchy, id: NodeId) {
        if self.nodes.contains(&id) {
            return;
        }
        let Some(view) = hierarchy.node(id) else {
            return;
        };
        let parent = view.owns.iter().find_map(|(parent, _)| *parent);
        if let Some(parent) = parent {
            self.declare(at, hierarchy, parent);
        }
        let node = self.node_number(id);
        let parent = parent.map(|parent| self.node_number(parent));
        let (name, kind) = (view.name.to_owned(), view.kind.to_owned());
        self.record(at, || Event::Node { node, parent, name, kind });
    }

    pub(crate) fn node_number(&mut self, id: NodeId) -> trace::NodeId {
        let at = self.nodes.iter().position(|node| *node == id).unwrap_or_else(|| {
            self.nodes.push(id);
            self.nodes.len() - 1
        });
        trace::NodeId(u32::try_from(at).unwrap_or(u32::MAX))
    }
}

pub(crate) fn cpu_id(cpu: usize) -> Cpu {
    Cpu(u16::try_from(cpu).unwrap_or(u16::MAX))
}

/// A scheduler's note in the trace's words; `None` for one that the trace does not know.
pub(crate) const fn note(note: Note) -> Option<trace::Note> {
    Some(match note {
        Note::Budget(span) => trace::Note::Budget(span),
        Note::Exhausted => trace::Note::Exhausted,
        Note::Replenished(span) => trace::Note::Replenished(span),
        Note::Reserved(span) => trace::Note::Reserved(span),
        Note::Received(span) => trace::Note::Received(span),
        Note::Boosted => trace::Note::Boosted,
        Note::Rescued => trace::Note::Rescued,
        Note::Late => trace::Note::Late,
        Note::Expired => trace::Note::Expired,
        _ => return None,
    })
}
