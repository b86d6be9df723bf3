//! A simulation that advances instant by instant until its end.
//!
//! Invariant: the number of pieces in which it is carried out does not change the outcome.

use crate::machine::SimMachine;
use crate::run::Sim;
use crate::simulate::SimulationError;
use windfall_hierarchy::Processor;
use windfall_host::{Host, Machine as _};
use windfall_scenario::outcome::Outcome;
use windfall_scenario::{NoRecordings, Plan, Recordings, Scenario};
use windfall_time::Instant;

/// A simulation that has begun.
///
/// ```
/// use windfall_scenario::Scenario;
/// use windfall_sim::Simulation;
/// use windfall_time::{Instant, Span};
///
/// let text = r#"
/// schema = 2
/// length = "1 s"
/// schedulers.rr = { scheduler = "round-robin", parent = "top", quantum = "10ms" }
/// threads.a = { run = "spin" }
/// threads.b = { run = "spin" }
/// "#;
/// let mut simulation = Simulation::of(&Scenario::parse("two.toml", text)?)?;
/// simulation.run_until(Instant::ZERO + Span::from_millis(5));
/// assert_eq!(simulation.running(0), Some("a"));
/// assert_eq!(simulation.step(), Some(Instant::ZERO + Span::from_millis(10)));
/// assert_eq!(simulation.running(0), Some("b"));
/// simulation.run_until(simulation.end());
/// assert_eq!(simulation.finish().threads[0].received, Span::from_millis(500));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation<'a> {
    host: Host<SimMachine<'a>>,
    /// Description of the machine, for the outcome.
    words: String,
    end: Instant,
}

impl Simulation<'static> {
    /// Begins the simulation of a scenario, whose promises are judged.
    ///
    /// # Errors
    /// Every mistake of [`Scenario::build`], or a machine or a program that cannot be simulated.
    pub fn of(scenario: &Scenario) -> Result<Simulation<'static>, SimulationError> {
        Simulation::with_recordings(scenario, &mut NoRecordings)
    }

    /// Begins the simulation of a scenario whose threads or interrupts were recorded.
    ///
    /// # Errors
    /// As of [`of`](Simulation::of), and what `recordings` could not read.
    pub fn with_recordings(
        scenario: &Scenario,
        recordings: &mut dyn Recordings,
    ) -> Result<Simulation<'static>, SimulationError> {
        Simulation::planned(scenario.build_with(recordings)?)
    }

    pub(crate) fn planned(plan: Plan) -> Result<Simulation<'static>, SimulationError> {
        let end = Instant::ZERO + plan.length;
        Ok(Sim::of(plan, None)?.begin(end))
    }
}

impl<'a> Simulation<'a> {
    pub(crate) fn new(
        mut host: Host<SimMachine<'a>>,
        words: String,
        end: Instant,
    ) -> Simulation<'a> {
        host.begin();
        Simulation { host, words, end }
    }

    /// The instant up to which everything has happened.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.host.machine.now()
    }

    /// The instant at which it ends.
    #[must_use]
    pub const fn end(&self) -> Instant {
        self.end
    }

    /// The name of the thread on a processor; `None` if the processor is idle, or does not exist.
    #[must_use]
    pub fn running(&self, processor: u16) -> Option<&str> {
        if processor >= self.host.hierarchy.processors() {
            return None;
        }
        let id = self.host.hierarchy.running(Processor(processor));
        let has = |thread: &&windfall_host::Thread| id.is_some() && thread.id() == id;
        self.host.threads.list.iter().find(has).map(|thread| thread.outcome.name.as_str())
    }

    /// Advances to the next instant at which something happens, and through it. Returns that instant; `None` if nothing more
    /// happens before the end, or an error has ended the run.
    #[inline]
    pub fn step(&mut self) -> Option<Instant> {
        self.step_by(self.end)
    }

    /// Advances to an instant, or to the end if that comes first.
    pub fn run_until(&mut self, instant: Instant) {
        let until = instant.min(self.end);
        while self.step_by(until).is_some() {}
        if !self.host.has_failed() {
            let machine = &mut self.host.machine;
            machine.now = machine.now.max(until);
        }
    }

    #[inline]
    fn step_by(&mut self, until: Instant) -> Option<Instant> {
        if self.host.has_failed() {
            return None;
        }
        let at = self.host.machine.next_at().filter(|at| *at <= until)?;
        self.host.machine.now = at;
        self.host.settle(at == self.end);
        Some(at)
    }

    /// Closes all accounts at the present instant, and makes the outcome.
    #[must_use]
    pub fn finish(mut self) -> Outcome {
        let mut outcome = self.host.finish(self.words);
        outcome.stations = self.host.machine.station_outcomes();
        outcome
    }
}

#[cfg(test)]
mod tests;
