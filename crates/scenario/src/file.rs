//! What a user types: one definition for reading, for writing and for the JSON schema.
//!
//! Keys are TOML keys in kebab case. Values are [`Lax`]: text that does not mean what its key wants is
//! kept with the reason, so that all such mistakes of a file are told at once.

mod change;
mod expectation;
mod external;
mod lax;
mod machine;
mod parameter;
mod program;
mod requirements;
mod scalar;
mod scheduler;
mod steps;
mod text_or;
mod thread;
mod value_error;
mod values;

pub(crate) use change::AtFile;
pub(crate) use expectation::ExpectFile;
pub(crate) use external::{Command, MatchFile};
pub(crate) use lax::{Lax, Raw, Scalar};
pub(crate) use machine::{
    CacheFile, CostsFile, InterruptsFile, MachineFile, Processors, SpeedFile,
};
pub(crate) use parameter::wanted;
pub(crate) use program::ProgramFile;
pub(crate) use requirements::{RequirementsFile, WithRequirements, requirement_keys};
pub(crate) use scalar::{Cap, Due, Frequency, Kib, Range};
pub(crate) use scheduler::{ParentFile, SchedulerFile, own_keys};
pub(crate) use steps::{PhaseFile, StepFile, WORDS};
pub(crate) use text_or::TextOr;
pub(crate) use thread::{AfterFile, PeriodicFile, RecordedFile, SporadicFile, ThreadFile};
pub(crate) use values::{Cycle, SpinText};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windfall_time::{Instant, Span};

/// The keys of a scenario outside its tables.
#[derive(Serialize, Deserialize, JsonSchema, Default, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(title = "Windfall scenario", rename = "Scenario")]
pub(crate) struct HeadFile {
    /// The version of this format: 2.
    pub(crate) schema: Option<Lax<u64>>,
    /// A file whose keys hold where this one has none; it inherits nothing itself.
    pub(crate) inherits: Option<Lax<String>>,
    /// What the scenario is to find out.
    pub(crate) question: Option<Lax<String>>,
    /// What its author found.
    pub(crate) answer: Option<Lax<String>>,
    /// Where all random numbers come from; 1 when absent.
    pub(crate) seed: Option<Lax<u64>>,
    /// What the clock shows at the beginning.
    pub(crate) epoch: Option<Lax<Instant>>,
    /// How long it lasts.
    pub(crate) length: Option<Lax<Span>>,
    /// The scheduler of threads that name no parent; the first one when absent.
    pub(crate) default: Option<Lax<String>>,
}

/// A machine, its schedulers, its threads, what happens to them, and what must come of it.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(title = "Windfall scenario", rename = "Scenario")]
#[expect(dead_code, reason = "the shape of the file; read piece by piece")]
pub(crate) struct ScenarioFile {
    #[serde(flatten)]
    head: HeadFile,
    /// The machine.
    machine: Option<MachineFile>,
    /// Who takes processor time without being a thread.
    interrupts: Option<Vec<InterruptsFile>>,
    /// The schedulers by name.
    schedulers: Option<BTreeMap<String, WithRequirements<SchedulerFile>>>,
    /// Programs by name, which threads run that name them.
    programs: Option<BTreeMap<String, ProgramFile>>,
    /// The threads by name.
    threads: Option<BTreeMap<String, WithRequirements<ThreadFile>>>,
    /// What users ask for while it runs.
    at: Option<Vec<WithRequirements<AtFile>>>,
    /// What must hold at the end.
    expect: Option<Vec<ExpectFile>>,
}
