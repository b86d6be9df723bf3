//! The supervisor: a host that drives this machine, behind one lock.
//!
//! Whoever holds the lock settles everything that is due before giving it
//! back: the event loop, a fence, or an own program in its own call. Other threads have the event loop do what they
//! need (`calls.rs`). What is decided is carried out last, since to raise a thread may take
//! the processor from us, lock and all.

use crate::supervise::linux::Linux;
use std::collections::VecDeque;
use std::sync::Arc;
use windfall_host::Host;
use windfall_os::lock::Lock;
use windfall_time::Instant;

/// Everything that the lock covers.
pub(crate) struct Supervisor {
    pub(crate) host: Host<Linux>,
    /// What other threads of ours have left to be done.
    pub(crate) calls: Calls,
    pub(crate) ending: bool,
}

impl Supervisor {
    /// The time since the run began.
    pub(crate) fn time(&self) -> Instant {
        self.host.machine.clock.time()
    }

    /// Whether the run is over, or about to be.
    pub(crate) const fn is_over(&self) -> bool {
        self.ending || self.host.has_failed()
    }

    /// Says what was not as it should be; the same only once.
    pub(crate) fn say_once(&mut self, why: String) {
        if !self.host.log.refused.iter().any(|(_, before)| *before == why) {
            let now = self.time();
            self.host.log.refused.push((now, why));
        }
    }
}

/// Something to be done under the supervisor's lock.
type Call = Box<dyn FnOnce(&mut Supervisor) + Send>;

/// Where calls are left. Its own lock is held for some nanoseconds, and lends the event loop's priority to whoever has it.
pub(crate) type Calls = Arc<Lock<Left>>;

/// What was left.
#[derive(Default)]
pub(crate) struct Left {
    pub(crate) calls: VecDeque<Call>,
    /// Whether the event loop carries calls out. Before it begins and after it has ended, callers do.
    pub(crate) heard: bool,
}
