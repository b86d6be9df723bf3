//! `[programs.NAME]`, and the same keys of a thread that has a program of its own.

use super::lax::Lax;
use super::steps::StepFile;
use super::text_or::TextOr;
use super::thread::{AfterFile, InsteadFile, PeriodicFile, RecordedFile, SporadicFile};
use super::values::SpinText;
use serde::{Deserialize, Serialize};

/// Steps with a name, repeated before the next phase.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Phase"))]
pub(crate) struct PhaseFile {
    /// Its name.
    pub(crate) name: Option<Lax<String>>,
    /// The number of repetitions; once when absent.
    pub(crate) loops: Option<Lax<u64>>,
    /// The steps.
    pub(crate) steps: Option<Vec<TextOr<StepFile>>>,
}

/// A program that several threads may run. Exactly one of `kind`, `run`, `periodic`, `sporadic`, `after`, `instead`, `steps`,
/// `phases` and `recorded`; keys beside `kind` are its settings.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Program", extend("additionalProperties" = true)))]
pub(crate) struct ProgramFile {
    /// A kind of program, as `bsat-sink`; `windfall catalogue` lists them.
    pub(crate) kind: Option<Lax<String>>,
    /// `spin` or `spin from 2s`: computes for ever.
    pub(crate) run: Option<Lax<SpinText>>,
    /// Jobs at equal distances: `3ms/10ms`, `3ms/10ms@8ms`, or a table.
    pub(crate) periodic: Option<TextOr<PeriodicFile>>,
    /// Jobs at random distances.
    pub(crate) sporadic: Option<SporadicFile>,
    /// Jobs that follow those of another thread.
    pub(crate) after: Option<AfterFile>,
    /// Jobs released in place of refused jobs of another thread, which names the thread as `else`.
    pub(crate) instead: Option<InsteadFile>,
    /// Steps, repeated.
    pub(crate) steps: Option<Vec<TextOr<StepFile>>>,
    /// Phases of steps, repeated.
    pub(crate) phases: Option<Vec<PhaseFile>>,
    /// How often `steps` or `phases` are repeated; for ever when absent.
    pub(crate) loops: Option<Lax<u64>>,
    /// The behaviour of a thread in a recorded trace.
    pub(crate) recorded: Option<RecordedFile>,
}

impl ProgramFile {
    /// The keys that say what is run, and whether each is given.
    pub(crate) fn keys(&self) -> [(&'static str, bool); 8] {
        // A key that is missing here does not compile.
        let ProgramFile {
            kind: _,
            run,
            periodic,
            sporadic,
            after,
            instead,
            steps,
            phases,
            loops: _,
            recorded,
        } = self;
        [
            ("run", run.is_some()),
            ("periodic", periodic.is_some()),
            ("sporadic", sporadic.is_some()),
            ("after", after.is_some()),
            ("instead", instead.is_some()),
            ("steps", steps.is_some()),
            ("phases", phases.is_some()),
            ("recorded", recorded.is_some()),
        ]
    }

    /// The keys that say what is run.
    pub(crate) fn names() -> [&'static str; 8] {
        ProgramFile::default().keys().map(|(key, _)| key)
    }

    /// Whether a key says what is run, or how often.
    pub(crate) fn has_key(key: &str) -> bool {
        key == "loops" || ProgramFile::names().contains(&key)
    }
}
