//! The journal of systemd, by `journalctl`.
//!
//! It is asked twice: for messages of the kernel and of the journal itself, and then for the last entry of each start that they name, whatever it is, since that says how long the system ran.

use super::{Reader, unreadable};
use std::fs;
use std::io::ErrorKind;
use std::process::Command;
use windfall_reliability::sources::{
    Ending, Found, JOURNAL_STARTED, JOURNAL_STOPPED, Log, Running, SHUTDOWN, journal_json,
};

const FIELDS: &str = "--output-fields=MESSAGE,MESSAGE_ID,_TRANSPORT,_SOURCE_MONOTONIC_TIMESTAMP";

/// Messages of `journalctl` to a user who may not see the system's entries.
const HIDDEN: [&str; 2] = ["insufficient permissions", "not seeing messages from other users"];

pub(super) fn read(reader: &Reader) -> Found<Log> {
    let ids = [JOURNAL_STARTED, JOURNAL_STOPPED, SHUTDOWN].map(|id| format!("MESSAGE_ID={id}"));
    let [started, stopped, shutdown] = &ids;
    let wanted = ["_TRANSPORT=kernel", "+", started, "+", stopped, "+", shutdown];
    let messages = match entries(reader, &wanted) {
        Ok(text) => text,
        Err(without) => return without,
    };
    let log = match parsed(reader, &messages) {
        Ok(log) => log,
        Err(without) => return without,
    };
    if log.boots().is_empty() {
        return Found::NoneHere { why: "the journal has no message of the kernel".to_owned() };
    }
    let mut all = messages;
    for boot in log.boots().iter().filter(|boot| boot.ending != Ending::Running) {
        match entries(reader, &["-b", &boot.id, "-n", "1"]) {
            Ok(text) => all.push_str(&text),
            Err(without) => return without,
        }
    }
    parsed(reader, &all).map_or_else(|without| without, Found::Here)
}

fn parsed(reader: &Reader, text: &str) -> Result<Log, Found<Log>> {
    let own = fs::read_to_string(reader.root.join("proc/sys/kernel/random/boot_id"));
    let own = own.map(|id| id.trim().to_owned());
    let running = own.as_deref().ok().map(|boot| Running { boot, now: (reader.now)() });
    journal_json(text, running).map_err(|why| unreadable(format!("journal: {why}"), "report it"))
}

/// Entries as lines of JSON; or why there are none.
fn entries(reader: &Reader, wanted: &[&str]) -> Result<String, Found<Log>> {
    let (program, first) = reader
        .journalctl
        .split_first()
        .ok_or_else(|| Found::NoneHere { why: "there is no journalctl".to_owned() })?;
    let mut command = Command::new(program);
    command.args(first);
    command.args(["--no-pager", "-o", "json", FIELDS]).args(wanted).env("LC_ALL", "C");
    let output = match command.output() {
        Ok(output) => output,
        Err(why) if why.kind() == ErrorKind::NotFound => {
            return Err(Found::NoneHere { why: "there is no journalctl".to_owned() });
        }
        Err(why) => {
            return Err(unreadable(
                format!("journalctl cannot be run: {why}"),
                "install it, or allow to run it",
            ));
        }
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or_default().trim();
    let all = String::from_utf8_lossy(&output.stderr);
    if HIDDEN.iter().any(|hidden| all.contains(hidden)) {
        let remedy = "run as root, or join the group systemd-journal";
        return Err(unreadable(format!("journalctl: {said}"), remedy));
    }
    if all.contains("No journal files were found") {
        return Err(Found::NoneHere { why: "there are no journal files".to_owned() });
    }
    // Without an entry that fits it ends with 1 and says nothing.
    if !output.status.success() && !said.is_empty() {
        return Err(unreadable(
            format!("journalctl ({}): {said}", output.status),
            "try it by hand",
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
