//! A future whose panic ends it, and nothing else.

use core::future::poll_fn;
use core::pin::pin;
use core::task::Poll;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The output of a future; `None` if it panicked.
pub(super) async fn caught<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| {
        let poll = AssertUnwindSafe(|| future.as_mut().poll(context));
        match catch_unwind(poll) {
            Ok(poll) => poll.map(Some),
            Err(payload) => {
                // It may panic once more when it is dropped.
                std::mem::forget(payload);
                Poll::Ready(None)
            }
        }
    })
    .await
}
