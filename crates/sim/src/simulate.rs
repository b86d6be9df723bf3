//! Simulates a scenario from beginning to end, and judges it.

use crate::simulation::Simulation;
use crate::unsupported::UnsupportedPlan;
use core::fmt;
use windfall_scenario::outcome::{Outcome, Refused, Verdict, holds, judge};
use windfall_scenario::{Diagnostics, NoRecordings, Recordings, Scenario};

/// The result of a simulation.
#[derive(Debug)]
#[non_exhaustive]
pub struct Simulated {
    /// Accounts of every thread, scheduler and processor, and the verdict on each promise.
    pub outcome: Outcome,
    /// The verdict on each expectation, in the scenario's order.
    pub expectations: Vec<Verdict>,
    /// Guarantees that the scenario requests and the checker refuses.
    pub refused: Vec<Refused>,
}

impl Simulated {
    /// Whether every requested guarantee was granted, every expectation and every promise held, every thread was admitted, and no
    /// scheduler broke a rule.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.refused.is_empty() && holds(&self.outcome, &self.expectations)
    }
}

/// The reason why a scenario cannot be simulated.
#[derive(Debug)]
#[non_exhaustive]
pub enum SimulationError {
    /// The scenario has mistakes, or its schedulers refuse what it asks for.
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

/// Simulates a scenario to its end, and judges its promises and expectations.
///
/// # Errors
/// Every mistake of [`Scenario::build`], or a machine or a program that cannot be simulated.
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
    simulate_with(scenario, &mut NoRecordings)
}

/// Simulates a scenario whose threads or interrupts were recorded, as [`simulate`] does.
///
/// # Errors
/// As of [`simulate`], and what `recordings` could not read.
///
/// ```
/// use windfall_scenario::{Scenario, TraceFiles};
/// use windfall_sim::{SimulationError, simulate, simulate_with};
///
/// let text = r#"
/// schema = 2
/// length = "1 s"
/// schedulers.root = { scheduler = "round-robin", parent = "top" }
/// threads.audio   = { parent = "root", recorded = { file = "a.wft", thread = "audio" } }
/// "#;
/// let scenario = Scenario::parse("a.toml", text)?;
/// assert!(matches!(simulate(&scenario), Err(SimulationError::Scenario(_))));
/// // The folder of the scenario, in which there is no such file.
/// let missing = simulate_with(&scenario, &mut TraceFiles::default()).unwrap_err();
/// assert!(missing.to_string().contains("No such file"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate_with(
    scenario: &Scenario,
    recordings: &mut dyn Recordings,
) -> Result<Simulated, SimulationError> {
    let mut plan = scenario.build_with(recordings)?;
    let refused = std::mem::take(&mut plan.refused);
    let mut simulation = Simulation::planned(plan)?;
    simulation.run_until(simulation.end());
    let outcome = simulation.finish();
    let expectations = judge(scenario, &outcome);
    Ok(Simulated { outcome, expectations, refused })
}
