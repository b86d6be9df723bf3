//! A pool on threads of this machine: what was admitted is done in time but for what was stolen, and told so.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod on_threads;
#[path = "on_threads/spin.rs"]
mod spin;

use spin::spin;
use windfall_os::usage;
use windfall_ports::pool::{Finished, Pool, StoppedError, Target};
use windfall_ports::{Ranked, Request, Share, SubmitError};
use windfall_time::Span;

const EDF: Target = Target { processor: 0, scheduler: 0 };
const RANKED: Target = Target { processor: 0, scheduler: 1 };

fn ms(n: u32) -> Span {
    Span::from_millis(n)
}

/// Three quarters for deadlines, the rest by rank.
fn pool() -> Pool {
    let share = Share::new(ms(3), ms(4)).unwrap();
    on_threads::pool(100, share, |processor| {
        processor.add(Ranked::priorities(Some(Share::new(ms(1), ms(4)).unwrap()))).unwrap();
    })
}

#[test]
fn law_admitted_is_late_by_at_most_what_was_stolen() {
    let pool = pool();
    let (mut handles, mut refused) = (Vec::new(), 0);
    for n in 0..60_u32 {
        let (work, deadline) = (ms(2 + n % 4), Pool::now() + ms(20 + n * 7 % 50));
        let real = ms(1 + n % 3);
        match pool.submit(EDF, Request::by(work, deadline), move |at| spin(at, real)) {
            Ok(handle) => handles.push(handle),
            Err(SubmitError::NotAdmitted(_)) => refused += 1,
            Err(other) => panic!("{other}"),
        }
        // On a busy machine each sleep may be long enough for all that was admitted.
        if n % 4 == 0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    let admitted = handles.len() as u64;
    for handle in handles {
        match handle.wait() {
            // What the dispatcher itself takes is in nobody's bound.
            Finished::Done((), ended) => assert!(ended.late <= ended.stolen + ms(2), "{ended:?}"),
            // On a busy machine a thread that is demoted leaves little, but something.
            Finished::Exceeded(_) => {}
            other => panic!("{other:?}"),
        }
    }
    let counts = pool.counts();
    assert!(admitted > 5 && refused > 5, "{counts:?}");
    assert_eq!((counts.admitted, counts.refused.no_room), (admitted, refused));
    assert_eq!(counts.done + counts.exceeded, admitted, "{counts:?}");
}

#[test]
fn law_a_task_above_its_bound_is_stopped_and_counted() {
    let pool = pool();
    let by = || Request::by(ms(3), Pool::now() + ms(500));
    // One that looks at its checkpoints, and one that does not.
    let stops = pool.submit(EDF, by(), |at| spin(at, ms(60_000))).unwrap();
    assert_eq!(stops.wait(), Finished::Exceeded(None));
    let runs_on = pool.submit(EDF, by(), |_| {
        let until = usage::of_this_thread() + ms(30);
        while usage::of_this_thread() < until {}
        Ok(7)
    });
    assert_eq!(runs_on.unwrap().wait(), Finished::Exceeded(Some(7)));
    let counts = pool.counts();
    assert_eq!((counts.exceeded, counts.done, counts.cancelled), (2, 0, 0));
}

#[test]
fn law_a_task_that_is_due_first_interrupts_at_a_checkpoint() {
    let pool = pool();
    let low = pool.submit(RANKED, Request::ranked(ms(400), 1), |at| {
        spin(at, ms(60))?;
        Ok(Pool::now())
    });
    let low = low.unwrap();
    let high = pool.submit(EDF, Request::by(ms(5), Pool::now() + ms(40)), |at| {
        spin(at, ms(2))?;
        Ok(Pool::now())
    });
    let (Finished::Done(high, _), Finished::Done(low, _)) = (high.unwrap().wait(), low.wait())
    else {
        panic!("both are done within their bounds");
    };
    assert!(high < low);
}

#[test]
fn law_forking_is_apart_from_analysis() {
    let pool = pool();
    let forked = Pool::fork(|_| Ok(5)).unwrap();
    let far = Request::by(ms(500), Pool::now() + ms(600));
    let (error, forked) = pool.admit(EDF, far, forked).unwrap_err();
    assert!(matches!(error, SubmitError::NotAdmitted(_)), "{error}");
    let idle = pool.idle_before(EDF, Pool::now() + ms(600)).unwrap();
    assert!(idle > ms(300) && idle <= ms(451), "{idle}");
    let near = Request::by(ms(100), Pool::now() + ms(600));
    let handle = pool.admit(EDF, near, forked).unwrap();
    assert!(matches!(handle.wait(), Finished::Done(5, _)));
    drop(Pool::fork(|_| -> Result<(), StoppedError> { panic!("it never runs") }).unwrap());
}

#[test]
fn law_cancelled_and_panicked_tasks_are_told_apart_from_refusals() {
    let pool = pool();
    let asked = |work| Request::by(work, Pool::now() + ms(1_000));
    let long = pool.submit(EDF, asked(ms(300)), |at| spin(at, ms(60_000))).unwrap();
    let waits =
        pool.submit(EDF, Request::by(ms(300), Pool::now() + ms(2_000)), |_| Ok(())).unwrap();
    waits.cancel().unwrap();
    long.cancel().unwrap();
    assert_eq!((long.wait(), waits.wait()), (Finished::Cancelled, Finished::Cancelled));
    let panics = pool.try_submit(ms(10), Pool::now() + ms(900), |_| -> Result<(), StoppedError> {
        std::panic::resume_unwind(Box::new(()))
    });
    assert_eq!(panics.wait().unwrap().wait(), Finished::Panicked);
    let (which, primary) = (ms(2_000), ms(5));
    let deadline = Pool::now() + ms(900);
    let both = [Request::by(which, deadline), Request::by(primary, deadline)];
    let smaller = pool.submit_first(EDF, &both, |_, which| Ok(which)).unwrap();
    assert!(matches!(smaller.wait(), Finished::Done(1, _)));
    let counts = pool.counts();
    assert_eq!((counts.cancelled, counts.smaller, counts.refused.all()), (2, 1, 0));
}

#[test]
fn refuses_a_processor_and_a_scheduler_that_are_not_there() {
    let (pool, deadline) = (pool(), Pool::now() + ms(50));
    let none = SubmitError::NoProcessor { processor: 3, processors: 1 };
    let target = Target { processor: 3, scheduler: 0 };
    assert_eq!(pool.idle_before(target, deadline), Err(none));
    assert_eq!(none.to_string(), "the pool has no processor 3; name one below 1");
    let target = Target { processor: 0, scheduler: 2 };
    let none = SubmitError::NoScheduler { scheduler: 2, schedulers: 2 };
    assert_eq!(pool.idle_before(target, deadline), Err(none));
}
