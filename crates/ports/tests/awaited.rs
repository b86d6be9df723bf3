//! A pool whose callers await answers, and tasks that are futures: waiting is in their bound, and an admission that is dropped leaves no task.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod on_threads;
#[path = "on_threads/spin.rs"]
mod spin;

use on_threads::pool;
use spin::spin;
use std::time::Duration;
use tokio::sync::oneshot;
use windfall_os::usage;
use windfall_ports::pool::{Awaited, Checkpoints, Finished, Pool, StoppedError, Target};
use windfall_ports::{Request, Share, SubmitError};
use windfall_time::Span;

const EDF: Target = Target { processor: 0, scheduler: 0 };

fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

fn awaited() -> Awaited {
    Awaited::new(pool(100, Share::WHOLE, |_| ())).unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn within(n: u32) -> Request {
    Request::by(ms(n), Pool::now() + ms(n + 4_000))
}

#[test]
fn law_an_awaited_answer_is_that_of_the_pool() {
    let pool = awaited();
    let (mut done, mut refused) = (0, 0);
    block_on(async {
        let mut handles = Vec::new();
        for n in 0..40 {
            let request = Request::by(ms(4), Pool::now() + ms(if n % 2 == 0 { 9_000 } else { 3 }));
            match pool.admit(EDF, request, move |at| spin(at, ms(1)).map(|()| n)).await {
                Ok(handle) => handles.push((n, handle)),
                Err(SubmitError::NotAdmitted(_)) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        for (n, handle) in handles {
            match handle.await {
                Finished::Done(value, _) => assert_eq!(value, n),
                // A demoted thread on a busy machine.
                Finished::Exceeded(_) => {}
                other => panic!("{other:?}"),
            }
            done += 1;
        }
    });
    let counts = pool.pool().counts();
    assert_eq!((done, refused), (20, 20), "{counts:?}");
    assert_eq!((counts.admitted, counts.refused.all()), (done, refused));
}

#[test]
fn law_waiting_is_charged_to_the_bound() {
    let pool = awaited();
    let (sender, receiver) = oneshot::channel();
    let waits = |at: &Checkpoints| at.block_on(std::future::pending::<()>());
    let ended = block_on(async {
        let forever = pool.admit(EDF, within(30), waits).await.unwrap();
        // It has no time of its own before the first has none left.
        let behind = Request::by(ms(3_000), Pool::now() + ms(9_000));
        let behind = pool.admit(EDF, behind, move |at| {
            let heard = at.block_on(receiver)?;
            Ok((heard, at.used()))
        });
        let behind = behind.await.unwrap();
        let first = forever.await;
        sender.send(7).unwrap();
        (first, behind.await)
    });
    assert_eq!(ended.0, Finished::Exceeded(None));
    let Finished::Done((heard, used), _) = ended.1 else { panic!("{:?}", ended.1) };
    assert_eq!(heard, Ok(7));
    assert!(used < ms(3_000), "{used}");
}

#[test]
fn law_a_wait_is_in_what_a_task_has_used() {
    let pool = awaited();
    let (sender, receiver) = oneshot::channel::<()>();
    let (begun, has_begun) = std::sync::mpsc::channel();
    let used = block_on(async {
        let waits = move |at: &Checkpoints| {
            begun.send(()).unwrap();
            let heard = at.block_on(receiver)?;
            Ok((heard, at.used(), usage::of_this_thread()))
        };
        let handle = pool.admit(EDF, within(2_000), waits).await.unwrap();
        has_begun.recv().unwrap();
        std::thread::sleep(Duration::from_millis(40));
        sender.send(()).unwrap();
        handle.await
    });
    let Finished::Done((heard, used, worked), _) = used else { panic!("{used:?}") };
    assert_eq!(heard, Ok(()));
    // It may begin to wait a little later than it says so.
    assert!(used > ms(20) && worked < used, "{used} of which {worked} worked");
}

#[test]
fn law_a_task_that_is_due_first_passes_one_that_waits() {
    let pool = awaited();
    let (sender, receiver) = oneshot::channel::<()>();
    let last = block_on(async {
        let far = Request::by(ms(500), Pool::now() + ms(9_000));
        let waits = pool.admit(EDF, far, move |at| at.block_on(receiver)).await.unwrap();
        let near = pool.admit(EDF, within(100), |_| Ok(())).await.unwrap();
        assert!(matches!(near.await, Finished::Done((), _)));
        sender.send(()).unwrap();
        waits.await
    });
    assert!(matches!(last, Finished::Done(Ok(()), _)), "{last:?}");
}

#[test]
fn law_an_admission_that_is_dropped_leaves_no_task() {
    let pool = awaited();
    for n in 0..60 {
        let before = pool.pool().counts().submitted;
        let admission =
            pool.admit(EDF, within(1_000), |at| at.block_on(std::future::pending::<()>()));
        match n % 3 {
            0 => {}
            1 => std::thread::sleep(Duration::from_micros(n * 5)),
            // The answer is there, and nobody takes it.
            _ => {
                while pool.pool().counts().submitted == before {
                    std::thread::yield_now();
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        drop(admission);
    }
    // Calls are taken in their order, so all that went before has been.
    let all = pool.admit(EDF, within(1), |_| Ok(()));
    let handle = block_on(all).unwrap();
    assert!(matches!(block_on(handle), Finished::Done((), _)));
    let counts = pool.pool().counts();
    assert_eq!(counts.admitted, counts.cancelled + 1, "{counts:?}");
    assert!(counts.cancelled >= 20 && counts.exceeded == 0, "{counts:?}");
    assert!(counts.submitted < 61, "one is dropped before it is submitted: {counts:?}");
}

#[test]
fn refuses_and_gives_the_closure_up() {
    let pool = awaited();
    let request = Request::by(ms(50), Pool::now() + ms(10));
    let refused = block_on(pool.admit(EDF, request, |_| -> Result<(), StoppedError> {
        unreachable!("it is not admitted")
    }));
    assert!(matches!(refused, Err(SubmitError::NotAdmitted(_))), "{refused:?}");
    let nowhere = Target { processor: 4, scheduler: 0 };
    let error = block_on(pool.admit(nowhere, request, |_| Ok(()))).unwrap_err();
    assert_eq!(error, SubmitError::NoProcessor { processor: 4, processors: 1 });
}
