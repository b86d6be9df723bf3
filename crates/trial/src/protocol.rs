//! The protocol: random trees, threads and requests, as in HLS 9.4.1; after every step all invariants are checked.
//!
//! `step.rs` has the steps that there are, and how they are drawn; here is what each does to a world, and what must hold then.

mod message;
mod step;

pub use step::{Step, step};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use windfall_hierarchy::{
    Hierarchy, HierarchyError, Message, NodeId, NodeSpec, OwnVp, Parent, Processor, Target,
    ThreadId, VpState,
};
use windfall_schedulers::catalogue::{KINDS, Kind, Settings, find};
use windfall_schedulers::kinds;
use windfall_schedulers::parameters::{constraint, read_processors};
use windfall_time::{Instant, Span};

/// Tries a kind of one's own in random trees beside all others: it keeps the protocol and is never quarantined, no thread is
/// lost, and what is refused changes nothing. A kind that may leave a processor idle while a child is ready, or change who runs
/// for reasons of its own, declares `holds_back`.
///
/// # Panics
/// When it does not, with the fewest steps that show it.
pub fn holds(kind: &'static Kind) {
    // As often as all others together.
    let all = || KINDS.iter().copied().chain(std::iter::repeat_n(kind, KINDS.len())).collect();
    let cases = (1_u16..=17, any::<u8>(), prop::collection::vec(step(), 1..200));
    let config = Config { failure_persistence: None, ..Config::default() };
    let tried = TestRunner::new_with_rng(config, crate::random()).run(
        &cases,
        |(processors, root, steps)| {
            World::new(processors, root, all()).run(&steps);
            Ok(())
        },
    );
    if let Err(why) = tried {
        panic!("{kind}: {why}");
    }
}

/// A hierarchy, and who is in it.
#[derive(Clone)]
pub struct World {
    tree: Hierarchy,
    now: u64,
    threads: Vec<ThreadId>,
    created: usize,
    kinds: Vec<&'static Kind>,
    /// Schedulers with a child that was bound to some own virtual processors.
    binding: Vec<NodeId>,
}

impl World {
    /// A world with `processors` processors and a root of one of four kinds. Schedulers created later are of one of
    /// `kinds`.
    #[must_use]
    pub fn new(processors: u16, root: u8, kinds: Vec<&'static Kind>) -> World {
        let mut tree = Hierarchy::new(processors);
        let kind = match root % 4 {
            0 => kinds::FIXED_PRIORITY,
            1 => kinds::TIME_SHARING,
            2 => kinds::PROPORTIONAL_SHARE,
            _ => kinds::EDF,
        };
        let owns: Vec<(Parent, &[Message])> =
            (0..processors.div_ceil(2)).map(|_| (Parent::Top, &[][..])).collect();
        let scheduler = kind.build(&Settings(&[])).unwrap();
        let spec = NodeSpec::new("root", kind.name, scheduler, &owns);
        tree.create(Instant::ZERO, spec).unwrap();
        World { tree, now: 0, threads: Vec::new(), created: 0, kinds, binding: Vec::new() }
    }

    fn at(&self) -> Instant {
        Instant::from_nanos(self.now)
    }

    fn node(&self, number: u8) -> NodeId {
        let nodes = self.tree.nodes();
        nodes[usize::from(number) % nodes.len()]
    }

    fn parent(&self, number: u8) -> Parent {
        if number.is_multiple_of(8) { Parent::Top } else { Parent::Node(self.node(number / 8)) }
    }

    fn own(&self, node: u8, own: u8) -> (NodeId, OwnVp) {
        let node = self.node(node);
        let owns = self.tree.node(node).unwrap().owns.len();
        (node, OwnVp(u16::from(own) % u16::try_from(owns).unwrap()))
    }

    fn pick(&self, number: u8) -> Option<ThreadId> {
        let at = usize::from(number).checked_rem(self.threads.len())?;
        Some(self.threads[at])
    }

    fn running(&self) -> Vec<Option<ThreadId>> {
        let processors = (0..self.tree.processors()).map(Processor);
        processors.map(|processor| self.tree.running(processor)).collect()
    }

    /// Takes a step: here, what threads do, and time.
    fn take(&mut self, step: &Step) -> Result<(), HierarchyError> {
        let now = self.at();
        match step {
            Step::Spawn { node, message } => {
                let node = self.node(*node);
                let thread = self.tree.create_thread(now, node, message.as_slice())?;
                self.binds(Some(Parent::Node(node)), message.as_slice());
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
            Step::Move { thread, to, message } => {
                if let Some(thread) = self.pick(*thread) {
                    let to = self.node(*to);
                    self.tree.move_thread(now, thread, to, message.as_slice())?;
                    self.binds(Some(Parent::Node(to)), message.as_slice());
                }
            }
            Step::Together(steps) => {
                let mut world = self.clone();
                let all = |tree: &mut Hierarchy| {
                    let mut inside = World { tree: tree.clone(), ..self.clone() };
                    let answer = steps.iter().try_for_each(|step| inside.take(step));
                    *tree = inside.tree.clone();
                    answer.map(|()| inside)
                };
                *self = world.tree.transaction(all)?;
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
            other => self.change(other)?,
        }
        Ok(())
    }

    /// Takes a step that changes the tree.
    fn change(&mut self, step: &Step) -> Result<(), HierarchyError> {
        let now = self.at();
        match step {
            Step::Shift { node, own, to, message } => {
                let (place, to) = (self.own(*node, *own), self.parent(*to));
                let message = if to == Parent::Top { &[] } else { message.as_slice() };
                self.tree.move_node(now, place, to, message)?;
                self.binds(Some(to), message);
            }
            Step::Gain { node, to, message } => {
                let (node, to) = (self.node(*node), self.parent(*to));
                let message = if to == Parent::Top { &[] } else { message.as_slice() };
                self.tree.gain_parent(now, node, to, message)?;
                self.binds(Some(to), message);
            }
            Step::Lose { node, own } => {
                let (node, own) = self.own(*node, *own);
                self.tree.lose_parent(now, node, own)?;
            }
            Step::Create { kind, parents, message } => {
                self.create(*kind, parents, message.as_slice())?
            }
            Step::Destroy(node) => {
                let node = self.node(*node);
                self.tree.destroy(now, node)?;
            }
            Step::Default(node) => {
                let node = self.node(*node);
                self.tree.set_default(now, node)?;
            }
            other => self.send(other)?,
        }
        Ok(())
    }

    /// Takes a step that sends a scheduler a message.
    fn send(&mut self, step: &Step) -> Result<(), HierarchyError> {
        let now = self.at();
        match step {
            Step::Send { thread, what } => {
                if let Some(thread) = self.pick(*thread) {
                    let parent = self.tree.parent_of(thread).ok().map(Parent::Node);
                    self.tree.send(now, thread, *what)?;
                    self.binds(parent, &[*what]);
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
                let deadline = Instant::from_nanos(self.now + u64::from(*due_in));
                let what = constraint(Span::from_nanos(u64::from(*work)), deadline);
                if let Some(thread) = self.pick(*thread) {
                    self.tree.send(now, thread, what)?;
                }
            }
            Step::Request { node, own, what } => {
                let (node, own) = self.own(*node, *own);
                let parent = self.tree.node(node).and_then(|node| node.owns[own.index()].0);
                self.tree.send_for(now, Target::Node(node), own, *what)?;
                self.binds(parent, &[*what]);
            }
            Step::Configure { node, what } => {
                let node = self.node(*node);
                self.tree.configure(now, node, *what)?;
            }
            _ => unreachable!("{step:?} sends nothing"),
        }
        Ok(())
    }

    fn create(
        &mut self,
        kind: u8,
        parents: &[u8],
        message: &[Message],
    ) -> Result<(), HierarchyError> {
        let kind = self.kinds[usize::from(kind) % self.kinds.len()];
        let place = |number: &u8| match self.parent(*number) {
            Parent::Top => (Parent::Top, &[][..]),
            node => (node, message),
        };
        let owns: Vec<(Parent, &[Message])> = parents.iter().map(place).collect();
        self.created += 1;
        let name = format!("{}{}", kind.name, self.created);
        let scheduler = kind.build(&Settings(&[])).unwrap();
        let spec = NodeSpec::new(&name, kind.name, scheduler, &owns);
        self.tree.create(self.at(), spec)?;
        owns.iter().for_each(|(parent, message)| self.binds(Some(*parent), message));
        Ok(())
    }

    /// Records that a child of this parent is bound, if that is what it asks.
    fn binds(&mut self, parent: Option<Parent>, message: &[Message]) {
        if let Some(Parent::Node(node)) = parent
            && message.iter().any(|message| read_processors(*message).is_some())
        {
            self.binding.push(node);
        }
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
        if foretold.is_some() && !self.has_one_that_holds_back() {
            assert_eq!(self.tree.running(processor), foretold, "not what was foretold");
        }
        Ok(())
    }

    /// Whether some scheduler may pass a processor on for reasons of its own.
    fn has_one_that_holds_back(&self) -> bool {
        let nodes = self.tree.nodes().into_iter();
        nodes.filter_map(|node| self.tree.node(node)).any(|node| self.holds_back(node.kind))
    }

    /// Whether a kind of the tree declares it. The roots' kinds are not among those drawn.
    fn holds_back(&self, name: &str) -> bool {
        let drawn = self.kinds.iter().copied().find(|kind| kind.name == name);
        drawn.or_else(|| find(name)).is_some_and(|kind| kind.properties.holds_back)
    }

    /// Whether an instance that wants a processor has asked wherever it may, and so on to the top. One with bound children,
    /// which asks for some, checks itself.
    fn requests_everywhere(&self, id: NodeId) -> bool {
        let node = self.tree.node(id).unwrap();
        if self.holds_back(node.kind) || self.binding.contains(&id) {
            return true;
        }
        node.owns.iter().all(|(parent, state)| match (state, parent) {
            (VpState::Waiting, _) | (VpState::Ready, Some(Parent::Top)) => false,
            (VpState::Ready, Some(Parent::Node(parent))) => self.requests_everywhere(*parent),
            (VpState::Ready, None) | (VpState::Running(_), _) => true,
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
                    assert!(self.requests_everywhere(node), "a ready thread is forgotten");
                }
                Some(VpState::Waiting) => {}
                None => panic!("a thread is lost"),
            }
        }
    }

    /// Carries steps out, and checks every invariant after each.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn run(&mut self, steps: &[Step]) {
        for step in steps {
            let before = self.running();
            let mut copy = self.clone();
            let foretold = copy.take(step);
            assert_eq!(self.running(), before, "a copy shares something with the original");
            let answer = self.take(step);
            assert_eq!(answer, foretold, "a copy answers otherwise");
            assert_eq!(self.running(), copy.running(), "a copy runs somebody else");
            if answer.is_err() {
                assert_eq!(self.running(), before, "refused, and yet something changed");
            }
            self.check();
        }
    }
}
