//! Random calls of a few processes, compared with the documentation of each call at `Process`.

mod devices;

use super::*;
use crate::process::{Handle, ProcessParams, Queue};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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

/// One step; the meaning of its numbers depends on it.
#[derive(Clone, Copy, Debug)]
enum Step {
    Enqueue(usize),
    Dequeue(usize, usize),
    Reset(usize),
    Wait,
    MWait(usize),
    Post(usize),
    PostAt(usize, u64),
    Cancel(usize),
    Pass(u64),
    Exit,
}

fn step(deadly: bool) -> impl Strategy<Value = Step> {
    let number = || 0_usize..8;
    prop_oneof![
        6 => number().prop_map(Step::Enqueue),
        6 => (number(), 0_usize..2).prop_map(|(queue, own)| Step::Dequeue(queue, own)),
        1 => (0_usize..2).prop_map(Step::Reset),
        3 => Just(Step::Wait),
        3 => (0_usize..2).prop_map(Step::MWait),
        2 => number().prop_map(Step::Post),
        1 => (0_usize..2, 0_u64..20).prop_map(|(own, span)| Step::PostAt(own, span)),
        1 => (0_usize..2).prop_map(Step::Cancel),
        3 => (0_u64..9).prop_map(Step::Pass),
        u32::from(deadly) => Just(Step::Exit),
    ]
}

/// Data of ordinary posts and of timers are from here on, apart from those of queues.
const POSTED: u64 = 1 << 40;

proptest! {
    /// A datum that a queue accepted is, at every moment, in one place: with a process that took it, in an event,
    /// in a queue, or on its way. None is handed over twice, none is lost.
    #[test]
    fn law_a_datum_is_handed_over_once(
        steps in prop::collection::vec((0_usize..5, step(true)), 1..150),
        nodes in 1_u8..3,
        capacity in 1_usize..4,
    ) {
        let mut world = World::of(5, nodes, capacity);
        let mut accepted = BTreeSet::new();
        let mut received: Vec<u64> = Vec::new();
        for (number, (at, step)) in (1_u64..).zip(steps) {
            let queue = |world: &World, which: usize| world.queues[which % world.queues.len()];
            match step {
                Step::Enqueue(which) => {
                    let queue = queue(&world, which);
                    if let Some(Ok(_)) = world.ask(at, Call::Enqueue { queue, datum: number }) {
                        accepted.insert(number);
                    }
                }
                Step::Dequeue(which, own) => {
                    let (queue, event) = (queue(&world, which), world.events[2 * at + own]);
                    if let Some(Ok(reply)) = world.ask(at, Call::Dequeue { queue, event }) {
                        received.extend(reply.datum);
                    }
                }
                Step::Reset(own) => {
                    let event = world.events[2 * at + own];
                    if let Some(Ok(reply)) = world.ask(at, Call::Reset(event)) {
                        received.extend(reply.datum);
                    }
                }
                Step::Wait | Step::MWait(_) => {
                    let call = match step {
                        Step::MWait(own) => Call::MWait(vec![world.events[2 * at + own]]),
                        _ => Call::Wait,
                    };
                    if let Some(Ok(reply)) = world.ask(at, call) {
                        received.extend(reply.datum);
                    }
                }
                Step::Post(which) => {
                    let event = world.events[which];
                    world.ask(at, Call::Post { event, datum: POSTED + number });
                }
                Step::PostAt(own, after) => {
                    let due = world.now + Span::from_nanos(after);
                    let event = world.events[2 * at + own];
                    world.ask(at, Call::PostAt { event, datum: POSTED + number, at: due });
                }
                Step::Cancel(own) => {
                    let event = world.events[2 * at + own];
                    world.ask(at, Call::Cancel(event));
                }
                Step::Pass(span) => world.pass(Span::from_nanos(span)),
                Step::Exit if world.gone.len() < 3 && world.waits[at].is_none() => {
                    // Data that were handed to it disappear with it.
                    for own in 0..2 {
                        let event = world.events[2 * at + own];
                        if let Some(State::Posted(datum)) = world.state(event) {
                            received.push(datum);
                        }
                    }
                    world.exit(at);
                }
                Step::Exit => {}
            }
            for (_, call, answer) in std::mem::take(&mut world.late) {
                if let (Call::Wait | Call::MWait(_), Ok(reply)) = (call, answer) {
                    received.extend(reply.datum);
                }
            }
        }
        // A datum that finds one of the three gone goes on to the next, perhaps on another node.
        (0..=3).for_each(|_| world.pass(LATENCY));
        for (_, _, answer) in std::mem::take(&mut world.late) {
            received.extend(answer.ok().and_then(|reply| reply.datum));
        }
        for event in world.events.clone() {
            if let Some(State::Posted(datum)) = world.state(event) {
                received.push(datum);
            }
        }
        for queue in world.queues.clone() {
            let queue = world.system.queues.at(queue.handle()).unwrap();
            prop_assert!(queue.waiters().next().is_none() || queue.take().is_none());
            received.extend(std::iter::from_fn(|| queue.take()));
        }
        received.retain(|datum| *datum < POSTED);
        received.sort_unstable();
        prop_assert_eq!(received, accepted.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(world.system.counts.lost, 0);
    }

    /// On one node a queue behaves as documented: data in order, else waiting events in order.
    #[test]
    fn law_data_and_waiters_go_first_in_first_out(
        steps in prop::collection::vec((0_usize..5, any::<bool>(), 0_usize..2), 1..150),
        capacity in 1_usize..4,
    ) {
        let mut world = World::of(5, 1, capacity);
        let queue = world.queues[0];
        let mut data: Vec<u64> = Vec::new();
        let mut waiters: Vec<Event> = Vec::new();
        for (datum, (at, puts, own)) in (1_u64..).zip(steps) {
            if puts {
                let answer = world.ask(at, Call::Enqueue { queue, datum }).unwrap();
                if !waiters.is_empty() {
                    let event = waiters.remove(0);
                    prop_assert_eq!(world.state(event), Some(State::Posted(datum)));
                    let owner = world.events.iter().position(|other| *other == event).unwrap() / 2;
                    let taken = world.ask(owner, Call::MWait(vec![event])).unwrap().unwrap();
                    prop_assert_eq!(taken.datum, Some(datum));
                } else if data.len() < capacity {
                    prop_assert!(answer.is_ok());
                    data.push(datum);
                } else {
                    prop_assert_eq!(answer, Err(ProcessError::QueueFull { queue, capacity }));
                }
            } else {
                let event = world.events[2 * at + own];
                let answer = world.ask(at, Call::Dequeue { queue, event }).unwrap();
                if waiters.contains(&event) {
                    prop_assert_eq!(answer, Err(ProcessError::InQueue { event }));
                } else if data.is_empty() {
                    prop_assert_eq!(answer.unwrap().datum, None);
                    waiters.push(event);
                } else {
                    prop_assert_eq!(answer.unwrap().datum, Some(data.remove(0)));
                }
            }
        }
    }

    /// A process that waits for any event gets the one that was posted first; one that waits for some, the first of
    /// those.
    #[test]
    fn law_the_oldest_post_is_taken_first(posts in prop::collection::vec((0_usize..6, any::<bool>(), 0_usize..6), 1..60)) {
        let mut world = World::of(2, 1, 1);
        for _ in 0..4 {
            let made = world.ask(0, Call::MakeEvent).unwrap().unwrap();
            world.events.push(Event::from_handle(made.handle));
        }
        let own: Vec<Event> = [0, 1, 4, 5, 6, 7].map(|at| world.events[at]).to_vec();
        let mut posted: Vec<(Event, u64)> = Vec::new();
        for (datum, (which, waits, set)) in (1_u64..).zip(posts) {
            let event = own[which];
            let answer = world.ask(1, Call::Post { event, datum }).unwrap();
            if posted.iter().any(|(other, _)| *other == event) {
                prop_assert_eq!(answer, Err(ProcessError::AlreadyPosted { event }));
            } else {
                prop_assert!(answer.is_ok());
                posted.push((event, datum));
            }
            let of = &own[set..];
            let call = if set == 0 { Call::Wait } else { Call::MWait(of.to_vec()) };
            let first = posted.iter().position(|(event, _)| of.contains(event));
            if let (true, Some(first)) = (waits, first) {
                let (event, datum) = posted.remove(first);
                let reply = Reply { handle: event.handle(), datum: Some(datum) };
                prop_assert_eq!(world.ask(0, call), Some(Ok(reply)));
            }
        }
    }

    /// In any order of wakeups and blocking: a process is blocked only if it has not been woken since it last
    /// continued, and a wakeup of one that is not blocked lets it through once.
    #[test]
    fn law_no_wake_up_is_lost(steps in prop::collection::vec((0_usize..3, 0_usize..4), 1..100)) {
        let mut world = World::of(3, 1, 1);
        let mut model = [(false, false); 3]; // the switch, and whether it is blocked
        for (at, what) in steps {
            if model[at].1 {
                continue;
            }
            if what == 3 {
                let answer = world.ask(at, Call::Block);
                prop_assert_eq!(answer.is_some(), model[at].0);
                model[at] = (false, !model[at].0);
            } else {
                let process = world.processes[what];
                prop_assert_eq!(world.ask(at, Call::Wakeup(process)), Some(Ok(Reply::DONE)));
                model[what] = if model[what].1 { (false, false) } else { (true, false) };
            }
            for (at, (_, blocked)) in model.iter().enumerate() {
                prop_assert_eq!(world.waits[at].is_some(), *blocked);
            }
        }
    }

    /// A process that has entered itself and was not notified waits; every other process continues.
    #[test]
    fn law_a_notification_reaches_all_who_entered(
        steps in prop::collection::vec((0_usize..4, 0_usize..4, 0_u64..2), 1..100),
    ) {
        let mut world = World::of(4, 2, 1);
        let mut entered: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
        for (at, what, id) in steps {
            let (event, here) = (EventId(id), world.waits[at].is_none());
            let of = entered.entry(id).or_default();
            let call = [Call::AddEvent(event), Call::DelEvent(event), Call::Notify(event), Call::WaitEvent(event)];
            let waiting = |world: &World| {
                let waits = |wait: &&Option<Call>| **wait == Some(Call::WaitEvent(event));
                world.waits.iter().filter(waits).count() as u64
            };
            let before = waiting(&world);
            let answer = world.ask(at, call[what].clone());
            match what {
                _ if !here => prop_assert_eq!(answer, None),
                0 if of.insert(at) => prop_assert_eq!(answer, Some(Ok(Reply::DONE))),
                0 => prop_assert_eq!(answer, Some(Err(ProcessError::AlreadyAdded { id: event }))),
                1 => {
                    let was = u64::from(of.remove(&at));
                    prop_assert_eq!(answer, Some(Ok(Reply::datum(Some(was)))));
                }
                2 => {
                    prop_assert_eq!(answer, Some(Ok(Reply::datum(Some(before)))));
                    prop_assert_eq!(waiting(&world), 0);
                    of.clear();
                }
                _ => prop_assert_eq!(answer.is_none(), of.contains(&at)),
            }
        }
    }

    /// A handle of an object that is gone is refused in every call, whatever has been made since.
    #[test]
    fn refuses_handles_of_what_is_gone(made_since in 0_usize..9) {
        let mut world = World::of(3, 2, 2);
        let (process, event) = (world.processes[1], world.events[2]);
        let (mine, queue) = (world.events[0], world.queues[1]);
        world.exit(1);
        let deleted = [mine.handle(), queue.handle()].map(|handle| world.ask(0, Call::Delete(handle)));
        prop_assert_eq!(deleted, [Some(Ok(Reply::DONE)); 2]);
        for _ in 0..made_since {
            world.ask(0, Call::MakeEvent);
            world.ask(2, Call::MakeQueue { node: Node(1), capacity: 1 });
            world.system.enter(Node(1), 9).unwrap();
        }
        let stale = |handle: Handle| Some(Err(ProcessError::Stale { handle }));
        let datum = 0;
        prop_assert_eq!(world.ask(0, Call::Wakeup(process)), stale(process.handle()));
        for call in [
            Call::Post { event: mine, datum },
            Call::Reset(mine),
            Call::Test(mine),
            Call::MWait(vec![mine]),
            Call::PostAt { event: mine, datum, at: Instant::ZERO },
            Call::Cancel(mine),
            Call::Dequeue { queue: world.queues[0], event: mine },
            Call::Delete(mine.handle()),
        ] {
            prop_assert_eq!(world.ask(0, call.clone()), stale(mine.handle()), "{:?}", call);
        }
        for call in [
            Call::Enqueue { queue, datum },
            Call::Dequeue { queue, event: world.events[1] },
            Call::Delete(queue.handle()),
        ] {
            prop_assert_eq!(world.ask(0, call.clone()), stale(queue.handle()), "{:?}", call);
        }
        // For an event on another node, that is found out there.
        prop_assert_eq!(world.ask(0, Call::Post { event, datum }), Some(Ok(Reply::DONE)));
        world.pass(LATENCY);
        prop_assert_eq!(world.system.counts.undelivered, 1);
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
fn law_letters_keep_their_order_and_take_their_time() {
    let mut world = World::of(4, 2, 1);
    let at = |nanos| Instant::from_nanos(nanos);
    for (event, datum) in [(world.events[6], 1), (world.events[2], 2), (world.events[3], 3)] {
        assert_eq!(world.ask(0, Call::Post { event, datum }), Some(Ok(Reply::DONE)));
    }
    assert_eq!(world.ask(1, Call::Wait), None);
    assert_eq!(world.ask(3, Call::Wait), None);
    assert_eq!(world.system.agenda.next_post(), Some(at(5)));
    world.pass(Span::from_nanos(4));
    assert!(world.late.is_empty());
    world.pass(Span::from_nanos(1));
    let told = world.late.iter().map(|(at, _, answer)| (*at, answer.unwrap().datum));
    assert_eq!(told.collect::<Vec<_>>(), [(3, Some(1)), (1, Some(2))]);
    assert_eq!(
        {
            let event = world.events[3];
            world.state(event)
        },
        Some(State::Posted(3))
    );
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
fn law_data_that_found_nobody_return_to_their_place_in_the_queue() {
    let mut world = World::of(2, 2, 4);
    let (queue, far) = (world.queues[0], [world.events[2], world.events[3]]);
    for event in far {
        let waits = world.ask(1, Call::Dequeue { queue, event });
        assert_eq!(waits, Some(Ok(Reply::datum(None))));
    }
    for datum in 1..=3 {
        assert_eq!(world.ask(0, Call::Enqueue { queue, datum }), Some(Ok(Reply::DONE)));
    }
    // Neither event is in the queue any longer when the posts arrive.
    for event in far {
        assert_eq!(world.ask(1, Call::Reset(event)), Some(Ok(Reply::datum(None))));
    }
    world.pass(LATENCY);
    assert_eq!((world.system.counts.returned, world.system.counts.undelivered), (2, 0));
    let event = world.events[0];
    let data = (0..3).map(|_| world.ask(0, Call::Dequeue { queue, event }));
    let data: Vec<Option<u64>> = data.map(|reply| reply.unwrap().unwrap().datum).collect();
    assert_eq!(data, [Some(1), Some(2), Some(3)]);
}

#[test]
fn law_a_letter_reaches_only_whom_it_was_sent_to() {
    let mut world = World::of(2, 2, 4);
    let (queue, event) = (world.queues[0], world.events[2]);
    let stand = Call::Dequeue { queue, event };
    assert_eq!(world.ask(1, stand.clone()), Some(Ok(Reply::datum(None))));
    assert_eq!(world.ask(0, Call::Enqueue { queue, datum: 1 }), Some(Ok(Reply::DONE)));
    // The event is in the queue again before the post arrives: the datum returns, and goes to it as the next one
    // that waits.
    assert_eq!(world.ask(1, Call::Reset(event)), Some(Ok(Reply::datum(None))));
    assert_eq!(world.ask(1, stand), Some(Ok(Reply::datum(None))));
    world.pass(LATENCY);
    assert_eq!(world.system.counts.returned, 1);
    assert_eq!(world.state(event), Some(State::Posted(1)));
    let queue = world.system.queues.at(queue.handle()).unwrap();
    assert_eq!((queue.waiters().count(), queue.take()), (0, None));
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
