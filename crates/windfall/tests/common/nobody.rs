//! The command as a user without rights has it.

use rustix::process::geteuid;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use windfall_skips::{Needs, skip};

/// The output of a copy that everybody can run, started as such a user; `None`, with a message, where nobody may become
/// one.
#[track_caller]
pub(crate) fn run(arguments: &[&str]) -> Option<Output> {
    static COPIES: AtomicU32 = AtomicU32::new(0);
    if !geteuid().is_root() {
        skip(Needs::Real, "only root can become a user without rights");
        return None;
    }
    let copy = COPIES.fetch_add(1, Ordering::Relaxed);
    let name = format!("windfall-nobody-{}-{copy}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a folder is made");
    let copy = folder.join("windfall");
    // By another process: a process that another test starts meanwhile would inherit the open copy, which cannot be executed then.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_windfall")).arg(&copy).status();
    assert!(copied.expect("`cp` is executed").success(), "the command is copied");
    let output = Command::new(&copy).args(arguments).uid(65_534).gid(65_534).output();
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    Some(output.expect("the copy is executed"))
}
