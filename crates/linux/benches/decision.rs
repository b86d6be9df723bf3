//! Time from the moment a thread blocks until another thread, which is not the kernel's own choice, runs; beside the
//! kernel's own switch, in one run.
//!
//! The threads know nothing of the supervisor: this file is also the supervised program. One thread is woken every 200 us and
//! blocks at once; two others read the clock without end. The hierarchy's choice of these two stands behind the other in the
//! kernel's queue, since it ran last.

use std::io::Write;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use windfall_clocks::{Lap, SystemClock};
use windfall_linux::Settings;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::Outcome;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    match words.get(1).map(String::as_str) {
        Some("worker") => worker(words.get(2).map_or("", String::as_str)),
        Some("native") => native(words.get(2).map_or("", String::as_str)),
        Some("futex") => futex(),
        _ => measure(),
    }
}

/// The supervised program: writes the time of each hand-over, in ns, to a file.
fn worker(file: &str) -> ExitCode {
    let clock = SystemClock::Monotonic;
    let begun = clock.now();
    let blocked = Arc::new(AtomicU64::new(0));
    let ns = move || clock.now().saturating_since(begun).as_nanos();
    let settle = || std::thread::sleep(Duration::from_millis(600)); // until all have their ranks
    let block = blocked.clone();
    let sleeper = std::thread::Builder::new().name("sleeper".into()).spawn(move || {
        while ns() < 3_500_000_000 {
            block.store(ns(), Ordering::Release);
            std::thread::park();
        }
    });
    let Ok(sleeper) = sleeper else { return ExitCode::FAILURE };
    let to_wake = sleeper.thread().clone();
    let wanted = std::thread::Builder::new().name("wanted".into()).spawn(move || {
        let mut samples = Vec::with_capacity(1 << 20);
        settle();
        let mut last = ns();
        let mut woken = last;
        while last < 4_000_000_000 {
            let now = ns();
            let at = blocked.load(Ordering::Acquire);
            if at > woken && now > at {
                samples.push(now - at); // the other thread blocked, and this one runs again
                woken = u64::MAX;
            }
            if now - last > 200_000 {
                (last, woken) = (now, now);
                to_wake.unpark();
            }
        }
        samples
    });
    let other = std::thread::Builder::new().name("other".into()).spawn(move || {
        settle();
        while ns() < 4_000_000_000 {}
    });
    let (Ok(wanted), Ok(other)) = (wanted, other) else {
        return ExitCode::FAILURE;
    };
    let (Ok(samples), Ok(()), Ok(())) = (wanted.join(), other.join(), sleeper.join()) else {
        return ExitCode::FAILURE;
    };
    let Ok(mut out) = std::fs::File::create(file) else { return ExitCode::FAILURE };
    for sample in samples {
        if writeln!(out, "{sample}").is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The same without supervision: the kernel's real-time priorities choose.
fn native(file: &str) -> ExitCode {
    let this = std::env::current_exe().map_or(String::new(), |path| path.display().to_string());
    let worker = Command::new("taskset").args(["-c", "1", &this, "worker", file]).spawn();
    let Ok(mut worker) = worker else { return ExitCode::FAILURE };
    std::thread::sleep(Duration::from_millis(200));
    let tasks = std::fs::read_dir(format!("/proc/{}/task", worker.id())).into_iter().flatten();
    for task in tasks.filter_map(Result::ok) {
        let comm = std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        let priority = match comm.trim() {
            "sleeper" => "32",
            "wanted" => "31",
            _ => "30",
        };
        let tid = task.file_name().to_string_lossy().into_owned();
        let _ = Command::new("chrt").args(["-f", "-p", priority, &tid]).status();
    }
    let _ = worker.wait();
    ExitCode::SUCCESS
}

/// The file that the worker writes to.
fn samples_file() -> String {
    std::env::temp_dir()
        .join(format!("windfall-decision-{}", std::process::id()))
        .display()
        .to_string()
}

fn measure() -> ExitCode {
    let Ok(this) = std::env::current_exe() else { return ExitCode::FAILURE };
    let (this, file) = (this.display().to_string(), samples_file());
    println!(
        "from the moment that a thread blocks until another runs, ns: median, 99th percentile"
    );
    for _ in 0..3 {
        let native = Command::new(&this).args(["native", &file]).status();
        row("the kernel's own choice, real-time", native.is_ok(), &file);
        for (kept, words) in [(false, ""), (true, ", what happens is kept")] {
            let supervised = supervise(&foreign(&this, &file), kept);
            let what = format!("the hierarchy's choice, threads that know nothing{words}");
            row(&what, supervised.is_some(), &file);
            let gaps = supervise(BLOCKS, kept).map(|outcome| gaps(&outcome));
            let what = format!("the hierarchy's choice, own programs{words}");
            quantiles(&what, gaps.unwrap_or_default());
            if let Some(outcome) = supervise(OWN, kept) {
                let hand_overs: u64 = outcome.threads.iter().map(|thread| thread.dispatches).sum();
                let each = outcome.length.as_nanos() / hand_overs.max(1);
                let what = format!("own programs, one wakes another and waits{words}");
                println!("  {what:<75} {each:>8} (mean of {hand_overs})");
            }
        }
        println!("  {:<75} {:>8} (mean)", "bare futex hand-over, real-time", futex_hand_over());
    }
    ExitCode::SUCCESS
}

fn row(what: &str, ran: bool, file: &str) {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let samples = text.lines().filter_map(|line| line.parse().ok()).filter(|_| ran);
    quantiles(what, samples.collect());
    let _ = std::fs::remove_file(file);
}

fn quantiles(what: &str, mut samples: Vec<u64>) {
    samples.sort_unstable();
    let quantile = |percent: u32| windfall_time::quantile(&samples, percent, 100);
    match (quantile(50), quantile(99)) {
        (Some(median), Some(p99)) => {
            println!("  {what:<75} {median:>8} {p99:>8} ({} samples)", samples.len());
        }
        _ => println!("  {what:<75} could not be measured"),
    }
}

/// Time from when the sleeping thread last ran, by its clock, until the other runs, by its clock; in ns.
fn gaps(outcome: &Outcome) -> Vec<u64> {
    let of = |name: &str| {
        let thread = outcome.threads.iter().find(|thread| thread.name == name);
        thread.map(|thread| thread.stretches.clone()).unwrap_or_default()
    };
    let (sleeper, other) = (of("sleeper"), of("other"));
    let mut all: Vec<_> = sleeper.iter().map(|one| (*one, true)).collect();
    all.extend(other.iter().map(|one| (*one, false)));
    all.sort_unstable();
    let handed = all.windows(2).filter(|pair| pair[0].1 && !pair[1].1);
    handed.map(|pair| pair[1].0.0.saturating_since(pair[0].0.1).as_nanos()).collect()
}

/// With `kept`, as under `windfall run`: the run can be controlled, and a trace is kept.
fn supervise(text: &str, kept: bool) -> Option<Outcome> {
    let scenario = Scenario::parse("decision.toml", text).map_err(|e| println!("{e:?}")).ok()?;
    let plan = scenario.build().map_err(|e| println!("{e:?}")).ok()?;
    let scenario = kept.then_some(scenario);
    let settings = Settings { scenario, stretches: true, ..Settings::default() };
    windfall_linux::run(plan, &settings, None).map_err(|e| println!("  {e}")).ok()
}

fn foreign(this: &str, file: &str) -> String {
    format!(
        r#"
schema = 2
seed   = 1
length = "6s"
[schedulers.fp]
scheduler = "fixed-priority"
parent    = "top"
[threads.sleeper]
parent   = "fp"
of       = "other"
match    = {{ comm = "sleeper" }}
priority = 3
[threads.wanted]
parent   = "fp"
of       = "other"
match    = {{ comm = "wanted" }}
priority = 2
[threads.other]
parent   = "fp"
exec     = ["{this}", "worker", "{file}"]
priority = 1
"#
    )
}

/// A thread that alternately computes and sleeps, above one that computes without end.
const BLOCKS: &str = r#"
schema = 2
seed   = 1
length = "3s"
[schedulers.fp]
scheduler = "fixed-priority"
parent    = "top"
[threads.sleeper]
parent   = "fp"
priority = 2
periodic = "20us/200us"
[threads.other]
parent   = "fp"
priority = 1
run      = "spin"
"#;

/// Two threads that wake each other in turn.
const OWN: &str = r#"
schema = 2
seed   = 1
length = "2s"
[schedulers.fp]
scheduler = "fixed-priority"
parent    = "top"
[threads.a]
parent = "fp"
priority = 1
loops = 100000000
steps = [{ resume = "b" }, "suspend"]
[threads.b]
parent = "fp"
priority = 1
loops = 100000000
steps = [{ resume = "a" }, "suspend"]
"#;

/// Two threads on one processor that hand a channel's token back and forth.
fn futex_hand_over() -> u64 {
    let this = std::env::current_exe().map_or(String::new(), |path| path.display().to_string());
    let output =
        Command::new("taskset").args(["-c", "1", "chrt", "-f", "20", &this, "futex"]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.unwrap_or_default().trim().parse().unwrap_or(0)
}

/// `std`'s park and unpark, which use one futex each.
fn futex() -> ExitCode {
    const ROUNDS: u32 = 200_000;
    let main = std::thread::current();
    let other = std::thread::spawn(move || {
        for _ in 0..ROUNDS {
            std::thread::park();
            main.unpark();
        }
    });
    let lap = Lap::begin();
    for _ in 0..ROUNDS {
        other.thread().unpark();
        std::thread::park();
    }
    println!("{}", lap.passed().as_nanos() / u64::from(2 * ROUNDS));
    ExitCode::SUCCESS
}
