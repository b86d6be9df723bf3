//! The future of a response: refused, asked for, admitted, or past the pool.

use super::answer::RequestError;
use super::counts::Served;
use crate::pool::{Admission, Awaited, Finished, Handle};
use http::Response;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use windfall_time::Instant;

/// The response to a request, or a refusal. Dropped, the request is withdrawn or cancelled.
#[derive(Debug)]
pub struct ResponseFuture<F, B: Send + 'static, E: Send + 'static> {
    pub(super) pool: Awaited,
    pub(super) is_grpc: bool,
    pub(super) stage: Stage<F, B, E>,
}

#[derive(Debug)]
pub(super) enum Stage<F, B: Send + 'static, E: Send + 'static> {
    Answered(RequestError),
    Submitted(Admission<Served<Response<B>, E>>, Instant),
    Admitted(Option<Handle<Served<Response<B>, E>>>),
    Passed(Pin<Box<F>>),
}

impl<F, B, E> Future for ResponseFuture<F, B, E>
where
    F: Future<Output = Result<Response<B>, E>>,
    B: Default + Send + 'static,
    E: Send + 'static,
{
    type Output = Result<Response<B>, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let error = loop {
            match &mut this.stage {
                Stage::Answered(error) => break *error,
                Stage::Submitted(admission, now) => {
                    this.stage = match ready!(Pin::new(admission).poll(context)) {
                        Ok(handle) => Stage::Admitted(Some(handle)),
                        Err(error) => Stage::Answered(RequestError::Refused { error, now: *now }),
                    };
                }
                Stage::Admitted(handle) => {
                    let Some(task) = handle else { break RequestError::Cancelled };
                    let finished = ready!(Pin::new(task).poll(context));
                    *handle = None;
                    match finished {
                        Finished::Done(served, _) | Finished::Exceeded(Some(served)) => {
                            return Poll::Ready(served.answer);
                        }
                        Finished::Exceeded(None) => break RequestError::Exceeded,
                        Finished::Cancelled => break RequestError::Cancelled,
                        Finished::Panicked => break RequestError::Panicked,
                    }
                }
                Stage::Passed(future) => return future.as_mut().poll(context),
            }
        };
        Poll::Ready(Ok(error.response(this.is_grpc)))
    }
}

impl<F, B: Send + 'static, E: Send + 'static> Drop for ResponseFuture<F, B, E> {
    fn drop(&mut self) {
        if let Stage::Admitted(handle) = &mut self.stage
            && let Some(handle) = handle.take()
        {
            self.pool.cancel(handle);
        }
    }
}
