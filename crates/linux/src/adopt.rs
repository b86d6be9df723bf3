//! Threads that know nothing of us: programs that we start, and those that run already.

use crate::supervisor::Supervisor;

impl Supervisor {
    /// A supervised thread has made another.
    pub(crate) fn forked(&mut self, _parent: i32, _child: i32) {}
}
