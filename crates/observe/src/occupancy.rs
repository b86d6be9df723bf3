//! Threads, interrupts and other work that may use some processors: the part that a claim of them would move, and the
//! part that stays, with the change that would move it (decision 0013).
//!
//! Nothing is changed here. A run that claims processors carries out this survey's moves; `doctor` and a dry run only
//! list them.

mod setting;

pub use setting::Setting;

use crate::procfs::{self, KTHREADD};
use std::collections::BTreeSet;
use std::fmt;
use windfall_os::sched::Affinity;

/// Work that stays on a processor.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Stay {
    /// A description of it.
    pub what: String,
    /// The change that would move it.
    pub remedy: String,
}

impl Stay {
    /// Describes work that stays, and the change that would move it.
    pub fn new(what: String, remedy: impl Into<String>) -> Stay {
        Stay { what, remedy: remedy.into() }
    }
}

impl fmt::Display for Stay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.what, self.remedy)
    }
}

/// The effects that a claim would have.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Survey {
    /// How many threads would be moved, the kernel's own included.
    pub threads: usize,
    /// How many of these are the kernel's.
    pub kernel: usize,
    /// The settings that would be changed.
    pub settings: Vec<Setting>,
    /// Work that would stay.
    pub stays: Vec<Stay>,
}

impl Survey {
    /// The settings that would be changed, in words; interrupts are counted.
    #[must_use]
    pub fn settings_in_words(&self) -> String {
        let interrupt = |setting: &&Setting| matches!(setting, Setting::Interrupt(_));
        let interrupts = self.settings.iter().filter(interrupt).count();
        let rest = self.settings.iter().filter(|setting| !interrupt(setting));
        let count = (interrupts > 0).then(|| format!("{interrupts} interrupts"));
        let words: Vec<String> = count.into_iter().chain(rest.map(ToString::to_string)).collect();
        if words.is_empty() { "nothing else".to_owned() } else { words.join(", ") }
    }
}

/// Where a thread is, seen from claimed processors.
pub enum Place {
    /// It may run on some of them and elsewhere; this is its affinity.
    Both(Affinity),
    /// It may run nowhere else: it is supervised, was put there by its owner, or belongs to the processor.
    Bound,
    /// It may run on none of them.
    Elsewhere,
}

/// All threads of the machine: process, thread, and where it is.
pub fn threads(claimed: &Affinity) -> impl Iterator<Item = (i32, i32, Place)> + use<'_> {
    let threads = procfs::processes().into_iter();
    let threads =
        threads.flat_map(|pid| procfs::threads(pid).into_iter().map(move |tid| (pid, tid)));
    threads.filter_map(|(pid, tid)| {
        let affinity = Affinity::of(tid).ok()?; // or it has ended
        let place = if !affinity.meets(claimed) {
            Place::Elsewhere
        } else if affinity.without(claimed).is_empty() {
            Place::Bound
        } else {
            Place::Both(affinity)
        };
        Some((pid, tid, place))
    })
}

/// Looks at the whole machine, and changes nothing. Threads of this process that are bound to claimed
/// processors are supervised, or its own business, and are left out.
#[must_use]
pub fn survey(claimed: &Affinity) -> Survey {
    let mut survey = Survey::default();
    let mut kernel = BTreeSet::new();
    let own = std::process::id().cast_signed();
    for (pid, tid, place) in threads(claimed) {
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
        let what = format!("kernel threads that cannot be moved: {}", names.join(", "));
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

/// The kind of a kernel thread: `kworker/1:2-events` is one of `kworker`.
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
