//! Submitters wait for nobody (section 4): not for who analyses, and not for each other.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "on_threads/two.rs"]
mod two;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use two::{AWAY, HOME, two};
use windfall_admission::AdmitError;
use windfall_ports::pool::{Finished, Pending, Pool, Target};
use windfall_ports::{Claim, Request, Scheduler, Share, SubmitError, TaskId};
use windfall_time::{Instant, Span};

fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

/// A scheduler whose analysis takes until the test lets it go: then it refuses.
struct Slow(Sender<()>, Mutex<Receiver<()>>);

impl Scheduler for Slow {
    fn share(&self) -> Option<Share> {
        None
    }
    fn advance(&mut self, _: Instant) {}
    fn submit(&mut self, _: TaskId, _: &Request) -> Result<(), SubmitError> {
        self.0.send(()).unwrap();
        let _ = self.1.lock().unwrap().recv();
        Err(SubmitError::Nothing)
    }
    fn claim(&self) -> Option<Claim> {
        None
    }
    fn ran(&mut self, _: TaskId, _: Span) {}
    fn ended(&mut self, _: TaskId) {}
}

/// A pool with a slow scheduler beside each one by deadlines, and for each processor who says that it analyses, and who lets it go.
struct Held {
    pool: Arc<Pool>,
    ends: Vec<(Receiver<()>, Sender<()>)>,
}

impl Held {
    fn new() -> Held {
        let ends = Mutex::new(Vec::new());
        let pool = two(|processor| {
            let (says, begun) = mpsc::channel();
            let (lets_go, held) = mpsc::channel();
            processor.add(Slow(says, Mutex::new(held))).unwrap();
            ends.lock().unwrap().push((begun, lets_go));
        });
        Held { pool: Arc::new(pool), ends: ends.into_inner().unwrap() }
    }

    /// A thread analyses on this processor from now on.
    fn hold(&self, target: Target) {
        let pool = self.pool.clone();
        let slow = Target { scheduler: 1, ..target };
        std::thread::spawn(move || pool.submit(slow, Request::ranked(ms(1), 0), |_| Ok(())));
        self.ends[target.processor].0.recv().unwrap();
    }

    fn let_go(&self, target: Target) {
        self.ends[target.processor].1.send(()).unwrap();
    }

    /// What a call returns, which must not take until somebody is let go.
    fn at_once<T: Send + 'static>(&self, call: impl FnOnce(&Pool) -> T + Send + 'static) -> T {
        let (pool, (sender, answer)) = (self.pool.clone(), mpsc::channel());
        std::thread::spawn(move || sender.send(call(&pool)));
        answer.recv_timeout(Duration::from_secs(20)).expect("it waits for nobody")
    }

    fn try_submit(&self, work: u32, value: u32) -> Pending<u32> {
        let deadline = Pool::now() + ms(10_000);
        self.at_once(move |pool| pool.try_submit(ms(work), deadline, move |_| Ok(value)))
    }
}

#[test]
fn law_a_submission_waits_for_no_analysis_and_goes_where_nobody_analyses() {
    let held = Held::new();
    held.hold(HOME);
    // The other is free.
    let mut free = held.try_submit(100, 1);
    let handle = free.try_answer().expect("it is there at once").unwrap();
    assert_eq!(handle.cpu(), {
        let on_second =
            held.pool.submit(AWAY, Request::by(ms(1), Pool::now() + ms(9_000)), |_| Ok(()));
        on_second.unwrap().cpu()
    });
    assert!(matches!(handle.wait(), Finished::Done(1, _)));
    // Neither is.
    held.hold(AWAY);
    let mut waits = held.try_submit(100, 2);
    assert!(waits.try_answer().is_none());
    held.let_go(HOME);
    held.let_go(AWAY);
    assert!(matches!(waits.wait().unwrap().wait(), Finished::Done(2, _)));
}

#[test]
fn law_a_submission_goes_on_from_one_that_somebody_has_to_the_next() {
    let held = Held::new();
    let by = Pool::now() + ms(10_000);
    let waits = |target, work| {
        let code = |at: &windfall_ports::pool::Checkpoints| loop {
            at.checkpoint()?;
            std::thread::sleep(Duration::from_millis(1));
        };
        drop(held.pool.submit::<()>(target, Request::by(ms(work), by), code).unwrap());
    };
    waits(HOME, 9_000);
    waits(AWAY, 6_000);
    held.hold(HOME);
    held.hold(AWAY);
    let (fits, large) = (held.try_submit(3_000, 3), held.try_submit(8_000, 4));
    held.let_go(HOME);
    held.let_go(AWAY);
    assert!(fits.wait().is_ok());
    // The best of both says no.
    let refused = large.wait().unwrap_err();
    let SubmitError::NotAdmitted(AdmitError::NoRoom { idle, .. }) = refused else {
        panic!("{refused}");
    };
    assert!(idle <= ms(1_000), "{refused}");
    let counts = held.pool.counts();
    assert_eq!((counts.submitted, counts.admitted), (6, 3), "{counts:?}");
}

/// Submitters on several threads, the last of which ends the pool: each submission has one answer, and none is lost on its way.
#[test]
fn law_each_of_many_submissions_is_answered_once_also_when_the_pool_ends() {
    for round in 0..20 {
        let (pool, runs) = (Arc::new(two(|_| ())), Arc::new(AtomicU64::new(0)));
        let threads: Vec<_> = (0..4_u32)
            .map(|thread| {
                let (pool, runs) = (pool.clone(), runs.clone());
                std::thread::spawn(move || {
                    let one = |number: u32| {
                        let work = if number.is_multiple_of(3) { ms(9_000) } else { ms(1) };
                        let runs = runs.clone();
                        pool.try_submit(work, Pool::now() + ms(4_000), move |_| {
                            runs.fetch_add(1, Ordering::Relaxed);
                            Ok(number)
                        })
                    };
                    (0..10 + round).map(|number| one(thread * 100 + number)).collect::<Vec<_>>()
                })
            })
            .collect();
        drop(pool);
        let (mut admitted, mut refused) = (0, 0);
        for pending in threads.into_iter().flat_map(|thread| thread.join().unwrap()) {
            match pending.wait() {
                Ok(handle) => {
                    let _ = handle.wait();
                    admitted += 1;
                }
                Err(SubmitError::NotAdmitted(_) | SubmitError::Over) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        assert!(admitted > 0 && refused > 0, "{admitted} and {refused}");
        assert!(runs.load(Ordering::Relaxed) <= admitted);
    }
}
