//! Where the time went in jobs of the audio program that took longer than their period.

use crate::claimed::machine::WINDFALL;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::Command;

/// Nanoseconds by who had them, over all rounds.
#[derive(Default)]
pub(crate) struct Culprits(BTreeMap<String, u64>);

impl Culprits {
    /// Adds what ran instead of the audio program in a round, by its trace.
    pub(crate) fn add(&mut self, trace: &Path) -> Result<(), String> {
        let mut command = Command::new(WINDFALL);
        command.args(["explain", "--json", "--all", "--thread", "audio*"]);
        command.args(["--longer-than", "2667us"]).arg(trace);
        let output = command.output().map_err(|e| e.to_string())?; // its status says that there are misses
        let found: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
        visit(&found, &mut |part: &Value| {
            let name = match part["thread"]["scheduler"].is_null() {
                true => part["thread"]["name"].as_str(),
                false => Some("threads of the run"),
            };
            let name = if part["part"] == "behind-thread" { name } else { part["part"].as_str() };
            *self.0.entry(name.unwrap_or("?").to_owned()).or_default() +=
                part["span_ns"].as_u64().unwrap_or(0);
        });
        Ok(())
    }
}

/// Calls for each part of each episode's account.
fn visit(value: &Value, add: &mut impl FnMut(&Value)) {
    for thread in value["threads"].as_array().into_iter().flatten() {
        for episode in thread["explained"].as_array().into_iter().flatten() {
            episode["account"]["parts"].as_array().into_iter().flatten().for_each(&mut *add);
        }
    }
}

impl fmt::Display for Culprits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<(&String, &u64)> = self.0.iter().collect();
        parts.sort_by_key(|(_, span)| std::cmp::Reverse(**span));
        write!(f, "in jobs that took longer than their period:")?;
        parts.iter().try_for_each(|(name, span)| write!(f, "\n  {:>9} us  {name}", *span / 1000))
    }
}
