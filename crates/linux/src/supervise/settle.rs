//! All that is due happens, before the lock is given up.

use crate::supervise::supervisor::Supervisor;
use crate::threads::adopt;

/// Everything that is due happens, and the processors follow. Nothing is decided before the clock starts, and nothing after
/// the end.
pub(crate) fn settle(supervisor: &mut Supervisor) {
    if supervisor.host.machine.step.started && !supervisor.is_over() {
        adopt::forget_old_threads(supervisor);
        supervisor.host.settle(false);
    }
}
