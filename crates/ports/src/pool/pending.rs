//! Submissions that were sent to a processor and will be answered (section 4): the sender does not wait.

use super::driven::{Driven, State};
use super::route::Route;
use super::task::{Checkpoints, Handle, StoppedError};
use crate::{Request, SubmitError};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::Arc;
use std::task::Wake;
use std::thread::Thread;
use windfall_exchange::{Reply, ReplySender, reply};

type Answer<T> = Result<Handle<T>, SubmitError>;

/// A submission after a processor has looked at it.
pub(super) enum Analysed {
    /// It has an answer, which this gives; also to wakers, which may do anything.
    Answered(Box<dyn FnOnce() + Send>),
    /// There is no time for it here: it goes on to another.
    GoesOn(Arc<Driven>, Box<dyn Submission>),
}

/// A submission that whoever has the processor's machine analyses, whatever its closure returns.
pub(super) trait Submission: Send {
    fn analyse(self: Box<Self>, core: &Arc<Driven>, state: &mut State) -> Analysed;

    /// The processor to ask before this one, whose machine is not free; `None` if it is to wait here.
    fn passes_by(&mut self, core: &Arc<Driven>) -> Option<Arc<Driven>>;

    /// It is answered without analysis.
    fn refuse(self: Box<Self>, error: SubmitError);
}

impl core::fmt::Debug for dyn Submission {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Submission")
    }
}

struct Sent<T, C> {
    scheduler: usize,
    request: Request,
    route: Route,
    code: C,
    sender: ReplySender<Answer<T>>,
}

impl<T: Send + 'static, C> Submission for Sent<T, C>
where
    C: FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
{
    fn analyse(mut self: Box<Self>, core: &Arc<Driven>, state: &mut State) -> Analysed {
        if state.is_over() {
            return Analysed::Answered(Box::new(move || self.refuse(SubmitError::Over)));
        }
        let (scheduler, request) = (self.scheduler, &mut self.request);
        if let Some(next) = self.route.goes_on(core, &state.processor, scheduler, request) {
            return Analysed::GoesOn(next, self);
        }
        match state.processor.submit(scheduler, *request) {
            Ok(task) => {
                let Sent { code, sender, .. } = *self;
                let answer = core.begin(state, task, code, |_| ());
                Analysed::Answered(Box::new(move || sender.send(answer)))
            }
            Err(error) => Analysed::Answered(Box::new(move || self.refuse(error))),
        }
    }

    fn passes_by(&mut self, core: &Arc<Driven>) -> Option<Arc<Driven>> {
        self.route.passes_by(core, &mut self.request)
    }

    fn refuse(self: Box<Self>, error: SubmitError) {
        let Sent { code, sender, .. } = *self;
        sender.send(Err(error));
        drop(code);
    }
}

/// The answer to a submission: it comes once, also when the pool ends. It is a future, for whoever has an executor.
#[derive(Debug)]
pub struct Pending<T>(Reply<Answer<T>>);

impl<T: Send + 'static> Pending<T> {
    pub(super) fn new<C>(
        scheduler: usize,
        request: Request,
        route: Route,
        code: C,
    ) -> (Box<dyn Submission>, Pending<T>)
    where
        C: FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
    {
        let (sender, reply) = reply();
        (Box::new(Sent { scheduler, request, route, code, sender }), Pending(reply))
    }
}

impl<T> Pending<T> {
    /// One that nobody is asked for.
    pub(super) fn refused(error: SubmitError) -> Pending<T> {
        let (sender, reply) = reply();
        sender.send(Err(error));
        Pending(reply)
    }

    /// The answer, once, if it has come. It never waits.
    pub fn try_answer(&mut self) -> Option<Result<Handle<T>, SubmitError>> {
        self.0.take().map(or_over)
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// As [`Pool::submit`](super::Pool::submit).
    pub fn wait(self) -> Result<Handle<T>, SubmitError> {
        or_over(waited(self.0))
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<Handle<T>, SubmitError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context).map(or_over)
    }
}

/// No answer comes when the pool is over, or when it was taken before.
fn or_over<T>(answer: Option<Answer<T>>) -> Answer<T> {
    answer.unwrap_or(Err(SubmitError::Over))
}

/// Has this thread wait for a reply; `None` if it never comes.
pub(super) fn waited<T>(mut reply: Reply<T>) -> Option<T> {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(answer) = reply.poll(&mut context) {
            return answer;
        }
        std::thread::park();
    }
}

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
