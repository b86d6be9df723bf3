//! Processes of others that come and go in thousands do not disturb a run.
//!
//! Needs root (real-time priorities, tracepoints); says so and passes where it is missing. 8 s unless
//! `WINDFALL_STORM` says for how many seconds.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/real.rs"]
mod real;
#[path = "common/taken.rs"]
mod taken;

use serde_json::Value;
use std::fs;
use std::process::{Child, Command};
use std::time::Duration;

const RUN: &str = r#"
schema = 2
seed   = 1
[schedulers.root]
scheduler = "fixed-priority"
parent    = "top"
[schedulers.res]
scheduler = "rez"
parent    = "root"
priority  = 2
[schedulers.ps]
scheduler = "proportional-share"
parent    = "root"
priority  = 1
[threads.periodic]
parent    = "res"
guarantee = "RESBH 3ms 10ms"
periodic  = "2ms/10ms"
[threads.program]
parent = "ps"
exec   = ["sh", "-c", "while :; do :; done"]
"#;

/// Shells that do nothing but make processes, and end with this.
struct Storm(Vec<Child>);

impl Storm {
    fn begin() -> Storm {
        let shell = || Command::new("sh").args(["-c", "while :; do (:); done"]).spawn().unwrap();
        Storm((0..4).map(|_| shell()).collect())
    }
}

impl Drop for Storm {
    fn drop(&mut self) {
        for shell in &mut self.0 {
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}

/// How many processes and threads were ever made on this machine.
fn made() -> u64 {
    let text = fs::read_to_string("/proc/stat").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("processes "));
    line.unwrap().parse().unwrap()
}

#[test]
fn law_a_storm_of_forks_by_others_does_not_end_a_run() {
    if !real::is_ready() {
        return;
    }
    let requested = std::env::var("WINDFALL_STORM").ok().and_then(|n| n.parse::<u64>().ok());
    let seconds = requested.unwrap_or(8);
    let file = std::env::temp_dir().join(format!("windfall-storm-{}.toml", std::process::id()));
    fs::write(&file, RUN.replace("seed   = 1", &format!("seed = 1\nlength = \"{seconds}s\"")))
        .unwrap();
    let storm = Storm::begin();
    let before = made();
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.arg("run").arg(&file).arg("--json");
    let output = taken::once_free(|| command.output().unwrap());
    let rate = (made() - before) / seconds;
    drop(storm);
    let _ = fs::remove_file(file);
    let Some(output) = output else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    let outcome: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {errors}"));
    let supervision = &outcome["supervision"];
    let ns = |key: &str| Duration::from_nanos(supervision[key].as_u64().unwrap());
    let (lag, own) = (ns("lag_ns"), ns("lag_without_steal_ns"));
    println!(
        "{rate} forks a second for {seconds} s: {} events lost; lag {lag:?}, {own:?} while the processor was ours, which \
         stood still for {} ns",
        supervision["lost"], supervision["steal_ns"],
    );
    assert!(rate >= 1_000, "{rate} forks a second are no storm");
    assert_eq!(supervision["cut_short"], Value::Null, "{errors}");
    assert_eq!(supervision["lost"], 0);
    // What a decision takes in this build, and what a virtual machine does not tell that it took.
    let most = if requested.is_some() { 5 } else { 20 };
    assert!(own <= Duration::from_millis(most), "{own:?} late while the processor was ours");
}
