//! How a run is to be made.

use std::path::PathBuf;
use windfall_scenario::Scenario;

/// How a run is to be made.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What the plan was made of: its promises are judged, and requests understood by it. Without it,
    /// neither happens.
    pub scenario: Option<Scenario>,
    /// What the run is called.
    pub name: String,
    /// Where it can be controlled; `None`: in the usual place.
    pub socket: Option<PathBuf>,
    /// The machine's processors that the scenario's stand for, in order; empty: the last ones.
    pub cpus: Vec<u16>,
    /// Whether own programs keep the stretches in which they see themselves running.
    pub stretches: bool,
}
