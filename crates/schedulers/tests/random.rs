//! Random trees, threads and requests, as in HLS 9.4.1; after every step all invariants are checked.
//!
//! A step is a plain value that prints as text, so that a failing case can be kept as one.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use proptest::prelude::*;
use windfall_hierarchy::{
    Hierarchy, HierarchyError, Message, NodeId, NodeSpec, OwnVp, Parent, Processor, Target,
    ThreadId, Value as Told, VpState,
};
use windfall_schedulers::catalogue::{self, Settings};
use windfall_schedulers::parameters::WARP_LIMIT;
use windfall_time::{Instant, Span};

/// What is done next. Numbers choose among what there is at the time, modulo how many.
#[derive(Clone, Debug)]
enum Step {
    Spawn { node: u8, ask: Option<Message> },
    Ready(u8),
    Block(u8),
    Yield(u8),
    Exit(u8),
    Move { thread: u8, to: u8, ask: Option<Message> },
    Tell { thread: u8, what: Message },
    Job { thread: u8, due_in: u32, work: u32 },
    Constrain { thread: u8, due_in: u32, work: u32 },
    Ask { node: u8, own: u8, what: Message },
    Configure { node: u8, what: Message },
    Create { kind: u8, parents: Vec<u8>, ask: Option<Message> },
    Destroy(u8),
    Default(u8),
    Pass { ns: u32 },
}

/// Schedulers that may leave a processor idle, or change who runs for reasons of their own.
const SPARING: &[&str] = &[
    "briefly-blocked",
    "cbs",
    "eevdf",
    "epoch",
    "fc-edf",
    "gang",
    "join",
    "limit",
    "lottery",
    "overrun",
    "pshed",
    "resource-kernel",
    "rez",
    "rez-c",
    "rez-fb",
    "smart",
    "spring",
    "stride",
    "swift",
    "tbs",
    "time-line",
    "time-table",
];

struct World {
    tree: Hierarchy,
    now: u64,
    threads: Vec<ThreadId>,
    created: usize,
}

impl World {
    fn new(processors: u16, kind: u8) -> World {
        let mut tree = Hierarchy::new(processors);
        let root = match kind % 4 {
            0 => "fixed-priority",
            1 => "time-sharing",
            2 => "proportional-share",
            _ => "edf",
        };
        let kind = catalogue::find(root).unwrap();
        let owns: Vec<(Parent, &[Message])> =
            (0..processors.div_ceil(2)).map(|_| (Parent::Top, &[][..])).collect();
        let scheduler = kind.build(&Settings(&[])).unwrap();
        let spec = NodeSpec { name: "root", kind: kind.name, scheduler, owns: &owns };
        tree.create(Instant::ZERO, spec).unwrap();
        World { tree, now: 0, threads: Vec::new(), created: 0 }
    }

    fn at(&self) -> Instant {
        Instant::from_nanos(self.now)
    }

    fn node(&self, number: u8) -> NodeId {
        let nodes = self.tree.nodes();
        nodes[usize::from(number) % nodes.len()]
    }

    fn pick(&self, number: u8) -> Option<ThreadId> {
        let at = usize::from(number).checked_rem(self.threads.len())?;
        Some(self.threads[at])
    }

    fn running(&self) -> Vec<Option<ThreadId>> {
        let processors = (0..self.tree.processors()).map(Processor);
        processors.map(|processor| self.tree.running(processor)).collect()
    }

    fn take(&mut self, step: &Step) -> Result<(), HierarchyError> {
        let now = self.at();
        match step {
            Step::Spawn { node, ask } => {
                let node = self.node(*node);
                let thread = self.tree.create_thread(now, node, ask.as_slice())?;
                self.threads.push(thread);
            }
            Step::Ready(thread) => {
                if let Some(thread) = self.pick(*thread) {
                    self.tree.ready(now, thread)?;
                }
            }
            Step::Block(thread) => self.block(*thread)?,
            Step::Yield(thread) => {
                if let Some(thread) = self.pick(*thread) {
                    self.tree.yielded(now, thread)?;
                }
            }
            Step::Exit(thread) => {
                if let Some(thread) = self.pick(*thread) {
                    self.tree.exited(now, thread)?;
                    self.threads.retain(|other| *other != thread);
                }
            }
            Step::Move { thread, to, ask } => {
                if let Some(thread) = self.pick(*thread) {
                    let to = self.node(*to);
                    self.tree.move_thread(now, thread, to, ask.as_slice())?;
                }
            }
            Step::Tell { thread, what } => {
                if let Some(thread) = self.pick(*thread) {
                    self.tree.send(now, thread, *what)?;
                }
            }
            Step::Job { thread, due_in, work } => {
                let what = Message::Job {
                    release: now,
                    deadline: Instant::from_nanos(self.now + u64::from(*due_in)),
                    work: Some(Span::from_nanos(u64::from(*work))),
                };
                if let Some(thread) = self.pick(*thread) {
                    self.tree.send(now, thread, what)?;
                }
            }
            Step::Constrain { thread, due_in, work } => {
                let what = Message::Constraint {
                    work: Span::from_nanos(u64::from(*work)),
                    deadline: Instant::from_nanos(self.now + u64::from(*due_in)),
                };
                if let Some(thread) = self.pick(*thread) {
                    self.tree.send(now, thread, what)?;
                }
            }
            Step::Ask { node, own, what } => {
                let node = self.node(*node);
                let owns = self.tree.node(node).unwrap().owns.len();
                let own = OwnVp(u16::from(*own) % u16::try_from(owns).unwrap());
                self.tree.send_for(now, Target::Node(node), own, *what)?;
            }
            Step::Configure { node, what } => {
                let node = self.node(*node);
                self.tree.configure(now, node, *what)?;
            }
            Step::Create { kind, parents, ask } => self.create(*kind, parents, ask.as_slice())?,
            Step::Destroy(node) => {
                let node = self.node(*node);
                self.tree.destroy(now, node)?;
            }
            Step::Default(node) => {
                let node = self.node(*node);
                self.tree.set_default(now, node)?;
            }
            Step::Pass { ns } => {
                let end = self.now + u64::from(*ns);
                while let Some(due) = self.tree.next_timer().filter(|at| at.as_nanos() <= end) {
                    self.now = self.now.max(due.as_nanos());
                    self.tree.timer_due(self.at()).unwrap();
                    self.check();
                }
                self.now = end;
            }
        }
        Ok(())
    }

    fn create(&mut self, kind: u8, parents: &[u8], ask: &[Message]) -> Result<(), HierarchyError> {
        let kind = catalogue::KINDS[usize::from(kind) % catalogue::KINDS.len()];
        let place = |number: &u8| match number % 8 {
            0 => (Parent::Top, &[][..]),
            _ => (Parent::Node(self.node(number / 8)), ask),
        };
        let owns: Vec<(Parent, &[Message])> = parents.iter().map(place).collect();
        self.created += 1;
        let spec = NodeSpec {
            name: &format!("{}{}", kind.name, self.created),
            kind: kind.name,
            scheduler: kind.build(&Settings(&[])).unwrap(),
            owns: &owns,
        };
        self.tree.create(self.at(), spec).map(|_| ())
    }

    /// Blocks a thread; what was foretold for its processor must come true.
    fn block(&mut self, thread: u8) -> Result<(), HierarchyError> {
        let Some(thread) = self.pick(thread) else {
            return Ok(());
        };
        let state = self.tree.thread_state(thread).unwrap();
        let VpState::Running(processor) = state else {
            return self.tree.blocked(self.at(), thread);
        };
        let foretold = self.tree.peek(processor);
        self.tree.blocked(self.at(), thread)?;
        if foretold.is_some() && !self.has_sparing() {
            assert_eq!(self.tree.running(processor), foretold, "not what was foretold");
        }
        Ok(())
    }

    /// Whether some scheduler may pass a processor on for reasons of its own.
    fn has_sparing(&self) -> bool {
        let nodes = self.tree.nodes().into_iter();
        nodes.filter_map(|node| self.tree.node(node)).any(|node| SPARING.contains(&node.kind))
    }

    /// Whether an instance that wants a processor has asked wherever it may, and so on to the top.
    fn asks_everywhere(&self, node: NodeId) -> bool {
        let node = self.tree.node(node).unwrap();
        if SPARING.contains(&node.kind) {
            return true;
        }
        node.owns.iter().all(|(parent, state)| match state {
            VpState::Waiting => false,
            VpState::Ready => parent.is_some_and(|parent| self.asks_everywhere(parent)),
            VpState::Running(_) => true,
        })
    }

    fn check(&mut self) {
        self.tree.check_tables().unwrap();
        self.tree.check_schedulers();
        assert_eq!(self.tree.quarantined(), []);
        let running = self.running();
        for (number, thread) in (0..).zip(&running) {
            let Some(thread) = thread else { continue };
            let state = self.tree.thread_state(*thread);
            assert_eq!(state, Some(VpState::Running(Processor(number))));
            let again = running.iter().filter(|other| **other == Some(*thread));
            assert_eq!(again.count(), 1, "a thread runs twice");
        }
        for thread in &self.threads {
            match self.tree.thread_state(*thread) {
                Some(VpState::Running(on)) => assert_eq!(running[on.index()], Some(*thread)),
                Some(VpState::Ready) => {
                    let node = self.tree.parent_of(*thread).unwrap();
                    assert!(self.asks_everywhere(node), "a ready thread is forgotten");
                }
                Some(VpState::Waiting) => {}
                None => panic!("a thread is lost"),
            }
        }
    }

    fn run(&mut self, steps: &[Step]) {
        for step in steps {
            let before = self.running();
            if self.take(step).is_err() {
                assert_eq!(self.running(), before, "refused, and yet something changed");
            }
            self.check();
        }
    }
}

fn message() -> impl Strategy<Value = Message> {
    let ms = |n: u64| Span::from_nanos(n * 250_000);
    prop_oneof![
        (1_u64..40, 1_u64..90)
            .prop_map(move |(x, y)| Message::Reserve { amount: ms(x), period: ms(y) }),
        (1_u64..200) // as the default epoch has it
            .prop_map(move |x| Message::Reserve { amount: ms(x), period: Span::from_millis(100) }),
        Just(Message::Unreserve),
        (0_u32..9).prop_map(Message::Share),
        (0_u64..200).prop_map(move |n| Message::Warp(ms(n))),
        (0_u64..50, 0_u64..200)
            .prop_map(move |(n, u)| Message::Set(WARP_LIMIT.key, Told::Spans(ms(n), ms(u)))),
        (-1_i32..20).prop_map(Message::Priority),
        (1_u64..90, 1_u64..90).prop_map(move |(period, deadline)| Message::Periodic {
            period: ms(period),
            deadline: ms(deadline),
            amount: Some(ms(period / 4)),
        }),
        (0_u64..50).prop_map(move |n| Message::Quantum(ms(n))),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let ask = || prop::option::weighted(0.7, message());
    prop_oneof![
        6 => (any::<u8>(), ask()).prop_map(|(node, ask)| Step::Spawn { node, ask }),
        16 => any::<u8>().prop_map(Step::Ready),
        8 => any::<u8>().prop_map(Step::Block),
        3 => any::<u8>().prop_map(Step::Yield),
        2 => any::<u8>().prop_map(Step::Exit),
        4 => (any::<u8>(), any::<u8>(), ask())
            .prop_map(|(thread, to, ask)| Step::Move { thread, to, ask }),
        4 => (any::<u8>(), message()).prop_map(|(thread, what)| Step::Tell { thread, what }),
        4 => (any::<u8>(), 0_u32..90_000_000, 0_u32..20_000_000)
            .prop_map(|(thread, due_in, work)| Step::Job { thread, due_in, work }),
        4 => (any::<u8>(), 0_u32..90_000_000, 0_u32..20_000_000)
            .prop_map(|(thread, due_in, work)| Step::Constrain { thread, due_in, work }),
        2 => (any::<u8>(), any::<u8>(), message())
            .prop_map(|(node, own, what)| Step::Ask { node, own, what }),
        1 => (any::<u8>(), message()).prop_map(|(node, what)| Step::Configure { node, what }),
        5 => (any::<u8>(), prop::collection::vec(any::<u8>(), 1..5), ask())
            .prop_map(|(kind, parents, ask)| Step::Create { kind, parents, ask }),
        1 => any::<u8>().prop_map(Step::Destroy),
        1 => any::<u8>().prop_map(Step::Default),
        12 => prop_oneof![0_u32..30_000_000, 0_u32..2_000_000_000]
            .prop_map(|ns| Step::Pass { ns }),
    ]
}

proptest! {
    #[test]
    fn law_no_step_breaks_an_invariant(
        processors in 1_u16..=17,
        root in any::<u8>(),
        steps in prop::collection::vec(step(), 1..200),
    ) {
        World::new(processors, root).run(&steps);
    }
}

/// Short forms for the steps of kept cases.
mod kept {
    use super::*;

    fn spawn(node: u8) -> Step {
        Step::Spawn { node, ask: None }
    }

    fn create(kind: u8, parents: &[u8]) -> Step {
        Step::Create { kind, parents: parents.to_vec(), ask: None }
    }

    fn shift(thread: u8, to: u8) -> Step {
        Step::Move { thread, to, ask: None }
    }

    fn pass(ns: u32) -> Step {
        Step::Pass { ns }
    }

    use Step::{Default, Destroy, Ready, Yield};

    /// A parent acted on a request that its child had withdrawn; the child asked again, and so on.
    #[test]
    fn r0001_a_withdrawn_request_led_two_schedulers_in_circles() {
        let asks = |node, what| Step::Spawn { node, ask: Some(what) };
        let steps = [
            spawn(0),
            create(24, &[1, 1]),
            spawn(0),
            create(189, &[81, 105]),
            asks(39, Message::Share(3)),
            spawn(21),
            shift(89, 32),
            create(2, &[1]),
            spawn(152),
            spawn(29),
            Ready(2),
            create(0, &[0]),
            Ready(151),
            Ready(124),
            create(0, &[120]),
            spawn(32),
            Ready(6),
            shift(97, 18),
            spawn(0),
            Ready(3),
            spawn(0),
            pass(350_000_000),
        ];
        World::new(5, 62).run(&steps);
    }

    /// A join asked all its parents at once, and those that met further up moved its child from
    /// one to the other without end.
    #[test]
    fn r0003_a_join_asked_all_its_parents_at_once_and_went_in_circles() {
        let steps = [
            create(152, &[1, 1, 9, 1]),
            create(0, &[48]),
            spawn(151),
            spawn(45),
            spawn(98),
            Ready(82),
            Step::Spawn { node: 0, ask: Some(Message::Priority(0)) },
            Default(9),
            Ready(39),
            spawn(1),
            spawn(8),
            pass(3_557_363),
            spawn(9),
            spawn(234),
            Yield(0),
            pass(6_442_638),
            spawn(56),
            Ready(81),
            spawn(0),
            pass(53_557_362),
        ];
        World::new(3, 146).run(&steps);
    }

    /// Two ways to one processor, one of which outranks the other: a request was withdrawn as
    /// soon as the other way was granted, and made again when that was taken away.
    #[test]
    fn r0005_a_scheduler_withdrew_a_request_that_was_about_to_be_granted() {
        let steps = [
            Step::Create { kind: 74, parents: vec![145], ask: Some(Message::Priority(0)) },
            create(94, &[72]),
            spawn(0),
            spawn(3),
            spawn(13),
            Ready(7),
            spawn(0),
            spawn(0),
            create(8, &[9, 57]),
            shift(15, 127),
            Ready(255),
            Ready(12),
            Destroy(117),
        ];
        World::new(5, 4).run(&steps);
    }
}
