//! Submissions that are sent to a pool on threads: each is answered once, whoever sends, and also when the pool ends meanwhile.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod on_threads;

use core::task::{Context, Poll, Waker};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::Wake;
use windfall_ports::pool::{Finished, Pending, Pool, Target};
use windfall_ports::{Request, Share, SubmitError};
use windfall_time::Span;

const EDF: Target = Target { processor: 0, scheduler: 0 };
const SENDERS: u32 = 8;
const EACH: u32 = 60;

fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

fn pool() -> Pool {
    on_threads::pool(40, Share::new(ms(3), ms(4)).unwrap(), |_| ())
}

/// Waits for an answer in one of the three ways.
fn answered(number: u32, mut pending: Pending<u32>) -> Result<(), SubmitError> {
    let answer = match number % 3 {
        0 => pending.wait(),
        1 => loop {
            if let Some(answer) = pending.try_answer() {
                // It is given once.
                assert_eq!(pending.try_answer().unwrap().unwrap_err(), SubmitError::Over);
                break answer;
            }
            std::thread::yield_now();
        },
        _ => {
            let mut context = Context::from_waker(Waker::noop());
            loop {
                if let Poll::Ready(answer) = core::pin::pin!(&mut pending).poll(&mut context) {
                    break answer;
                }
                std::thread::yield_now();
            }
        }
    };
    match answer?.wait() {
        Finished::Done(value, _) => assert_eq!(value, number),
        Finished::Exceeded(_) | Finished::Cancelled => {}
        other => panic!("{other:?}"),
    }
    Ok(())
}

#[test]
fn law_each_of_many_submissions_is_answered_once() {
    let (pool, runs) = (Arc::new(pool()), Arc::new(AtomicU32::new(0)));
    let send = |sender: u32| {
        let (pool, runs) = (pool.clone(), runs.clone());
        move || {
            let mut counts = BTreeMap::<&str, u64>::new();
            for number in (0..EACH).map(|n| sender * EACH + n) {
                // A third of them cannot be done; one in seven goes to a scheduler that is not there.
                let work = if number % 3 == 1 { ms(700) } else { ms(2) };
                let request = Request::by(work, Pool::now() + ms(800));
                let target = Target { scheduler: usize::from(number % 7 == 0), ..EDF };
                let runs = runs.clone();
                let pending = pool.send(target, request, move |_| {
                    runs.fetch_add(1, Ordering::Relaxed);
                    Ok(number)
                });
                *counts
                    .entry(match answered(number, pending.unwrap()) {
                        Ok(()) => "admitted",
                        Err(SubmitError::NotAdmitted(_)) => "no time",
                        Err(SubmitError::NoScheduler { .. }) => "no scheduler",
                        Err(SubmitError::Full { .. }) => "full",
                        Err(other) => panic!("{other}"),
                    })
                    .or_default() += 1;
            }
            counts
        }
    };
    let senders: Vec<_> = (0..SENDERS).map(|n| std::thread::spawn(send(n))).collect();
    let mut all = BTreeMap::<&str, u64>::new();
    for sender in senders {
        for (kind, count) in sender.join().unwrap() {
            *all.entry(kind).or_default() += count;
        }
    }
    let counts = pool.counts();
    assert_eq!(all.values().sum::<u64>(), u64::from(SENDERS * EACH));
    assert_eq!(counts.submitted, u64::from(SENDERS * EACH));
    assert_eq!(all["admitted"], counts.admitted);
    assert_eq!(all["no time"], counts.refused.no_room + counts.refused.deadline_passed);
    assert_eq!(all["no scheduler"], counts.refused.unsuitable);
    assert_eq!(counts.done + counts.exceeded, counts.admitted, "{counts:?}");
    assert!(u64::from(runs.load(Ordering::Relaxed)) <= counts.admitted);
    assert!(all["admitted"] > 50 && all["no time"] > 50, "{all:?}");
}

/// Senders that still have unanswered submissions while the pool ends; the last of them ends it.
#[test]
fn law_what_was_sent_is_answered_when_the_pool_ends() {
    let pool = Arc::new(pool());
    let (sender, sent) = mpsc::channel();
    let threads: Vec<_> = (0..SENDERS)
        .map(|thread| {
            let (pool, sender) = (pool.clone(), sender.clone());
            std::thread::spawn(move || {
                for number in (0..EACH).map(|n| thread * EACH + n) {
                    // Some closures hold the pool itself; refused, they let it go.
                    let (held, work) =
                        (pool.clone(), if number % 2 == 0 { ms(1) } else { ms(5_000) });
                    let request = Request::by(work, Pool::now() + ms(300));
                    let refused = number % 2 == 1;
                    let code = move |_: &_| {
                        Ok(if refused {
                            drop(held);
                            0
                        } else {
                            number
                        })
                    };
                    sender.send((number, pool.send(EDF, request, code).unwrap())).unwrap();
                }
            })
        })
        .collect();
    drop((pool, sender));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let mut answers = 0;
    for (number, pending) in sent {
        match answered(number, pending) {
            Ok(())
            | Err(SubmitError::NotAdmitted(_) | SubmitError::Full { .. } | SubmitError::Over) => {}
            Err(other) => panic!("{other}"),
        }
        answers += 1;
    }
    assert_eq!(answers, SENDERS * EACH);
}

/// A waker that holds whoever wakes until the test lets go.
struct Holds(Mutex<mpsc::Receiver<()>>);

impl Wake for Holds {
    fn wake(self: Arc<Self>) {
        let _ = self.0.lock().unwrap().recv();
    }
}

/// Holds the timer, which alone answers; dropped, what this returns lets it go.
fn hold_the_timer(pool: &Pool) -> mpsc::Sender<()> {
    loop {
        let (lets_go, held) = mpsc::channel();
        let waker = Waker::from(Arc::new(Holds(Mutex::new(held))));
        let request = Request::by(ms(5_000), Pool::now() + ms(100));
        let mut pending = pool.send(EDF, request, |_| Ok(())).unwrap();
        let polled = core::pin::pin!(&mut pending).poll(&mut Context::from_waker(&waker));
        if polled.is_pending() {
            while pending.try_answer().is_none() {
                std::thread::yield_now();
            }
            return lets_go;
        }
    }
}

/// While nobody analyses, so many are taken and no more; all those are answered, also when the pool ends.
#[test]
fn refuses_more_than_can_be_unanswered() {
    let pool = pool();
    let lets_go = hold_the_timer(&pool);
    let send = || pool.send(EDF, Request::by(ms(5_000), Pool::now() + ms(100)), |_| Ok(0));
    let all: Vec<Pending<u32>> = std::iter::from_fn(|| send().ok()).collect();
    let full = send().unwrap_err();
    assert_eq!((all.len(), full), (1_024, SubmitError::Unanswered { most: 1_024 }));
    assert_eq!(full.to_string(), "1024 submissions are not answered yet; wait for answers");
    drop(lets_go);
    drop(pool);
    for pending in all {
        assert!(matches!(pending.wait(), Err(SubmitError::NotAdmitted(_))));
    }
}

/// What a thread sent counts in what it asks later, whoever analyses that.
#[test]
fn law_whoever_has_the_machine_analyses_what_was_sent() {
    let pool = pool();
    let lets_go = hold_the_timer(&pool);
    let deadline = Pool::now() + ms(900);
    let before = pool.idle_before(EDF, deadline).unwrap();
    let (request, begun) = (Request::by(ms(300), deadline), Pool::now());
    let mut pending = pool.send(EDF, request, |at| at.checkpoint().map(|()| 1)).unwrap();
    let after = pool.idle_before(EDF, deadline).unwrap();
    let passed = Pool::now().saturating_since(begun);
    assert!(after <= before.saturating_sub(ms(299)) || passed > ms(100), "{before} {after}");
    assert!(pending.try_answer().is_none());
    drop(lets_go);
    assert!(matches!(pending.wait().unwrap().wait(), Finished::Done(1, _)));
}

/// The timer does not sleep on what was sent: it looks at least once a second without that.
#[test]
fn law_what_is_sent_wakes_the_timer() {
    let pool = pool();
    let least = (0..5).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(30));
        let begun = Pool::now();
        let request = Request::by(ms(5_000), begun + ms(100));
        assert!(pool.send(EDF, request, |_| Ok(0)).unwrap().wait().is_err());
        Pool::now().saturating_since(begun)
    });
    let least = least.min().unwrap();
    assert!(least < ms(400), "{least}");
}

/// Says whether it is dropped in a panic.
struct Dropped(mpsc::Sender<bool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send(std::thread::panicking());
    }
}

/// A closure that is refused may be the last one who has the pool, which the timer then ends.
#[test]
fn law_a_refused_closure_may_end_the_pool() {
    let pool = Arc::new(pool());
    let lets_go = hold_the_timer(&pool);
    let (sender, dropped) = mpsc::channel();
    let held = (pool.clone(), Dropped(sender));
    let request = Request::by(ms(5_000), Pool::now() + ms(100));
    let pending = pool.send(EDF, request, move |_| {
        drop(held);
        Ok(())
    });
    let pending = pending.unwrap();
    drop(pool);
    drop(lets_go);
    assert!(matches!(pending.wait(), Err(SubmitError::NotAdmitted(_))));
    assert_eq!(dropped.recv(), Ok(false));
}
