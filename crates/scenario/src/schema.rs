//! The JSON schema of a scenario file, for editors.

use crate::file::ScenarioFile;

/// The JSON schema of a scenario file, made from the types that read it; ends with a line feed.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(ScenarioFile);
    let text = serde_json::to_string_pretty(&schema).unwrap_or_else(|_| "{}".to_owned());
    text + "\n"
}
