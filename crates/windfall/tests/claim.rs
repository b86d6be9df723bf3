//! A run claims its processors: whatever can run elsewhere does, and all of it returns, however the run ends.
//!
//! Needs root and a second processor; says so and passes where either is missing.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/real.rs"]
mod real;
#[path = "common/signal.rs"]
mod signal;
#[path = "common/threads.rs"]
mod threads;

use signal::Signal;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use threads::{affinity, numbers};
use windfall_skips::{Needs, skip};

/// One run at a time supervises this machine.
static ALONE: Mutex<()> = Mutex::new(());

/// So many processes are made during a run.
const MADE: usize = 1_000;

/// The processors of this machine as the kernel lists them, the one that a run claims, and the others.
struct Processors {
    all: String,
    claimed: u16,
    others: String,
}

#[track_caller]
fn processors() -> Option<Processors> {
    let all = affinity(std::process::id().cast_signed())?;
    let numbers: Vec<u16> = listed(&all);
    let claimed = *numbers.last()?;
    let others: Vec<String> =
        numbers.iter().filter(|cpu| **cpu != claimed).map(ToString::to_string).collect();
    if others.is_empty() {
        skip(Needs::Other, "a second processor: one stays unclaimed");
        return None;
    }
    Some(Processors { all, claimed, others: others.join(",") })
}

/// The numbers in a list as the kernel writes it: `0-2,5`.
fn listed(list: &str) -> Vec<u16> {
    let ends = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        (from.parse::<u16>().unwrap(), to.parse::<u16>().unwrap())
    };
    list.split(',').map(ends).flat_map(|(from, to)| from..=to).collect()
}

/// Every thread of the machine, with its affinity.
fn affinities() -> BTreeMap<i32, String> {
    let threads =
        numbers("/proc").into_iter().flat_map(|pid| numbers(&format!("/proc/{pid}/task")));
    threads.filter_map(|tid| Some((tid, affinity(tid)?))).collect()
}

/// The kernel's settings of interrupts, workqueues and timers.
fn settings() -> BTreeMap<PathBuf, String> {
    let interrupts = numbers("/proc/irq").into_iter();
    let interrupts = interrupts.map(|number| format!("/proc/irq/{number}/smp_affinity"));
    let rest = [
        "/proc/irq/default_smp_affinity",
        "/sys/devices/virtual/workqueue/cpumask",
        "/proc/sys/kernel/timer_migration",
    ];
    let paths = interrupts.chain(rest.map(str::to_owned)).map(PathBuf::from);
    paths.filter_map(|path| fs::read_to_string(&path).ok().map(|text| (path, text))).collect()
}

fn scenario(name: &str, claim: &str) -> PathBuf {
    let text = format!(
        r#"
schema = 2
seed   = 1
length = "60s"
[machine]
{claim}
[schedulers.res]
scheduler = "rez"
parent    = "top"
[threads.own]
parent    = "res"
guarantee = "RESBH 1ms 10ms"
periodic  = "500us/10ms"
"#
    );
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}

fn begin(file: &Path, claimed: u16) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.arg("run").arg(file).args(["--cpus", &claimed.to_string()]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // The supervised thread has been taken when its priority is one of ours.
    waits_for("the run to begin", || {
        assert_eq!(child.try_wait().unwrap(), None, "the run ended before it began");
        let own = format!("/proc/{}/task", child.id());
        numbers(&own).into_iter().any(|tid| {
            let name = fs::read_to_string(format!("{own}/{tid}/comm")).unwrap_or_default();
            name.starts_with("fence")
        })
    });
    child
}

fn waits_for(what: &str, mut there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < Duration::from_secs(20), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A process that is ended when this is dropped.
struct Process(Child);

impl Process {
    fn start(words: &[&str]) -> Process {
        let mut command = Command::new(words[0]);
        Process(command.args(&words[1..]).stdout(Stdio::null()).spawn().unwrap())
    }

    fn affinity(&self) -> String {
        affinity(self.0.id().cast_signed()).unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Processes that sleep, made by one shell.
fn made_by(pid: u32) -> Vec<i32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.unwrap_or_default();
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// A run, how it is ended, and whether it is gone for good then.
fn returns_after(signal: Signal, cpus: &Processors) {
    let (before, threads) = (settings(), affinities());
    let kept = Process::start(&["taskset", "-c", &cpus.others, "sleep", "100"]);
    waits_for("taskset", || kept.affinity() == canonical(&cpus.others));
    let mut run = begin(&scenario("claim.toml", ""), cpus.claimed);

    // While it lasts: whoever may run on the claimed processor may run nowhere else.
    let makes = format!("for n in $(seq {MADE}); do sleep 100 & done; wait");
    let maker = Process::start(&["sh", "-c", &makes]);
    waits_for("processes to be made", || made_by(maker.0.id()).len() == MADE);
    let late = Process::start(&["taskset", "-c", &cpus.all, "sleep", "100"]);
    waits_for("a late thread to be moved", || late.affinity() == canonical(&cpus.others));
    let both = |list: &String| {
        let numbers = listed(list);
        numbers.contains(&cpus.claimed) && numbers.len() > 1
    };
    // Others may choose the claimed processor at any moment; nobody stays there for long.
    let during = affinities();
    let stays = during.iter().filter(|(tid, list)| both(list) && !was_bound(**tid));
    for tid in stays.map(|(tid, _)| *tid) {
        let name = fs::read_to_string(format!("/proc/{tid}/comm")).unwrap_or_default();
        waits_for(&format!("thread {tid} ({}) to be moved", name.trim()), || {
            affinity(tid).is_none_or(|list| !both(&list))
        });
    }
    assert!(settings() != before, "no interrupt and no workqueue was moved");
    let children = made_by(maker.0.id());
    let narrowed = |pid: &i32| affinity(*pid) == Some(canonical(&cpus.others));
    assert!(children.iter().all(narrowed), "children inherit what their maker has");

    signal::send(signal, run.id());
    run.wait().unwrap();
    waits_for("the settings to return", || settings() == before);
    waits_for("affinities to return", || {
        let all = canonical(&cpus.all);
        children.iter().all(|pid| affinity(*pid).is_none_or(|own| own == all))
            && late.affinity() == all
            && affinity(std::process::id().cast_signed()) == Some(all)
    });
    assert_eq!(made_by(maker.0.id()).len(), MADE, "nobody was ended");
    let narrow = canonical(&cpus.others);
    let left: Vec<i32> = affinities()
        .into_iter()
        .filter(|(tid, own)| *own == narrow && *tid != kept.0.id().cast_signed())
        .filter(|(tid, _)| threads.get(tid).is_none_or(|own| *own != narrow))
        .map(|(tid, _)| tid)
        .filter(|tid| !was_bound(*tid))
        .collect();
    assert!(left.is_empty(), "{signal:?}: narrowed still: {left:?}");
    assert_eq!(kept.affinity(), narrow, "{signal:?}: it had chosen that itself");
    for pid in children {
        signal::send(Signal::TERM, pid.cast_unsigned());
    }
}

/// A thread of the kernel that belongs to a processor.
fn was_bound(tid: i32) -> bool {
    const NO_SETAFFINITY: u64 = 0x0400_0000;
    let stat = fs::read_to_string(format!("/proc/{tid}/stat")).unwrap_or_default();
    let flags = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(6)?.parse().ok());
    flags.is_none_or(|flags: u64| flags & NO_SETAFFINITY != 0)
}

/// A list as the kernel writes it: `0,1` is `0-1`.
fn canonical(list: &str) -> String {
    let numbers = listed(list);
    let mut parts: Vec<(u16, u16)> = Vec::new();
    for number in numbers {
        match parts.last_mut() {
            Some((_, to)) if *to + 1 == number => *to = number,
            _ => parts.push((number, number)),
        }
    }
    let part = |(from, to): &(u16, u16)| {
        if from == to { from.to_string() } else { format!("{from}-{to}") }
    };
    parts.iter().map(part).collect::<Vec<_>>().join(",")
}

#[test]
fn law_afterwards_no_thread_has_an_affinity_that_a_claim_narrowed() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(cpus) = processors().filter(|_| real::is_ready()) else { return };
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL] {
        returns_after(signal, &cpus);
    }
}

#[test]
fn law_without_a_claim_everybody_stays() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(cpus) = processors().filter(|_| real::is_ready()) else { return };
    let before = settings();
    let other = Process::start(&["sleep", "100"]);
    let file = scenario("no-claim.toml", "claim = \"none\"");
    let mut run = begin(&file, cpus.claimed);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((other.affinity(), settings()), (canonical(&cpus.all), before));
    signal::send(Signal::TERM, run.id());
    run.wait().unwrap();
}

#[test]
fn law_what_somebody_else_sets_during_a_claim_stays() {
    const NEW: &str = "/proc/irq/default_smp_affinity";
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(cpus) = processors().filter(|_| real::is_ready()) else { return };
    let Ok(before) = fs::read_to_string(NEW) else {
        return skip(Needs::Other, format!("{NEW} cannot be read"));
    };
    let mut run = begin(&scenario("others.toml", ""), cpus.claimed);
    let chosen = format!("{:x}\n", 1_u64 << cpus.claimed);
    fs::write(NEW, &chosen).unwrap();
    signal::send(Signal::TERM, run.id());
    run.wait().unwrap();
    let after = fs::read_to_string(NEW).unwrap();
    fs::write(NEW, &before).unwrap();
    let value = |text: &str| u64::from_str_radix(text.trim(), 16).unwrap();
    assert_eq!(value(&after), value(&chosen), "it is not the run's to give back");
}

#[test]
fn law_what_a_dry_run_says_changes_nothing_and_names_what_stays() {
    let Some(cpus) = processors() else { return };
    let before = settings();
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    let file = scenario("dry.toml", "");
    command.arg("run").arg(&file).args(["--dry-run", "--cpus", &cpus.claimed.to_string()]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(&format!("processor {} would be claimed: ", cpus.claimed)), "{text}");
    assert!(text.contains("kernel threads that cannot be moved: "), "{text}");
    assert_eq!(settings(), before);
}

#[test]
fn limit_a_run_on_all_processors_leaves_one_unclaimed_and_says_so() {
    let Some(cpus) = processors() else { return };
    let count = listed(&cpus.all).len();
    let file = scenario("all.toml", &format!("processors = {count}"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    let output = command.arg("run").arg(&file).arg("--dry-run").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let remark =
        format!("processor {} is not claimed, because the run supervises all", cpus.claimed);
    assert!(text.contains(&remark), "{text}");
}
