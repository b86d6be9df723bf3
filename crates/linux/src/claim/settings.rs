//! Settings of the kernel that bring work to processors: where interrupts are served, where unbound workqueues
//! run, and whether timers leave idle processors.

use super::log::Log;
use super::mask;
use super::survey::Stay;
use std::fs;
use std::io::{self, ErrorKind};
use windfall_os::sched::Affinity;

/// One setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Setting {
    /// Where an interrupt may be served.
    Interrupt(u32),
    /// The same for those that are requested later.
    NewInterrupts,
    /// Where workqueues run that are not bound to a processor.
    Workqueues,
    /// Whether timers of idle processors go to busy ones: a set of processor 0 alone stands for 1.
    TimerMigration,
}

const INTERRUPTS: &str = "/proc/irq";

impl Setting {
    fn path(self) -> String {
        match self {
            Setting::Interrupt(number) => format!("{INTERRUPTS}/{number}/smp_affinity"),
            Setting::NewInterrupts => format!("{INTERRUPTS}/default_smp_affinity"),
            Setting::Workqueues => "/sys/devices/virtual/workqueue/cpumask".to_owned(),
            Setting::TimerMigration => "/proc/sys/kernel/timer_migration".to_owned(),
        }
    }

    /// As plain words, for memory that is shared.
    pub(crate) const fn words(self) -> (u32, u32) {
        match self {
            Setting::Interrupt(number) => (1, number),
            Setting::NewInterrupts => (2, 0),
            Setting::Workqueues => (3, 0),
            Setting::TimerMigration => (4, 0),
        }
    }

    /// The reverse of [`words`](Self::words).
    pub(crate) const fn from_words(words: (u32, u32)) -> Option<Setting> {
        Some(match words {
            (1, number) => Setting::Interrupt(number),
            (2, _) => Setting::NewInterrupts,
            (3, _) => Setting::Workqueues,
            (4, _) => Setting::TimerMigration,
            _ => return None,
        })
    }

    /// All that this machine has; an interrupt for each that may be bound to processors.
    pub(crate) fn all() -> Vec<Setting> {
        let entries = fs::read_dir(INTERRUPTS).into_iter().flatten().filter_map(Result::ok);
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut interrupts: Vec<u32> = numbers.collect();
        interrupts.sort_unstable();
        let rest = [Setting::NewInterrupts, Setting::Workqueues, Setting::TimerMigration];
        interrupts.into_iter().map(Setting::Interrupt).chain(rest).collect()
    }

    /// Its value.
    pub(crate) fn read(self) -> io::Result<Affinity> {
        let text = fs::read_to_string(self.path())?;
        mask::parse(&text).ok_or_else(|| io::Error::other(format!("`{}` is no set", text.trim())))
    }

    fn write(self, value: &Affinity) -> io::Result<()> {
        fs::write(self.path(), mask::print(value))
    }

    /// What it is while these processors are claimed, if that is not what it was; `None` too where no processor would be left.
    pub(crate) fn claimed(self, former: &Affinity, claimed: &Affinity) -> Option<Affinity> {
        let value = match self {
            Setting::TimerMigration => Affinity::one(0),
            _ => former.without(claimed),
        };
        (value != *former && !value.is_empty()).then_some(value)
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Setting::Interrupt(number) => write!(f, "interrupt {number}"),
            Setting::NewInterrupts => f.write_str("interrupts that are requested later"),
            Setting::Workqueues => f.write_str("unbound workqueues"),
            Setting::TimerMigration => f.write_str("timers of idle processors"),
        }
    }
}

/// Changes every setting that brings work to claimed processors; how many interrupts were moved.
pub(super) fn take(log: &Log, claimed: &Affinity, stays: &mut Vec<Stay>) -> usize {
    let mut interrupts = 0;
    for setting in Setting::all() {
        let former = match setting.read() {
            Ok(former) => former,
            Err(e) if e.kind() == ErrorKind::NotFound => continue, // this kernel does not offer it
            Err(e) => {
                stays.push(Stay::refused(&setting, &e));
                continue;
            }
        };
        let Some(value) = setting.claimed(&former, claimed) else { continue };
        let Ok(at) = log.note_setting(setting, &former) else {
            stays.push(Stay::full(&setting));
            continue;
        };
        match setting.write(&value) {
            Ok(()) => interrupts += usize::from(matches!(setting, Setting::Interrupt(_))),
            Err(e) => {
                log.strike_out_setting(at);
                stays.push(Stay::refused(&setting, &e));
            }
        }
    }
    interrupts
}

/// Gives back every setting that is still what the claim has made it.
pub(super) fn give_back(log: &Log, claimed: &Affinity, trouble: &mut Vec<String>) {
    for (at, setting, former) in log.settings() {
        let ours = setting.claimed(&former, claimed);
        match setting.read() {
            Ok(value) if Some(value) == ours => {
                if let Err(e) = setting.write(&former) {
                    let (path, text) = (setting.path(), mask::print(&former));
                    trouble.push(format!("{path}: {e}; write {text} into it"));
                }
            }
            // Somebody else has set it meanwhile, or its device is gone.
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => trouble.push(format!("{}: {e}", setting.path())),
        }
        log.strike_out_setting(at);
    }
}
