//! A Perfetto file, written while things happen.
//!
//! Invariants: memory grows with the number of threads, nodes and processors, never with the length
//! of the trace; an error of the file is kept and returned by [`Perfetto::finish`].
//!
//! Thread states go out as generic kernel events, from which Perfetto fills `sched_slice` and
//! `thread_state`. Windfall's own events go out as tracks: the tree of schedulers with its notes
//! and budgets; each thread's jobs, promise and time received; each processor's overheads and
//! losses. Threads without a process are grouped under their scheduler.
//!
//! Absent on purpose: a state for "unknown", which Perfetto lacks (see `states.rs`). Read next:
//! `perfetto/proto.rs` for what is written, `perfetto/cpus.rs` for time received.

mod cpus;
mod jobs;
mod out;
mod proto;
mod states;
mod threads;

use self::cpus::Cpus;
use self::jobs::{Jobs, Outcome};
use self::out::{Out, Track};
use self::states::{States, Task};
use self::threads::{Known, Threads};
use std::collections::BTreeMap;
use std::io::{self, Write};
use windfall_time::{Instant, Span};
use windfall_trace::{Cpu, Event, Header, NodeId, Note, Record, Sink, Stop, ThreadId};

/// Writes records as a Perfetto trace, one after another.
#[derive(Debug)]
pub struct Perfetto<W> {
    out: Out<W>,
    now: Instant,
    nodes: BTreeMap<NodeId, String>,
    threads: Threads,
    cpus: Cpus,
    states: States,
    jobs: Jobs,
    /// How many activities of each thread are open.
    activities: BTreeMap<ThreadId, u32>,
}

/// Writes a whole trace.
///
/// # Errors
/// The first write error of `out`; the file is then of no use.
pub fn write<W: Write>(
    out: W,
    header: &Header,
    records: impl IntoIterator<Item = Record>,
) -> io::Result<W> {
    let mut perfetto = Perfetto::new(out, header);
    for record in records {
        perfetto.record(record.at, &record.event);
    }
    perfetto.finish()
}

impl<W: Write> Perfetto<W> {
    /// Begins a file. Give it a buffered writer: each record becomes a few small writes.
    #[must_use]
    pub fn new(out: W, header: &Header) -> Perfetto<W> {
        let mut out = Out::new(out);
        out.describe(Track::Schedulers, "Schedulers", None);
        out.describe(Track::Processors, "Processors", None);
        let source = match (header.source.as_str(), header.clock.as_str()) {
            ("", _) => "Control".to_owned(),
            (source, "") => format!("Control ({source})"),
            (source, clock) => format!("Control ({source}, {clock} clock)"),
        };
        out.describe(Track::Control, &source, None);
        let mut perfetto = Perfetto {
            out,
            now: Instant::ZERO,
            nodes: BTreeMap::new(),
            threads: Threads::default(),
            cpus: Cpus::default(),
            states: States::default(),
            jobs: Jobs::default(),
            activities: BTreeMap::new(),
        };
        for cpu in 0..header.cpus {
            perfetto.cpus.declare(&mut perfetto.out, Cpu(cpu));
        }
        perfetto
    }

    /// Ends the file and gives the writer back.
    ///
    /// # Errors
    /// The first error of the writer; what followed it was not written.
    pub fn finish(mut self) -> io::Result<W> {
        self.states.finish(&mut self.out);
        self.out.finish()
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Known {
        if !self.threads.has(thread) {
            let name = format!("thread {}", thread.0);
            self.declare(thread, 0, 0, &name, None);
        }
        self.threads.get(thread)
    }

    fn declare(&mut self, thread: ThreadId, tid: u32, pid: u32, name: &str, node: Option<NodeId>) {
        let under = node.and_then(|node| self.nodes.get(&node).map(|name| (node, name.as_str())));
        self.threads.declare(&mut self.out, thread, tid, pid, name, under);
        let tid = self.threads.get(thread).tid;
        self.states.name(tid, name);
    }

    fn set(&mut self, thread: ThreadId, task: Task) {
        let at = self.now;
        let known = self.thread(thread);
        let (tid, lost) = (known.tid, std::mem::take(&mut known.lost));
        if lost {
            self.out.end(at, Track::Thread(thread), &[]);
        }
        self.states.set(tid, task);
    }

    fn switch(&mut self, cpu: Cpu, prev: Option<(ThreadId, Stop)>, next: Option<ThreadId>) {
        let at = self.now;
        let ran = self.cpus.switch(&mut self.out, &mut self.states, at, cpu, next);
        if let Some((thread, span)) = ran {
            self.received(thread, span);
            if prev.map(|prev| prev.0) != Some(thread) {
                // It left without a word: that it can still run is the least that is claimed.
                self.set(thread, Task::Ready);
            }
        }
        if let Some((thread, stop)) = prev {
            let woken = std::mem::take(&mut self.thread(thread).woken_early);
            let task = match stop {
                Stop::Preempted => Task::Ready,
                Stop::Blocked | Stop::Uninterruptible if woken => Task::Ready,
                Stop::Blocked => Task::Sleep,
                Stop::Uninterruptible => Task::Uninterruptible,
                Stop::Stopped => Task::Stopped,
                Stop::Exited => Task::Dead,
            };
            self.set(thread, task);
        }
        if let Some(thread) = next {
            self.thread(thread).woken_early = false;
            if let Some(other) = self.cpus.leave_others(at, cpu, thread) {
                self.received(thread, other);
            }
            self.set(thread, Task::Running(cpu));
        }
    }

    /// Adds to what a thread got, and draws it beside what was promised.
    fn received(&mut self, thread: ThreadId, span: Span) {
        let at = self.now;
        let known = self.thread(thread);
        known.received = known.received.saturating_add(span);
        let (received, promised) = (known.received, known.promised(at));
        self.out.count(at, Track::Received(thread), received);
        if let Some(promised) = promised {
            self.out.count(at, Track::Promised(thread), promised);
        }
    }

    fn promise(&mut self, thread: ThreadId, guarantee: Option<&str>) {
        let at = self.now;
        let text = guarantee.map_or("promise ends".to_owned(), |text| format!("promised {text}"));
        if let Some(promised) = self.thread(thread).promise(at, guarantee) {
            let track = Track::Promised(thread);
            if !self.out.is_described(track) {
                self.out.describe(track, "promised ms", Some(Track::Thread(thread)));
            }
            self.out.count(at, track, promised);
        }
        self.out.instant(at, Track::Thread(thread), "promise", &text);
    }

    fn note(&mut self, node: NodeId, thread: Option<ThreadId>, what: Note) {
        let at = self.now;
        let whom = thread.map_or_else(String::new, |thread| self.thread(thread).name.clone());
        let left = match what {
            Note::Budget(left) | Note::Replenished(left) => Some(left),
            Note::Exhausted => Some(Span::ZERO),
            _ => None,
        };
        if let (Some(left), Some(thread)) = (left, thread) {
            let track = Track::Budget(node, thread);
            if !self.out.is_described(track) {
                let name = format!("budget of {whom} ms");
                self.out.describe(track, &name, Some(Track::Node(node)));
            }
            self.out.count(at, track, left);
        }
        let word = match what {
            Note::Budget(_) | Note::Replenished(_) if thread.is_some() => return,
            Note::Budget(left) => format!("budget {left}"),
            Note::Replenished(full) => format!("replenished {full}"),
            Note::Reserved(span) => format!("reserved {span}"),
            Note::Received(span) => format!("received {span}"),
            Note::Admitted(work) => format!("admitted {work}"),
            Note::Refused(Span::ZERO) => "refused".to_owned(),
            Note::Refused(idle) => format!("refused: {idle} idle"),
            Note::Absorbed(free) => format!("absorbed {free}"),
            Note::Lost(left) => format!("lost {left}"),
            Note::Moved(work) => format!("moved {work}"),
            Note::Exhausted => "exhausted".to_owned(),
            Note::Boosted => "boosted".to_owned(),
            Note::Rescued => "rescued".to_owned(),
            Note::Late => "late".to_owned(),
            other => format!("{other:?}").to_lowercase(),
        };
        let text = if thread.is_some() { format!("{word}: {whom}") } else { word };
        self.out.instant(at, Track::Node(node), "note", &text);
    }

    /// Begins the activity `begins` of a thread, or ends its latest one. Activities that began before the trace are not
    /// drawn.
    fn activity(&mut self, thread: ThreadId, begins: Option<&str>) {
        self.thread(thread);
        let (at, track) = (self.now, Track::Activities(thread));
        let open = self.activities.entry(thread).or_insert(0);
        match begins {
            Some(text) => {
                *open += 1;
                if !self.out.is_described(track) {
                    self.out.describe(track, "activities", Some(Track::Thread(thread)));
                }
                self.out.begin(at, track, text, &[]);
            }
            None if *open > 0 => {
                *open -= 1;
                self.out.end(at, track, &[]);
            }
            None => {}
        }
    }

    fn lost(&mut self, cpu: Option<Cpu>, count: Option<u64>) {
        let at = self.now;
        let name = match count {
            Some(1) => "unknown (1 event lost)".to_owned(),
            Some(count) => format!("unknown ({count} events lost)"),
            None => "unknown (events lost)".to_owned(),
        };
        let cpus = cpu.map_or_else(|| self.cpus.all(), |cpu| vec![cpu]);
        for cpu in cpus {
            if let Some((thread, span)) =
                self.cpus.lose(&mut self.out, &mut self.states, at, cpu, &name)
            {
                self.received(thread, span);
                let tid = self.thread(thread).tid;
                self.states.set(tid, Task::Unknown);
            }
        }
        for thread in self.threads.all() {
            let known = self.threads.get(thread);
            if !known.lost && !known.ended && !self.cpus.runs(thread) {
                known.lost = true;
                self.out.begin(at, Track::Thread(thread), &name, &[]);
            }
        }
    }

    fn exit(&mut self, thread: ThreadId) {
        self.thread(thread).ended = true;
        // A thread that runs does so until its last switch.
        if !self.cpus.runs(thread) {
            self.set(thread, Task::Dead);
        }
    }

    fn node(&mut self, node: NodeId, parent: Option<NodeId>, name: &str, kind: &str) {
        let label = format!("{name} ({kind})");
        let parent = parent.map_or(Track::Schedulers, Track::Node);
        let known = self.nodes.insert(node, name.to_owned()).is_some();
        self.out.describe(Track::Node(node), &label, Some(parent));
        let text = if known { "changed" } else { "created" };
        self.out.instant(self.now, Track::Node(node), "node", text);
    }
}

impl<W: Write> Sink for Perfetto<W> {
    // Length: a table: what each event becomes.
    fn record(&mut self, at: Instant, event: &Event) {
        self.now = self.now.max(at);
        let at = self.now;
        self.states.advance(&mut self.out, at);
        self.jobs.advance(&mut self.out, at);
        match event {
            Event::Thread { thread, tid, pid, name, node } => {
                self.declare(*thread, *tid, *pid, name, *node);
            }
            Event::Node { node, parent, name, kind } => self.node(*node, *parent, name, kind),
            Event::Promise { thread, guarantee } => self.promise(*thread, guarantee.as_deref()),
            Event::Wake { thread, .. } => {
                if self.cpus.runs(*thread) {
                    self.thread(*thread).woken_early = true;
                } else {
                    self.set(*thread, Task::Ready);
                }
            }
            Event::Switch { cpu, prev, next } => {
                self.cpus.declare(&mut self.out, *cpu);
                self.switch(*cpu, *prev, *next);
            }
            Event::Exit { thread } => self.exit(*thread),
            Event::OverheadBegin { cpu, kind, number } => {
                self.cpus.overhead(&mut self.out, at, *cpu, *kind, *number);
            }
            Event::OverheadEnd { cpu } => self.cpus.overhead_ends(&mut self.out, at, *cpu),
            Event::Release { thread, deadline } => {
                self.thread(*thread);
                self.jobs.release(&mut self.out, at, *thread, *deadline);
            }
            Event::Complete { thread, response, missed } => {
                self.thread(*thread);
                let outcome = Outcome::Done { response: *response, missed: *missed };
                self.jobs.end(&mut self.out, at, *thread, outcome);
            }
            Event::Abort { thread } => {
                self.thread(*thread);
                self.jobs.end(&mut self.out, at, *thread, Outcome::GivenUp);
            }
            Event::Note { node, thread, what } => self.note(*node, *thread, *what),
            Event::Control { text } => self.out.instant(at, Track::Control, "control", text),
            Event::Quarantine { node, reason } => {
                let text = format!("QUARANTINED: {reason}");
                self.out.instant(at, Track::Node(*node), "quarantine", &text);
            }
            Event::Lost { cpu, count } => self.lost(*cpu, *count),
            Event::Mark { thread, text } => {
                if let Some(thread) = thread {
                    self.thread(*thread);
                }
                let track = thread.map_or(Track::Control, Track::Thread);
                self.out.instant(at, track, "mark", text);
            }
            Event::ActivityBegins { thread, text } => self.activity(*thread, Some(text)),
            Event::ActivityEnds { thread } => self.activity(*thread, None),
            // An event that this writer does not know has no place in Perfetto.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
