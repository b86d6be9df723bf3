//! Records of the machine's own failures and errors: its journal or the kernel's messages, machine checks, and counters
//! of memory controllers.
//!
//! Guarantees: nothing is changed, and each source is listed by name as present, as missing with the reason, or as
//! unreadable with the remedy. Crate `reliability` interprets the text of a source (decision 0043).
//!
//! Absent: databases of rasdaemon (the kernel logs the same events), `pstore`, consoles.

mod journal;
mod virtual_machine;

pub use virtual_machine::virtual_machine;

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use windfall_reliability::sources::{Controller, Found, Log, Subject, edac, kernel_messages};
use windfall_time::{Instant, Span};

/// The records found.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Records {
    /// How it is known that this is a virtual machine; `None` if nothing says so.
    pub virtual_machine: Option<String>,
    /// Starts of the system, how they ended, and incidents. From the kernel's own messages there is one start, and no failure of earlier ones.
    pub log: Found<Log>,
    /// The source of the log: `journal`, or `kernel messages`.
    pub from: &'static str,
    /// Why there is no journal, where the kernel's messages were read instead.
    pub without_journal: Option<String>,
    /// How many machine checks the log has.
    pub machine_checks: Found<usize>,
    /// Memory controllers and their counts.
    pub controllers: Found<Vec<Controller>>,
}

/// Where a machine is read from.
struct Reader {
    /// Below which `/proc`, `/sys` and `/dev` lie.
    root: PathBuf,
    /// The program and its first arguments.
    journalctl: Vec<PathBuf>,
    /// How long the system has run, without suspension.
    now: fn() -> Span,
}

/// Reads this machine's records. It takes as long as `journalctl` needs for all messages of the kernel that it keeps: seconds, where they are of years.
#[must_use]
pub fn records() -> Records {
    let now = || Span::from_nanos(windfall_os::clock::now().as_nanos());
    Reader { root: PathBuf::from("/"), journalctl: vec![PathBuf::from("journalctl")], now }
        .records()
}

impl Reader {
    fn records(&self) -> Records {
        let virtual_machine = virtual_machine(&self.root);
        let (log, from, without_journal) = match journal::read(self) {
            Found::Here(log) => (Found::Here(log), "journal", None),
            without => {
                let why = without.to_string();
                // What a right would show is worth more than what is left to see without it.
                match self.kernel_messages() {
                    Found::Here(log) => (Found::Here(log), "kernel messages", Some(why)),
                    ring if matches!(without, Found::NoneHere { .. }) => {
                        (ring, "kernel messages", Some(why))
                    }
                    _ => (without, "journal", None),
                }
            }
        };
        let machine_checks = self.machine_checks(&log, virtual_machine.as_deref());
        let controllers = self.controllers(virtual_machine.as_deref());
        Records { virtual_machine, log, from, without_journal, machine_checks, controllers }
    }

    /// The kernel's messages of this start.
    fn kernel_messages(&self) -> Found<Log> {
        let text = match ring(&self.root.join("dev/kmsg")) {
            Ok(text) => text,
            Err(why) if why.kind() == ErrorKind::NotFound => {
                return Found::NoneHere { why: "there is no /dev/kmsg".to_owned() };
            }
            Err(why) => {
                let remedy = "run as root, or with CAP_SYSLOG";
                return unreadable(format!("/dev/kmsg: {why}"), remedy);
            }
        };
        let boot = self.started().unwrap_or(Instant::ZERO);
        match kernel_messages(&text, (self.now)(), boot) {
            Ok(log) if log.boots().is_empty() => {
                Found::NoneHere { why: "the kernel's ring of messages is empty".to_owned() }
            }
            Ok(log) => Found::Here(log),
            Err(why) => unreadable(format!("/dev/kmsg: {why}"), "report it"),
        }
    }

    /// When the system was started, since 1970.
    fn started(&self) -> Option<Instant> {
        let text = fs::read_to_string(self.root.join("proc/stat")).ok()?;
        let seconds = text.lines().find_map(|line| line.strip_prefix("btime "))?;
        seconds.trim().parse::<u64>().ok()?.checked_mul(1_000_000_000).map(Instant::from_nanos)
    }

    fn machine_checks(&self, log: &Found<Log>, guest: Option<&str>) -> Found<usize> {
        let log = match log {
            Found::Here(log) => log,
            Found::Unreadable { why, remedy } => return unreadable(why.clone(), remedy),
            other => return Found::NoneHere { why: format!("no log to look for them: {other}") },
        };
        let count = log.incidents().filter(|one| one.subject == Subject::MachineCheck).count();
        if count > 0 {
            return Found::Here(count);
        }
        let reports = self.root.join("sys/devices/system/machinecheck");
        match guest {
            Some(how) => Found::NoneHere {
                why: format!(
                    "the hypervisor handles machine checks of the real machine; this is a virtual one: {how}"
                ),
            },
            None if !reports.exists() => Found::NoneHere {
                why: "this kernel reports none: there is no /sys/devices/system/machinecheck"
                    .to_owned(),
            },
            None => Found::Here(0),
        }
    }

    /// Counters of memory controllers (EDAC).
    fn controllers(&self, guest: Option<&str>) -> Found<Vec<Controller>> {
        let folder = self.root.join("sys/devices/system/edac/mc");
        let files = match counters(&folder) {
            Ok(files) => files,
            Err(why) if why.kind() == ErrorKind::NotFound => Vec::new(),
            Err(why) => {
                return unreadable(format!("/sys/devices/system/edac/mc: {why}"), "run as root");
            }
        };
        let pairs = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        match (edac(pairs), guest) {
            (Ok(Found::NoneHere { .. }), Some(how)) => Found::NoneHere {
                why: format!("no EDAC memory controller: none on a virtual machine; it is one: {how}"),
            },
            (Ok(Found::NoneHere { .. }), None) => Found::NoneHere {
                why: "no EDAC memory controller: memory without ECC, or its driver is not loaded (`modprobe` one of `ls /lib/modules/$(uname -r)/kernel/drivers/edac`)".to_owned(),
            },
            (Ok(found), _) => found,
            (Err(why), _) => unreadable(format!("/sys/devices/system/edac/mc: {why}"), "report it"),
        }
    }
}

fn unreadable<T>(why: String, remedy: &str) -> Found<T> {
    Found::Unreadable { why, remedy: remedy.to_owned() }
}

/// Every record of the ring, each of which is one answer of the kernel.
fn ring(path: &Path) -> io::Result<String> {
    let mut file = fs::File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let (mut text, mut record) = (String::new(), vec![0; 1 << 14]);
    loop {
        match file.read(&mut record) {
            Ok(0) => return Ok(text),
            Ok(length) => text.push_str(&String::from_utf8_lossy(&record[..length])),
            Err(why) if why.kind() == ErrorKind::WouldBlock => return Ok(text),
            // The kernel has overwritten what came next; what follows is there.
            Err(why) if why.kind() == ErrorKind::BrokenPipe => {}
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
}

/// The files of all controllers that are read, as `mc0/ce_count`.
fn counters(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_controller =
            name.strip_prefix("mc").is_some_and(|number| number.parse::<u32>().is_ok());
        if !is_controller {
            continue;
        }
        for file in ["ce_count", "ue_count", "seconds_since_reset"] {
            match fs::read_to_string(folder.join(&name).join(file)) {
                Ok(text) => files.push((format!("{name}/{file}"), text)),
                Err(why) if why.kind() == ErrorKind::NotFound => {}
                Err(why) => return Err(why),
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests;
