//! Programs that a run starts: those that cannot be started, that will not end, that are meant by their file or by where their
//! threads start.
//!
//! Needs root (real-time priorities, tracepoints); says so and passes where it is missing.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/compiled.rs"]
mod compiled;
#[path = "common/real.rs"]
mod real;
#[path = "common/supervised.rs"]
mod supervised;
#[path = "common/taken.rs"]
mod taken;

use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Child, Command};
use std::sync::PoisonError;
use supervised::ALONE;
use windfall_skips::{Needs, skip};

/// The result of a second (or so long) with these threads below a proportional share `ps`; `None`, with the reason,
/// where that cannot be tried.
fn run(name: &str, threads: &str) -> Option<Value> {
    run_for("1s", name, threads)
}

fn run_for(length: &str, name: &str, threads: &str) -> Option<Value> {
    let schedulers = "[schedulers.ps]\nscheduler = \"proportional-share\"\nparent = \"top\"\n";
    supervised::run(name, length, schedulers, threads)
}

fn received(outcome: &Value, thread: &str) -> u64 {
    let threads = outcome["threads"].as_array().unwrap();
    let its = threads.iter().filter(|one| one["name"] == thread);
    its.map(|one| one["received_ns"].as_u64().unwrap()).sum()
}

#[test]
fn refuses_a_program_that_cannot_be_executed_and_runs_the_others() {
    let threads = "[threads.bad]\nparent = \"ps\"\nexec = [\"/no/such/file\"]\nstart = \"100ms\"\n\
                   [threads.data]\nparent = \"ps\"\nexec = [\"/etc/passwd\"]\nstart = \"200ms\"\n\
                   [threads.good]\nparent = \"ps\"\nexec = [\"sh\", \"-c\", \"while :; do :; done\"]\n";
    let Some(outcome) = run("refused", threads) else { return };
    for list in ["not_admitted", "not_started"] {
        assert_eq!(outcome[list], serde_json::json!(["bad", "data"]), "{list}");
    }
    let refused = outcome["refused"].to_string();
    assert!(refused.contains("cannot start `/no/such/file` of `bad`"), "{refused}");
    let data = "cannot start `/etc/passwd` of `data`: Permission denied (os error 13); name a program that can be executed";
    assert!(refused.contains(data), "{refused}");
    assert!(received(&outcome, "good-1") > 100_000_000, "{outcome:#}");
}

#[test]
fn law_a_program_that_will_not_end_is_ended_with_all_that_it_has_made() {
    let mark = format!("98765{}", std::process::id());
    let command = format!(
        "trap '' TERM; sh -c 'trap \\\"\\\" TERM; while :; do sleep {mark}; done' & wait; wait"
    );
    let threads = format!("[threads.a]\nparent = \"ps\"\nexec = [\"sh\", \"-c\", \"{command}\"]\n");
    let Some(outcome) = run("stubborn", &threads) else { return };
    assert!(received(&outcome, "a-2") > 0, "it has made a process: {outcome:#}");
    let left = std::fs::read_dir("/proc").unwrap().flatten().filter(|process| {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        line.windows(mark.len()).any(|part| part == mark.as_bytes())
    });
    assert!(left.map(|process| process.path()).collect::<Vec<_>>().is_empty(), "left behind");
}

#[test]
fn accepts_threads_by_the_file_that_they_execute() {
    let threads = "[threads.shell]\nparent = \"ps\"\nmatch = { exe = \"*/no-such-file\" }\n\
                   exec = [\"sh\", \"-c\", \"sleep 0.05; exec yes > /dev/null\"]\n\
                   [threads.other]\nparent = \"ps\"\nof = \"shell\"\nmatch = { exe = \"*/yes\" }\n";
    let Some(outcome) = run("file", threads) else { return };
    assert!(received(&outcome, "other-1") > 0, "{outcome:#}");
    assert_eq!(received(&outcome, "shell-1"), 0, "{outcome:#}");
}

#[test]
fn law_a_thread_that_moves_elsewhere_is_put_back() {
    let moves = "exec > /dev/null; taskset -cp 0 $$; sleep 0.05; taskset -cp 1 $$; exec yes";
    let threads = format!("[threads.a]\nparent = \"ps\"\nexec = [\"sh\", \"-c\", \"{moves}\"]\n");
    let Some(outcome) = run("moves", &threads) else { return };
    if std::thread::available_parallelism().unwrap().get() > 1 {
        let refused = outcome["refused"].to_string();
        assert!(refused.contains("was moved elsewhere, and was put back"), "{outcome:#}");
    }
    assert!(received(&outcome, "a-1") > 500_000_000, "{outcome:#}");
}

/// All of the results but what each thread got.
fn without_threads(outcome: &Value) -> Value {
    let fields = outcome.as_object().unwrap().clone().into_iter();
    fields.filter(|(name, _)| name != "threads").collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn law_what_threads_got_that_ended_long_ago_is_added_up() {
    let one = "j=0; while [ $j -lt 500 ]; do j=$((j + 1)); done";
    let many = format!("i=0; while [ $i -lt 4000 ]; do ({one}); i=$((i + 1)); done");
    let threads = format!("[threads.a]\nparent = \"ps\"\nexec = [\"sh\", \"-c\", \"{many}\"]\n");
    // It is over when the program is.
    let Some(outcome) = run_for("60s", "many", &threads) else { return };
    let all = outcome["threads"].as_array().unwrap();
    let names: BTreeSet<&str> = all.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), all.len(), "nobody is told twice");
    let told = format!("{} threads; {}", names.len(), without_threads(&outcome));
    assert!(names.contains("a-earlier") && !names.contains(""), "{told}");
    let (cpus, threads) = (&outcome["cpus"], outcome["threads"].as_array().unwrap());
    let of = |one: &Value| one["received_ns"].as_u64().unwrap();
    let given: u64 = cpus.as_array().unwrap().iter().map(of).sum();
    assert_eq!(threads.iter().map(of).sum::<u64>(), given);
    // A machine that stands still for a moment may let some end before they are supervised, but none unreported.
    let numbers = names.iter().filter_map(|name| name.strip_prefix("a-")?.parse::<usize>().ok());
    assert!(numbers.max().unwrap() + unmet(&outcome) > 4000, "{told}");
}

/// How many threads ended before they could be supervised.
fn unmet(outcome: &Value) -> usize {
    let remarks = outcome["supervision"]["remarks"].as_array().unwrap().iter();
    let told = "threads of `a` that ended before they could be supervised: ";
    let counts = remarks.filter_map(|remark| remark["what"].as_str()?.strip_prefix(told));
    counts.map(|rest| rest.split(';').next().unwrap().parse::<usize>().unwrap()).sum()
}

/// Threads that start with a routine, of a program.
fn starts_at(name: &str, only: &str) -> String {
    format!("[threads.{name}]\nparent = \"ps\"\nof = \"rest\"\nmatch = {{ {only} }}\n")
}

#[test]
fn paper_a_run_tells_threads_of_one_name_apart_by_their_start_routines() {
    let Some(program) = compiled::compile("twins", "twins-apart") else { return };
    let threads = format!(
        "[threads.rest]\nparent = \"ps\"\nexec = [\"{}\"]\n{}{}",
        program.display(),
        starts_at("slow", "comm = \"twin*\", routine = \"*:slow\""),
        starts_at("fast", "routine = \"twins-apart:fast\""),
    );
    let Some(outcome) = run("routines", &threads) else { return };
    let refused = outcome["refused"].to_string();
    assert!(!refused.contains("no `pthread_create`"), "{refused}");
    if refused.contains("is not known") {
        return skip(Needs::Bpf, format!("start routines are not heard: {refused}"));
    }
    // Of each 100 ms, the one computes 20 and the other 12, or both less where the machine has no time for them; the first
    // thread only waits for them.
    let [fast, slow, rest] = ["fast-1", "slow-1", "rest-1"].map(|name| received(&outcome, name));
    assert!(received(&outcome, "fast-2") + received(&outcome, "slow-2") == 0, "{outcome:#}");
    assert!((20_000_000..250_000_000).contains(&fast), "{outcome:#}");
    assert!((10_000_000..fast).contains(&slow), "{outcome:#}");
    assert!(rest < slow, "{outcome:#}");
}

/// Ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn refuses_to_guess_where_threads_start_that_were_there_before() {
    let Some(program) = compiled::compile("twins", "twins-before") else { return };
    let running = Running(Command::new(program).arg("60").spawn().unwrap());
    std::thread::sleep(std::time::Duration::from_millis(50));
    let threads = format!(
        "[threads.rest]\nparent = \"ps\"\npid = {}\n{}{}",
        running.0.id(),
        starts_at("nameless", "routine = \"*:slow\""),
        starts_at("named", "comm = \"twin\", routine = \"*:slow\""),
    );
    let Some(outcome) = run("before", &threads) else { return };
    let refused = outcome["refused"].to_string();
    for part in ["`nameless` gets none of them", "`named` gets those called `twin`, by their name"]
    {
        assert!(refused.contains(part), "{refused}");
    }
    assert!(received(&outcome, "named-1") > 0 && received(&outcome, "named-2") > 0, "{outcome:#}");
    assert_eq!(received(&outcome, "nameless-1"), 0, "{outcome:#}");
}

/// Every promise of a run, by its owner: how it fared, and in how many windows it was tested.
fn promises(outcome: &Value) -> Vec<(String, String)> {
    let promises = outcome["promises"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    promises.map(|promise| (text(&promise["owner"]), text(&promise["state"]))).collect()
}

#[test]
fn law_a_promise_to_a_thread_that_comes_late_is_judged() {
    let threads = "[threads.main]\nparent = \"ps\"\n\
                   exec = [\"bash\", \"-c\", \"sleep 0.2; dash -c 'while :; do :; done'\"]\n\
                   [threads.late]\nparent = \"ps\"\nof = \"main\"\nmatch = { comm = \"dash\" }\n\
                   guarantee = \"PS 1/2\"\n\
                   [threads.never]\nparent = \"ps\"\nof = \"main\"\nmatch = { comm = \"nobody\" }\n";
    let Some(outcome) = run_for("3s", "late", threads) else { return };
    let late: Vec<String> = promises(&outcome)
        .into_iter()
        .filter(|(owner, _)| owner == "late-1")
        .map(|(_, kept)| kept)
        .collect();
    assert_eq!(late.len(), 1, "{outcome:#}");
    assert_ne!(late[0], "not asking", "{outcome:#}");
    let remarks = outcome["supervision"]["remarks"].to_string();
    assert!(remarks.contains("`never` got no thread"), "{remarks}");
    assert!(!remarks.contains("`late` got no thread"), "{remarks}");
}

#[test]
fn law_a_reservation_is_for_all_processes_of_a_program_together() {
    let schedulers = "[schedulers.res]\nscheduler = \"rez\"\nparent = \"top\"\n";
    // A shell that makes others, which do the work: four processes.
    let work = "while :; do :; done";
    let shim = format!("({work}) & ({work}) & ({work}) & wait");
    let threads = format!(
        "[threads.shim]\nparent = \"res\"\nguarantee = \"RESBH 3ms 10ms\"\nexec = [\"sh\", \"-c\", \"{shim}\"]\n"
    );
    let Some(outcome) = supervised::run("shim", "3s", schedulers, &threads) else { return };
    assert_eq!(outcome["refused"], serde_json::json!([]), "{outcome:#}");
    let each: Vec<u64> = (2..=4).map(|n| received(&outcome, &format!("shim-{n}"))).collect();
    let sum: u64 = each.iter().sum();
    // Of 900 ms; what deciding takes is inside of that, ten times in each budget: 506 ms were left in a build for debugging.
    let least = if cfg!(debug_assertions) { 350_000_000 } else { 600_000_000 };
    assert!((least..=930_000_000).contains(&sum), "{each:?}");
    assert!(each.iter().all(|one| *one > sum / 5), "each has its turn: {each:?}");
    let judged = promises(&outcome);
    assert!(judged.iter().any(|(owner, _)| owner == "shim-threads"), "{judged:?}");
}

#[test]
fn refuses_programs_that_are_not_there_before_anything_is_changed() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = "schema = 2\nlength = \"1s\"\n[schedulers.ps]\nscheduler = \"proportional-share\"\nparent = \"top\"\n\
                [threads.a]\nparent = \"ps\"\nunit = \"no-such.service\"\n\
                [threads.b]\nparent = \"ps\"\nexec = [\"no-such-program\"]\n\
                [threads.c]\nparent = \"ps\"\ncgroup = \"/no-such-group\"\n\
                [threads.d]\nparent = \"ps\"\npid = 4194303\n\
                [threads.later]\nparent = \"ps\"\nunit = \"not-yet.service\"\nstart = \"10ms\"\n";
    let file = std::env::temp_dir().join(format!("windfall-absent-{}.toml", std::process::id()));
    std::fs::write(&file, text).unwrap();
    for arguments in [&["--dry-run"][..], &[]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
        let output = command.arg("run").arg(&file).args(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        for name in ["`a`", "`b`", "`c`", "`d`"] {
            assert!(errors.contains(name), "{errors}");
        }
        assert!(!errors.contains("later"), "{errors}");
    }
    std::fs::remove_file(file).unwrap();
}

#[test]
fn law_a_limit_on_real_time_processor_time_is_lifted_and_given_back() {
    let limits = |pid: u32| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
        let line =
            text.lines().find(|line| line.starts_with("Max realtime timeout")).unwrap().to_owned();
        line.split_whitespace().skip(3).take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    // Whoever may not raise a hard limit may lift a soft one.
    let mut command = Command::new("prlimit");
    let program =
        command.args(["--rttime=200000:unlimited", "sh", "-c", "while :; do :; done"]).spawn();
    let mut program = program.unwrap();
    let threads = format!("[threads.a]\nparent = \"ps\"\npid = {}\n", program.id());
    while limits(program.id()) != ["200000", "unlimited"] {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let outcome = run("rttime", &threads);
    let after = limits(program.id());
    let lives = program.try_wait().unwrap().is_none();
    program.kill().unwrap();
    program.wait().unwrap();
    let Some(outcome) = outcome else { return };
    assert!(lives, "the kernel has killed it");
    assert!(received(&outcome, "a-1") > 500_000_000, "{outcome:#}");
    assert_eq!(after, ["200000", "unlimited"]);
}

#[test]
fn law_time_before_a_job_tells_its_deadline_counts_for_its_promise() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if !real::is_ready() {
        return;
    }
    let scenario =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/virtual-environment-1-soft.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.args(["run", scenario, "--for", "3s", "--json"]);
    let Some(output) = taken::once_free(|| command.output().unwrap()) else { return };
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    let promises = outcome["promises"].as_array().unwrap();
    let app = promises.iter().find(|promise| promise["owner"] == "app").unwrap();
    assert!(app["tested"].as_u64().unwrap() > 10, "{app:#}");
    // It lacked 100 ms and more while that time was nobody's; a machine that is disturbed takes some.
    let short = -app["margin_ns"].as_i64().unwrap();
    assert!(short < 30_000_000, "{app:#}");
}
