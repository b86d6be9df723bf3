//! The subject of a kernel message, and whether it is a failure or an error.
//!
//! **A failure** is that the kernel stopped: it panicked, or a start of the system ends without a shutdown (a reset, a power cut, a hang that somebody ended). **An error** is what the kernel itself reports and survives. So MTTF is the mean time to a stop, and MTTE to something that was found wrong.
//!
//! Not counted: a process that is killed within the limit of its control group, which is what the limit is for; warnings (`WARNING: CPU`), which name suspicions; memory that a scrubber found to be well.

use crate::Kind;
use core::fmt;

/// The subject of an incident.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Subject {
    /// The kernel gave up.
    Panic,
    /// A start of the system ends without a shutdown, as by a reset or a power cut.
    UnexpectedEnd,
    /// Memory was exhausted, and a process was killed.
    OutOfMemory,
    /// The kernel found itself wrong (oops, BUG, bad page), and went on.
    KernelFault,
    /// A processor did not schedule or answer for seconds: soft and hard lockups, stalls of RCU.
    Lockup,
    /// A task waited without a signal for minutes.
    HungTask,
    /// A machine check.
    MachineCheck,
    /// A memory controller corrected an error, or could not.
    MemoryController,
    /// A PCIe device or link reported an error.
    Bus,
    /// A disk did not read or write, or a file system found itself wrong.
    Storage,
}

impl Subject {
    /// Every subject and its name.
    pub const ALL: [(Subject, &str); 10] = [
        (Subject::Panic, "kernel panic"),
        (Subject::UnexpectedEnd, "end without a shutdown"),
        (Subject::OutOfMemory, "memory exhausted"),
        (Subject::KernelFault, "fault of the kernel"),
        (Subject::Lockup, "lockup"),
        (Subject::HungTask, "hung task"),
        (Subject::MachineCheck, "machine check"),
        (Subject::MemoryController, "memory error"),
        (Subject::Bus, "bus error"),
        (Subject::Storage, "storage error"),
    ];

    /// Whether it is a failure or an error.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Subject::Panic | Subject::UnexpectedEnd => Kind::Failure,
            _ => Kind::Error,
        }
    }

    /// The subject of a kernel message; `None` if it reports no incident.
    #[must_use]
    pub fn of(message: &str) -> Option<Subject> {
        let fits = |parts: &[&str]| parts.iter().all(|part| message.contains(part));
        MESSAGES.iter().find(|(parts, _)| fits(parts)).map(|(_, subject)| *subject)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Subject::ALL.iter().find(|(subject, _)| subject == self).map(|(_, name)| name);
        f.write_str(name.unwrap_or(&"incident"))
    }
}

/// Texts that a message must contain, all of them, and the subject they stand for. The first entry that fits counts. Only
/// the line that names an incident best is listed; those around it (call traces, registers) are not, so that one incident
/// is one line as far as the kernel allows.
pub const MESSAGES: [(&[&str], Subject); 27] = [
    (&["Kernel panic - not syncing"], Subject::Panic),
    (&["Out of memory: Killed process"], Subject::OutOfMemory),
    (&["Oops: "], Subject::KernelFault),
    (&["Internal error: "], Subject::KernelFault),
    (&["kernel BUG at "], Subject::KernelFault),
    (&["BUG: Bad page "], Subject::KernelFault),
    (&["BUG: scheduling while atomic"], Subject::KernelFault),
    (&["watchdog: BUG: soft lockup"], Subject::Lockup),
    (&["atchdog detected hard LOCKUP"], Subject::Lockup),
    (&["INFO: rcu_", "detected", "stall"], Subject::Lockup),
    (&["INFO: task ", "blocked for more than"], Subject::HungTask),
    (&["[Hardware Error]", "Machine Check"], Subject::MachineCheck),
    (&["[Hardware Error]", "Machine check events logged"], Subject::MachineCheck),
    (&["Memory failure: ", "recovery action"], Subject::MachineCheck),
    (&["EDAC MC", " CE "], Subject::MemoryController),
    (&["EDAC MC", " UE "], Subject::MemoryController),
    (&["AER: ", "error message received"], Subject::Bus),
    (&["AER: ", "error received"], Subject::Bus),
    (&["I/O error, dev ", "sector "], Subject::Storage),
    (&["Buffer I/O error on dev"], Subject::Storage),
    (&["nvme ", ": I/O ", "timeout"], Subject::Storage),
    (&["EXT4-fs error (device "], Subject::Storage),
    (&["XFS (", "orruption"], Subject::Storage),
    (&["XFS (", "I/O error"], Subject::Storage),
    (&["XFS (", "I/O Error"], Subject::Storage),
    (&["BTRFS error (device "], Subject::Storage),
    (&["BTRFS: error (device "], Subject::Storage),
];
