//! Collects threads that wait at opened gates, to be woken before the lock is given up.

use crate::threads::body::InProcess;
use std::sync::Arc;
use windfall_os::futex::Gate;

/// Gates that were opened, and whose threads have not been woken.
#[derive(Default)]
pub(crate) struct Wakes(Vec<Wake>);

/// A thread that waits at an opened gate.
enum Wake {
    InProcess(Arc<InProcess>),
    Service(Arc<Gate>),
}

impl Wakes {
    /// Opens the gate of a thread that serves the run.
    pub(crate) fn open(&mut self, gate: &Arc<Gate>) {
        if gate.open() {
            self.0.push(Wake::Service(gate.clone()));
        }
    }

    /// Opens the gate of a thread that runs a program of the scenario.
    pub(crate) fn open_in_process(&mut self, own: Arc<InProcess>) {
        if own.gate.open() {
            self.0.push(Wake::InProcess(own));
        }
    }

    /// Wakes all of them.
    pub(crate) fn wake_all(&mut self) {
        for wake in self.0.drain(..) {
            match wake {
                Wake::InProcess(own) => own.gate.wake(),
                Wake::Service(gate) => gate.wake(),
            }
        }
    }
}
