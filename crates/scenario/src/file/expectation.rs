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
    /// Subject and quantity, as `a.response.max`, `bg-*.received`, `machine.idle`.
    pub(crate) what: Option<Lax<String>>,
    /// Which intervals are counted, with `intervals`.
    pub(crate) above: Option<Lax<Span>>,
    /// Not more than this.
    pub(crate) at_most: Option<Lax<Level>>,
    /// Not less than this.
    pub(crate) at_least: Option<Lax<Level>>,
    /// Exactly this, or as near as `within` says.
    pub(crate) equals: Option<Lax<Level>>,
    /// How far from `equals` it may be.
    pub(crate) within: Option<Lax<Level>>,
    /// Why the number is that number.
    pub(crate) because: Option<Lax<String>>,
}
