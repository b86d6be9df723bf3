//! A share for tasks without deadlines: a constant bandwidth server (Abeni, Buttazzo 1998).
//!
//! Invariant: the server's deadline moves on by a period whenever the work of a period is used up, and it begins anew when what is left would be more
//! than the share until the deadline. So its demand in any window is at most its share.

use crate::Share;
use windfall_time::{Instant, Span};

#[derive(Clone, Copy, Debug)]
pub(super) struct Server {
    pub(super) share: Share,
    pub(super) left: Span,
    pub(super) deadline: Instant,
}

impl Server {
    pub(super) const fn new(share: Share) -> Server {
        Server { share, left: Span::ZERO, deadline: Instant::ZERO }
    }

    pub(super) fn renew(&mut self, now: Instant) {
        self.left = self.share.work();
        self.deadline = now.saturating_add(self.share.period());
    }

    /// There is something to do, after there was nothing.
    pub(super) fn begin(&mut self, now: Instant) {
        let until = self.deadline.saturating_since(now);
        if self.left.is_zero() || !self.share.holds(self.left, until) {
            self.renew(now);
        }
    }

    pub(super) fn ran(&mut self, mut received: Span) {
        while received >= self.left {
            received = received.saturating_sub(self.left);
            self.left = self.share.work();
            self.deadline = self.deadline.saturating_add(self.share.period());
        }
        self.left = self.left.saturating_sub(received);
    }
}
