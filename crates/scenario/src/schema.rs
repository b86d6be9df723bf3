//! The JSON schema of a scenario file, for editors.

use crate::file::ScenarioFile;
use serde_json::Value;
use windfall_schedulers::parameters;

/// The JSON schema of a scenario file, made from the types that read it; ends with a line feed.
#[must_use]
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(ScenarioFile);
    if let Some(Value::Object(types)) = schema.get_mut("$defs") {
        types.values_mut().for_each(describe);
    }
    let text = serde_json::to_string_pretty(&schema).unwrap_or_else(|_| "{}".to_owned());
    text + "\n"
}

/// Says of each parameter what it means, where a type has those of a child.
fn describe(of: &mut Value) {
    let Some(Value::Object(keys)) = of.get_mut("properties") else { return };
    if !keys.contains_key("guarantee") {
        return;
    }
    for parameter in parameters::ALL {
        if let Some(Value::Object(key)) = keys.get_mut(parameter.key) {
            key.insert("description".to_owned(), parameter.help.into());
        }
    }
}
