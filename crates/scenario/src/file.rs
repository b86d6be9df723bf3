//! The file as a user types it: one definition for reading, for writing and for the JSON schema.
//!
//! Keys are TOML keys in kebab case. Values are [`Lax`]: text that does not mean what its key wants is
//! kept with the reason, so that all such mistakes of a file are reported at once.

mod change;
mod expectation;
mod external;
#[cfg(feature = "schema")]
mod json_schema;
mod kind;
mod lax;
mod lock;
mod machine;
mod own;
mod parameter;
mod processor_list;
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
#[cfg(feature = "schema")]
pub(crate) use json_schema::ScenarioFile;
pub(crate) use kind::KindFile;
pub(crate) use lax::{Lax, Raw, Scalar};
pub(crate) use lock::LockFile;
pub(crate) use machine::{
    CacheFile, CostsFile, InterruptsFile, MachineFile, Processors, SpeedFile, StationFile,
};
pub(crate) use parameter::wanted;
pub(crate) use program::{PhaseFile, ProgramFile};
pub(crate) use requirements::{RequirementsFile, WithRequirements, requirement_keys};
pub(crate) use scalar::{Cap, Due, Frequency, Kib, Range};
pub(crate) use scheduler::{ParentFile, SchedulerFile, own_keys};
pub(crate) use steps::StepFile;
pub(crate) use text_or::TextOr;
pub(crate) use thread::{
    AfterFile, InsteadFile, PeriodicFile, RecordedFile, SporadicFile, ThreadFile,
};
pub(crate) use values::{Cycle, SpinText};

use serde::{Deserialize, Serialize};
use windfall_time::{Instant, Span};

/// The keys of a scenario outside its tables.
#[derive(Serialize, Deserialize, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(title = "Windfall scenario", rename = "Scenario"))]
pub(crate) struct HeadFile {
    /// The version of this format: 2.
    pub(crate) schema: Option<Lax<u64>>,
    /// A file that supplies the keys missing here; it inherits nothing itself.
    pub(crate) inherits: Option<Lax<String>>,
    /// The question that the scenario is to answer.
    pub(crate) question: Option<Lax<String>>,
    /// The answer that its author found.
    pub(crate) answer: Option<Lax<String>>,
    /// The seed of all random numbers; 1 when absent.
    pub(crate) seed: Option<Lax<u64>>,
    /// The time shown by the clock at the beginning.
    pub(crate) epoch: Option<Lax<Instant>>,
    /// Its length.
    pub(crate) length: Option<Lax<Span>>,
    /// The scheduler of threads that name no parent; the first one when absent.
    pub(crate) default: Option<Lax<String>>,
}
