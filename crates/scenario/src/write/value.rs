//! Values of a file, as several parts of it are written.

use crate::file::{Lax, RequirementsFile};
use crate::model::Requirements;
use serde::Serialize;
use toml::Value;

/// The requirements at a parent, as they are written.
pub(super) fn requirements(requires: &Requirements) -> RequirementsFile {
    RequirementsFile {
        guarantee: requires.guarantee.and_then(Lax::good),
        parameters: requires.parameters().map(|(key, value)| (key, Lax(Ok(value)))).collect(),
    }
}

/// A file type as a TOML value. Everything here is made of sound values, so this does not fail.
pub(super) fn value(file: &impl Serialize) -> Value {
    Value::try_from(file).unwrap_or_else(|_| Value::Table(toml::Table::new()))
}
