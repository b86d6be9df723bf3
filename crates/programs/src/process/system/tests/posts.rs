//! Posts to other nodes, which take their time: their order, and data that find nobody.

use super::*;

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
