//! A future as a task: its thread polls it, and each end of a poll is a checkpoint (decision 0036, 2 and 3).

use super::task::{Checkpoints, StoppedError};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// Wakes a task's thread.
struct Woken {
    thread: Thread,
    is: AtomicBool,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.is.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Checkpoints {
    /// Polls a future until it is ready. While it waits the task keeps its place, and the time in which it may run is charged to its bound as if it worked.
    ///
    /// # Errors
    /// When the task is to end, between two polls or while the future waits; the closure returns that.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, StoppedError> {
        let woken = Arc::new(Woken { thread: std::thread::current(), is: AtomicBool::new(true) });
        let waker = Waker::from(woken.clone());
        let (mut context, mut future) = (Context::from_waker(&waker), pin!(future));
        loop {
            self.checkpoint()?;
            woken.is.store(false, Ordering::Release);
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return Ok(value);
            }
            self.0.wait_for(&woken.is)?;
        }
    }
}
