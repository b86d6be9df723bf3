//! The JSON schema of a scenario file, for editors.

use crate::file::ScenarioFile;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use windfall_schedulers::catalogue::KINDS;

/// The JSON schema of a scenario file, made from the types that read it and from the settings of the project's schedulers; ends with a line feed.
#[must_use]
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(ScenarioFile);
    if let Some(Value::Object(keys)) = schema.pointer_mut("/$defs/Scheduler/properties") {
        for (name, meaning) in settings() {
            keys.insert(name, meaning);
        }
    }
    let text = serde_json::to_string_pretty(&schema).unwrap_or_else(|_| "{}".to_owned());
    text + "\n"
}

/// Each setting of a scheduler, so that an editor offers it. Its values depend on the kind, so the schema leaves these to `windfall check`.
fn settings() -> impl Iterator<Item = (String, Value)> {
    let mut meanings: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for kind in KINDS {
        for setting in kind.settings {
            let default = match setting.default {
                "" => String::new(),
                default => format!("; {default} by default"),
            };
            let meaning = format!("{}: {}{default}", setting.help, setting.form);
            let named = meanings.entry(setting.name).or_default();
            named.entry(meaning).or_default().push(kind.name);
        }
    }
    meanings.into_iter().map(|(name, meanings)| {
        let lines = meanings.into_iter().map(|(meaning, kinds)| {
            let kinds: Vec<String> = kinds.into_iter().map(|kind| format!("`{kind}`")).collect();
            format!("{}: {meaning}", kinds.join(", "))
        });
        (name.to_owned(), json!({ "description": lines.collect::<Vec<_>>().join("\n") }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key of every scheduler is read as that key, so a file could not set a setting of its name.
    #[test]
    fn law_no_setting_is_called_as_a_key_of_every_scheduler() {
        let schema = schemars::schema_for!(ScenarioFile);
        let keys = schema.pointer("/$defs/Scheduler/properties").and_then(Value::as_object);
        let keys = keys.expect("schedulers have keys");
        assert!(keys.contains_key("warp") && keys.contains_key("reserve"));
        for kind in KINDS {
            for setting in kind.settings {
                assert!(!keys.contains_key(setting.name), "{} of {}", setting.name, kind.name);
            }
        }
    }
}
