//! Queues: each datum is handed over once, whoever stands there, leaves, or comes later.

use super::*;

#[test]
fn law_two_producers_hand_over_each_datum_once() {
    model(Some(2), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut mine).unwrap();
        let queue = world.exchange.make_queue(2).unwrap();
        for datum in [1, 2] {
            begin(&world, move |world| world.enqueue(queue, datum).unwrap());
        }
        let taken = [0, 1].map(|_| world.take(&mut mine, queue, event));
        assert!(taken == [1, 2] || taken == [2, 1], "{taken:?}");
    });
}

#[test]
fn law_two_consumers_take_each_datum_once_in_order() {
    model(Some(2), || {
        let world = World::new();
        let queue = world.exchange.make_queue(2).unwrap();
        let consumers = [0, 1].map(|_| {
            let world = world.clone();
            thread::spawn(move || {
                let mut mine = world.exchange.enter().unwrap();
                let event = world.exchange.make_event(&mut mine).unwrap();
                world.take(&mut mine, queue, event)
            })
        });
        world.enqueue(queue, 1).unwrap();
        world.enqueue(queue, 2).unwrap();
        let taken = consumers.map(|consumer| consumer.join().unwrap());
        assert!(taken == [1, 2] || taken == [2, 1], "{taken:?}");
    });
}

/// Two threads put in and take out in a queue for one, so that the same nodes come and go.
#[test]
fn law_a_node_that_came_back_is_not_taken_for_the_old_one() {
    model(Some(3), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut mine).unwrap();
        let queue = world.exchange.make_queue(2).unwrap();
        let other = begin(&world, move |world| {
            world.enqueue(queue, 1).unwrap();
            world.enqueue(queue, 2).unwrap();
        });
        assert_eq!(world.take(&mut mine, queue, event), 1);
        world.enqueue(queue, 3).unwrap();
        let taken = [0, 1].map(|_| world.take(&mut mine, queue, event));
        assert!(taken == [2, 3] || taken == [3, 2], "{taken:?}");
        other.join().unwrap();
        assert_eq!(world.dequeue(&mine, queue, event), Ok(Dequeued::Stands));
    });
}

#[test]
fn law_a_full_queue_refuses_exactly_what_does_not_fit() {
    model(Some(3), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut mine).unwrap();
        let queue = world.exchange.make_queue(1).unwrap();
        let others = [1, 2].map(|datum| {
            begin(&world, move |world| match world.enqueue(queue, datum) {
                Ok(()) => {}
                Err(no) => {
                    assert_eq!(no, ExchangeError::Full { capacity: 1 });
                    world.set(0);
                }
            })
        });
        others.into_iter().for_each(|other| other.join().unwrap());
        assert!(world.is_set(0), "two data in a queue for one");
        world.take(&mut mine, queue, event);
    });
}

#[test]
fn law_a_reset_event_gets_the_datum_or_leaves_it_in_the_queue() {
    model(Some(4), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut mine).unwrap();
        let queue = world.exchange.make_queue(1).unwrap();
        assert_eq!(world.dequeue(&mine, queue, event), Ok(Dequeued::Stands));
        let producer = begin(&world, move |world| world.enqueue(queue, 7).unwrap());
        let handed = world.exchange.reset(&mut mine, event, &world.beds).unwrap();
        producer.join().unwrap();
        match handed {
            Some(datum) => assert_eq!(datum, 7),
            None => assert_eq!(world.dequeue(&mine, queue, event), Ok(Dequeued::Datum(7))),
        }
        assert_eq!(world.dequeue(&mine, queue, event), Ok(Dequeued::Stands));
    });
}

#[test]
fn law_a_waiter_that_comes_back_to_its_place_gets_each_datum_once() {
    model(Some(2), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut mine).unwrap();
        let queue = world.exchange.make_queue(2).unwrap();
        for datum in [1, 2] {
            begin(&world, move |world| world.enqueue(queue, datum).unwrap());
        }
        let mut taken = Vec::new();
        for _ in 0..2 {
            match world.dequeue(&mine, queue, event).unwrap() {
                Dequeued::Datum(datum) => taken.push(datum),
                Dequeued::Stands => {
                    taken.extend(world.exchange.reset(&mut mine, event, &world.beds).unwrap());
                }
            }
        }
        while taken.len() < 2 {
            taken.push(world.take(&mut mine, queue, event));
        }
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
    });
}

#[test]
fn law_a_dead_waiter_costs_no_datum() {
    model(Some(3), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut mine).unwrap();
        let queue = world.exchange.make_queue(1).unwrap();
        assert_eq!(world.dequeue(&mine, queue, event), Ok(Dequeued::Stands));
        let producer = begin(&world, move |world| {
            if let Err(no) = world.enqueue(queue, 7) {
                assert_eq!(no, ExchangeError::DeadWaiter { word: 0 });
                world.set(0);
                world.enqueue(queue, 7).unwrap();
            }
        });
        world.exchange.exit(mine);
        producer.join().unwrap();
        let mut next = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut next).unwrap();
        let found = world.dequeue(&next, queue, event).unwrap();
        let handed = if world.is_set(0) { Dequeued::Datum(7) } else { Dequeued::Stands };
        assert_eq!(found, handed);
    });
}

#[test]
fn law_nothing_reaches_a_queue_that_came_later() {
    model(Some(3), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut mine).unwrap();
        let old = world.exchange.make_queue(1).unwrap();
        let producer = begin(&world, move |world| {
            let _ = world.enqueue(old, 1);
        });
        world.exchange.delete_queue(old).unwrap();
        let new = world.exchange.make_queue(1).unwrap();
        assert_eq!(old.index, new.index);
        producer.join().unwrap();
        assert_eq!(world.dequeue(&mine, new, event), Ok(Dequeued::Stands));
        assert_eq!(world.dequeue(&mine, old, event), Err(ExchangeError::Standing));
    });
}
