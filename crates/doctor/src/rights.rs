//! The rights of this process, and how to get those that are missing.

use super::{Check, Facts, State};
use std::path::Path;
use windfall_observe::{procfs, supervision};
use windfall_os::error::RIGHTS;
use windfall_os::probe;

pub(super) const CAP_DAC_OVERRIDE: u32 = 1;
const CAP_IPC_LOCK: u32 = 14;
const CAP_SYS_ADMIN: u32 = 21;
pub(super) const CAP_SYS_NICE: u32 = 23;
const CAP_SYS_RESOURCE: u32 = 24;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

const CAP_SYSLOG: u32 = 34;

const NAMES: [(u32, &str); 8] = [
    (CAP_SYS_NICE, "CAP_SYS_NICE"),
    (CAP_PERFMON, "CAP_PERFMON"),
    (CAP_BPF, "CAP_BPF"),
    (CAP_SYS_ADMIN, "CAP_SYS_ADMIN"),
    (CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE"),
    (CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"),
    (CAP_IPC_LOCK, "CAP_IPC_LOCK"),
    (CAP_SYSLOG, "CAP_SYSLOG"),
];

pub(super) fn checks(facts: &Facts) -> Vec<Check> {
    const PURPOSE: &str = "rights";
    vec![
        Check::new(PURPOSE, "capabilities", held(facts).0, held(facts).1).remedy(RIGHTS),
        priorities(facts),
        memory(facts),
        log(PURPOSE),
        rtkit(),
    ]
}

/// Room for the restore log, without which no run begins.
fn log(purpose: &'static str) -> Check {
    let folder = Path::new(supervision::FOLDER);
    let above = folder.parent().filter(|_| !folder.exists());
    let (needed, place) = (supervision::SPACE >> 20, above.unwrap_or(folder));
    let (state, found) = match probe::room_in(place) {
        Ok(room) if room >= supervision::SPACE => {
            (State::Yes, format!("room in {}", place.display()))
        }
        Ok(room) => (State::No, format!("{} MB are free in {}", room >> 20, place.display())),
        Err(why) => (State::No, format!("{}: {why}", place.display())),
    };
    Check::new(purpose, "restore log", state, found)
        .remedy(format!(
            "free {needed} MB there; for other users root makes {}, or a line for tmpfiles.d: `d {} 0770 root GROUP`",
            folder.display(),
            folder.display(),
        ))
        .needed()
}

/// The capabilities that matter, and whether those that `run` uses are among them.
fn held(facts: &Facts) -> (State, String) {
    let has = |n: &u32| facts.can(*n);
    let names: Vec<&str> =
        NAMES.iter().filter(|(number, _)| has(number)).map(|(_, name)| *name).collect();
    let state = match [CAP_SYS_NICE, CAP_PERFMON].iter().filter(|n| has(n)).count() {
        2 => State::Yes,
        1 => State::Limited,
        _ => State::No,
    };
    let found =
        if names.is_empty() { "none of those that matter".into() } else { names.join(", ") };
    (state, found)
}

fn priorities(facts: &Facts) -> Check {
    let limit = probe::priority_limit();
    let limit = if limit == u64::MAX { "unlimited".to_owned() } else { limit.to_string() };
    let found = format!("limit {limit}");
    let (state, found) = match limit.as_str() {
        "0" if facts.can(CAP_SYS_NICE) => {
            (State::Yes, format!("{found}, not needed with CAP_SYS_NICE"))
        }
        "0" => (State::No, found),
        _ => (State::Yes, found),
    };
    Check::new("rights", "RLIMIT_RTPRIO", state, found)
        .remedy("`@audio - rtprio 95` in /etc/security/limits.d, then log in again")
}

fn memory(facts: &Facts) -> Check {
    let limit = probe::memory_limit();
    let all = limit == u64::MAX || facts.can(CAP_IPC_LOCK);
    let state = if all { State::Yes } else { State::Limited };
    let found = match limit {
        u64::MAX => "unlimited".to_owned(),
        bytes if facts.can(CAP_IPC_LOCK) => {
            format!("{} KiB, not needed with CAP_IPC_LOCK", bytes / 1024)
        }
        bytes => format!("{} KiB; page faults may delay decisions", bytes / 1024),
    };
    Check::new("rights", "RLIMIT_MEMLOCK", state, found)
        .remedy("`@audio - memlock unlimited` in /etc/security/limits.d, then log in again")
}

/// rtkit gives single threads low real-time priorities; it is no way to supervise others.
fn rtkit() -> Check {
    let runs = procfs::processes()
        .into_iter()
        .any(|pid| procfs::stat(pid).is_some_and(|stat| stat.comm == "rtkit-daemon"));
    let unit = "usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service";
    let found = match (runs, Path::new("/").join(unit).exists()) {
        (true, _) => "runs; gives priorities up to 20, too low for `windfall run`",
        (false, true) => "installed; gives priorities up to 20, too low for `windfall run`",
        (false, false) => "not present; not needed",
    };
    Check::new("rights", "rtkit", State::Yes, found.to_owned())
}
