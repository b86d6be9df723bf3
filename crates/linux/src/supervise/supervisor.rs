//! The supervisor: a host that drives this machine, behind one lock.
//!
//! Whoever holds the lock settles everything that is due before giving it
//! back: the event loop, a fence, or an own program in its own call. Other threads have the event loop do what they
//! need (`calls.rs`). What is decided is carried out last, since to raise a thread may take
//! the processor from us, lock and all.

use crate::supervise::calls::Calls;
use crate::supervise::linux::Linux;
use crate::supervise::trace::Trace;
use windfall_host::Host;
use windfall_programs::Costs;
use windfall_scenario::Plan;
use windfall_time::Instant;

/// Everything that the lock covers.
pub(crate) struct Supervisor {
    pub(crate) host: Host<Linux>,
    /// What other threads of ours have left to be done.
    pub(crate) calls: Calls,
    pub(crate) ending: bool,
}

impl Supervisor {
    /// A supervisor of a plan's threads, which have not begun.
    pub(crate) fn new(machine: Linux, plan: Plan, calls: Calls) -> Supervisor {
        let claims: Vec<Vec<usize>> = (0..plan.threads.len()).map(|n| plan.claims(n)).collect();
        let mut host = Host::new(machine, plan.hierarchy, plan.machine.timer, plan.seed);
        let mut processes = plan.processes;
        processes.costs = Costs::default(); // what calls cost here they take
        host.processes(processes);
        for (barrier, parties) in plan.barriers {
            host.barrier(barrier, parties);
        }
        let mut supervisor = Supervisor { host, calls, ending: false };
        supervisor.add_threads(plan.threads.into_iter().zip(claims));
        for (thread, limit) in plan.watched {
            supervisor.host.watch_intervals(thread, limit);
        }
        for (at, request) in plan.requests {
            supervisor.host.at(at, request);
        }
        supervisor
    }

    /// The clock starts, and with it the scenario and its trace.
    pub(crate) fn start(&mut self, trace: Trace) {
        self.host.machine.start(trace);
        self.host.begin();
        self.settle();
    }

    /// The time since the run began.
    pub(crate) fn time(&self) -> Instant {
        self.host.machine.clock.time()
    }

    /// Whether the run is over, or about to be.
    pub(crate) const fn is_over(&self) -> bool {
        self.ending || self.host.has_failed()
    }

    /// Everything that is due happens, and the processors follow. Nothing is decided before the clock starts, and nothing after
    /// the end.
    pub(crate) fn settle(&mut self) {
        if self.host.machine.step.started && !self.is_over() {
            self.forget_old_threads();
            self.host.settle(false);
        }
    }

    /// Says what was not as it should be; the same only once.
    pub(crate) fn say_once(&mut self, why: String) {
        if !self.host.log.refused.iter().any(|(_, before)| *before == why) {
            let now = self.time();
            self.host.log.refused.push((now, why));
        }
    }
}
