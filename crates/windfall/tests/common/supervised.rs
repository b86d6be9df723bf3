//! A scenario that is run on this machine, one at a time.

use crate::{real, taken};
use serde_json::Value;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// One run at a time.
pub(crate) static ALONE: Mutex<()> = Mutex::new(());

/// The result of a run of these schedulers and threads, so long; `None`, with the reason, where that cannot
/// be tried.
#[track_caller]
pub(crate) fn run(name: &str, length: &str, schedulers: &str, threads: &str) -> Option<Value> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if !real::is_ready() {
        return None;
    }
    let text = format!("schema = 2\nseed = 1\nlength = \"{length}\"\n{schedulers}{threads}");
    let file = std::env::temp_dir().join(format!("windfall-{name}-{}.toml", std::process::id()));
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.arg("run").arg(&file).arg("--json");
    let output = taken::once_free(|| command.output().unwrap());
    std::fs::remove_file(file).unwrap();
    let output = output?;
    let (errors, status) = (String::from_utf8_lossy(&output.stderr), output.status);
    let results = serde_json::from_slice(&output.stdout);
    Some(results.unwrap_or_else(|e| panic!("{e}: {status}: {errors}")))
}
