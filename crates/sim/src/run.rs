//! A simulation that is being set up: a host, and its simulated machine.

use crate::machine::SimMachine;
use crate::simulation::Simulation;
use crate::unsupported::UnsupportedPlan;
use windfall_hierarchy::Hierarchy;
use windfall_host::Host;
use windfall_scenario::model::Machine;
use windfall_scenario::outcome::{Outcome, Promise};
use windfall_scenario::{Plan, PlannedInterrupts, PlannedThread};
use windfall_time::Instant;
use windfall_trace::Sink;

/// A simulation that is being set up.
pub struct Sim<'a> {
    host: Host<SimMachine<'a>>,
    /// The machine in words.
    words: String,
}

impl<'a> Sim<'a> {
    /// A machine with a hierarchy that has its schedulers, and no threads yet.
    ///
    /// # Errors
    /// When the machine has no processors, not as many as the hierarchy, or its speeds have no
    /// common measure that fits.
    pub fn new(
        machine: Machine,
        hierarchy: Hierarchy,
        seed: u64,
        sink: Option<&'a mut (dyn Sink + Send)>,
    ) -> Result<Sim<'a>, UnsupportedPlan> {
        let simulated = SimMachine::new(&machine, seed, sink)?;
        let processors = (simulated.cpus.len(), usize::from(hierarchy.processors()));
        if processors.0 == 0 || processors.0 != processors.1 {
            let (machine, hierarchy) = processors;
            return Err(UnsupportedPlan::Processors { machine, hierarchy });
        }
        let words = format!("{machine}, simulated, seed {seed}");
        Ok(Sim { host: Host::new(simulated, hierarchy, machine.timer, seed), words })
    }

    /// Everything that a scenario's plan says; what it promises is judged.
    ///
    /// # Errors
    /// When the plan's machine cannot be simulated, or one of its threads; see [`new`](Self::new) and
    /// [`add`](Self::add).
    pub fn of(
        plan: Plan,
        sink: Option<&'a mut (dyn Sink + Send)>,
    ) -> Result<Sim<'a>, UnsupportedPlan> {
        let mut sim = Sim::new(plan.machine, plan.hierarchy, plan.seed, sink)?;
        if let Some(costs) = plan.processes.node_costs {
            sim.host.machine.set_node_costs(costs);
        }
        sim.host.processes(plan.processes);
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
        for (thread, limit) in plan.watched {
            sim.host.watch_intervals(thread, limit);
        }
        sim.judge_promises(&plan.promises);
        Ok(sim)
    }

    /// Adds a thread, which is created at its start; its number.
    ///
    /// # Errors
    /// When it is a program of a real machine of which nobody has said what it does.
    pub fn add(&mut self, spec: PlannedThread) -> Result<usize, UnsupportedPlan> {
        let Some(program) = spec.program.declared().cloned() else {
            return Err(UnsupportedPlan::Unknown { thread: spec.name });
        };
        Ok(self.host.add(spec, &program))
    }

    /// Adds a source of interrupts.
    pub fn interrupt(&mut self, interrupts: PlannedInterrupts) {
        self.host.machine.interrupt(interrupts);
    }

    /// Has promises judged; those to nobody that is known are left out. They take the place of those
    /// that the plan has.
    pub fn judge_promises(&mut self, promises: &[Promise]) {
        self.host.judge_promises(promises);
    }

    /// Begins, and will end at `end`, what is released and done at that instant included.
    #[must_use]
    pub fn begin(self, end: Instant) -> Simulation<'a> {
        Simulation::new(self.host, self.words, end)
    }

    /// Runs until `end`, what is released and done at that instant included, calling `progress` now and
    /// then; stops early when it returns false.
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
