//! Within a second of the supervisor's end, however it ended, all that it changed is restored.
//!
//! Needs root (real-time priorities, tracepoints); says so and passes where it is missing. The
//! supervisor is killed at random moments `WINDFALL_KILLS` times, 20 when that is not set.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/real.rs"]
mod real;
#[path = "common/signal.rs"]
mod signal;
#[path = "common/threads.rs"]
mod threads;

use signal::Signal;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use threads::{affinity, numbers};

/// Set for the copy of this test that is the supervised program.
const WORKER: &str = "WINDFALL_TEST_WORKER";

/// Threads that compute and threads that sleep, when asked to be the program; nothing otherwise.
#[test]
fn worker() {
    if std::env::var_os(WORKER).is_none() {
        return;
    }
    for nap in [0, 0, 1, 7] {
        std::thread::spawn(move || {
            loop {
                match nap {
                    0 => std::hint::black_box((0..10_000).sum::<u64>()),
                    ms => {
                        std::thread::sleep(Duration::from_millis(ms));
                        0
                    }
                };
            }
        });
    }
    // Threads that come and go are the hardest to keep track of.
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        let _ = std::thread::spawn(|| std::thread::sleep(Duration::from_millis(2))).join();
    }
}

fn scenario() -> String {
    let this = std::env::current_exe().unwrap();
    format!(
        r#"
schema = 2
seed   = 1
length = "20s"
[schedulers.root]
scheduler = "fixed-priority"
parent    = "top"
[schedulers.res]
scheduler = "rez"
parent    = "root"
priority  = 2
[schedulers.ts]
scheduler = "time-sharing"
parent    = "root"
priority  = 1
[threads.hard]
parent    = "res"
guarantee = "RESBH 2ms 10ms"
exec      = ["sh", "-c", "while :; do :; done"]
[threads.many]
parent = "ts"
exec   = ["{}", "--exact", "worker", "--nocapture"]
env    = {{ {WORKER} = "1" }}
[threads.own]
parent   = "ts"
periodic = "1ms/10ms"
[threads.later]
parent = "ts"
start  = "15s"
exec   = ["sleep", "77"]
"#,
        this.display()
    )
}

/// The processes that belong to the supervised programs.
fn programs() -> BTreeSet<i32> {
    let this = std::env::current_exe().unwrap();
    let ours = |pid: &i32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        words.starts_with("sh -c while :; do :; done")
            || (words.starts_with(&*this.to_string_lossy()) && words.contains("--exact worker"))
    };
    numbers("/proc").into_iter().filter(ours).collect()
}

/// The machine's state before the first run.
struct Before {
    throttle: String,
    processors: String,
}

/// Everything that differs from before; empty when all is well.
fn left_behind(programs: &BTreeSet<i32>, supervisor: u32, before: &Before) -> Vec<String> {
    let mut left = Vec::new();
    let processors = &before.processors;
    if affinity(std::process::id().cast_signed()).as_ref() != Some(processors) {
        left.push("this process may not run where it did before".to_owned());
    }
    for pid in programs {
        for tid in numbers(&format!("/proc/{pid}/task")) {
            let stat = fs::read_to_string(format!("/proc/{tid}/stat")).unwrap_or_default();
            let Some((_, fields)) = stat.rsplit_once(") ") else { continue };
            let fields: Vec<&str> = fields.split(' ').collect();
            if fields.get(38).is_some_and(|policy| *policy != "0") {
                left.push(format!("thread {tid} is in class {}", fields[38]));
            }
            if let Some(own) = affinity(tid).filter(|own| own != processors) {
                left.push(format!("thread {tid} may run on {own}"));
            }
        }
    }
    // A process that was to become a program later, or a guardian that stays.
    let waits = |pid: &i32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words)
            .contains(&format!("windfall-guardian-{}", std::process::id()))
    };
    let state = fs::read_to_string(format!("/proc/{supervisor}/stat")).unwrap_or_default();
    if !state.contains(") T ") {
        left.extend(
            numbers("/proc").into_iter().filter(waits).map(|pid| format!("process {pid} is there")),
        );
    }
    if before.throttle != fs::read_to_string("/proc/sys/kernel/sched_rt_runtime_us").unwrap() {
        left.push("the throttle is not as it was".to_owned());
    }
    let name = format!("windfall-{supervisor}");
    let groups = Command::new("find").args(["/sys/fs/cgroup", "-name", &name]).output().unwrap();
    if !groups.stdout.is_empty() {
        left.push(String::from_utf8_lossy(&groups.stdout).into_owned());
    }
    left
}

fn begin(file: &std::path::Path) -> Child {
    let windfall = env!("CARGO_BIN_EXE_windfall");
    let mut command = Command::new(windfall);
    command.arg("run").arg(file).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// How long a run takes here until its programs run, in microseconds.
fn takes_to_begin(file: &std::path::Path) -> u64 {
    let begun = Instant::now();
    let mut child = begin(file);
    while programs().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(30), "no program has begun");
        std::thread::sleep(Duration::from_millis(5));
    }
    let took = u64::try_from(begun.elapsed().as_micros()).unwrap();
    signal::send(Signal::TERM, child.id());
    let _ = child.wait();
    kill(&programs());
    took
}

/// Waits up to so long until nothing is left behind; what is left, and how long it took.
fn settles(supervisor: u32, before: &Before, limit: Duration) -> (Vec<String>, Duration) {
    let begun = Instant::now();
    loop {
        let left = left_behind(&programs(), supervisor, before);
        if left.is_empty() || begun.elapsed() > limit {
            return (left, begun.elapsed());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn kill(pids: &BTreeSet<i32>) {
    for pid in pids {
        signal::send(Signal::KILL, pid.cast_unsigned());
    }
}

#[test]
fn law_nothing_is_left_behind_when_the_supervisor_is_killed() {
    if !real::is_ready() {
        return;
    }
    let kills: u64 =
        std::env::var("WINDFALL_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let file = std::env::temp_dir().join(format!("windfall-guardian-{}.toml", std::process::id()));
    fs::write(&file, scenario()).unwrap();
    let before = Before {
        throttle: fs::read_to_string("/proc/sys/kernel/sched_rt_runtime_us").unwrap(),
        processors: affinity(std::process::id().cast_signed()).unwrap(),
    };
    let (mut seed, mut longest, mut running) = (0x2545_f491_4f6c_dd1d_u64, Duration::ZERO, 0);
    // A third of the kills come before the programs run, on a machine of whatever speed: of some beginnings the slowest counts.
    let until = 3 * (0..3).map(|_| takes_to_begin(&file)).max().unwrap();
    println!("kills are drawn from {until} us");
    for round in 0..kills {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let mut child = begin(&file);
        std::thread::sleep(Duration::from_micros(seed % until));
        let runs = !programs().is_empty();
        running += u64::from(runs);
        // Every fourth one is stopped instead: its heart stands still, and the guardian kills it.
        let stopped = round % 4 == 3;
        let signal = if stopped { Signal::STOP } else { Signal::KILL };
        signal::send(signal, child.id());
        if stopped {
            // It may not have had a guardian yet; then nothing was changed, and nobody kills it.
            std::thread::sleep(Duration::from_millis(450));
        }
        // One that is stopped while it sets up is given 5 s by its guardian.
        let limit = Duration::from_secs(if stopped && !runs { 6 } else { 1 });
        let (left, took) = settles(child.id(), &before, limit);
        let _ = child.kill();
        let _ = child.wait();
        kill(&programs());
        assert!(left.is_empty(), "round {round}, {signal:?}, after {took:?}: {left:?}");
        longest = longest.max(took);
    }
    println!("{kills} kills, {running} with programs running; restored within {longest:?}");
    assert!(running * 4 > kills, "too few kills met running programs to mean anything");
    let _ = fs::remove_file(file);
}
