//! What closures, and clients that do not wait for answers, must not do to a pool of processes.

use super::{CLIENTS, WORKERS, run};
use crate::clients::ms;
use core::future::poll_fn;
use core::task::Poll;
use std::sync::{Arc, Mutex};
use windfall_ports::hosted::{Checkpoints, Completion, Finished, Handle, Pool};
use windfall_programs::{Code, Process, ProcessError};

/// Panics when it is dropped.
struct Panics;

impl Drop for Panics {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("as it should"));
    }
}

/// What is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Try {
    /// A task that was cancelled before it began holds what panics.
    PanicsUnbegun,
    /// A task that awaits what never comes holds what panics.
    PanicsForeign,
    /// A task that was cancelled in the middle panics, and has not looked at a checkpoint.
    PanicsCancelled,
    /// The submitter drops the submission when it is admitted and not yet answered.
    SubmitterLeaves,
}

#[derive(Clone)]
struct Client {
    what: Try,
    done: Arc<Mutex<bool>>,
}

impl Client {
    /// Submits the first task. Returns its handle, and how it must end.
    async fn begin(
        &self,
        me: &mut impl Process,
        pool: &Pool,
    ) -> Option<(Handle<()>, Finished<(), Completion>)> {
        let (deadline, held) = (me.now().await + ms(1_000), Panics);
        match self.what {
            Try::PanicsUnbegun => {
                let code = move |_| async move {
                    drop(held);
                    Ok(())
                };
                let handle = pool.try_submit(me, ms(400), deadline, code).await.unwrap();
                assert!(handle.cancel(me).await);
                Some((handle, Finished::Cancelled))
            }
            Try::PanicsForeign => {
                let code = move |_| async move {
                    let _held = held;
                    core::future::pending().await
                };
                let handle = pool.try_submit(me, ms(400), deadline, code).await.unwrap();
                Some((handle, Finished::Panicked))
            }
            Try::PanicsCancelled => {
                let code = |mut at: Checkpoints| async move {
                    at.compute(ms(50)).await;
                    drop(held);
                    Ok(())
                };
                let handle = pool.try_submit(me, ms(400), deadline, code).await.unwrap();
                let later = me.now().await + ms(20);
                me.sleep_until(later).await;
                assert!(handle.cancel(me).await);
                Some((handle, Finished::Panicked))
            }
            Try::SubmitterLeaves => {
                core::mem::forget(held);
                let code = |_| async { Ok(()) };
                let mut submission = Box::pin(pool.try_submit(me, ms(400), deadline, code));
                let mut polled = false;
                poll_fn(|context| {
                    if core::mem::replace(&mut polled, true) {
                        return Poll::Ready(()); // its action has been carried out
                    }
                    assert!(submission.as_mut().poll(context).is_pending());
                    Poll::Pending
                })
                .await;
                None
            }
        }
    }
}

impl Code for Client {
    const NAME: &'static str = "client-of-ends";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let event = me.make_event().await?;
        let pool = Pool::start(&mut me, WORKERS, 1).await?;
        let deadline = me.now().await + ms(1_000);
        let first = self.begin(&mut me, &pool).await;
        let admitted = 1 + u64::from(first.is_some());
        if let Some((handle, expected)) = first {
            assert_eq!(handle.wait(&mut me, event).await?, expected);
        }
        let later = me.now().await + ms(100);
        me.sleep_until(later).await;
        // The worker is there, its scheduler has the time again, and nothing was lost.
        let code = |_| async { Ok(()) };
        let next = pool.try_submit(&mut me, ms(400), deadline, code).await.unwrap();
        assert!(matches!(next.wait(&mut me, event).await?, Finished::Done((), _)));
        let counts = pool.counts();
        assert_eq!((counts.admitted, counts.done, counts.lost), (admitted, 1, 0), "{counts:?}");
        assert_eq!(admitted, counts.done + counts.cancelled + counts.panicked);
        *self.done.lock().unwrap() = true;
        Ok(())
    }
}

fn law_of(what: Try) {
    let client = Client { what, done: Arc::default() };
    run(CLIENTS, client.clone());
    assert!(*client.done.lock().unwrap(), "{what:?}");
}

#[test]
fn law_what_an_unbegun_closure_holds_may_panic() {
    law_of(Try::PanicsUnbegun);
}

#[test]
fn law_what_a_closure_without_an_end_holds_may_panic() {
    law_of(Try::PanicsForeign);
}

#[test]
fn law_a_task_that_was_cancelled_is_not_lost() {
    law_of(Try::PanicsCancelled);
}

#[test]
fn law_a_submission_that_is_dropped_gives_its_time_back() {
    law_of(Try::SubmitterLeaves);
}
