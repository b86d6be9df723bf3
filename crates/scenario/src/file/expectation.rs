//! `[[expect]]`.

use super::lax::Lax;
use crate::model::Level;
use serde::{Deserialize, Serialize};
use windfall_time::Span;

/// A bound on a quantity.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Expect"))]
pub(crate) struct ExpectFile {
    /// Whose and what, as `a.response.max`, `bg-*.received`, `machine.idle`.
    pub(crate) what: Option<Lax<String>>,
    /// Which intervals are counted, with `intervals`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) above: Option<Lax<Span>>,
    /// Not more than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at_most: Option<Lax<Level>>,
    /// Not less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at_least: Option<Lax<Level>>,
    /// Exactly this, or as near as `within` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) equals: Option<Lax<Level>>,
    /// How far from `equals` it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) within: Option<Lax<Level>>,
    /// Why the number is that number.
    pub(crate) because: Option<Lax<String>>,
}
