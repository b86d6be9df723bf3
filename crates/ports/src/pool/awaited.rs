//! A pool whose callers await answers (decision 0036, 1).
//!
//! Invariant: what may block, the lock of a processor and the start of a thread, happens on one thread of the pool, which takes calls in their order.

use super::{Checkpoints, Handle, Pool, StoppedError, Target};
use crate::{Request, SubmitError};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

type Call = Box<dyn FnOnce(&Pool) + Send>;

/// A pool for callers that must not block, as those of an executor. Its clones are one pool, which ends with the last of them.
#[derive(Clone, Debug)]
pub struct Awaited {
    pool: Arc<Pool>,
    calls: Sender<Call>,
}

impl Awaited {
    /// Gives the pool a thread that submits.
    ///
    /// # Errors
    /// When this process cannot have another thread.
    pub fn new(pool: Pool) -> std::io::Result<Awaited> {
        let (calls, called) = channel::<Call>();
        let pool = Arc::new(pool);
        let own = pool.clone();
        let submit = move || called.into_iter().for_each(|call| call(&own));
        std::thread::Builder::new().name("ports-submitter".to_owned()).spawn(submit)?;
        Ok(Awaited { pool, calls })
    }

    /// The pool itself, whose calls may block for as long as another one takes.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Submits to one scheduler. Dropped before it has an answer, the admission is not submitted, or its task is cancelled.
    pub fn admit<T: Send + 'static>(
        &self,
        target: Target,
        request: Request,
        code: impl FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
    ) -> Admission<T> {
        self.submission(move |pool| pool.submit(target, request, code))
    }

    /// The answer to a submission, computed on the pool's thread.
    pub(crate) fn submission<T: Send + 'static>(
        &self,
        submission: impl FnOnce(&Pool) -> Result<Handle<T>, SubmitError> + Send + 'static,
    ) -> Admission<T> {
        let (sender, answer) = oneshot::channel();
        self.call(move |pool| {
            if sender.is_closed() {
                return;
            }
            if let Err(Ok(unheard)) = sender.send(submission(pool)) {
                let _ = unheard.cancel();
            }
        });
        Admission { pool: self.clone(), answer }
    }

    /// Gives a task up, unless it has ended.
    pub(crate) fn cancel<T: Send + 'static>(&self, handle: Handle<T>) {
        self.call(move |_| {
            let _ = handle.cancel();
        });
    }

    fn call(&self, call: impl FnOnce(&Pool) + Send + 'static) {
        // The thread is there while one of those who may call it is.
        let _ = self.calls.send(Box::new(call));
    }
}

/// An answer that is awaited: a handle, or why the task is refused.
#[derive(Debug)]
pub struct Admission<T: Send + 'static> {
    pool: Awaited,
    answer: oneshot::Receiver<Result<Handle<T>, SubmitError>>,
}

impl<T: Send + 'static> Future for Admission<T> {
    type Output = Result<Handle<T>, SubmitError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = Pin::new(&mut self.answer).poll(context);
        answer.map(|answer| answer.unwrap_or(Err(SubmitError::Over)))
    }
}

impl<T: Send + 'static> Drop for Admission<T> {
    fn drop(&mut self) {
        self.answer.close();
        if let Ok(Ok(unheard)) = self.answer.try_recv() {
            self.pool.cancel(unheard);
        }
    }
}
