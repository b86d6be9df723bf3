//! A program of a kind: its kind, and among the keys beside it the settings.

use super::lax::Raw;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The key `kind` and the settings.
#[derive(Serialize, Deserialize, Clone, PartialEq, Default, Debug)]
#[serde(transparent)]
pub(crate) struct KindFile(pub(crate) BTreeMap<String, Raw>);
