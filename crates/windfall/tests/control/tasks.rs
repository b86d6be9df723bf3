//! Tasks that clients submit for threads of a run, and withdraw (PORTS 2.2, decision 0033).

use crate::{Run, TREE, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::MutexGuard;
use std::time::Duration;

/// A scheduler that admits tasks, with 4 ms in each 20 ms, and `a` below it.
fn begin(name: &str) -> Option<(Run, MutexGuard<'static, ()>)> {
    let begun = Run::begin(name)?;
    let p = ["p", "--scheduler", "ports", "--parent", "res", "guarantee=RESBS 4ms 20ms"];
    begun.0.done(&[&["create"][..], &p].concat());
    begun.0.done(&["move", "a", "p"]);
    Some(begun)
}

/// A scheduler's answer to a task of a thread.
fn submit(run: &Run, thread: &str, work: &str, by: &str) -> Value {
    let output = run.ctl(&["submit", thread, work, "--by", by, "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let code = if answer["admits"] == true { 0 } else { 1 };
    assert_eq!(output.status.code(), Some(code), "{answer}");
    answer
}

fn number(answer: &Value) -> u64 {
    answer["task"].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

/// Idle time before the time from now.
fn idle(run: &Run, by: &str) -> u64 {
    let output = run.ctl(&["query", "p", "1ns", "--by", by, "--json"]);
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["idle_ns"].as_u64().unwrap()
}

#[test]
fn law_a_client_submits_tasks_of_a_thread_and_withdraws_them() {
    let Some((run, _alone)) = begin("control-tasks") else { return };
    // In 10 s, 2 s less a latency of 32 ms.
    let before = idle(&run, "10s");
    assert!((1_990_000_000..2_000_000_000).contains(&before), "{before}");
    let first = number(&submit(&run, "a", "1500ms", "10s"));
    // It is promised, less what has been done of it by now.
    assert!(idle(&run, "10s") < 800_000_000);
    let refused = submit(&run, "a", "1s", "10s");
    assert!(refused["idle_ns"].as_u64().unwrap() < 800_000_000, "{refused}");
    assert!(refused["earliest_ns"].as_u64().unwrap() > 10_000_000_000, "{refused}");
    let words = run.ctl(&["submit", "a", "1s", "--by", "10s"]);
    assert_eq!(words.status.code(), Some(1));
    let words = text(&words.stdout);
    assert!(words.starts_with("no: ") && words.contains("1s could be done by "), "{words}");
    let small = number(&submit(&run, "a", "1ms", "10s"));
    assert_eq!(small, first + 3, "all that was submitted counts");
    let first = first.to_string();
    run.done(&["withdraw", "a", &first]);
    assert!(idle(&run, "10s") > before - 100_000_000, "what is left of it is free");
    let again = run.refused(&["withdraw", "a", &first]);
    assert!(
        again.contains("a task of `a`") && again.contains(&format!("task {first} has ended")),
        "{again}"
    );
    let words = text(&run.ctl(&["submit", "a", "1s", "--by", "10s"]).stdout);
    assert_eq!(words, "task 4 of `a` is admitted\n");
    let outcome = run.stop();
    let a = outcome["threads"].as_array().unwrap().iter().find(|thread| thread["name"] == "a");
    let a = a.unwrap();
    assert_eq!((&a["submitted"], &a["refused"]["no_time"]), (&5.into(), &2.into()), "{a}");
}

/// A task is done by its thread, and is no task any longer.
#[test]
fn law_a_task_that_was_used_up_has_ended() {
    let Some((run, _alone)) = begin("control-used-up") else { return };
    let task = number(&submit(&run, "a", "2ms", "200ms")).to_string();
    std::thread::sleep(Duration::from_millis(300));
    let ended = run.refused(&["withdraw", "a", &task]);
    assert!(ended.contains("has ended, was used up"), "{ended}");
    run.stop();
}

/// A thread whose jobs are submitted when they are released.
const JOBS: &str = r#"
[schedulers.served]
scheduler = "ports"
parent = "res"
guarantee = "RESBS 4ms 20ms"

[threads.jobs]
parent = "served"
periodic = { work = "1ms", period = "50ms", deadline = "100ms", admit = true }
"#;

#[test]
fn law_no_task_of_a_client_has_the_number_of_a_job() {
    let Some((run, _alone)) = Run::of("control-jobs", &format!("{TREE}{JOBS}")) else { return };
    let mut numbers = BTreeSet::new();
    for _ in 0..6 {
        for _ in 0..2 {
            let answer = submit(&run, "jobs", "100ms", "20s");
            assert!(numbers.insert(number(&answer)), "{answer}");
        }
        std::thread::sleep(Duration::from_millis(120));
    }
    let outcome = run.stop();
    let threads = outcome["threads"].as_array().unwrap();
    let jobs = threads.iter().find(|thread| thread["name"] == "jobs").unwrap();
    assert!(jobs["released"].as_u64().unwrap() >= 10, "{jobs}");
    let refused = &jobs["refused"];
    assert_eq!(refused["other"], 0, "a job has the number of a client's task: {jobs}");
    let jobs = jobs["released"].as_u64().zip(jobs["submitted"].as_u64()).unwrap();
    assert_eq!(jobs.0 + 12, jobs.1 - refused["no_time"].as_u64().unwrap());
}

#[test]
fn refuses_tasks_of_no_thread_of_no_such_scheduler_and_of_no_work_or_time() {
    let Some((run, _alone)) = begin("control-no-tasks") else { return };
    for (words, why) in [
        (&["submit", "x", "2ms", "--by", "10ms"][..], "a task of `x`: no thread of this name runs"),
        (&["submit", "p", "2ms", "--by", "10ms"], "no thread of this name runs"),
        (&["submit", "b", "2ms", "--by", "1s"], "the scheduler above the thread admits no tasks"),
        (&["withdraw", "b", "0"], "the scheduler above the thread admits no tasks"),
        (&["withdraw", "a", "0"], "task 0 has ended"),
        (&["submit", "a", "0ms", "--by", "1s"], "has no work"),
        (&["submit", "a", "2ms", "--by", "0s"], "has a deadline that is not to come"),
        (&["submit", "a", "2ms", "--by", "18446744073709551615ns"], "after the end of the clock"),
        (&["submit", "a", "2ms", "--by", "18000000000s"], "deadline is out of range"),
    ] {
        let refused = run.refused(words);
        assert!(refused.contains(why), "{words:?}: {refused}");
    }
    let flag = run.ctl(&["submit", "a", "2ms", "--by", "1s", "--query"]);
    assert_eq!(flag.status.code(), Some(2), "`ctl query` asks");
    let words = ["submit", "b", "2ms", "--by", "1s", "--json"];
    let told: Value = serde_json::from_slice(&run.ctl(&words).stdout).unwrap();
    assert!(told["rejected"]["why"].as_str().unwrap().contains("admits no tasks"), "{told}");
    run.stop();
}
