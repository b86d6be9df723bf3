//! `[locks.NAME]`: the protocol of a lock, which decides the rank of its holder.

use super::lax::Lax;
use serde::{Deserialize, Serialize};
use windfall_programs::LockProtocol;

/// A lock that steps of threads take. One without an entry has the protocol `none`.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Lock"))]
pub(crate) struct LockFile {
    /// `inherit`: who holds it runs at the highest rank that waits; `ceiling`: at the highest that uses it; `none`: at
    /// its own.
    pub(crate) protocol: Option<Lax<LockProtocol>>,
}
