//! Phases and steps of a thread, as rt-app has them.

use super::lax::Lax;
use super::scalar::Range;
use super::text_or::TextOr;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windfall_programs::Tick;
use windfall_time::Span;

/// Steps with a name, repeated before the next phase.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Default, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(rename = "Phase")]
pub(crate) struct PhaseFile {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<Lax<String>>,
    /// How often; once when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) loops: Option<Lax<u64>>,
    /// The steps.
    pub(crate) steps: Option<Vec<TextOr<StepFile>>>,
}

/// One step: exactly one of these keys (`wait` with `lock`; `timer` with `name` and `mode`), or one of
/// the words `job`, `yield` and `suspend`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Default, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(rename = "Step")]
pub(crate) struct StepFile {
    /// Computes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<Lax<Range>>,
    /// Waits so long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sleep: Option<Lax<Span>>,
    /// Waits for the next tick of a timer with this period, counted from when the thread began; a job
    /// ends and the next begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timer: Option<Lax<Span>>,
    /// Which timer; `timer` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<Lax<String>>,
    /// What a late arrival does to the timer's grid: `relative` (when absent) or `absolute`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<Lax<Tick>>,
    /// Takes a lock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lock: Option<Lax<String>>,
    /// Gives a lock back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unlock: Option<Lax<String>>,
    /// Waits for a condition, with `lock`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) wait: Option<Lax<String>>,
    /// Wakes the longest waiting thread of a condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signal: Option<Lax<String>>,
    /// Wakes all threads that wait for a condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) broadcast: Option<Lax<String>>,
    /// Waits until all threads that use this barrier have arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) barrier: Option<Lax<String>>,
    /// Resumes a suspended thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resume: Option<Lax<String>>,
}
