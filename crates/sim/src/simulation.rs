//! A simulation under way: it goes on instant by instant, until its end.
//!
//! Invariant: in however many pieces it is carried out, it comes to the same.

use crate::machine::SimMachine;
use crate::run::Sim;
use crate::simulate::SimulationError;
use windfall_hierarchy::Processor;
use windfall_host::{Host, Machine as _};
use windfall_scenario::Scenario;
use windfall_scenario::outcome::Outcome;
use windfall_time::Instant;

/// A simulation under way.
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
    /// The machine in words.
    words: String,
    end: Instant,
}

impl Simulation<'static> {
    /// A simulation of a scenario, at its beginning; what it promises is judged.
    ///
    /// # Errors
    /// Every mistake of [`Scenario::build`], and a machine or a program that cannot be simulated.
    pub fn of(scenario: &Scenario) -> Result<Simulation<'static>, SimulationError> {
        let sim = Sim::of(scenario.build()?, None)?;
        Ok(sim.begin(Instant::ZERO + scenario.length))
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

    /// Until when everything has happened.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.host.machine.now()
    }

    /// When it ends.
    #[must_use]
    pub const fn end(&self) -> Instant {
        self.end
    }

    /// The name of the thread that has a processor; `None` where it is idle, or there is no such processor.
    #[must_use]
    pub fn running(&self, processor: u16) -> Option<&str> {
        if processor >= self.host.hierarchy.processors() {
            return None;
        }
        let id = self.host.hierarchy.running(Processor(processor));
        let has = |thread: &&windfall_host::Thread| id.is_some() && thread.id() == id;
        self.host.threads.list.iter().find(has).map(|thread| thread.outcome.name.as_str())
    }

    /// Goes on to the next instant at which something happens, and through it; when that was. `None`: nothing happens
    /// any more before the end, or something has ended the run.
    #[inline]
    pub fn step(&mut self) -> Option<Instant> {
        self.step_by(self.end)
    }

    /// Goes on until an instant, or to the end if that comes first.
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

    /// Closes the books where it stands.
    #[must_use]
    pub fn finish(mut self) -> Outcome {
        self.host.finish(self.words)
    }
}
