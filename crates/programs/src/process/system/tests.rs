//! Calls of a few processes, compared with the documentation of each call at `Process`.

mod devices;
mod posts;
mod random;

use super::*;
use crate::process::{ProcessParams, Queue};
use std::collections::BTreeSet;

const LATENCY: Span = Span::from_nanos(5);

/// Processes that call, and the calls in which they wait.
struct World {
    system: System,
    now: Instant,
    processes: Vec<ProcessHandle>,
    /// By thread: the call that it waits in.
    waits: Vec<Option<Call>>,
    gone: BTreeSet<usize>,
    /// Two for each process.
    events: Vec<Event>,
    queues: Vec<Queue>,
    /// The answers of calls that had waited, in order of their ends.
    late: Vec<(usize, Call, Answer)>,
}

impl World {
    /// This many processes in turn on this many nodes, and a queue on each node.
    fn of(processes: u8, nodes: u8, capacity: usize) -> World {
        let costs = Costs { latency: LATENCY, ..Costs::default() };
        let mut system = System::new(7, usize::from(nodes), costs);
        let processes: Vec<ProcessHandle> = (0..processes)
            .map(|at| system.enter(Node(at % nodes), u32::from(at)).unwrap())
            .collect();
        let mut world = World {
            system,
            now: Instant::ZERO,
            waits: vec![None; processes.len()],
            processes,
            gone: BTreeSet::new(),
            events: Vec::new(),
            queues: Vec::new(),
            late: Vec::new(),
        };
        for at in 0..2 * world.processes.len() {
            let made = world.ask(at / 2, Call::MakeEvent).unwrap().unwrap();
            world.events.push(Event::from_handle(made.handle));
        }
        for node in (0..nodes).map(Node) {
            let made = world.ask(0, Call::MakeQueue { node, capacity }).unwrap().unwrap();
            world.queues.push(Queue::from_handle(made.handle));
        }
        world
    }

    /// A process makes a call. Returns its answer, unless it waits in this call or another, or has exited.
    fn ask(&mut self, at: usize, call: Call) -> Option<Answer> {
        if self.gone.contains(&at) || self.waits[at].is_some() {
            return None;
        }
        let outcome = self.system.call(self.processes[at], &call, self.now);
        let answer = match outcome {
            CallOutcome::Waits => {
                self.waits[at] = Some(call);
                None
            }
            CallOutcome::Done(answer) => Some(answer),
        };
        self.rouse();
        answer
    }

    /// Continues the processes that were woken: each had waited, and its call ends.
    fn rouse(&mut self) {
        while let Some(woken) = self.system.woken.pop_front() {
            let at = woken.thread as usize;
            let call = self.waits[at].take().expect("whoever is woken waits");
            let answer = if woken.done {
                Ok(Reply::DONE)
            } else {
                match self.system.call(self.processes[at], &call, self.now) {
                    CallOutcome::Done(answer) => answer,
                    CallOutcome::Waits => panic!("woken for nothing in {call:?}"),
                }
            };
            self.late.push((at, call, answer));
        }
    }

    fn pass(&mut self, span: Span) {
        self.now = self.now + span;
        self.system.timers_due(self.now);
        self.system.deliver_due(self.now);
        self.rouse();
    }

    fn exit(&mut self, at: usize) {
        if self.gone.insert(at) {
            self.system.exit(self.processes[at]);
        }
    }

    fn state(&mut self, event: Event) -> Option<State> {
        self.system.events.at(event).ok().map(|block| block.state)
    }
}

#[test]
fn refuses_what_only_the_owner_may() {
    let mut world = World::of(2, 1, 1);
    let event = world.events[0];
    for call in [
        Call::Reset(event),
        Call::Test(event),
        Call::MWait(vec![world.events[2], event]),
        Call::PostAt { event, datum: 0, at: Instant::ZERO },
        Call::Cancel(event),
        Call::Dequeue { queue: world.queues[0], event },
        Call::Delete(event.handle()),
    ] {
        assert_eq!(world.ask(1, call), Some(Err(ProcessError::NotOwner { event })));
    }
}

#[test]
fn refuses_to_wait_for_what_cannot_come() {
    let mut world = World::of(1, 1, 1);
    assert_eq!(world.ask(0, Call::MWait(Vec::new())), Some(Err(ProcessError::EmptySet)));
    for event in world.events.clone() {
        assert_eq!(world.ask(0, Call::Delete(event.handle())), Some(Ok(Reply::DONE)));
    }
    assert_eq!(world.ask(0, Call::Wait), Some(Err(ProcessError::NoEvents)));
}

#[test]
fn refuses_a_dead_waiter_once_and_a_queue_with_a_living_one() {
    let mut world = World::of(3, 1, 1);
    let (queue, dead, alive) = (world.queues[0], world.events[2], world.events[4]);
    for (at, event) in [(1, dead), (2, alive)] {
        assert_eq!(world.ask(at, Call::Dequeue { queue, event }), Some(Ok(Reply::datum(None))));
    }
    world.exit(1);
    let delete = Call::Delete(queue.handle());
    assert_eq!(world.ask(0, delete.clone()), Some(Err(ProcessError::HasWaiters { queue })));
    let enqueue = Call::Enqueue { queue, datum: 5 };
    let refusal = ProcessError::DeadWaiter { queue, event: dead };
    assert_eq!(world.ask(0, enqueue.clone()), Some(Err(refusal)));
    assert_eq!(world.ask(0, enqueue), Some(Ok(Reply::DONE)));
    assert_eq!(world.state(alive), Some(State::Posted(5)));
    assert_eq!(world.ask(0, delete), Some(Ok(Reply::DONE)));
}

#[test]
fn refuses_nodes_terms_and_sizes_that_there_are_not() {
    let mut world = World::of(1, 2, 1);
    let (node, nodes) = (Node(2), 2);
    let no_node = ProcessError::NoNode { node, nodes };
    assert_eq!(world.ask(0, Call::MakeQueue { node, capacity: 1 }), Some(Err(no_node)));
    let template = Call::MakeTemplate { node, name: "a", kib: 1 };
    assert_eq!(world.ask(0, template), Some(Err(no_node)));
    for capacity in [0, DualQueue::MOST + 1] {
        let refusal = ProcessError::NoCapacity { capacity, most: DualQueue::MOST };
        let call = Call::MakeQueue { node: Node(0), capacity };
        assert_eq!(world.ask(0, call), Some(Err(refusal)));
    }
    let template = Call::MakeTemplate { node: Node(1), name: "a", kib: 1 };
    let template = world.ask(0, template).unwrap().unwrap().handle;
    let mut check = |name, node, priority| {
        let params = ProcessParams { priority, ..ProcessParams::default() };
        world.system.check_process((template, name), node, params)
    };
    assert_eq!(check("a", Node(1), 3), Ok(()));
    assert_eq!(check("b", Node(1), 3), Err(ProcessError::WrongCode { template }));
    assert_eq!(check("a", node, 3), Err(no_node));
    assert_eq!(check("a", Node(1), 4), Err(ProcessError::NoPriority { priority: 4 }));
}

#[test]
fn law_a_timer_posts_once_unless_it_is_cancelled() {
    let mut world = World::of(1, 1, 1);
    let [event, other] = [world.events[0], world.events[1]];
    let at = Instant::from_nanos(10);
    for event in [event, other] {
        let set = Call::PostAt { event, datum: 7, at };
        assert_eq!(world.ask(0, set.clone()), Some(Ok(Reply::DONE)));
        assert_eq!(world.ask(0, set), Some(Err(ProcessError::AlreadyTimed { event, at })));
    }
    assert_eq!(world.ask(0, Call::Cancel(event)), Some(Ok(Reply::datum(Some(1)))));
    assert_eq!(world.ask(0, Call::Cancel(event)), Some(Ok(Reply::datum(Some(0)))));
    assert_eq!(world.ask(0, Call::Wait), None);
    world.pass(Span::from_nanos(10));
    let [(0, Call::Wait, Ok(reply))] = world.late[..] else { panic!("{:?}", world.late) };
    assert_eq!(reply, Reply { handle: other.handle(), datum: Some(7) });
    assert_eq!(world.state(event), Some(State::Idle));
    assert_eq!(world.system.agenda.next_timer(), None);
}

#[test]
fn law_a_queue_with_a_name_is_one_for_all_until_it_is_deleted() {
    let mut world = World::of(3, 2, 4);
    let mut ask = |at: usize, name: &str, capacity| {
        let answer = world.ask(at, Call::NamedQueue { name: name.to_owned(), capacity });
        answer.unwrap().map(|reply| Queue::from_handle(reply.handle))
    };
    let first = ask(1, "line", 4).unwrap();
    assert_eq!(first.handle().node(), Node(1), "on the node of the process that asked first");
    assert_eq!(ask(0, "line", 4), Ok(first));
    assert_ne!(ask(0, "other", 4).unwrap(), first);
    let other = ProcessError::OtherCapacity { queue: first, capacity: 4, wanted: 5 };
    assert_eq!(ask(2, "line", 5), Err(other));
    assert!(matches!(ask(2, "none", 0), Err(ProcessError::NoCapacity { .. })));
    world.ask(2, Call::Delete(first.handle())).unwrap().unwrap();
    let again = world.ask(2, Call::NamedQueue { name: "line".to_owned(), capacity: 5 });
    let again = Queue::from_handle(again.unwrap().unwrap().handle);
    assert_ne!(again, first);
    assert_eq!(again.handle().node(), Node(0));
}
