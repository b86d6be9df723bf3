//! Whether threads of this machine can be supervised, as `windfall doctor` has it; tests that need them ask here.

use serde_json::Value;
use std::process::Command;
use windfall_skips::{Needs, skip};

/// Whether `windfall run` works here; says what is missing where it does not.
#[track_caller]
pub(crate) fn is_ready() -> bool {
    let doctor = Command::new(env!("CARGO_BIN_EXE_windfall")).args(["doctor", "--json"]).output();
    let output = doctor.expect("the command can be started");
    let found: Value = serde_json::from_slice(&output.stdout).expect("it tells in JSON");
    if found["ready"] == true {
        return true;
    }
    let lacks = |check: &&Value| check["needed"] == true && check["state"] == "no";
    let lacking = found["checks"].as_array().into_iter().flatten().filter(lacks);
    let word = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
    let lacking: Vec<String> = lacking
        .map(|check| format!("{}: {}", word(check, "subject"), word(check, "found")))
        .collect();
    skip(Needs::Real, format!("`windfall run` does not work: {}", lacking.join("; ")));
    false
}
