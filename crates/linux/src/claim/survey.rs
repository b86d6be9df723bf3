//! What a claim would move, and what stays on claimed processors all the same, with what it takes to move it.

use super::settings::Setting;
use super::threads::{self, Place};
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use windfall_observe::procfs;
use windfall_os::sched::Affinity;

/// The parent of the kernel's threads.
const KTHREADD: i32 = 2;

/// Something that stays.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Stay {
    pub(crate) what: String,
    pub(crate) remedy: String,
}

impl Stay {
    fn new(what: String, remedy: impl Into<String>) -> Stay {
        Stay { what, remedy: remedy.into() }
    }

    /// A setting that cannot be changed.
    pub(super) fn refused(setting: &Setting, error: &io::Error) -> Stay {
        let remedy = match setting {
            Setting::Interrupt(_) => {
                "its driver binds it: `isolcpus=managed_irq,LIST` on the kernel's command line"
            }
            _ => "run where /proc and /sys may be written",
        };
        Stay::new(format!("{setting}: {error}"), remedy)
    }

    /// A setting for which the restore log has no room.
    pub(super) fn full(setting: &Setting) -> Stay {
        Stay::new(format!("{setting}: the restore log is full"), "claim fewer processors")
    }

    /// A thread that cannot be moved; nothing for one that has ended.
    pub(super) fn thread(tid: i32, error: &io::Error) -> Option<Stay> {
        let stat = procfs::stat(tid)?;
        let remedy = match error.raw_os_error() {
            Some(libc::EBUSY) => "a deadline thread: its owner may give it another class",
            Some(libc::EINVAL) => "its control group's cpuset may name other processors",
            _ => "run as root",
        };
        Some(Stay::new(format!("thread {tid} ({}): {error}", stat.comm), remedy))
    }
}

impl fmt::Display for Stay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.what, self.remedy)
    }
}

/// What a claim would find.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// How many threads would be moved, the kernel's own included.
    pub(crate) threads: usize,
    /// How many of these are the kernel's.
    pub(crate) kernel: usize,
    /// The settings that would be changed.
    pub(crate) settings: Vec<Setting>,
    pub(crate) stays: Vec<Stay>,
}

impl Survey {
    /// The settings that would be changed; interrupts are counted.
    pub(crate) fn settings_in_words(&self) -> String {
        let interrupt = |setting: &&Setting| matches!(setting, Setting::Interrupt(_));
        let interrupts = self.settings.iter().filter(interrupt).count();
        let rest = self.settings.iter().filter(|setting| !interrupt(setting));
        let count = (interrupts > 0).then(|| format!("{interrupts} interrupts"));
        let words: Vec<String> = count.into_iter().chain(rest.map(ToString::to_string)).collect();
        if words.is_empty() { "nothing else".to_owned() } else { words.join(", ") }
    }
}

/// Looks at the whole machine, and changes nothing. Threads of this process that are bound to claimed
/// processors are supervised, or its own business, and are left out.
pub(crate) fn survey(claimed: &Affinity) -> Survey {
    let mut survey = Survey::default();
    let mut kernel = BTreeSet::new();
    let own = std::process::id().cast_signed();
    for (pid, tid, place) in threads::all(claimed) {
        if matches!(place, Place::Elsewhere) {
            continue;
        }
        let Some(stat) = procfs::stat(tid) else { continue };
        match place {
            _ if stat.fixed => drop(kernel.insert(kind(&stat.comm).to_owned())),
            Place::Both(_) => {
                survey.threads += 1;
                survey.kernel += usize::from(pid == KTHREADD || stat.ppid == KTHREADD);
            }
            Place::Bound if pid != own => {
                let what = format!("thread {tid} ({}), bound there by its owner", stat.comm);
                let remedy = format!("`taskset -cp LIST {tid}` moves it");
                survey.stays.push(Stay::new(what, remedy));
            }
            _ => {}
        }
    }
    if !kernel.is_empty() {
        let names: Vec<String> = kernel.into_iter().collect();
        let what = format!("kernel threads that nobody may move: {}", names.join(", "));
        let remedy = "most belong to the processor; `nohz_full=LIST rcu_nocbs=LIST` on the kernel's command line \
                      leaves them less to do";
        survey.stays.push(Stay::new(what, remedy));
    }
    for setting in Setting::all() {
        let Ok(former) = setting.read() else { continue };
        let bound = former.meets(claimed) && former.without(claimed).is_empty();
        match (setting, setting.claimed(&former, claimed)) {
            (_, Some(_)) => survey.settings.push(setting),
            (Setting::Interrupt(number), None) if bound => {
                let remedy = format!("write other processors into /proc/irq/{number}/smp_affinity");
                survey.stays.push(Stay::new(format!("{setting}, bound there"), remedy));
            }
            _ => {}
        }
    }
    survey
}

/// What kind of kernel thread it is: `kworker/1:2-events` is one of `kworker`.
fn kind(comm: &str) -> &str {
    comm.split_once('/').map_or(comm, |(kind, _)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_survey_finds_what_belongs_to_a_processor() {
        let last = (0..1024).rev().find(|cpu| Affinity::of(0).is_ok_and(|own| own.has(*cpu)));
        let survey = survey(&Affinity::one(last.expect("we run somewhere")));
        let kernel = survey.stays.iter().any(|stay| stay.what.contains("ksoftirqd"));
        let hidden = procfs::stat(KTHREADD).is_none_or(|stat| stat.comm != "kthreadd");
        assert!(kernel || hidden, "{survey:?}");
    }

    #[test]
    fn accepts_names_of_kernel_threads() {
        assert_eq!(kind("kworker/1:2-events"), "kworker");
        assert_eq!(kind("kswapd0"), "kswapd0");
    }
}
