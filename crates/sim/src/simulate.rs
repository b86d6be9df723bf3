//! A scenario simulated from its beginning to its end, and judged.

use crate::simulation::Simulation;
use crate::unsupported::UnsupportedPlan;
use core::fmt;
use windfall_scenario::outcome::{Outcome, Verdict, holds, judge};
use windfall_scenario::{Diagnostics, Scenario};

/// What a simulation came to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Simulated {
    /// What was counted, and how each promise fared.
    pub outcome: Outcome,
    /// What the scenario expects, and what was found, in the order of the scenario.
    pub expectations: Vec<Verdict>,
}

impl Simulated {
    /// Whether every expectation and every promise held, every thread was admitted, and no scheduler broke a rule.
    #[must_use]
    pub fn holds(&self) -> bool {
        holds(&self.outcome, &self.expectations)
    }
}

/// Why a scenario cannot be simulated.
#[derive(Debug)]
#[non_exhaustive]
pub enum SimulationError {
    /// The scenario has mistakes, or its schedulers refuse what it asks.
    Scenario(Diagnostics),
    /// Its machine, or one of its programs, cannot be simulated.
    Unsupported(UnsupportedPlan),
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimulationError::Scenario(mistakes) => mistakes.fmt(f),
            SimulationError::Unsupported(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for SimulationError {}

impl From<Diagnostics> for SimulationError {
    fn from(mistakes: Diagnostics) -> SimulationError {
        SimulationError::Scenario(mistakes)
    }
}

impl From<UnsupportedPlan> for SimulationError {
    fn from(why: UnsupportedPlan) -> SimulationError {
        SimulationError::Unsupported(why)
    }
}

/// Simulates a scenario to its end; its promises and its expectations are judged.
///
/// # Errors
/// Every mistake of [`Scenario::build`], and a machine or a program that cannot be simulated.
///
/// ```
/// use windfall_scenario::Scenario;
/// use windfall_sim::simulate;
///
/// let text = r#"
/// schema = 2
/// length = "1 s"
/// schedulers.res = { scheduler = "rez", parent = "top" }
/// threads.audio  = { parent = "res", guarantee = "RESBH 2ms 5ms", run = "spin" }
/// "#;
/// let simulated = simulate(&Scenario::parse("audio.toml", text)?)?;
/// assert!(simulated.holds());
/// assert_eq!(simulated.outcome.promises.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(scenario: &Scenario) -> Result<Simulated, SimulationError> {
    let mut simulation = Simulation::of(scenario)?;
    simulation.run_until(simulation.end());
    let outcome = simulation.finish();
    let expectations = judge(scenario, &outcome);
    Ok(Simulated { outcome, expectations })
}
