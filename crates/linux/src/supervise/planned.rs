//! Makes the supervisor of a plan: its threads are in-process programs, and entries for the threads of external ones.

use crate::supervise::linux::Linux;
use crate::supervise::supervisor::{Calls, Supervisor};
use crate::threads::programs::Program;
use windfall_host::Host;
use windfall_programs::Costs;
use windfall_scenario::{Plan, PlannedProgram, PlannedThread};

/// Makes a supervisor with a plan's threads, which have not begun.
pub(crate) fn supervisor(machine: Linux, plan: Plan, calls: Calls) -> Supervisor {
    let claims: Vec<Vec<usize>> = (0..plan.threads.len()).map(|n| plan.claims(n)).collect();
    // The cost of calls is zero: real calls take time by themselves.
    let mut processes = plan.processes;
    processes.costs = Costs::default();
    let reckoned = (plan.machine.timer, plan.seed);
    let mut host = Host::with_processes(machine, plan.hierarchy, reckoned, processes, []);
    host.planned_by(plan.live, plan.shares);
    for (barrier, parties) in plan.barriers {
        host.barrier(barrier, parties);
    }
    let mut supervisor = Supervisor { host, calls, ending: false };
    add_all(&mut supervisor, plan.threads.into_iter().zip(claims));
    for lock in &plan.locks {
        supervisor.host.lock(lock);
    }
    for (thread, limit) in plan.watched {
        supervisor.host.watch_intervals(thread, limit);
    }
    for (at, request) in plan.requests {
        supervisor.host.at(at, request);
    }
    let devices = plan.interrupts.into_iter().filter_map(|source| Some((source.device?, source)));
    for (number, ((device, datum), source)) in (0_u64..).zip(devices) {
        supervisor.host.device(device, datum);
        supervisor.host.arrivals(source, plan.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }
    supervisor
}

/// Adds a plan's threads, each with the entries that may claim threads of its program.
fn add_all(
    supervisor: &mut Supervisor,
    threads: impl Iterator<Item = (PlannedThread, Vec<usize>)>,
) {
    for (thread, claims) in threads {
        match &thread.program {
            PlannedProgram::Declared(program) => {
                let program = program.clone();
                supervisor.host.add(thread, &program);
            }
            PlannedProgram::External { external, .. } => {
                let program = Program { what: external.program.clone(), claims };
                let entry = supervisor.host.add_entry(thread);
                supervisor.host.machine.external.programs.by_entry.insert(entry, program);
            }
        }
    }
}
