//! Who is to be told that a gate is open, before the lock is given up.

use crate::threads::body::InProcess;
use std::sync::Arc;
use windfall_os::futex::Gate;

/// Opened gates.
#[derive(Default)]
pub(crate) struct Wakes(Vec<Wake>);

/// Somebody who waits at one.
enum Wake {
    Own(Arc<InProcess>),
    Agent(Arc<Gate>),
}

impl Wakes {
    /// Opens the gate of a thread that serves the run.
    pub(crate) fn open(&mut self, gate: &Arc<Gate>) {
        if gate.open() {
            self.0.push(Wake::Agent(gate.clone()));
        }
    }

    /// Opens the gate of a thread that runs a program of the scenario.
    pub(crate) fn open_own(&mut self, own: Arc<InProcess>) {
        if own.gate.open() {
            self.0.push(Wake::Own(own));
        }
    }

    /// Tells all of them.
    pub(crate) fn tell(&mut self) {
        for wake in self.0.drain(..) {
            match wake {
                Wake::Own(own) => own.gate.wake(),
                Wake::Agent(gate) => gate.wake(),
            }
        }
    }
}
