//! Settings of the kernel that bring work to processors: where interrupts are served, where unbound workqueues
//! run, and whether timers leave idle processors.

use crate::mask;
use std::fmt;
use std::fs;
use std::io;
use windfall_os::sched::Affinity;

/// One setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
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
    /// The file that holds it.
    #[must_use]
    pub fn path(self) -> String {
        match self {
            Setting::Interrupt(number) => format!("{INTERRUPTS}/{number}/smp_affinity"),
            Setting::NewInterrupts => format!("{INTERRUPTS}/default_smp_affinity"),
            Setting::Workqueues => "/sys/devices/virtual/workqueue/cpumask".to_owned(),
            Setting::TimerMigration => "/proc/sys/kernel/timer_migration".to_owned(),
        }
    }

    /// As plain words, for memory that is shared: which kind, from 1 on, and the number of an interrupt or 0.
    #[must_use]
    pub const fn words(self) -> (u32, u32) {
        match self {
            Setting::Interrupt(number) => (1, number),
            Setting::NewInterrupts => (2, 0),
            Setting::Workqueues => (3, 0),
            Setting::TimerMigration => (4, 0),
        }
    }

    /// The reverse of [`words`](Self::words); `None` for a kind that is not known.
    #[must_use]
    pub const fn from_words(words: (u32, u32)) -> Option<Setting> {
        Some(match words {
            (1, number) => Setting::Interrupt(number),
            (2, _) => Setting::NewInterrupts,
            (3, _) => Setting::Workqueues,
            (4, _) => Setting::TimerMigration,
            _ => return None,
        })
    }

    /// All that this machine may have; an interrupt for each that may be bound to processors.
    #[must_use]
    pub fn all() -> Vec<Setting> {
        let entries = fs::read_dir(INTERRUPTS).into_iter().flatten().filter_map(Result::ok);
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut interrupts: Vec<u32> = numbers.collect();
        interrupts.sort_unstable();
        let rest = [Setting::NewInterrupts, Setting::Workqueues, Setting::TimerMigration];
        interrupts.into_iter().map(Setting::Interrupt).chain(rest).collect()
    }

    /// Its value.
    ///
    /// # Errors
    /// When the file is not there (this kernel does not offer the setting) or holds no set of processors.
    pub fn read(self) -> io::Result<Affinity> {
        let text = fs::read_to_string(self.path())?;
        mask::parse(&text).ok_or_else(|| io::Error::other(format!("`{}` is no set", text.trim())))
    }

    /// The value while these processors are claimed; `None` if it is the former one, or no processor would be left.
    #[must_use]
    pub fn claimed(self, former: &Affinity, claimed: &Affinity) -> Option<Affinity> {
        let value = match self {
            Setting::TimerMigration => Affinity::one(0),
            _ => former.without(claimed),
        };
        (value != *former && !value.is_empty()).then_some(value)
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Interrupt(number) => write!(f, "interrupt {number}"),
            Setting::NewInterrupts => f.write_str("interrupts that are requested later"),
            Setting::Workqueues => f.write_str("unbound workqueues"),
            Setting::TimerMigration => f.write_str("timers of idle processors"),
        }
    }
}
