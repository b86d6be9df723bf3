//! Does everything that is due, before the lock is given up.

use crate::supervise::supervisor::Supervisor;
use crate::threads::adopt;

/// Does everything that is due, and has the processors follow. Does nothing before the clock starts or after the run is over.
pub(crate) fn settle(supervisor: &mut Supervisor) {
    if supervisor.host.machine.step.started && !supervisor.is_over() {
        adopt::forget_old_threads(supervisor);
        supervisor.host.settle(false);
        if supervisor.host.has_notices() {
            supervisor.host.machine.noticed.signal();
        }
    }
}
