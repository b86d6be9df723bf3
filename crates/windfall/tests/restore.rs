//! Everything is given back and nobody else is touched, however a run and its guardian end.
//!
//! Needs root; says so and passes where it is missing.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "restore/guardian.rs"]
mod guardian;
#[path = "restore/programs.rs"]
mod programs;
#[path = "common/real.rs"]
mod real;
#[path = "common/signal.rs"]
mod signal;
#[path = "common/taken.rs"]
mod taken;
#[path = "common/threads.rs"]
mod threads;

use signal::Signal;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use threads::{affinity, numbers};
use windfall_skips::{Needs, skip};

/// One run at a time supervises this machine; runs of other tests are waited for.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread that computes, one that forks while it does, and one of our own, for so long.
fn scenario(name: &str, length: &str, threads: &str) -> PathBuf {
    let text = format!(
        r#"
schema = 2
length = "{length}"
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
{threads}"#
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("restore");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.toml"));
    fs::write(&path, text).unwrap();
    path
}

const BUSY: &str = r#"
[threads.hard]
parent    = "res"
guarantee = "RESBH 2ms 10ms"
exec      = ["sh", "-c", "while :; do :; done"]
[threads.own]
parent    = "ts"
periodic  = "1ms/10ms"
"#;

/// A run that is under way.
struct Run {
    child: Child,
    errors: PathBuf,
}

impl Run {
    /// Begins one, and waits until its programs run; other runs are waited for.
    fn begin(file: &Path) -> Run {
        let errors = file.with_extension("errors");
        for _ in 0..120 {
            let child = Command::new(env!("CARGO_BIN_EXE_windfall"))
                .arg("run")
                .arg(file)
                .stdout(fs::File::create(file.with_extension("out")).unwrap())
                .stderr(fs::File::create(&errors).unwrap())
                .spawn();
            let mut run = Run { child: child.unwrap(), errors: errors.clone() };
            if until(Duration::from_secs(20), || run.supervises() || run.has_ended())
                && run.supervises()
            {
                return run;
            }
            let _ = run.child.wait();
            let said = run.said();
            assert!(said.contains("twice"), "{said}");
            std::thread::sleep(Duration::from_millis(500));
        }
        panic!("this machine was supervised by somebody else for a minute");
    }

    fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Whether a child of it is on a priority of supervision.
    fn supervises(&self) -> bool {
        descendants(self.pid()).into_iter().any(|pid| matches!(class(pid), Some((1, 70..=74))))
    }

    fn guardian(&self) -> Option<i32> {
        children(self.pid()).into_iter().find(|pid| comm(*pid).starts_with("windfall-guard"))
    }

    fn signal(&self, signal: Signal) {
        send(self.pid(), signal);
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.errors).unwrap_or_default()
    }

    /// Its output after it has ended.
    fn results(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        (
            status.code(),
            fs::read_to_string(self.errors.with_extension("out")).unwrap() + &self.said(),
        )
    }
}

fn send(pid: i32, signal: Signal) {
    signal::send(signal, pid.cast_unsigned());
}

fn until(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < limit {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    is_so()
}

fn fields(pid: i32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(stat.rsplit_once(") ")?.1.split(' ').map(str::to_owned).collect())
}

/// Class and priority.
fn class(pid: i32) -> Option<(u32, u32)> {
    let fields = fields(pid)?;
    Some((fields.get(38)?.parse().ok()?, fields.get(37)?.parse().ok()?))
}

fn comm(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default()
}

fn children(of: i32) -> Vec<i32> {
    let parent = |pid: i32| fields(pid)?.get(1)?.parse::<i32>().ok();
    numbers("/proc").into_iter().filter(|pid| parent(*pid) == Some(of)).collect()
}

fn descendants(of: i32) -> Vec<i32> {
    let own = children(of);
    own.iter().flat_map(|pid| descendants(*pid)).chain(own.iter().copied()).collect()
}

fn throttle() -> String {
    fs::read_to_string("/proc/sys/kernel/sched_rt_runtime_us").unwrap()
}

fn groups(of: i32) -> String {
    let name = format!("windfall-{of}");
    let found = Command::new("find").args(["/sys/fs/cgroup", "-name", &name]).output().unwrap();
    String::from_utf8_lossy(&found.stdout).into_owned()
}

/// The processor that a run takes when none is named: the last one.
fn last_processor() -> String {
    let all = fs::read_to_string("/sys/devices/system/cpu/online").unwrap();
    all.trim().rsplit(['-', ',']).next().unwrap().to_owned()
}

fn windfall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_windfall")).args(arguments).output().unwrap()
}

/// Ends a process of the test when it is dropped.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn sleeper(words: &[&str]) -> Ends {
    let mut command = Command::new(words[0]);
    Ends(command.args(&words[1..]).args(["sleep", "60"]).stdin(Stdio::null()).spawn().unwrap())
}

#[test]
fn law_real_time_threads_of_others_stay_what_they_are() {
    if !real::is_ready() {
        return;
    }
    let _alone = alone();
    let cpu = last_processor();
    let run = Run::begin(&scenario("others", "20s", BUSY));
    let bound = sleeper(&["taskset", "-c", &cpu, "chrt", "-f", "73"]);
    let free = sleeper(&["chrt", "-f", "72"]);
    let is = |one: &Ends, priority| class(one.0.id().cast_signed()) == Some((1, priority));
    assert!(until(Duration::from_secs(2), || is(&bound, 73) && is(&free, 72)));
    assert_eq!(affinity(bound.0.id().cast_signed()).as_ref(), Some(&cpu));
    run.signal(Signal::TERM);
    let (status, said) = run.results();
    assert!(status.is_some(), "{said}");
    assert!(is(&bound, 73) && is(&free, 72), "classes: {:?}", class(bound.0.id().cast_signed()));
    assert_eq!(affinity(bound.0.id().cast_signed()), Some(cpu));
    assert_eq!(affinity(free.0.id().cast_signed()), affinity(std::process::id().cast_signed()));
}

#[test]
fn refuses_a_run_beside_others_at_its_priorities() {
    if !real::is_ready() {
        return;
    }
    let _alone = alone();
    let other = sleeper(&["taskset", "-c", &last_processor(), "chrt", "-f", "73"]);
    let pid = other.0.id().cast_signed();
    assert!(until(Duration::from_secs(2), || class(pid) == Some((1, 73)) && comm(pid) == "sleep\n"));
    let file = scenario("rivals", "1s", BUSY);
    let Some(output) = taken::once_free(|| windfall(&["run", file.to_str().unwrap()])) else {
        return;
    };
    let answer = (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
    assert_eq!(answer.0, Some(2), "{}", answer.1);
    assert!(answer.1.contains(&format!("sleep ({pid}, 73)")), "{}", answer.1);
    assert_eq!(class(pid), Some((1, 73)));
}

/// The shells of `BUSY` that a killed run has left.
fn end_busy() {
    for pid in numbers("/proc") {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&words).contains("while :; do") {
            send(pid, Signal::KILL);
        }
    }
}

#[test]
fn accepts_every_signal_that_asks_a_run_to_end() {
    if !real::is_ready() {
        return;
    }
    let _alone = alone();
    for (signal, name) in
        [(Signal::INT, "SIGINT"), (Signal::TERM, "SIGTERM"), (Signal::HUP, "SIGHUP")]
    {
        let run = Run::begin(&scenario("signals", "20s", BUSY));
        std::thread::sleep(Duration::from_millis(300));
        // A terminal that is closed sends two. After a second Ctrl-C programs are ended at once, and there are results, too.
        run.signal(signal);
        std::thread::sleep(Duration::from_millis(1));
        run.signal(signal);
        let (status, said) = run.results();
        assert!(matches!(status, Some(0 | 1)), "{signal:?}: {status:?} {said}");
        assert!(said.contains("hard") && said.contains("RECEIVED"), "{signal:?}: {said}");
        let why = format!("{name} ended the run after ");
        assert!(said.contains(&why), "{why}: {said}");
    }
}

/// Set for the copy of this test that computes at a higher priority than all of a run's: for so many ms.
const URGENT: &str = "WINDFALL_TEST_URGENT_MS";

/// Computes, when asked to be that copy; nothing otherwise.
#[test]
fn urgent() {
    let Ok(ms) = std::env::var(URGENT) else { return };
    let until = Instant::now() + Duration::from_millis(ms.parse().unwrap());
    while Instant::now() < until {}
}

#[test]
fn law_more_urgent_threads_of_others_do_not_keep_a_machine_from_being_given_back() {
    if !real::is_ready() {
        return;
    }
    let _alone = alone();
    let mut run = Run::begin(&scenario("kept-off", "30s", BUSY));
    let supervised = |pid: &i32| matches!(class(*pid), Some((1, 70..=74)));
    let program = descendants(run.pid()).into_iter().find(supervised).unwrap();
    let processor = affinity(program).unwrap();
    let urgent = |priority: &str, ms: &str| {
        let mut command = Command::new("chrt");
        command.args(["-f", priority, "taskset", "-c", processor.trim()]);
        command.arg(std::env::current_exe().unwrap()).args(["--exact", "urgent"]);
        command.env(URGENT, ms).stdout(Stdio::null()).spawn().unwrap()
    };
    assert!(urgent("85", "1000").wait().unwrap().success());
    assert!(!run.has_ended(), "a second is waited for: {}", run.said());
    let mut longer = urgent("99", "14000");
    let why = "threads of higher priority than ours, which are not of this run, had its processor";
    assert!(until(Duration::from_secs(12), || run.said().contains(why)), "{}", run.said());
    let said = run.said();
    assert!(said.contains("; everything was given back; what it supervised goes on: "), "{said}");
    assert!(!supervised(&program), "{said}");
    longer.kill().unwrap();
    longer.wait().unwrap();
    run.child.wait().unwrap();
    send(program, Signal::KILL);
}

/// The exit status and output of a run of a second with these capabilities alone, as root.
fn with_capabilities(capabilities: &str) -> Option<(Option<i32>, String)> {
    let file = scenario("rights", "1s", BUSY);
    let mut command = Command::new("setpriv");
    let sets = ["--inh-caps", "--bounding-set"].map(|set| format!("{set}=-all,{capabilities}"));
    command.args(sets).arg(env!("CARGO_BIN_EXE_windfall")).arg("run").arg(&file);
    let output = taken::once_free(|| command.output().unwrap())?;
    Some((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[test]
fn accepts_a_run_with_the_least_capabilities_and_refuses_less() {
    if !real::is_ready() {
        return;
    }
    if !Path::new("/sys/kernel/tracing/events").is_dir() {
        return skip(Needs::Real, "tracefs is not mounted, which a run without CAP_BPF needs");
    }
    let _alone = alone();
    let Some((status, said)) = with_capabilities("+sys_nice,+perfmon") else { return };
    assert!(matches!(status, Some(0 | 1)), "{status:?} {said}");
    for less in ["+sys_nice", "+perfmon", "+sys_nice,+bpf"] {
        let Some((status, said)) = with_capabilities(less) else { return };
        assert_eq!(status, Some(2), "{less}: {said}");
        assert!(said.contains("CAP_SYS_NICE and CAP_PERFMON suffice"), "{less}: {said}");
    }
}
