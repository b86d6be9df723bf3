//! Holds off threads that must not run although their processor would idle: a control group
//! (version 2) for each, frozen.
//!
//! The groups lie below the one that the process was in, so its place is known from theirs:
//! `HOME/windfall-PID/pPROCESS/tTHREAD`. Nothing is made before a thread is first frozen.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where version 2 of control groups is mounted, if it is.
#[must_use]
pub fn mount() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let line = mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2"))?;
    Some(PathBuf::from(line.split(' ').nth(1)?))
}

/// The group of version 2 that a thread is in, as a path below the mount.
fn group_of(tid: i32) -> Option<String> {
    let groups = fs::read_to_string(format!("/proc/{tid}/cgroup")).ok()?;
    groups.lines().find_map(|line| line.strip_prefix("0::")).map(str::to_owned)
}

/// Freezes one thread, by the file of its group.
pub struct Brake {
    path: PathBuf,
    /// Kept open: to find the file anew takes longer than to freeze. `None` where too many files are open.
    file: Option<File>,
}

impl Brake {
    fn of(group: &Path) -> Brake {
        let path = group.join("cgroup.freeze");
        let file = File::options().write(true).open(&path).ok();
        Brake { path, file }
    }

    /// Whether the thread has stopped: it does so itself, when it runs next.
    #[must_use]
    pub fn holds(&self) -> bool {
        let events = fs::read_to_string(self.path.with_file_name("cgroup.events"));
        events.is_ok_and(|text| text.contains("frozen 1"))
    }

    /// Freezes or thaws it.
    ///
    /// # Errors
    /// When the group's file cannot be written.
    pub fn set(&self, frozen: bool) -> io::Result<()> {
        match &self.file {
            Some(file) => file.write_all_at(word(frozen), 0),
            None => set(&self.path, frozen),
        }
    }
}

/// Freezes threads of one supervisor.
pub struct Freezer {
    mount: Option<PathBuf>,
    name: String,
}

impl Freezer {
    /// For the supervisor with this process number.
    #[must_use]
    pub fn new(supervisor: i32) -> Freezer {
        Freezer { mount: mount(), name: format!("windfall-{supervisor}") }
    }

    /// Whether a thread is in the group of another one.
    #[must_use]
    pub fn shares(&self, tid: i32) -> bool {
        let ours = format!("/{}/", self.name);
        group_of(tid)
            .is_some_and(|group| group.contains(&ours) && !group.ends_with(&format!("/t{tid}")))
    }

    /// A group for the thread `tid` of the process `pid`, made if need be; the thread is moved there.
    ///
    /// # Errors
    /// When version 2 is not mounted, or this user may not make groups or move threads there.
    pub fn group(&self, pid: i32, tid: i32) -> io::Result<Brake> {
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
        Ok(Brake::of(&thread))
    }
}

/// Freezes or thaws a group.
fn set(file: &Path, frozen: bool) -> io::Result<()> {
    fs::write(file, word(frozen))
}

const fn word(frozen: bool) -> &'static [u8] {
    if frozen { b"1" } else { b"0" }
}

/// Thaws every thread that a supervisor has frozen, and returns each process to its own group; what could not be removed.
/// `lives` is called now and then.
///
/// Call it when its threads have their former classes again: one that is held in the middle of a fork keeps the kernel from
/// moving any.
pub fn thaw_all(supervisor: i32, lives: &dyn Fn()) -> Vec<String> {
    let (mut roots, mut left) = (Vec::new(), Vec::new());
    if let Some(mount) = mount() {
        find(&mount, &format!("windfall-{supervisor}"), &mut roots);
    }
    for root in roots {
        // Whoever was thawed may have forked into the group that it left: it is emptied until nobody is inside.
        let removed = (0..PASSES).any(|_| {
            lives();
            let gone = empty(&root);
            if !gone {
                std::thread::sleep(PAUSE);
            }
            gone
        });
        if !removed {
            left.push(format!("the control group {} could not be removed", root.display()));
        }
    }
    left
}

/// So often a group is emptied, with a pause in between, before it is left.
const PASSES: usize = 100;
const PAUSE: Duration = Duration::from_millis(2);

/// Thaws all that is below a group, returns its processes to the group above, and removes it; whether it is gone.
fn empty(root: &Path) -> bool {
    let home = root.parent().unwrap_or(root);
    for process in folders(root) {
        for thread in folders(&process) {
            let _ = set(&thread.join("cgroup.freeze"), false);
        }
        let inside = fs::read_to_string(process.join("cgroup.procs")).unwrap_or_default();
        for pid in inside.lines() {
            let _ = fs::write(home.join("cgroup.procs"), pid); // or it has ended
        }
        for thread in folders(&process) {
            let _ = fs::remove_dir(thread); // or somebody has been made in it
        }
        let _ = fs::remove_dir(&process);
    }
    fs::remove_dir(root).is_ok() || !root.exists()
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
