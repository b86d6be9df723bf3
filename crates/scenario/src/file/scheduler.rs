//! `[schedulers.NAME]`.

use super::lax::Lax;
use super::requirements::{HasRequirements, WithRequirements, scheduler_requirement_keys};
use super::text_or::TextOr;
use serde::{Deserialize, Serialize};

/// A scheduler; keys beside these are settings of its kind.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Scheduler", extend("additionalProperties" = true)))]
pub(crate) struct SchedulerFile {
    /// Its kind: `rez`, `edf`, ...
    pub(crate) scheduler: Option<Lax<String>>,
    /// Its parent: `top` or the name of a scheduler.
    pub(crate) parent: Option<Lax<String>>,
    /// Its parents in order, instead of `parent`.
    pub(crate) parents: Option<Vec<TextOr<WithRequirements<ParentFile>>>>,
    /// The number of its own virtual processors at its parent.
    pub(crate) processors: Option<Lax<u16>>,
}

impl HasRequirements for SchedulerFile {
    const OF_THREADS: bool = false;
}

/// One of several parents.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Parent"))]
pub(crate) struct ParentFile {
    /// `top` or the name of a scheduler.
    pub(crate) parent: Option<Lax<String>>,
}

impl HasRequirements for ParentFile {
    const OF_THREADS: bool = false;
}

/// The keys of a scheduler that are not settings.
pub(crate) fn own_keys() -> impl Iterator<Item = &'static str> + Clone {
    ["scheduler", "parent", "parents", "processors"].into_iter().chain(scheduler_requirement_keys())
}
