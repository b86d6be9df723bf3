//! Hundreds of threads supervised, for long: none is lost, decisions are in time, memory stays as it is.
//!
//! Needs root (real-time priorities, tracepoints); says so and passes where it is missing. 15 s with some 100 threads
//! unless `WINDFALL_SOAK` says for how many seconds; then some 500. The threads are stress-ng's where it is installed, else our own.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/real.rs"]
mod real;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use windfall_skips::{Needs, skip};

/// Set for the copy of this test that is the supervised program: how many threads it has.
const WORKER: &str = "WINDFALL_TEST_SOAK";

/// Threads that compute, and one in four that sleeps now and then, when asked to be the program.
#[test]
fn worker() {
    let Some(threads) = std::env::var(WORKER).ok().and_then(|n| n.parse::<u64>().ok()) else {
        return;
    };
    for number in 0..threads {
        std::thread::spawn(move || {
            loop {
                std::hint::black_box((0..10_000).sum::<u64>());
                if number % 4 == 0 {
                    std::thread::sleep(Duration::from_millis(number % 7));
                }
            }
        });
    }
    loop {
        let _ = std::thread::spawn(|| std::thread::sleep(Duration::from_millis(20))).join();
    }
}

/// The command of the supervised program, and its environment, as the file has them.
fn program(threads: u64) -> String {
    let installed = Command::new("stress-ng").arg("--version").stdout(Stdio::null()).status();
    if installed.is_ok_and(|status| status.success()) {
        let part = |of: u64| (threads / of).max(1);
        return format!(
            r#"exec = ["stress-ng", "--quiet", "--cpu", "{}", "--switch", "{}", "--pipe", "{}", "--futex", "{}", "--fork", "2"]"#,
            threads - 6 * part(25),
            part(25),
            part(25),
            part(25),
        );
    }
    let this = std::env::current_exe().unwrap();
    // A run's results are on the standard output that its programs have, too.
    let quiet = r#"exec "$0" --exact worker --nocapture > /dev/null"#;
    let exec = format!("exec = ['sh', '-c', '{quiet}', '{}']", this.display());
    format!("{exec}\nenv = {{ {WORKER} = \"{threads}\" }}")
}

fn scenario(seconds: u64, threads: u64) -> String {
    format!(
        r#"
schema = 2
seed   = 1
length = "{seconds}s"
[schedulers.root]
scheduler = "fixed-priority"
parent    = "top"
[schedulers.res]
scheduler = "rez"
parent    = "root"
priority  = 2
[schedulers.ps]
scheduler = "proportional-share"
parent    = "root"
priority  = 1
quantum   = "10ms"
[threads.periodic]
parent    = "res"
guarantee = "RESBH 3ms 10ms"
periodic  = "2ms/10ms"
[threads.many]
parent = "ps"
share  = 1
{}
"#,
        program(threads)
    )
}

fn numbers(folder: &str) -> impl Iterator<Item = i32> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The fields of a line in /proc after the name; empty for one that is gone.
fn fields(tid: i32) -> Vec<String> {
    let stat = fs::read_to_string(format!("/proc/{tid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(") ").map(|(_, fields)| fields.split(' ').map(str::to_owned));
    fields.map(Iterator::collect).unwrap_or_default()
}

/// All threads of processes that descend from one.
fn descendants(of: i32) -> Vec<i32> {
    let parents = numbers("/proc").filter_map(|pid| Some((pid, fields(pid).get(1)?.parse().ok()?)));
    let parents: Vec<(i32, i32)> = parents.collect();
    let mut found = BTreeSet::from([of]);
    loop {
        let more = parents.iter().filter(|(_, parent)| found.contains(parent)).map(|(pid, _)| *pid);
        let more: BTreeSet<i32> = more.filter(|pid| !found.contains(pid)).collect();
        if more.is_empty() {
            break;
        }
        found.extend(more);
    }
    found.remove(&of);
    found.into_iter().flat_map(|pid| numbers(&format!("/proc/{pid}/task"))).collect()
}

/// Measurements from outside while it ran.
#[derive(Default)]
struct Seen {
    most: usize,
    /// The resident memory of the supervisor once all threads were there, and at the end, in KiB.
    memory: Vec<u64>,
    /// Threads that were at no priority of ours at two looks in a row.
    outside: BTreeSet<i32>,
    /// By thread: its processor time, and since when it can run without getting more.
    waiting: BTreeMap<i32, (String, Instant)>,
    longest: Duration,
}

impl Seen {
    fn look(&mut self, supervisor: i32, before: &BTreeSet<i32>) -> BTreeSet<i32> {
        let status = fs::read_to_string(format!("/proc/{supervisor}/status")).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        self.memory
            .extend(resident.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok()));
        let guardian = |tid: &i32| {
            let name = fs::read_to_string(format!("/proc/{tid}/comm")).unwrap_or_default();
            !name.starts_with("windfall")
        };
        let threads: Vec<i32> = descendants(supervisor).into_iter().filter(guardian).collect();
        self.most = self.most.max(threads.len());
        let (mut outside, mut waiting) = (BTreeSet::new(), BTreeMap::new());
        for tid in threads {
            let fields = fields(tid);
            let [Some(state), Some(priority)] = [0, 37].map(|at| fields.get(at)) else { continue };
            if !matches!(priority.as_str(), "70" | "71" | "72" | "73" | "74") && state != "Z" {
                outside.insert(tid);
            }
            if state == "R" {
                let had = fs::read_to_string(format!("/proc/{tid}/schedstat")).unwrap_or_default();
                let had = had.split(' ').next().unwrap_or_default().to_owned();
                let since = match self.waiting.get(&tid) {
                    Some((before, since)) if *before == had => *since,
                    _ => Instant::now(),
                };
                self.longest = self.longest.max(since.elapsed());
                waiting.insert(tid, (had, since));
            }
        }
        self.outside.extend(outside.intersection(before));
        self.waiting = waiting;
        outside
    }
}

fn begin(file: &std::path::Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.arg("run").arg(file).arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// A run that has not ended within a second; nothing, with a word about it, where others supervise this machine.
fn begin_once_free(file: &std::path::Path) -> Option<Child> {
    for _ in 0..60 {
        let mut child = begin(file);
        std::thread::sleep(Duration::from_secs(1));
        if child.try_wait().unwrap().is_none() {
            return Some(child);
        }
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("another run is under way"), "{errors}");
    }
    skip(Needs::Real, "another run was under way on this machine for a minute");
    None
}

#[test]
fn law_no_thread_is_lost_among_hundreds() {
    if !real::is_ready() {
        return;
    }
    let requested = std::env::var("WINDFALL_SOAK").ok().and_then(|n| n.parse::<u64>().ok());
    let (seconds, threads) = (requested.unwrap_or(15), if requested.is_some() { 500 } else { 100 });
    let file = std::env::temp_dir().join(format!("windfall-soak-{}.toml", std::process::id()));
    fs::write(&file, scenario(seconds, threads)).unwrap();
    let Some(child) = begin_once_free(&file) else { return };
    let supervisor = child.id().cast_signed();
    // Whoever looks on is an ordinary thread, which the kernel would serve on the supervised processor, too.
    let this = std::process::id().to_string();
    let _ = Command::new("taskset").args(["-acp", "0", &this]).stdout(Stdio::null()).status();
    let (begun, mut seen, mut outside) = (Instant::now(), Seen::default(), BTreeSet::new());
    std::thread::sleep(Duration::from_secs(3));
    while begun.elapsed() + Duration::from_secs(2) < Duration::from_secs(seconds) {
        outside = seen.look(supervisor, &outside);
        std::thread::sleep(Duration::from_secs(1));
    }
    let output = child.wait_with_output().unwrap();
    let took = begun.elapsed();
    let _ = fs::remove_file(file);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let outcome: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {errors}"));
    let supervision = &outcome["supervision"];
    let [lag, own] = ["lag_ns", "lag_without_steal_ns"]
        .map(|key| Duration::from_nanos(supervision[key].as_u64().unwrap()));
    let listed = outcome["threads"].as_array().unwrap();
    let periodic = listed.iter().find(|thread| thread["name"] == "periodic").unwrap();
    let middle = seen.memory.len() / 2;
    let (first, last) = (seen.memory[middle], *seen.memory.last().unwrap());
    println!(
        "{seconds} s: {} threads at most, the longest wait of one {:?}; lag {lag:?}, {own:?} while the processor was ours, \
         which stood still for {} ns; {} KiB, {last} KiB at the end; {} of {} periods missed; {} events lost; over after {took:?}",
        seen.most,
        seen.longest,
        supervision["steal_ns"],
        seen.memory[0],
        periodic["deadlines_missed"],
        periodic["released"],
        supervision["lost"],
    );
    assert!(seen.most * 2 > usize::try_from(threads).unwrap(), "only {} threads", seen.most);
    assert!(seen.outside.is_empty(), "not supervised: {:?}", seen.outside);
    // 5 ms, and what the kernel's fair server may take for ordinary threads at a stretch; and for as long as the processor stood still.
    let steal = Duration::from_nanos(supervision["steal_ns"].as_u64().unwrap_or(0));
    let most = Duration::from_millis(55);
    assert!(
        own <= most && lag <= most + steal,
        "{lag:?} late, {own:?} of it ours, steal {steal:?}"
    );
    // Two rounds of 10 ms each, beside a fifth that is reserved. Whoever is granted the processor pays for what is stolen there
    // meanwhile, too, and waits for as many rounds more.
    let round = Duration::from_millis(13 * seen.most as u64);
    let patience = Duration::from_secs(2) + 2 * round + round.mul_f64(lag.as_secs_f64() / 0.01);
    assert!(seen.longest < patience, "a thread waited for {:?}", seen.longest);
    assert_eq!(outcome["refused"].as_array().unwrap().len(), 0, "{}", outcome["refused"]);
    // Of those that have ended 1,024 are kept one by one, which a short run does not reach.
    let most = first + if requested.is_some() { 1_024 } else { 4_096 };
    assert!(last <= most, "memory grew from {first} to {last} KiB");
    assert!(took < Duration::from_secs(seconds + 10), "it went on until {took:?}");
    // What is asked of the long form, as far as others did not have the processor.
    if requested.is_some() {
        assert!(own <= Duration::from_millis(1), "{own:?} late while the processor was ours");
    }
}
