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
    /// With `intervals`: only longer ones are counted.
    pub(crate) above: Option<Lax<Span>>,
    /// The greatest allowed value.
    pub(crate) at_most: Option<Lax<Level>>,
    /// The least allowed value.
    pub(crate) at_least: Option<Lax<Level>>,
    /// The exact value, or one within `within` of it.
    pub(crate) equals: Option<Lax<Level>>,
    /// The allowed distance from `equals`.
    pub(crate) within: Option<Lax<Level>>,
    /// The reason for the number.
    pub(crate) because: Option<Lax<String>>,
}
