//! Trees to measure: two chains of schedulers below one root, as in figure 10.2, and one scheduler with many
//! threads below a root.

use windfall_admission::{Admission, BPlusTree};
use windfall_hierarchy::{
    Hierarchy, Message, NodeId, NodeSpec, Parent, TemporalAnswer, TemporalQuery, ThreadId,
};
use windfall_schedulers::catalogue::{Settings, Value, find};
use windfall_time::{Instant, Span};

fn create(tree: &mut Hierarchy, kind: &'static str, name: &str, parent: Parent) -> NodeId {
    create_with(tree, kind, &[], name, parent)
}

fn create_with(
    tree: &mut Hierarchy,
    kind: &'static str,
    settings: &[(&str, Value<'_>)],
    name: &str,
    parent: Parent,
) -> NodeId {
    let Some(kind) = find(kind) else { panic!("no scheduler `{kind}`") };
    let Ok(scheduler) = kind.build(&Settings(settings)) else { panic!("settings of {name}") };
    let owns: &[(Parent, &[Message])] = &[(parent, &[])];
    let spec = NodeSpec::new(name, kind.name, scheduler, owns);
    let Ok(node) = tree.create(Instant::ZERO, spec) else { panic!("{name} is refused") };
    node
}

fn thread(tree: &mut Hierarchy, parent: NodeId, asks: &[Message]) -> ThreadId {
    let Ok(thread) = tree.create_thread(Instant::ZERO, parent, asks) else { panic!("a thread") };
    let Ok(()) = tree.ready(Instant::ZERO, thread) else { panic!("it waits") };
    thread
}

/// Two threads that take turns, each below a chain of schedulers. `depth` schedulers decide on the way to a thread.
pub(crate) struct Chains(pub(crate) Hierarchy);

impl Chains {
    pub(crate) fn new(depth: usize) -> Chains {
        let mut tree = Hierarchy::new(1);
        let root = create(&mut tree, "round-robin", "root", Parent::Top);
        for side in ["left", "right"] {
            let mut at = root;
            for level in 1..depth {
                at = create(&mut tree, "round-robin", &format!("{side}-{level}"), Parent::Node(at));
            }
            thread(&mut tree, at, &[]);
        }
        Chains(tree)
    }

    /// The end of the root's quantum: the processor goes from one chain to the other.
    pub(crate) fn switch(&mut self) {
        let due = self.0.next_timer().unwrap_or(Instant::ZERO);
        let done = self.0.timer_due(due);
        debug_assert!(done.is_ok());
        while self.0.next_changed().is_some() {}
    }
}

/// Threads that take turns on several processors, which one scheduler shares.
#[allow(dead_code, reason = "not every benchmark needs it")]
pub(crate) struct Shared(Hierarchy);

#[allow(dead_code, reason = "not every benchmark needs it")]
impl Shared {
    /// `affinity` is the setting of that name.
    pub(crate) fn new(
        kind: &str,
        affinity: &'static str,
        processors: u16,
        threads: usize,
    ) -> Shared {
        let mut tree = Hierarchy::new(processors);
        let Some(kind) = find(kind) else { panic!("no scheduler `{kind}`") };
        let settings = [("affinity", Value::Word(affinity))];
        let Ok(scheduler) = kind.build(&Settings(&settings)) else { panic!("settings") };
        let owns: Vec<(Parent, &[Message])> =
            (0..processors).map(|_| (Parent::Top, &[][..])).collect();
        let spec = NodeSpec::new("shared", kind.name, scheduler, &owns);
        let Ok(node) = tree.create(Instant::ZERO, spec) else { panic!("it is refused") };
        for _ in 0..threads {
            thread(&mut tree, node, &[]);
        }
        Shared(tree)
    }

    /// The quantum that ends first.
    pub(crate) fn turn(&mut self) {
        let due = self.0.next_timer().unwrap_or(Instant::ZERO);
        let done = self.0.timer_due(due);
        debug_assert!(done.is_ok());
        while self.0.next_changed().is_some() {}
    }
}

/// Threads below one scheduler below a root.
pub(crate) struct Crowd {
    pub(crate) tree: Hierarchy,
    pub(crate) now: Instant,
    asleep: Vec<ThreadId>,
}

impl Crowd {
    pub(crate) fn new(kind: &'static str, threads: usize) -> Crowd {
        Crowd::asking(kind, threads, &[])
    }

    /// Threads that each reserve an equal part of the processor in each period of 100 ms.
    pub(crate) fn reserving(kind: &'static str, threads: u32) -> Crowd {
        let period = Span::from_millis(100);
        let amount = Span::from_nanos(period.as_nanos() / u64::from(threads));
        Crowd::asking(kind, threads as usize, &[Message::Reserve { amount, period }])
    }

    fn asking(kind: &'static str, threads: usize, asks: &[Message]) -> Crowd {
        let mut tree = Hierarchy::new(1);
        let root = create(&mut tree, "fixed-priority", "root", Parent::Top);
        let node = create(&mut tree, kind, "crowd", Parent::Node(root));
        for _ in 0..threads {
            thread(&mut tree, node, asks);
        }
        Crowd { tree, now: Instant::ZERO, asleep: Vec::with_capacity(threads) }
    }

    /// The running thread blocks, and the next one is chosen.
    pub(crate) fn block(&mut self) {
        self.now = self.now + Span::from_nanos(1_000);
        let Some(thread) = self.tree.running(windfall_hierarchy::Processor(0)) else { return };
        let done = self.tree.blocked(self.now, thread);
        debug_assert!(done.is_ok());
        self.asleep.push(thread);
        while self.tree.next_changed().is_some() {}
    }

    /// The running thread blocks, timers that are due fire, and it wakes again.
    #[allow(dead_code, reason = "not every benchmark needs it")]
    pub(crate) fn nap(&mut self) {
        let now = self.now + Span::from_nanos(1_000);
        while self.tree.next_timer().is_some_and(|due| due <= now) {
            self.turn();
        }
        self.block();
        self.wake_all();
    }

    /// The next timer fires: a budget, a slice or a period ends, and a thread is chosen.
    #[allow(dead_code, reason = "not every benchmark needs it")]
    pub(crate) fn turn(&mut self) {
        self.now = self.tree.next_timer().unwrap_or(self.now);
        let done = self.tree.timer_due(self.now);
        debug_assert!(done.is_ok());
        while self.tree.next_changed().is_some() {}
    }

    /// Wakes all threads that have blocked.
    pub(crate) fn wake_all(&mut self) {
        while let Some(thread) = self.asleep.pop() {
            let done = self.tree.ready(self.now, thread);
            debug_assert!(done.is_ok());
        }
        while self.tree.next_changed().is_some() {}
    }
}

/// One list of slots twice: in a scheduler of a tree, and by itself.
#[allow(dead_code, reason = "not every benchmark needs it")]
pub(crate) struct Slots {
    tree: Hierarchy,
    node: NodeId,
    thread: ThreadId,
    list: Admission<BPlusTree>,
    /// Deadlines to ask about, in no order.
    deadlines: Vec<Instant>,
}

#[allow(dead_code, reason = "not every benchmark needs it")]
impl Slots {
    pub(crate) fn new(slots: u32, exact: bool) -> Slots {
        let mut tree = Hierarchy::new(1);
        let exact = [("exact", Value::Bool(exact))];
        let node = create_with(&mut tree, "ports", &exact, "ports", Parent::Top);
        let whole = Message::Supply {
            amount: Span::from_nanos(1),
            period: Span::from_nanos(1),
            latency: Span::ZERO,
            blocks: false,
        };
        let Ok(()) = tree.configure(Instant::ZERO, node, whole) else { panic!("a supply") };
        let Ok(thread) = tree.create_thread(Instant::ZERO, node, &[]) else { panic!("a thread") };
        let Ok(()) = tree.ready(Instant::ZERO, thread) else { panic!("it waits") };
        let Ok(mut list) = Admission::new(Instant::ZERO, slots) else { panic!("a list") };
        let work = Span::from_nanos(100);
        let deadlines: Vec<Instant> = (0..slots)
            .map(|slot| {
                let place = u64::from(slot.wrapping_mul(2_654_435_761)) % (u64::from(slots) * 200);
                Instant::from_nanos(u64::from(slots) * 200 + place)
            })
            .collect();
        for (task, deadline) in (0..).zip(&deadlines) {
            let submit = Message::Submit { task, work, deadline: *deadline };
            let there = tree.send(Instant::ZERO, thread, submit).is_ok();
            assert!(there && list.admit(work, *deadline).is_ok());
        }
        Slots { tree, node, thread, list, deadlines }
    }

    /// One of the tasks is withdrawn, and submitted again.
    pub(crate) fn again(&mut self, at: usize) {
        let at = at % self.deadlines.len();
        let (work, deadline) = (Span::from_nanos(100), self.deadlines[at]);
        let task = u32::try_from(at).unwrap_or(0);
        let submit = Message::Submit { task, work, deadline };
        for message in [Message::Withdraw(task), submit] {
            assert!(self.tree.send(Instant::ZERO, self.thread, message).is_ok());
        }
    }

    /// The idle time before one of the deadlines, by itself.
    pub(crate) fn direct(&self, at: usize) -> Span {
        self.list.idle_before(self.deadlines[at % self.deadlines.len()])
    }

    /// The same, by a query to the tree.
    pub(crate) fn through_tree(&mut self, at: usize) -> Span {
        let before = TemporalQuery::IdleBefore(self.deadlines[at % self.deadlines.len()]);
        match self.tree.temporal_query(Instant::ZERO, self.node, before) {
            Ok(Some(TemporalAnswer::Idle(idle))) => idle,
            other => panic!("{other:?}"),
        }
    }
}
