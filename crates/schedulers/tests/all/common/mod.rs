//! A small host for tests: processors that run scripted threads, time in nanoseconds.
//!
//! A thread works for a given time and then blocks, or works for ever; it wakes on command or periodically. Both
//! checks follow every event, so a test that passes also shows that the tables are consistent and no scheduler was
//! quarantined.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]
#![allow(dead_code, reason = "each test uses the part that it needs")]

pub(crate) mod adversary;
pub(crate) mod listener;
mod seen;
pub(crate) mod warp;

use windfall_guarantees::{Conversion, Guarantee, Offer};
use windfall_hierarchy::{
    Hierarchy, HierarchyError, Message, NodeId, NodeSpec, OwnVp, Parent, Processor, Target,
    ThreadId, VpState,
};
use windfall_schedulers::OfKind;
use windfall_schedulers::catalogue::{self, Settings, Value};
use windfall_schedulers::parameters;
use windfall_time::{Instant, Span};

pub(crate) const US: u64 = 1_000;
pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000_000_000;
const FOR_EVER: u64 = u64::MAX;

/// A time on the host's clock.
pub(crate) fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

/// A length of time.
pub(crate) fn span(ns: u64) -> Span {
    Span::from_nanos(ns)
}

pub(crate) fn reserve(amount: u64, period: u64) -> Message {
    Message::Reserve { amount: span(amount), period: span(period) }
}

pub(crate) fn currency(currency: u32) -> Message {
    parameters::currency(currency.into())
}

pub(crate) fn progress(fill: i64) -> Message {
    parameters::progress(fill)
}

pub(crate) fn warp_limit(limit: u64, unwarp: u64) -> Message {
    parameters::warp_limit(span(limit), span(unwarp))
}

/// A guarantee from its text.
pub(crate) fn promise(text: &str) -> Guarantee {
    text.parse().unwrap()
}

/// The conversion of a kind with these settings.
pub(crate) fn conversion(kind: &str, settings: &[(&str, Value<'_>)]) -> Box<dyn Conversion> {
    catalogue::find(kind).unwrap().conversion(&Settings(settings)).unwrap()
}

/// The guarantees of an offer, as text.
pub(crate) fn gives(offer: &Offer) -> Vec<String> {
    offer.gives.iter().map(|given| given.guarantee.to_string()).collect()
}

pub(crate) fn periodic(period: u64, deadline: u64) -> Message {
    Message::Periodic { period: span(period), deadline: span(deadline), amount: None }
}

pub(crate) struct Thread {
    pub(crate) id: ThreadId,
    name: String,
    /// Work left until it blocks.
    left: u64,
    /// Total time that it ran.
    pub(crate) ran: u64,
    /// Period and work of its wake-ups, if they are periodic.
    cycle: Option<(u64, u64)>,
    wakes: Option<u64>,
    pub(crate) gone: bool,
    /// The times at which it began to wait, became ready, or began to run.
    story: Vec<(u64, VpState)>,
}

/// Index of a thread of the host.
pub(crate) type T = usize;

pub(crate) struct Host {
    pub(crate) tree: Hierarchy,
    pub(crate) now: u64,
    pub(crate) threads: Vec<Thread>,
    /// Timers fire at multiples of this; 1 for a precise clock.
    pub(crate) tick: u64,
    /// Time stolen from processor 0: (start, length), in order and without overlap.
    pub(crate) stolen: Vec<(u64, u64)>,
    /// Changes on the processors: (time, processor, thread or none).
    log: Vec<(u64, u16, Option<T>)>,
}

impl Host {
    pub(crate) fn new(processors: u16) -> Host {
        Host {
            tree: Hierarchy::new(processors),
            now: 0,
            threads: Vec::new(),
            tick: 1,
            stolen: Vec::new(),
            log: Vec::new(),
        }
    }

    pub(crate) fn try_node(
        &mut self,
        name: &str,
        kind: &str,
        settings: &[(&str, Value<'_>)],
        parents: &[(Parent, &[Message])],
    ) -> Result<NodeId, HierarchyError> {
        let kind = catalogue::find(kind).unwrap();
        let spec =
            NodeSpec::new(name, kind.name, kind.build(&Settings(settings)).unwrap(), parents);
        let node = self.tree.create(at(self.now), spec);
        self.after();
        node
    }

    /// Creates a scheduler below one parent.
    pub(crate) fn below(
        &mut self,
        parent: NodeId,
        name: &str,
        kind: &str,
        ask: &[Message],
    ) -> NodeId {
        self.try_node(name, kind, &[], &[(Parent::Node(parent), ask)]).unwrap()
    }

    /// Creates a scheduler on all processors.
    pub(crate) fn root(&mut self, kind: &str, settings: &[(&str, Value<'_>)]) -> NodeId {
        let parents: Vec<(Parent, &[Message])> =
            (0..self.tree.processors()).map(|_| (Parent::Top, &[][..])).collect();
        self.try_node("root", kind, settings, &parents).unwrap()
    }

    /// Creates a scheduler on all processors, of a kind with its default settings or of a kind as a type.
    pub(crate) fn top(&mut self, kind: impl OfKind) -> NodeId {
        self.root(kind.name(), &kind.set())
    }

    pub(crate) fn try_thread(
        &mut self,
        parent: NodeId,
        name: &str,
        messages: &[Message],
    ) -> Result<T, HierarchyError> {
        let id = self.tree.create_thread(at(self.now), parent, messages);
        self.after();
        self.threads.push(Thread {
            id: id?,
            name: name.to_owned(),
            left: FOR_EVER,
            ran: 0,
            cycle: None,
            wakes: None,
            gone: false,
            story: Vec::new(),
        });
        Ok(self.threads.len() - 1)
    }

    /// Creates a waiting thread.
    pub(crate) fn thread(&mut self, parent: NodeId, name: &str, messages: &[Message]) -> T {
        self.try_thread(parent, name, messages).unwrap()
    }

    /// Creates a thread that works for ever, from now on.
    pub(crate) fn spin(&mut self, parent: NodeId, name: &str, messages: &[Message]) -> T {
        let thread = self.thread(parent, name, messages);
        self.wake(thread);
        thread
    }

    /// Creates a thread that works `work` every `period`, from now on.
    pub(crate) fn cycle(
        &mut self,
        parent: NodeId,
        name: &str,
        messages: &[Message],
        (work, period): (u64, u64),
    ) -> T {
        let thread = self.thread(parent, name, messages);
        self.begin_cycle(thread, (work, period));
        thread
    }

    /// The thread works `work` every `period`, from now on.
    pub(crate) fn begin_cycle(&mut self, thread: T, (work, period): (u64, u64)) {
        self.threads[thread].cycle = Some((work, period));
        self.threads[thread].wakes = Some(self.now);
        self.run_to(self.now);
    }

    /// The thread becomes ready, to work for ever.
    pub(crate) fn wake(&mut self, thread: T) {
        self.wake_for(thread, FOR_EVER);
    }

    /// The thread becomes ready, and blocks when it has run for `work`.
    pub(crate) fn wake_for(&mut self, thread: T, work: u64) {
        self.threads[thread].left = work;
        let id = self.threads[thread].id;
        self.tree.ready(at(self.now), id).unwrap();
        self.after();
    }

    pub(crate) fn block(&mut self, thread: T) {
        let id = self.threads[thread].id;
        self.tree.blocked(at(self.now), id).unwrap();
        self.after();
    }

    pub(crate) fn yields(&mut self, thread: T) {
        let id = self.threads[thread].id;
        self.tree.yielded(at(self.now), id).unwrap();
        self.after();
    }

    pub(crate) fn exit(&mut self, thread: T) {
        let id = self.threads[thread].id;
        self.tree.exited(at(self.now), id).unwrap();
        self.threads[thread].gone = true;
        self.after();
    }

    pub(crate) fn tell(&mut self, thread: T, message: Message) -> Result<(), HierarchyError> {
        let id = self.threads[thread].id;
        let answer = self.tree.send(at(self.now), id, message);
        self.after();
        answer
    }

    pub(crate) fn ask(
        &mut self,
        node: NodeId,
        own: u16,
        message: Message,
    ) -> Result<(), HierarchyError> {
        let target = Target::Node(node);
        let answer = self.tree.send_for(at(self.now), target, OwnVp(own), message);
        self.after();
        answer
    }

    pub(crate) fn move_to(
        &mut self,
        thread: T,
        to: NodeId,
        ask: &[Message],
    ) -> Result<(), HierarchyError> {
        let id = self.threads[thread].id;
        let answer = self.tree.move_thread(at(self.now), id, to, ask);
        self.after();
        answer
    }

    /// The thread that runs on a processor.
    pub(crate) fn on(&self, processor: u16) -> Option<T> {
        let id = self.tree.running(Processor(processor))?;
        self.threads.iter().position(|thread| thread.id == id)
    }

    /// Whether a thread is ready or runs.
    pub(crate) fn is_awake(&self, thread: T) -> bool {
        let state = self.tree.thread_state(self.threads[thread].id);
        state.is_some_and(|state| state != VpState::Waiting)
    }

    /// Lets time pass.
    pub(crate) fn run_for(&mut self, ns: u64) {
        self.run_to(self.now + ns);
    }

    /// Lets time pass, and handles all events up to and including `end`.
    pub(crate) fn run_to(&mut self, end: u64) {
        loop {
            let due = self.next_event();
            if due > end {
                break;
            }
            self.pass_to(due);
            let timer = self.next_timer();
            if timer.is_some_and(|timer| timer <= due) {
                self.tree.timer_due(at(due)).unwrap();
                self.after();
                continue;
            }
            let done = (0..self.tree.processors())
                .filter_map(|processor| self.on(processor))
                .find(|thread| self.threads[*thread].left == 0);
            if let Some(thread) = done {
                self.block(thread);
                continue;
            }
            for thread in 0..self.threads.len() {
                if self.threads[thread].wakes.is_some_and(|at| at <= due) {
                    let (work, period) = self.threads[thread].cycle.unwrap();
                    self.threads[thread].wakes = Some(due + period);
                    let state = self.tree.thread_state(self.threads[thread].id);
                    if state == Some(windfall_hierarchy::VpState::Waiting) {
                        self.wake_for(thread, work);
                    } else {
                        self.threads[thread].left += work;
                    }
                }
            }
        }
        self.pass_to(end);
    }

    fn next_timer(&self) -> Option<u64> {
        let timer = self.tree.next_timer()?.as_nanos();
        Some(timer.div_ceil(self.tick).saturating_mul(self.tick))
    }

    fn next_event(&self) -> u64 {
        let timer = self.next_timer().unwrap_or(FOR_EVER);
        let done = (0..self.tree.processors())
            .filter_map(|processor| self.on(processor))
            .map(|thread| self.now.saturating_add(self.threads[thread].left));
        let wakes = self.threads.iter().filter(|t| !t.gone);
        let wakes = wakes.filter_map(|thread| thread.wakes);
        timer.min(done.min().unwrap_or(FOR_EVER)).min(wakes.min().unwrap_or(FOR_EVER)).max(self.now)
    }

    /// The time stolen from processor 0 between `from` and `to`.
    pub(crate) fn stolen_within(&self, from: u64, to: u64) -> u64 {
        let parts = self.stolen.iter().map(|(start, long)| (*start, start + long));
        parts.map(|(start, end)| end.clamp(from, to) - start.clamp(from, to)).sum()
    }

    fn pass_to(&mut self, to: u64) {
        let stolen = self.stolen_within(self.now, to);
        self.tree.report_stolen(Processor(0), span(stolen)).unwrap();
        for processor in 0..self.tree.processors() {
            if let Some(thread) = self.on(processor) {
                let stolen = if processor == 0 { stolen } else { 0 };
                let thread = &mut self.threads[thread];
                thread.ran += to - self.now - stolen;
                if thread.left != FOR_EVER {
                    thread.left -= to - self.now - stolen;
                }
            }
        }
        self.now = to;
    }

    fn after(&mut self) {
        self.tree.check_tables().unwrap();
        self.tree.check_schedulers();
        assert_eq!(self.tree.quarantined(), [], "at {}", at(self.now));
        for thread in &mut self.threads {
            let state = self.tree.thread_state(thread.id).unwrap_or(VpState::Waiting);
            if thread.story.last().is_none_or(|(_, last)| *last != state) {
                thread.story.push((self.now, state));
            }
        }
        while let Some(processor) = self.tree.next_changed() {
            let thread = self.on(processor.0);
            let before = self.log.iter().rev().find(|(_, p, _)| *p == processor.0);
            let before = before.and_then(|(_, _, thread)| *thread);
            if thread == before {
                continue;
            }
            let again =
                |(when, p, _): &(u64, u16, Option<T>)| *when == self.now && *p == processor.0;
            if let Some(last) = self.log.iter().rposition(again) {
                self.log.remove(last);
            }
            self.log.push((self.now, processor.0, thread));
        }
    }
}
