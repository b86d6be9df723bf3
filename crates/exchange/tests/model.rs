//! All ways in which two or three threads can meet, tried one by one (loom). A thread that sleeps for ever is a failure of
//! the model: so a wake-up that is lost is found as a deadlock.
//!
//! `cargo xtask model`. Where all ways are too many, those with at most so many preemptions are tried; each test says so.
#![cfg(loom)]

#[path = "model/incoming.rs"]
mod incoming;
#[path = "model/queues.rs"]
mod queues;
#[path = "model/ring.rs"]
mod ring;

use loom::sync::atomic::{AtomicBool, Ordering};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use windfall_exchange::atomic::{AtomicU32, SWEEPING};
use windfall_exchange::{Dequeued, Exchange, ExchangeError, Futex, Mine, Name, Sizes};

/// A futex with one queue for all words: whoever is woken for another's word looks and sleeps again.
#[derive(Default)]
struct Beds {
    lock: Mutex<()>,
    wake: Condvar,
}

impl Futex for Beds {
    fn wait(&self, word: &AtomicU32, value: u32) -> bool {
        let lock = self.lock.lock().unwrap();
        if word.load(Ordering::Relaxed) == value {
            drop(self.wake.wait(lock).unwrap());
        }
        true
    }

    fn wake_one(&self, _: &AtomicU32) {
        self.wake_all(&AtomicU32::new(0));
    }

    fn wake_all(&self, _: &AtomicU32) {
        drop(self.lock.lock().unwrap());
        self.wake.notify_all();
    }
}

struct World {
    exchange: Exchange,
    beds: Beds,
    flags: [AtomicBool; 2],
}

impl World {
    fn new() -> Arc<World> {
        let (queues, nodes, messages) = (2, 8, 2);
        let (processes, events, entries, rows) = (4, 4, 4, 1);
        let sizes = Sizes { processes, events, queues, nodes, messages, entries, rows };
        let flags = [AtomicBool::new(false), AtomicBool::new(false)];
        Arc::new(World { exchange: Exchange::new(sizes), beds: Beds::default(), flags })
    }

    fn set(&self, flag: usize) {
        self.flags[flag].store(true, Ordering::Relaxed);
    }

    fn is_set(&self, flag: usize) -> bool {
        self.flags[flag].load(Ordering::Relaxed)
    }

    fn post(&self, event: Name, datum: u64) -> Result<(), ExchangeError> {
        self.exchange.post(event, datum, &self.beds)
    }

    fn wait(&self, mine: &mut Mine) -> (Name, u64) {
        self.exchange.wait(mine, |_| true, &self.beds).unwrap()
    }

    fn enqueue(&self, queue: Name, datum: u64) -> Result<(), ExchangeError> {
        self.exchange.enqueue(queue, datum, &self.beds)
    }

    fn dequeue(&self, mine: &Mine, queue: Name, event: Name) -> Result<Dequeued, ExchangeError> {
        self.exchange.dequeue(mine, queue, event, 0)
    }

    /// Takes a datum, waiting for it if need be.
    fn take(&self, mine: &mut Mine, queue: Name, event: Name) -> u64 {
        match self.dequeue(mine, queue, event).unwrap() {
            Dequeued::Datum(datum) => datum,
            Dequeued::Stands => self.wait(mine).1,
        }
    }
}

/// All ways; or those with at most so many preemptions. `WINDFALL_MODEL_SECONDS` bounds each of the two ways of looking; whether
/// it was reached is told.
fn model(preemptions: Option<usize>, body: impl Fn() + Sync + Send + 'static) {
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let body = std::sync::Arc::new(body);
    for sweeping in [false, true] {
        SWEEPING.store(sweeping, std::sync::atomic::Ordering::Relaxed);
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = preemptions;
        builder.max_branches = 10_000;
        builder.checkpoint_interval = 500; // how often loom looks at the clock; 20,000 ways may take half a minute
        let seconds = std::env::var("WINDFALL_MODEL_SECONDS").ok();
        builder.max_duration = seconds.and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let ways = std::sync::Arc::new(AtomicU64::new(0));
        let (counted, body) = (ways.clone(), body.clone());
        let begun = std::time::Instant::now();
        builder.check(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            body();
        });
        let over = builder.max_duration.is_some_and(|most| begun.elapsed() >= most);
        let all = if over { "; there are more" } else { "" };
        let how = if sweeping { "orders" } else { "ways, loads out of date included" };
        eprintln!("{} {how}{all}", ways.load(Ordering::Relaxed));
    }
}

fn begin(world: &Arc<World>, life: impl FnOnce(&World) + Send + 'static) -> thread::JoinHandle<()> {
    let world = world.clone();
    thread::spawn(move || life(&world))
}

#[test]
fn law_no_wakeup_is_lost() {
    model(Some(3), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let me = mine.name();
        for flag in [0, 1] {
            begin(&world, move |world| {
                world.set(flag);
                world.exchange.wakeup(me, &world.beds).unwrap();
            });
        }
        while !(world.is_set(0) && world.is_set(1)) {
            world.exchange.block(&mut mine, &world.beds).unwrap();
        }
    });
}

#[test]
fn law_a_wakeup_reaches_nobody_who_came_later() {
    model(None, || {
        let world = World::new();
        let mine = world.exchange.enter().unwrap();
        let gone = mine.name();
        let waker = begin(&world, move |world| {
            let _ = world.exchange.wakeup(gone, &world.beds);
        });
        world.exchange.exit(mine);
        let mut next = world.exchange.enter().unwrap();
        assert_eq!(next.name().index, gone.index);
        waker.join().unwrap();
        // Only its own wake-up lets it go on, and that once.
        let me = next.name();
        let own = begin(&world, move |world| {
            world.set(0);
            world.exchange.wakeup(me, &world.beds).unwrap();
        });
        world.exchange.block(&mut next, &world.beds).unwrap();
        assert!(world.is_set(0), "a wake-up for a process that is gone");
        own.join().unwrap();
    });
}

#[test]
fn law_each_post_is_taken_once_with_its_datum() {
    model(Some(3), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let events = [0, 1].map(|_| world.exchange.make_event(&mut mine).unwrap());
        for (event, datum) in [(events[0], 10), (events[1], 11)] {
            begin(&world, move |world| world.post(event, datum).unwrap());
        }
        let mut taken = [world.wait(&mut mine), world.wait(&mut mine)];
        taken.sort_by_key(|(_, datum)| *datum);
        assert_eq!(taken, [(events[0], 10), (events[1], 11)]);
    });
}

#[test]
fn law_as_many_posts_are_taken_as_were_not_refused() {
    model(None, || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut mine).unwrap();
        let posters = [1, 2].map(|datum| {
            begin(&world, move |world| match world.post(event, datum) {
                Ok(()) => {}
                Err(no) => {
                    assert_eq!(no, ExchangeError::Posted);
                    world.set(0);
                }
            })
        });
        let first = world.wait(&mut mine).1;
        posters.into_iter().for_each(|poster| poster.join().unwrap());
        let left = world.exchange.test(&mut mine, event).unwrap();
        assert_eq!(left.is_none(), world.is_set(0), "one was refused, or both are taken");
        assert_ne!(left, Some(first));
    });
}

#[test]
fn law_a_post_reaches_no_event_that_came_later() {
    model(None, || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let old = world.exchange.make_event(&mut mine).unwrap();
        let poster = begin(&world, move |world| {
            let _ = world.post(old, 1);
        });
        world.exchange.delete_event(&mut mine, old).unwrap();
        let new = world.exchange.make_event(&mut mine).unwrap();
        poster.join().unwrap();
        assert_eq!(world.exchange.test(&mut mine, new), Ok(None));
        assert_eq!(world.post(old, 2), Err(ExchangeError::Gone));
        assert_eq!(world.post(new, 3), Ok(()));
        assert_eq!(world.wait(&mut mine), (new, 3));
    });
}

#[test]
fn law_a_reset_takes_the_post_or_comes_before_it() {
    model(None, || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let event = world.exchange.make_event(&mut mine).unwrap();
        let poster = begin(&world, move |world| world.post(event, 5).unwrap());
        let reset = world.exchange.reset(&mut mine, event, &world.beds).unwrap();
        poster.join().unwrap();
        let after = world.exchange.test(&mut mine, event).unwrap();
        assert_eq!([reset, after].into_iter().flatten().collect::<Vec<_>>(), [5]);
    });
}

#[test]
fn law_no_notification_is_lost() {
    model(None, || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        begin(&world, |world| {
            world.set(0);
            world.exchange.notify(1, &world.beds);
        });
        world.exchange.add_event(&mut mine, 1).unwrap();
        if !world.is_set(0) {
            world.exchange.wait_event(&mut mine, 1, &world.beds).unwrap();
        }
    });
}

/// An entry of a second process comes and goes in the same row.
#[test]
fn law_no_notification_is_lost_beside_another_entry() {
    model(Some(2), || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        begin(&world, |world| {
            let mut other = world.exchange.enter().unwrap();
            world.exchange.add_event(&mut other, 2).unwrap();
            assert!(world.exchange.del_event(&mut other, 2));
            world.exchange.add_event(&mut other, 3).unwrap();
            world.exchange.exit(other);
        });
        begin(&world, |world| {
            world.set(0);
            world.exchange.notify(1, &world.beds);
        });
        world.exchange.add_event(&mut mine, 1).unwrap();
        if !world.is_set(0) {
            world.exchange.wait_event(&mut mine, 1, &world.beds).unwrap();
        }
    });
}

/// Each waits until it was told; the notifier tells once when both are entered, and once more when it finds that they were not.
#[test]
fn law_one_notification_wakes_all_who_wait() {
    model(Some(2), || {
        let world = World::new();
        let mut processes = [0, 1].map(|_| Some(world.exchange.enter().unwrap()));
        for process in processes.iter_mut().flatten() {
            world.exchange.add_event(process, 1).unwrap();
        }
        for process in &mut processes {
            let mut mine = process.take().unwrap();
            begin(&world, move |world| {
                world.exchange.wait_event(&mut mine, 1, &world.beds).unwrap();
            });
        }
        assert!(world.exchange.notify(1, &world.beds) <= 2);
    });
}

#[test]
fn law_an_entry_is_either_deleted_or_notified() {
    model(None, || {
        let world = World::new();
        let mut mine = world.exchange.enter().unwrap();
        let mut other = world.exchange.enter().unwrap();
        world.exchange.add_event(&mut mine, 1).unwrap();
        world.exchange.add_event(&mut other, 2).unwrap();
        let notifier = begin(&world, |world| {
            assert_eq!(world.exchange.notify(1, &world.beds), 0, "nobody waited");
        });
        let deleted = world.exchange.del_event(&mut mine, 1);
        if !deleted {
            world.exchange.wait_event(&mut mine, 1, &world.beds).unwrap();
        }
        world.exchange.add_event(&mut mine, 1).unwrap();
        notifier.join().unwrap();
        assert!(world.exchange.del_event(&mut other, 2), "another event's entry was taken out");
    });
}
