//! Holds off threads that must not run although their processor would idle: a control group
//! (version 2) for each, frozen.
//!
//! The groups lie below the one that the process was in, so its place is known from theirs:
//! `HOME/windfall-PID/pPROCESS/tTHREAD`. Nothing is made before a thread is first frozen.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where version 2 of control groups is mounted, if it is.
pub(crate) fn mount() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let line = mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2"))?;
    Some(PathBuf::from(line.split(' ').nth(1)?))
}

/// The group of version 2 that a thread is in, as a path below the mount.
fn group_of(tid: i32) -> Option<String> {
    let groups = fs::read_to_string(format!("/proc/{tid}/cgroup")).ok()?;
    groups.lines().find_map(|line| line.strip_prefix("0::")).map(str::to_owned)
}

/// Freezes threads of one supervisor.
pub(crate) struct Freezer {
    mount: Option<PathBuf>,
    name: String,
}

impl Freezer {
    /// For the supervisor with this process number.
    pub(crate) fn new(supervisor: i32) -> Freezer {
        Freezer { mount: mount(), name: format!("windfall-{supervisor}") }
    }

    /// A group for a thread, made if need be; the file that freezes it.
    pub(crate) fn group(&self, pid: i32, tid: i32) -> io::Result<PathBuf> {
        let missing = || io::Error::other("no cgroup of version 2 is mounted");
        let mount = self.mount.as_ref().ok_or_else(missing)?;
        let group = group_of(tid).ok_or_else(missing)?;
        let home = group.split("/windfall-").next().unwrap_or("/");
        let root = below(mount, home).join(&self.name);
        let process = root.join(format!("p{pid}"));
        let thread = process.join(format!("t{tid}"));
        if !process.is_dir() {
            fs::create_dir_all(&process)?;
            fs::write(process.join("cgroup.procs"), pid.to_string())?;
        }
        if !thread.is_dir() {
            fs::create_dir(&thread)?;
            fs::write(thread.join("cgroup.type"), "threaded")?;
        }
        fs::write(thread.join("cgroup.threads"), tid.to_string())?;
        Ok(thread.join("cgroup.freeze"))
    }
}

/// Freezes or thaws a group.
pub(crate) fn set(file: &Path, frozen: bool) -> io::Result<()> {
    fs::write(file, if frozen { "1" } else { "0" })
}

/// Thaws every thread that a supervisor has frozen, and returns each process to its own group.
pub(crate) fn thaw_all(supervisor: i32) {
    let Some(mount) = mount() else { return };
    let name = format!("windfall-{supervisor}");
    let mut roots = Vec::new();
    find(&mount, &name, &mut roots);
    for root in roots {
        let home = root.parent().unwrap_or(&mount).to_owned();
        let processes: Vec<PathBuf> = folders(&root).collect();
        for process in &processes {
            for thread in folders(process) {
                let _ = set(&thread.join("cgroup.freeze"), false);
            }
            let inside = fs::read_to_string(process.join("cgroup.procs")).unwrap_or_default();
            for pid in inside.lines() {
                let _ = fs::write(home.join("cgroup.procs"), pid);
            }
            for thread in folders(process) {
                let _ = fs::remove_dir(thread);
            }
            let _ = fs::remove_dir(process);
        }
        let _ = fs::remove_dir(root);
    }
}

fn below(mount: &Path, group: &str) -> PathBuf {
    mount.join(group.trim_start_matches('/'))
}

fn folders(of: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(of).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.is_dir())
}

fn find(at: &Path, name: &str, found: &mut Vec<PathBuf>) {
    for folder in folders(at) {
        if folder.file_name().is_some_and(|own| own == name) {
            found.push(folder);
        } else {
            find(&folder, name, found);
        }
    }
}
