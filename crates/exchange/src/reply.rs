//! One answer from one thread to another, which looks for it or is woken: neither ever waits for the other.
//!
//! Invariants: the value is the sender's until `ANSWERED` is set, then the receiver's. The waker is the receiver's while `REGISTERS` is set, and the sender's when `ANSWERED` is set and
//! `REGISTERS` is not. `ANSWERED` stays.

use crate::atomic::{AtomicU32, Ordering};
use crate::cell::Cell;
use core::task::{Context, Poll, Waker};
use std::sync::Arc;

const REGISTERS: u32 = 1;
const ANSWERED: u32 = 2;

#[derive(Debug)]
struct Shared<T> {
    state: AtomicU32,
    value: Cell<T>,
    waker: Cell<Waker>,
}

/// The two ends of one answer.
///
/// ```
/// use core::task::{Context, Poll, Waker};
///
/// let (sender, mut reply) = windfall_exchange::reply();
/// let mut context = Context::from_waker(Waker::noop());
/// assert_eq!(reply.poll(&mut context), Poll::Pending);
/// sender.send(7);
/// assert_eq!(reply.poll(&mut context), Poll::Ready(Some(7)));
/// ```
#[must_use]
pub fn reply<T>() -> (ReplySender<T>, Reply<T>) {
    let state = AtomicU32::new(0);
    let shared = Arc::new(Shared { state, value: Cell::default(), waker: Cell::default() });
    (ReplySender(shared.clone()), Reply(shared))
}

/// The end that answers. If it is dropped without an answer, the other end learns that.
#[derive(Debug)]
pub struct ReplySender<T>(Arc<Shared<T>>);

impl<T> ReplySender<T> {
    /// Answers.
    pub fn send(self, value: T) {
        self.0.value.replace(Some(value));
    }
}

impl<T> Drop for ReplySender<T> {
    fn drop(&mut self) {
        let before = set(&self.0.state, ANSWERED);
        // Else the receiver is about to see it.
        if before & REGISTERS == 0
            && let Some(waker) = self.0.waker.replace(None)
        {
            waker.wake();
        }
    }
}

/// The end that receives the answer.
#[derive(Debug)]
pub struct Reply<T>(Arc<Shared<T>>);

impl<T> Reply<T> {
    /// The answer, if it has come; `Some(None)` if it never will, or was taken. It never waits.
    pub fn take(&mut self) -> Option<Option<T>> {
        let answered = self.0.state.load(Ordering::Acquire) & ANSWERED != 0;
        answered.then(|| self.0.value.replace(None))
    }

    /// The same; if it has not come, it wakes the context's task when it does.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
        let Shared { state, waker, .. } = &*self.0;
        let begun = state.compare_exchange(0, REGISTERS, Ordering::Acquire, Ordering::Acquire);
        if begun.is_ok() {
            waker.replace(Some(context.waker().clone()));
            state.fetch_and(!REGISTERS, Ordering::AcqRel);
        }
        self.take().map_or(Poll::Pending, Poll::Ready)
    }
}

/// Sets a bit; returns the state before.
fn set(state: &AtomicU32, bit: u32) -> u32 {
    let set = |before| Some(before | bit);
    state.fetch_update(Ordering::AcqRel, Ordering::Acquire, set).unwrap_or_default()
}
