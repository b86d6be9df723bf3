//! Whether threads of this machine can be supervised, as `windfall doctor` has it; tests that need them ask here.

use serde_json::Value;
use std::process::Command;

/// Whether `windfall run` works here; says what is missing where it does not.
pub(crate) fn is_ready() -> bool {
    let doctor = Command::new(env!("CARGO_BIN_EXE_windfall")).args(["doctor", "--json"]).output();
    let output = doctor.expect("the command can be started");
    let found: Value = serde_json::from_slice(&output.stdout).expect("it tells in JSON");
    if found["ready"] == true {
        return true;
    }
    let lacks = |check: &&Value| check["needed"] == true && check["state"] != "yes";
    let lacking = found["checks"].as_array().into_iter().flatten().filter(lacks);
    let lacking: Vec<String> =
        lacking.map(|check| format!("{}: {}", check["subject"], check["found"])).collect();
    println!("skipped: `windfall run` does not work here: {}", lacking.join("; "));
    false
}
