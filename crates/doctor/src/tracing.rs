//! How what happens is seen: tracepoints, their rings, BPF; and what steals time.

use super::{Check, Facts, State, word};
use std::path::Path;
use windfall_observe::tracepoints::{Point, Tracepoints};
use windfall_observe::{ObserveError, fifo_priorities};
use windfall_os::LinuxError;
use windfall_os::perf::{Listen, Ring};
use windfall_os::probe;

/// Whether BPF programs load, or why not; and why they do not see that a processor stands still.
type Observed = Result<Option<String>, ObserveError>;

/// Checks of the ways in which `run` can observe threads.
pub(super) fn needed(facts: &Facts, observed: &Observed) -> Vec<Check> {
    const PURPOSE: &str = "blocking and wake-ups";
    let tracefs = Check::new(PURPOSE, "tracefs", State::No, String::new());
    let perf = Check::new(PURPOSE, "tracepoints by perf", State::No, String::new());
    let paranoid = word("/proc/sys/kernel/perf_event_paranoid").unwrap_or_else(|| "?".to_owned());
    let points = match Tracepoints::find() {
        Ok(points) => points,
        Err(fault) => {
            let (found, remedy) = out_of_sight(&fault);
            let tracefs = Check { found, ..tracefs }.remedy(remedy);
            let found = format!("not tried without tracefs; perf_event_paranoid is {paranoid}");
            let further = "CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=-1`";
            let perf = Check { found, ..perf }.remedy(further);
            return either(observed, [tracefs, perf]);
        }
    };
    let tracefs = Check { state: State::Yes, found: "formats are read".to_owned(), ..tracefs };
    let filter = fifo_priorities::supervised("next_prio");
    let id = points.id(Point::Switch).unwrap_or(0);
    let listen = [Listen { id, filter: &filter, wakes_reader: false }];
    let perf = match Ring::open(facts.allowed.first().copied().unwrap_or(0), &listen, 1) {
        Ok(_) => {
            let found = format!("a ring was opened; perf_event_paranoid is {paranoid}");
            Check { state: State::Yes, found, ..perf }
        }
        Err(e) => Check { found: format!("{e}; perf_event_paranoid is {paranoid}"), ..perf },
    };
    let perf = perf.remedy("CAP_PERFMON, or `sysctl kernel.perf_event_paranoid=-1`");
    let mut checks = either(observed, [tracefs, perf]);
    checks.extend([overhead(&points), hypervisor(facts, observed)]);
    checks
}

/// Tracepoints by perf are needed where BPF programs do not load.
fn either(observed: &Observed, checks: [Check; 2]) -> Vec<Check> {
    let by_bpf = observed.is_ok();
    let checks = checks.into_iter();
    checks
        .map(|check| match (by_bpf, check.state) {
            (true, State::No) => Check { state: State::Limited, ..check },
            (true, _) => check,
            (false, _) => check.needed(),
        })
        .collect()
}

/// Why tracefs shows nothing, and what would help.
fn out_of_sight(fault: &LinuxError) -> (String, &'static str) {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let kind = |line: &str| line.split(' ').nth(2) == Some("tracefs");
    match mounts.lines().find(|line| kind(line)).and_then(|line| line.split(' ').nth(1)) {
        None => {
            ("not mounted".to_owned(), "`mount -t tracefs tracefs /sys/kernel/tracing`, as root")
        }
        Some(place) if std::fs::read_dir(place).is_err() => (
            format!("{place} is mounted, but this user cannot read it"),
            "run as root, or `mount -o remount,mode=755 /sys/kernel/tracing`",
        ),
        Some(_) => (fault.to_string(), "a kernel with scheduler tracepoints"),
    }
}

const STOLEN: &str = "measure stolen time";

fn overhead(points: &Tracepoints) -> Check {
    let kinds = [
        (Point::IrqEntry, "device interrupts"),
        (Point::SoftirqEntry, "softirqs"),
        (Point::TimerEntry, "timer interrupts"),
    ];
    let (seen, missing): (Vec<_>, Vec<_>) =
        kinds.into_iter().partition(|(point, _)| points.id(*point).is_some());
    let names = |list: &[(Point, &'static str)]| {
        list.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
    };
    let (state, found) = match (seen.as_slice(), missing.as_slice()) {
        (seen, []) => (State::Yes, names(seen)),
        ([], _) => (State::No, "no tracepoints of interrupts".to_owned()),
        (seen, missing) => (State::Limited, format!("{}; not {}", names(seen), names(missing))),
    };
    Check::new(STOLEN, "interrupts", state, found)
        .remedy("a kernel with CONFIG_TRACEPOINTS for them; until then they count as the thread's")
}

/// Time that a hypervisor takes is reported by it, in ticks, if at all; what we see is that our own ticks come late.
fn hypervisor(facts: &Facts, observed: &Observed) -> Check {
    if !facts.hypervisor {
        return Check::new(STOLEN, "hypervisor", State::Yes, "none".to_owned());
    }
    let stolen = word("/proc/stat").and_then(|text| steal(text.lines().next()?));
    let by_kernel = match stolen {
        Some((steal, all)) => {
            // Hundredths of a per cent, rounded down.
            let share = steal.saturating_mul(10_000) / all.max(1);
            format!(
                "present; it reports that it took {}.{:02} % since boot",
                share / 100,
                share % 100
            )
        }
        None => "present; it does not report what it takes".to_owned(),
    };
    let seen = match observed {
        Ok(None) => "late ticks show 0.2 ms and more of what it takes".to_owned(),
        Ok(Some(why)) => format!("late ticks are not seen: {why}"),
        Err(why) => format!("late ticks are not seen: {why}"),
    };
    Check::new(STOLEN, "hypervisor", State::Limited, format!("{by_kernel}; {seen}"))
        .remedy("dedicated processors for this guest: threads wait for what it takes, seen or not")
}

/// Ticks that a hypervisor took and all ticks, from the first line of /proc/stat.
fn steal(line: &str) -> Option<(u64, u64)> {
    let ticks: Vec<u64> = line.split(' ').filter_map(|part| part.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal; those of guests are in user and nice.
    Some((*ticks.get(7)?, ticks.iter().take(8).sum()))
}

/// Checks of quicker or other ways.
pub(super) fn further(facts: &Facts, observed: &Observed) -> Vec<Check> {
    const PURPOSE: &str = "decisions 1 to 2 us earlier";
    let programs = match observed {
        Ok(_) => {
            let found = "our programs were loaded and attached".to_owned();
            Check::new(PURPOSE, "events by BPF", State::Yes, found)
        }
        Err(why) => Check::new(PURPOSE, "events by BPF", State::No, why.to_string())
            .remedy("see the next two; perf tracepoints do without"),
    };
    let ring = match probe::bpf_ring().and_then(|_| probe::bpf_program()) {
        Ok(_) => {
            let found = "a ring was made and a trial program loaded".to_owned();
            Check::new(PURPOSE, "bpf system call", State::Yes, found)
        }
        Err(e) => Check::new(PURPOSE, "bpf system call", State::No, e.to_string())
            .remedy("CAP_BPF and CAP_PERFMON; perf tracepoints do without"),
    };
    let readable = std::fs::File::open("/sys/kernel/btf/vmlinux").is_ok();
    let types = if readable {
        Check::new(PURPOSE, "types (BTF)", State::Yes, "/sys/kernel/btf/vmlinux".to_owned())
    } else {
        Check::new(
            PURPOSE,
            "types (BTF)",
            State::No,
            "/sys/kernel/btf/vmlinux is missing".to_owned(),
        )
        .remedy("a kernel with CONFIG_DEBUG_INFO_BTF; perf tracepoints do without")
    };
    vec![programs, ring, types, sched_ext(facts)]
}

/// A scheduler in BPF governs ordinary threads only: ours are above it.
fn sched_ext(facts: &Facts) -> Check {
    const SUBJECT: &str = "sched_ext";
    let present = Path::new("/sys/kernel/sched_ext").is_dir();
    let loaded = word("/sys/kernel/sched_ext/root/ops");
    let found = match (present, loaded) {
        (true, Some(name)) => format!("{name} is loaded; it governs ordinary threads only"),
        (true, None) => "present, nothing loaded; not needed".to_owned(),
        (false, _) => format!("not in this kernel ({}); not needed", facts.release),
    };
    Check::new("other schedulers", SUBJECT, State::Yes, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_line_of_all_processors() {
        assert_eq!(steal("cpu  10 0 5 80 1 0 2 2 9 9"), Some((2, 100)));
        assert_eq!(steal("cpu  10 0 5"), None);
    }
}
