//! What the algorithms promise, on threads: many of them, long, and with a futex that counts what it is asked.
#![cfg(not(loom))]
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};
use windfall_exchange::{Dequeued, Exchange, ExchangeError, Futex, Mine, Name, Sizes};

/// A futex in ordinary means.
#[derive(Default)]
struct Beds {
    lock: Mutex<()>,
    wake: Condvar,
    wakes: AtomicU64,
}

impl Futex for Beds {
    fn wait(&self, word: &AtomicU32, value: u32) -> bool {
        let lock = self.lock.lock().unwrap();
        if word.load(Ordering::SeqCst) == value {
            drop(self.wake.wait(lock).unwrap());
        }
        true
    }

    fn wake_one(&self, word: &AtomicU32) {
        self.wake_all(word);
    }

    fn wake_all(&self, _: &AtomicU32) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
        drop(self.lock.lock().unwrap());
        self.wake.notify_all();
    }
}

/// Somebody who never waits.
struct Never;

impl Futex for Never {
    fn wait(&self, _: &AtomicU32, _: u32) -> bool {
        false
    }
    fn wake_one(&self, _: &AtomicU32) {}
    fn wake_all(&self, _: &AtomicU32) {}
}

const SIZES: Sizes = Sizes {
    processes: 200,
    events: 1_000,
    queues: 2,
    nodes: 10_000,
    messages: 100,
    entries: 1_000,
    rows: 4,
};

fn take(exchange: &Exchange, beds: &Beds, mine: &mut Mine, queue: Name, event: Name) -> u64 {
    match exchange.dequeue(mine, queue, event, 0).unwrap() {
        Dequeued::Datum(datum) => datum,
        Dequeued::Stands => exchange.wait(mine, |_| true, beds).unwrap().1,
    }
}

/// Producers and consumers, some of which change their mind while they wait: every datum comes out once, and those of one
/// producer come to one consumer in order.
#[test]
fn law_no_datum_is_lost_or_doubled_among_many_threads() {
    const EACH: u64 = 20_000;
    let (exchange, beds) = (Exchange::new(SIZES), Beds::default());
    let queue = exchange.make_queue(64).unwrap();
    let got = std::thread::scope(|scope| {
        for producer in 0..3_u64 {
            let (exchange, beds) = (&exchange, &beds);
            scope.spawn(move || {
                for number in 0..EACH {
                    while let Err(no) = exchange.enqueue(queue, producer << 32 | number, beds) {
                        assert_eq!(no, ExchangeError::Full { capacity: 64 });
                        std::thread::yield_now();
                    }
                }
            });
        }
        let consumers = [0, 1, 2].map(|consumer| {
            let (exchange, beds) = (&exchange, &beds);
            scope.spawn(move || {
                let mut mine = exchange.enter().unwrap();
                let event = exchange.make_event(&mut mine).unwrap();
                let mut got = Vec::new();
                while (got.len() as u64) < EACH {
                    if consumer == 0 {
                        got.push(take(exchange, beds, &mut mine, queue, event));
                        continue;
                    }
                    match exchange.dequeue(&mine, queue, event, 0).unwrap() {
                        Dequeued::Datum(datum) => got.push(datum),
                        Dequeued::Stands => {
                            got.extend(exchange.reset(&mut mine, event, beds).unwrap());
                        }
                    }
                }
                exchange.exit(mine);
                got
            })
        });
        consumers.map(|consumer| consumer.join().unwrap())
    });
    for data in &got {
        let mut last = BTreeMap::new();
        for datum in data {
            assert!(last.insert(datum >> 32, datum).is_none_or(|before| before < datum));
        }
    }
    let mut all: Vec<u64> = got.concat();
    all.sort_unstable();
    let sent: Vec<u64> =
        (0..3).flat_map(|producer| (0..EACH).map(move |n| producer << 32 | n)).collect();
    assert_eq!(all, sent);
}

#[test]
fn law_sixty_four_waiters_are_woken_by_one_call() {
    let (exchange, beds) = (Exchange::new(SIZES), Beds::default());
    // Whoever has begun to wait is counted by a futex of its own.
    struct Counted<'a>(&'a Beds, &'a AtomicU64);
    impl Futex for Counted<'_> {
        fn wait(&self, word: &AtomicU32, value: u32) -> bool {
            self.1.fetch_add(1, Ordering::SeqCst);
            self.0.wait(word, value)
        }
        fn wake_one(&self, _: &AtomicU32) {}
        fn wake_all(&self, _: &AtomicU32) {}
    }
    let waiting = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let mut mine = exchange.enter().unwrap();
                exchange.add_event(&mut mine, 7).unwrap();
                exchange.wait_event(&mut mine, 7, &Counted(&beds, &waiting)).unwrap();
            });
        }
        while waiting.load(Ordering::SeqCst) < 64 {
            std::thread::yield_now();
        }
        assert_eq!(exchange.notify(7, &beds), 64);
        assert_eq!(beds.wakes.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn law_waiters_leave_the_queue_in_the_order_in_which_they_came() {
    let exchange = Exchange::new(SIZES);
    let queue = exchange.make_queue(1).unwrap();
    let mut mine = exchange.enter().unwrap();
    let events = [0, 1, 2].map(|_| exchange.make_event(&mut mine).unwrap());
    for event in events {
        assert_eq!(exchange.dequeue(&mine, queue, event, 0), Ok(Dequeued::Stands));
    }
    assert_eq!(exchange.reset(&mut mine, events[1], &Never), Ok(None));
    assert_eq!(exchange.delete_queue(queue), Err(ExchangeError::HasWaiters));
    exchange.enqueue(queue, 10, &Never).unwrap();
    exchange.enqueue(queue, 11, &Never).unwrap();
    exchange.enqueue(queue, 12, &Never).unwrap();
    assert_eq!(exchange.enqueue(queue, 13, &Never), Err(ExchangeError::Full { capacity: 1 }));
    let taken = [0, 1].map(|_| exchange.wait(&mut mine, |_| true, &Never).unwrap());
    assert_eq!(taken, [(events[0], 10), (events[2], 11)]);
    assert_eq!(exchange.dequeue(&mine, queue, events[1], 0), Ok(Dequeued::Datum(12)));
    assert_eq!(exchange.delete_queue(queue), Ok(()));
    assert_eq!(exchange.enqueue(queue, 1, &Never), Err(ExchangeError::Gone));
}

/// Whoever asks again and again without waiting leaves nothing behind.
#[test]
fn law_waiting_in_vain_takes_no_room() {
    let exchange = Exchange::new(Sizes { nodes: 4, entries: 20, ..SIZES });
    let queue = exchange.make_queue(1).unwrap();
    let mut mine = exchange.enter().unwrap();
    let event = exchange.make_event(&mut mine).unwrap();
    for id in 0..1_000 {
        assert_eq!(exchange.dequeue(&mine, queue, event, 0), Ok(Dequeued::Stands));
        assert_eq!(exchange.reset(&mut mine, event, &Never), Ok(None));
        exchange.add_event(&mut mine, id).unwrap();
        assert!(exchange.del_event(&mut mine, id));
    }
}

#[test]
fn refuses_a_generation_that_is_gone_and_gives_a_place_up_after_the_last() {
    let exchange = Exchange::new(Sizes { events: 1, ..SIZES });
    let mut mine = exchange.enter().unwrap();
    let mut event = exchange.make_event(&mut mine).unwrap();
    for generation in 1..=Name::LAST {
        exchange.delete_event(&mut mine, event).unwrap();
        let next = exchange.make_event(&mut mine).unwrap();
        assert_eq!(next, Name { index: event.index, generation });
        assert_eq!(exchange.post(event, 1, &Never), Err(ExchangeError::Gone));
        event = next;
    }
    exchange.delete_event(&mut mine, event).unwrap();
    assert_eq!(exchange.make_event(&mut mine), Err(ExchangeError::NoRoom));
    assert_eq!(exchange.post(event, 1, &Never), Err(ExchangeError::Gone));
}
