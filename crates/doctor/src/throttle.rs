//! Processor time left to the rest of the system: the throttle of real-time threads and the fair
//! server.

use super::rights::CAP_DAC_OVERRIDE;
use super::{Check, Facts, State, word};
use windfall_observe::{kernel, supervision};
use windfall_time::Span;

const RUNTIME: &str = "/proc/sys/kernel/sched_rt_runtime_us";
const PERIOD: &str = "/proc/sys/kernel/sched_rt_period_us";
const PURPOSE: &str = "time for other threads";

pub(super) fn checks(facts: &Facts) -> Vec<Check> {
    vec![writable(facts).needed(), value(), server(facts)]
}

/// Opens it for writing, and writes nothing.
fn writable(facts: &Facts) -> Check {
    let lifted = word(RUNTIME).is_some_and(|us| us == "-1");
    let opened = std::fs::OpenOptions::new().write(true).open(RUNTIME);
    let (state, found) = match opened {
        Ok(_) => (State::Yes, "may be set".to_owned()),
        Err(_) if lifted => (State::Yes, "lifted (-1) already, as a run wants it".to_owned()),
        Err(e) => (State::No, format!("{RUNTIME}: {e}")),
    };
    let remedy = if facts.can(CAP_DAC_OVERRIDE) {
        "the file system is mounted read-only here (a container?): run outside"
    } else {
        "run as root, or have root write -1 into it: no capability gives that right to another user"
    };
    Check::new("reservations on real threads", "real-time throttle", state, found).remedy(remedy)
}

/// Without the throttle one thread that never stops takes its processor away from everybody.
fn value() -> Check {
    let number = |path: &str| word(path).and_then(|text| text.parse::<i64>().ok());
    let (state, found) = match (number(RUNTIME), number(PERIOD)) {
        (Some(-1), _) if supervision::is_under_way() => {
            (State::Yes, "off while `windfall run` is under way, which restores it".to_owned())
        }
        (Some(-1), _) => {
            (State::Limited, "off (-1): one real-time thread can hang a processor".to_owned())
        }
        (Some(runtime), Some(period)) => {
            (State::Yes, format!("{runtime} us in each {period} us go to real-time threads"))
        }
        _ => (State::Limited, format!("{RUNTIME} cannot be read")),
    };
    Check::new(PURPOSE, "throttle's value", state, found).remedy(
        "`sysctl kernel.sched_rt_runtime_us=950000`, and look for who wrote -1 in /etc/sysctl.d",
    )
}

/// The fair server serves waiting ordinary threads even when real-time ones never stop, and before all of them.
fn server(facts: &Facts) -> Check {
    const FOLDER: &str = "/sys/kernel/debug/sched/fair_server";
    const LONG: Span = Span::from_millis(5);
    const SHORTER: &str = "in each supervised processor's folder of debugfs' sched/fair_server: `echo 5000000 > runtime; \
                           echo 100000000 > period` keeps the share, and real-time threads wait for 5 ms at most";
    const NEWER: &str =
        "Linux 6.12 or later; before, real-time threads lose 5 % even when no other thread waits";
    let cpu = facts.allowed.last().copied().unwrap_or(0);
    let setting = |name: &str| {
        let nanos = word(&format!("{FOLDER}/cpu{cpu}/{name}"))?.parse::<u64>().ok()?;
        Some(Span::from_nanos(nanos))
    };
    let (state, found, remedy) = match (setting("runtime"), setting("period")) {
        (Some(runtime), Some(period)) => {
            let state = if runtime > LONG { State::Limited } else { State::Yes };
            let found = format!(
                "ordinary threads that wait get up to {runtime} in {period}, at a stretch, before \
                 real-time ones"
            );
            (state, found, SHORTER)
        }
        _ if kernel::has_fair_server() => {
            let release = &facts.release;
            let found = format!(
                "part of Linux {release}; its settings in debugfs cannot be read: as they are built \
                 in, ordinary threads that wait get 50 ms in a second, at a stretch"
            );
            (State::Limited, found, SHORTER)
        }
        _ => {
            let release = &facts.release;
            let found = format!("not in Linux {release}: the throttle stays on while we run");
            (State::Limited, found, NEWER)
        }
    };
    Check::new(PURPOSE, "fair server", state, found).remedy(remedy)
}
