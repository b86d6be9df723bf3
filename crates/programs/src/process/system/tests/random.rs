//! Random calls: nothing is lost or handed over twice, and what is gone is refused.

use super::*;
use crate::process::Handle;
use proptest::prelude::*;
use std::collections::BTreeMap;

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
