//! The supervisor: a host that drives this machine, behind one lock.
//!
//! The event loop, a fence, or an in-process program in its own call holds the lock, and settles everything that is due before it
//! gives the lock back. Other threads have the event loop do what they need (`calls.rs`). Decisions are carried out last, because
//! a thread that is raised may take the processor from the thread that holds the lock.

use crate::supervise::linux::Linux;
use std::collections::VecDeque;
use std::sync::Arc;
use windfall_host::Host;
use windfall_os::lock::Lock;
use windfall_time::Instant;

/// Everything that the lock covers.
pub(crate) struct Supervisor {
    pub(crate) host: Host<Linux>,
    /// Calls that other threads have queued for the event loop.
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

    /// Adds a remark on something that went wrong, unless the same text is already there.
    pub(crate) fn say_once(&mut self, why: String) {
        if !self.host.log.refused.iter().any(|(_, before)| *before == why) {
            let now = self.time();
            self.host.log.refused.push((now, why));
        }
    }
}

/// A call to be made under the supervisor's lock.
type Call = Box<dyn FnOnce(&mut Supervisor) + Send>;

/// The queue of calls. Its own lock is held for nanoseconds, and lends the event loop's priority to its holder.
pub(crate) type Calls = Arc<Lock<Left>>;

/// The queued calls.
#[derive(Default)]
pub(crate) struct Left {
    pub(crate) calls: VecDeque<Call>,
    /// Whether the event loop carries calls out. Before it begins and after it has ended, callers do.
    pub(crate) heard: bool,
}
