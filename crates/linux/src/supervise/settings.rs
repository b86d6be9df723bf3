//! Settings of a run.

use std::path::PathBuf;
use windfall_scenario::Scenario;

/// Settings of a run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The scenario that the plan was made of. It is needed to judge promises and to understand requests; without it, the run does
    /// neither.
    pub scenario: Option<Scenario>,
    /// Name of the run, which `ctl` shows.
    pub name: String,
    /// Path of the control socket; `None`: the usual one.
    pub socket: Option<PathBuf>,
    /// The machine's processors that stand for the scenario's, in order; empty: those that the plan names, or else the last ones.
    pub cpus: Vec<u16>,
    /// Whether in-process programs record the stretches in which they see themselves running.
    pub stretches: bool,
}
