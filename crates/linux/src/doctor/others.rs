//! Who else runs at real-time priorities: whoever is as high as our rungs runs before what is granted.

use super::throttle::supervised;
use super::{Check, State};
use crate::proc;
use crate::rungs;

/// How many are named.
const NAMED: usize = 5;

pub(super) fn checks() -> Vec<Check> {
    const PURPOSE: &str = "no rivals";
    let rivals = rivals();
    let (state, found) = match rivals.as_slice() {
        [] => (State::Yes, format!("nobody at {} or above", rungs::HELD)),
        some => {
            let named: Vec<String> = some.iter().take(NAMED).map(ToString::to_string).collect();
            let more = some.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            (State::Limited, format!("{}{more}", named.join(", ")))
        }
    };
    let threads = Check::new(PURPOSE, "real-time threads", state, found)
        .remedy(format!("`chrt -f -p PRIORITY TID` with less than {}", rungs::HELD));
    let (state, found) = if supervised() {
        (State::Limited, "`windfall run` is under way".to_owned())
    } else {
        (State::Yes, "no other supervisor".to_owned())
    };
    let another = Check::new(PURPOSE, "supervisors", state, found)
        .remedy("wait for it, or use other processors (`--cpus`)");
    vec![threads, another]
}

/// `name (tid, priority)`, highest first; neither the kernel's own threads nor those of a supervisor.
fn rivals() -> Vec<String> {
    let own = std::process::id().cast_signed();
    // A supervisor's threads are on our rungs.
    let least = if supervised() { rungs::GUARDIAN + 1 } else { rungs::HELD };
    let mut found = Vec::new();
    for pid in proc::processes().into_iter().filter(|pid| *pid != own) {
        for tid in proc::threads(pid) {
            let Some(stat) = proc::stat(tid) else { continue };
            let real_time = [libc::SCHED_FIFO, libc::SCHED_RR].map(i32::cast_unsigned);
            let of_kernel = stat.ppid == KTHREADD || pid == KTHREADD;
            let high = real_time.contains(&stat.policy) && stat.priority >= least;
            if high && !of_kernel {
                found.push((stat.priority, tid, stat.comm));
            }
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.into_iter().map(|(priority, tid, comm)| format!("{comm} ({tid}, {priority})")).collect()
}

/// The parent of all threads of the kernel.
const KTHREADD: i32 = 2;
