//! Converts the actions of a host to the records of a trace, in the same form on every host.
//!
//! Records are built only when a trace is recorded.

use windfall_hierarchy::{
    Hierarchy, JournalEntry, JournalEvent, NodeId, Note, Parent, Target, ThreadId,
};
use windfall_time::Instant;
use windfall_trace as trace;
use windfall_trace::{Cpu, Event, OverheadKind, Sink, Stop};

/// Passes events on to a sink, if there is one.
#[derive(Debug)]
pub struct Tracer<S> {
    sink: Option<S>,
    nodes: Vec<NodeId>,
    records: u64,
}

impl<S> Default for Tracer<S> {
    /// No trace is recorded.
    fn default() -> Tracer<S> {
        Tracer { sink: None, nodes: Vec::new(), records: 0 }
    }
}

impl<S: Sink> Tracer<S> {
    /// Records go there, or nowhere.
    #[must_use]
    pub const fn new(sink: Option<S>) -> Tracer<S> {
        Tracer { sink, nodes: Vec::new(), records: 0 }
    }

    /// Whether a trace is recorded.
    #[inline]
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.sink.is_some()
    }

    /// Where records go.
    #[must_use]
    pub const fn sink(&self) -> Option<&S> {
        self.sink.as_ref()
    }

    /// How many records there have been.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Records the result of `event`, which is called only when a trace is recorded.
    #[inline]
    pub fn record(&mut self, at: Instant, event: impl FnOnce() -> Event) {
        if self.is_on() {
            Sink::record(self, at, &event());
        }
    }

    /// Records that a processor switches from one thread, or from idle, to another.
    #[inline]
    pub fn switch(
        &mut self,
        at: Instant,
        cpu: usize,
        prev: Option<(trace::ThreadId, Stop)>,
        next: Option<trace::ThreadId>,
    ) {
        self.record(at, || Event::Switch { cpu: cpu_id(cpu), prev, next });
    }

    /// Records that an overhead begins on a processor.
    pub fn overhead(&mut self, at: Instant, cpu: usize, kind: OverheadKind, number: u16) {
        self.record(at, || Event::OverheadBegin { cpu: cpu_id(cpu), kind, number });
    }

    /// Records that the innermost overhead on a processor ends.
    pub fn overhead_end(&mut self, at: Instant, cpu: usize) {
        self.record(at, || Event::OverheadEnd { cpu: cpu_id(cpu) });
    }

    /// Records a new thread, or its new name or scheduler; `tid` and its process `pid` are the machine's numbers.
    pub fn thread(
        &mut self,
        at: Instant,
        thread: trace::ThreadId,
        (tid, pid): (u32, u32),
        name: &str,
        parent: Option<NodeId>,
    ) {
        if self.is_on() {
            let node = parent.map(|node| self.node_number(node));
            let name = name.to_owned();
            self.record(at, || Event::Thread { thread, tid, pid, name, node });
        }
    }

    /// Records the promise to a thread.
    pub fn promise(&mut self, at: Instant, thread: trace::ThreadId, promised: Option<&str>) {
        if let Some(guarantee) = promised {
            let guarantee = || Some(guarantee.to_owned());
            self.record(at, || Event::Promise { thread, guarantee: guarantee() });
        }
    }

    /// Declares every instance that has not been declared yet, parents first.
    pub fn declare_nodes(&mut self, at: Instant, hierarchy: &Hierarchy) {
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
        let parent = view.owns.iter().find_map(|(parent, _)| match parent {
            Some(Parent::Node(parent)) => Some(*parent),
            Some(Parent::Top) | None => None,
        });
        if let Some(parent) = parent {
            self.declare(at, hierarchy, parent);
        }
        let node = self.node_number(id);
        let parent = parent.map(|parent| self.node_number(parent));
        let (name, kind) = (view.name.to_owned(), view.kind.to_owned());
        self.record(at, || Event::Node { node, parent, name, kind });
    }

    /// Records a scheduler's note, or its removal from the tree; `thread` resolves the hierarchy's identifiers.
    pub fn entry(
        &mut self,
        entry: &JournalEntry,
        thread: impl FnOnce(ThreadId) -> Option<trace::ThreadId>,
    ) {
        if !self.is_on() {
            return;
        }
        let node = self.node_number(entry.node);
        match &entry.what {
            JournalEvent::Noted { note, about, .. } => {
                let Some(what) = words(*note) else { return };
                let thread = match about {
                    Some(Target::Thread(id)) => thread(*id),
                    _ => None,
                };
                self.record(entry.at, || Event::Note { node, thread, what });
            }
            JournalEvent::Quarantined { defect } => {
                self.record(entry.at, || Event::Quarantine { node, reason: defect.to_string() });
            }
            _ => {}
        }
    }

    /// Ends the trace at this time; open intervals end then.
    pub fn end(&mut self, at: Instant) {
        self.record(at, || Event::Mark { thread: None, text: "end".to_owned() });
    }

    fn node_number(&mut self, id: NodeId) -> trace::NodeId {
        let at = self.nodes.iter().position(|node| *node == id).unwrap_or_else(|| {
            self.nodes.push(id);
            self.nodes.len() - 1
        });
        trace::NodeId(u32::try_from(at).expect("schedulers are numbered by 32 bits"))
    }
}

impl<S: Sink> Sink for Tracer<S> {
    #[inline]
    fn record(&mut self, at: Instant, event: &Event) {
        if let Some(sink) = &mut self.sink {
            self.records += 1;
            sink.record(at, event);
        }
    }
}

fn cpu_id(cpu: usize) -> Cpu {
    Cpu(u16::try_from(cpu).expect("processors are numbered by 16 bits"))
}

/// A scheduler's note in the trace's form; `None` for one that the trace does not know.
const fn words(note: Note) -> Option<trace::Note> {
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
        Note::Admitted(span) => trace::Note::Admitted(span),
        Note::Refused(span) => trace::Note::Refused(span),
        Note::Absorbed(span) => trace::Note::Absorbed(span),
        Note::Lost(span) => trace::Note::Lost(span),
        Note::Moved(span) => trace::Note::Moved(span),
        _ => return None,
    })
}
