//! Sets up a simulation: a host with a simulated machine.

use crate::machine::SimMachine;
use crate::simulation::Simulation;
use crate::unsupported::UnsupportedPlan;
use windfall_hierarchy::Hierarchy;
use windfall_host::Host;
use windfall_programs::{CallKind, Station};
use windfall_scenario::model::{self, Machine, StationCall};
use windfall_scenario::outcome::{Outcome, Promise};
use windfall_scenario::{Plan, PlannedInterrupts, PlannedThread};
use windfall_time::Instant;
use windfall_trace::Sink;

/// Which calls of processes visit which stations.
fn call_visits(stations: &[model::Station]) -> impl Iterator<Item = (CallKind, Station)> + '_ {
    stations.iter().enumerate().flat_map(|(number, station)| {
        station.calls.iter().filter_map(move |call| match call {
            StationCall::Process(kind) => Some((*kind, Station(number))),
            _ => None,
        })
    })
}

/// A simulation that is being set up.
pub struct Sim<'a> {
    host: Host<SimMachine<'a>>,
    /// Description of the machine, for the outcome.
    words: String,
}

/// Makes a simulated machine for a hierarchy.
fn simulated<'a>(
    machine: &Machine,
    hierarchy: &Hierarchy,
    seed: u64,
    sink: Option<&'a mut (dyn Sink + Send)>,
) -> Result<SimMachine<'a>, UnsupportedPlan> {
    let simulated = SimMachine::new(machine, seed, sink)?;
    let (machine, hierarchy) = (simulated.cpus.len(), usize::from(hierarchy.processors()));
    if machine == 0 || machine != hierarchy {
        return Err(UnsupportedPlan::Processors { machine, hierarchy });
    }
    Ok(simulated)
}

fn words(machine: &Machine, seed: u64) -> String {
    format!("{machine}, simulated, seed {seed}")
}

impl<'a> Sim<'a> {
    /// Makes a simulation of a machine and of a hierarchy that has its schedulers and no threads yet.
    ///
    /// # Errors
    /// If the machine has no processors, or not as many as the hierarchy, or if its speeds have no common measure that fits.
    pub fn new(
        machine: Machine,
        hierarchy: Hierarchy,
        seed: u64,
        sink: Option<&'a mut (dyn Sink + Send)>,
    ) -> Result<Sim<'a>, UnsupportedPlan> {
        let simulated = simulated(&machine, &hierarchy, seed, sink)?;
        let host = Host::new(simulated, hierarchy, machine.timer, seed);
        Ok(Sim { host, words: words(&machine, seed) })
    }

    /// Makes a simulation of a scenario's plan, whose promises are judged.
    ///
    /// # Errors
    /// If the plan's machine, or one of its threads, cannot be simulated; see [`new`](Self::new) and [`add`](Self::add).
    pub fn of(
        plan: Plan,
        sink: Option<&'a mut (dyn Sink + Send)>,
    ) -> Result<Sim<'a>, UnsupportedPlan> {
        let visits: Vec<_> = call_visits(&plan.machine.stations).collect();
        let mut simulated = simulated(&plan.machine, &plan.hierarchy, plan.seed, sink)?;
        if let Some(costs) = plan.processes.node_costs {
            simulated.set_node_costs(costs);
        }
        let reckoned = (plan.machine.timer, plan.seed);
        let host =
            Host::with_processes(simulated, plan.hierarchy, reckoned, plan.processes, visits);
        let mut sim = Sim { host, words: words(&plan.machine, plan.seed) };
        sim.host.planned_by(plan.live, plan.shares);
        for thread in plan.threads {
            sim.add(thread)?;
        }
        for interrupts in plan.interrupts {
            sim.interrupt(interrupts);
        }
        for (at, request) in plan.requests {
            sim.host.at(at, request);
        }
        for (barrier, parties) in plan.barriers {
            sim.host.barrier(barrier, parties);
        }
        for lock in &plan.locks {
            sim.host.lock(lock);
        }
        for (thread, limit) in plan.watched {
            sim.host.watch_intervals(thread, limit);
        }
        sim.judge_promises(&plan.promises);
        Ok(sim)
    }

    /// Adds a thread, which is created at its start. Returns its number.
    ///
    /// # Errors
    /// If it is an external program without a description of what it does.
    pub fn add(&mut self, spec: PlannedThread) -> Result<usize, UnsupportedPlan> {
        let Some(program) = spec.program.declared().cloned() else {
            return Err(UnsupportedPlan::Unknown { thread: spec.name });
        };
        Ok(self.host.add(spec, &program))
    }

    /// Adds a source of interrupts.
    pub fn interrupt(&mut self, interrupts: PlannedInterrupts) {
        if let Some((device, datum)) = interrupts.device {
            self.host.device(device, datum);
        }
        self.host.machine.interrupt(interrupts);
    }

    /// Has these promises judged instead of the plan's. Promises to unknown owners are left out.
    pub fn judge_promises(&mut self, promises: &[Promise]) {
        self.host.judge_promises(promises);
    }

    /// Begins a run until `end`; releases and completions at that very instant count.
    #[must_use]
    pub fn begin(self, end: Instant) -> Simulation<'a> {
        Simulation::new(self.host, self.words, end)
    }

    /// Runs until `end`; releases and completions at that very instant count. Calls `progress` every 65,536 steps, and stops early if
    /// it returns false.
    #[must_use]
    pub fn run(self, end: Instant, mut progress: impl FnMut(Instant) -> bool) -> Outcome {
        let mut simulation = self.begin(end);
        let mut steps: u32 = 0;
        while let Some(at) = simulation.step() {
            steps = steps.wrapping_add(1);
            if steps & 0xffff == 0 && !progress(at) {
                return simulation.finish();
            }
        }
        simulation.run_until(end);
        simulation.finish()
    }
}
