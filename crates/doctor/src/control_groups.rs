//! Control groups: a freezer for single threads, real-time runtime, quotas.

use super::{Check, Facts, State, word};
use std::io;
use std::path::PathBuf;
use windfall_os::freezer::{self, Freezer};
use windfall_os::probe::sleep_until;
use windfall_os::{clock, process};
use windfall_time::Span;

pub(super) fn checks(facts: &Facts) -> Vec<Check> {
    vec![freezing(), group_runtime(facts), quotas()]
}

/// Freezes a child of ours as a supervised thread would be frozen.
fn freezing() -> Check {
    const SUBJECT: &str = "freezer of control groups v2";
    let check = match (freezer::mount(), frozen()) {
        (None, _) => Check::new("", SUBJECT, State::No, "version 2 is not mounted".to_owned())
            .remedy("`mount -t cgroup2 none /sys/fs/cgroup/unified`"),
        (Some(mount), Ok(())) => {
            let found = format!("{}: a child was frozen in a threaded group", mount.display());
            Check::new("", SUBJECT, State::Yes, found)
        }
        (Some(mount), Err(e)) => {
            Check::new("", SUBJECT, State::No, format!("{}: {e}", mount.display())).remedy(
                "run as root, or in a delegated group (`systemd-run --scope -p Delegate=yes`); \
                 without it, hard limits leak and the run says how much",
            )
        }
    };
    Check { purpose: "keep held threads off an idle processor", ..check }
}

fn frozen() -> io::Result<()> {
    let (theirs, ours) = process::pipe()?;
    let child = process::fork(move || {
        process::stand_alone();
        process::name_thread("windfall-probe");
        // Ends when we do, and holds none of the parent's pipes open.
        process::close_all_but(&[std::os::fd::AsRawFd::as_raw_fd(&theirs)]);
        process::hung_up(&theirs, 10_000);
    })?;
    let own = std::process::id().cast_signed();
    let tried = Freezer::new(own).group(child, child).and_then(|brake| {
        brake.set(true)?;
        let mut left = 100;
        while !brake.holds() && left > 0 {
            sleep_until(clock::now() + Span::from_millis(1));
            left -= 1;
        }
        let is_frozen = brake.holds();
        brake.set(false)?;
        if is_frozen { Ok(()) } else { Err(io::Error::other("not frozen within 100 ms")) }
    });
    drop(ours);
    process::kill(child);
    process::reap(child);
    match freezer::thaw_all(own, &|| {}).pop() {
        Some(left) => tried.and(Err(io::Error::other(left))),
        None => tried,
    }
}

/// Where the processor controller of version 1 has this process' group, if it is mounted.
fn cpu_group() -> Option<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    let mount = mounts.lines().find_map(|line| {
        let mut parts = line.split(' ').skip(1);
        let (place, system, options) = (parts.next()?, parts.next()?, parts.next()?);
        let cpu = system == "cgroup" && options.split(',').any(|option| option == "cpu");
        cpu.then(|| PathBuf::from(place))
    })?;
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let cpu = parts.next()?.split(',').any(|controller| controller == "cpu");
        parts.next().filter(|_| cpu)
    })?;
    Some(mount.join(own.trim_start_matches('/')))
}

/// The real-time runtime of this process' control group in us, where the kernel counts it there.
pub(super) fn group_time() -> Option<i64> {
    word(cpu_group()?.join("cpu.rt_runtime_us").to_str()?)?.parse().ok()
}

/// Whether the kernel keeps real-time runtime for each control group; `None` when nothing says so.
fn groups_have_time(facts: &Facts) -> Option<bool> {
    if group_time().is_some() {
        return Some(true);
    }
    if word("/proc/cmdline").is_some_and(|line| line.contains("rt_group_sched=0")) {
        return Some(false);
    }
    let config = std::fs::read_to_string(format!("/boot/config-{}", facts.release)).ok()?;
    Some(config.lines().any(|line| line == "CONFIG_RT_GROUP_SCHED=y"))
}

fn group_runtime(facts: &Facts) -> Check {
    let (state, found) = match (groups_have_time(facts), group_time()) {
        (Some(false), _) => {
            (State::Yes, "not in use: real-time threads may be in any group".into())
        }
        (_, Some(0)) => {
            (State::No, "this process' group has 0 us: real-time classes are refused".into())
        }
        (_, Some(us)) => {
            (State::Limited, format!("this process' group has {us} us; groups made later have 0"))
        }
        (Some(true), None) => {
            (State::Limited, "on, without version 1: only the root group may be real-time".into())
        }
        (None, None) => (State::Yes, "none found".into()),
    };
    Check::new("threads in control groups", "RT_GROUP_SCHED", state, found).remedy(
        "write cpu.rt_runtime_us of groups whose threads are supervised, \
         or boot with `rt_group_sched=0` (6.16 and later)",
    )
}

/// Shares and quotas by the kernel, which Windfall does without.
fn quotas() -> Check {
    let second = freezer::mount()
        .and_then(|mount| word(mount.join("cgroup.controllers").to_str()?))
        .is_some_and(|controllers| controllers.split(' ').any(|one| one == "cpu"));
    let found = match (second, cpu_group()) {
        (true, _) => "version 2".to_owned(),
        (false, Some(group)) => format!("version 1, {}", group.display()),
        (false, None) => "none; not needed".to_owned(),
    };
    Check::new("threads in control groups", "processor controller", State::Yes, found)
}
