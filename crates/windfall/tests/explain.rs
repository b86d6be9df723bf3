//! `windfall explain` as a user meets it: on texts, on our own traces, on a recorded machine.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use windfall_time::Instant;
use windfall_trace::codec::Writer;
use windfall_trace::{Cpu, Event, Header, Sink, Stop, ThreadId};

fn windfall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_windfall")).args(arguments).output().unwrap()
}

fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn recorded() -> String {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("scenarios/recorded/desktop.ftrace.gz").to_str().unwrap().to_owned()
}

/// The output, the exit status being `status`.
fn explain(status: i32, recording: &str, arguments: &[&str]) -> String {
    let output = windfall(&[&["explain", recording], arguments].concat());
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    assert!(status == 2 || output.stderr.is_empty(), "{output:?}");
    String::from_utf8(if status == 2 { output.stderr } else { output.stdout }).unwrap()
}

/// A sound thread that waits behind a browser and an interrupt, twice; before the second time a
/// switch is missing.
const FTRACE: &str = "\
# tracer: nop
  browser-31    [000] d..2.    10.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=browser next_pid=31 next_prio=120
  browser-31    [000] d..2.    10.001000: sched_waking: comm=data-loop.0 pid=22 prio=-1 target_cpu=000
  browser-31    [000] d.h2.    10.002000: irq_handler_entry: irq=7 name=sound
  browser-31    [000] d.h2.    10.002500: irq_handler_exit: irq=7 ret=handled
  browser-31    [000] d..2.    10.004000: sched_switch: prev_comm=browser prev_pid=31 prev_prio=120 prev_state=R ==> next_comm=data-loop.0 next_pid=22 next_prio=-1
  data-loop.0-22    [000] d..2.    10.005000: sched_switch: prev_comm=data-loop.0 prev_pid=22 prev_prio=-1 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
  <idle>-0    [000] d.h2.    10.011000: sched_waking: comm=data-loop.0 pid=22 prio=-1 target_cpu=000
CPU:0 [LOST 9 EVENTS]
  browser-31    [000] d..2.    10.016000: sched_switch: prev_comm=browser prev_pid=31 prev_prio=120 prev_state=R ==> next_comm=data-loop.0 next_pid=22 next_prio=-1
  data-loop.0-22    [000] d..2.    10.017000: sched_switch: prev_comm=data-loop.0 prev_pid=22 prev_prio=-1 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
";

#[test]
fn law_a_recording_is_explained_line_by_line_and_what_is_lost_is_no_calm() {
    let path = file("sound.ftrace", FTRACE);
    let text = explain(1, &path, &["--thread", "data-loop.0", "--longer-than", "2ms"]);
    let expected = "\
data-loop.0 (#22)
2 bursts in 17.00ms, 1 too long; one runs 1.000ms on average, 1.000ms at most
1 too long only if nothing was lost in them, not counted
LOST in 1 gap: 9 events; that time is listed as unknown

10.001000s  too long by 2.000ms: in 4.000ms ready 3.000ms, ran 1.000ms (miss 1 of 1, burst 1)
    2.500ms  62.50%  browser ran instead
    1.000ms  25.00%  it ran
    500.0us  12.50%  interrupts where it waited
  woken by browser (#31); it waited on cpu 0
";
    assert_eq!(text, expected);
    let text = explain(0, &path, &["--thread", "#22", "--job", "2"]);
    let unknown = "    5.000ms  83.33%  UNKNOWN, since events were lost\n";
    assert!(text.contains(unknown), "{text}");
    assert!(text.contains("woken by no thread (a timer, a device)"), "{text}");
}

#[test]
fn accepts_several_threads_and_lists_the_worst_first() {
    let text = explain(1, &file("several.ftrace", FTRACE), &["--longer-than", "2ms"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("THREAD"), "{text}");
    assert!(lines[1].starts_with("data-loop.0"), "{text}");
    assert!(lines[1].contains("browser 2.500ms (83.33%)"), "{text}");
    assert!(!text.contains("--thread"), "what comes next is for a terminal:\n{text}");
}

#[test]
fn refuses_a_thread_that_is_not_there_and_names_those_that_are_called_alike() {
    let path = file("alike.ftrace", FTRACE);
    let text = explain(2, &path, &["--thread", "data-lop.0"]);
    assert!(
        text.contains("no thread is called `data-lop.0`; did you mean `data-loop.0`?"),
        "{text}"
    );
    assert!(explain(2, &path, &["--thread", "loop"]).contains("did you mean `data-loop.0`?"));
    assert!(explain(2, &path, &["--thread", "zzzzzzzz"]).contains("`--thread '*'` lists"));
}

#[test]
fn refuses_what_cannot_be_explained_and_says_why() {
    let path = file("refused.ftrace", FTRACE);
    let miss = explain(2, &path, &["--thread", "browser", "--miss", "3"]);
    assert!(miss.contains("there is no miss 3; `browser` has 0"), "{miss}");
    let job = explain(2, &path, &["--thread", "data*", "--job", "3"]);
    assert!(job.contains("there is no burst 3; `data*` has 2"), "{job}");
    assert!(explain(2, &path, &["--miss", "1"]).contains("means 2 threads"));
    assert!(explain(2, "/nonexistent.wft", &[]).contains("No such file"));
    let nothing = file("nothing.txt", "nothing\n");
    assert!(explain(2, &nothing, &[]).contains("no event of ftrace or perf text"));
    let other = explain(2, &path, &["--from", "perf"]);
    assert!(other.contains("no event of perf text, but of ftrace"), "{other}");
    assert!(explain(2, &path, &["--miss", "0"]).contains("0 is not in 1.."));
}

#[test]
fn refuses_a_scenario_in_every_verb_that_reads_a_recording() {
    let (scenario, out) = (file("refused.toml", "schema = 2\n"), file("refused-out.wft", ""));
    for arguments in [
        &["explain", &scenario][..],
        &["suggest", &scenario],
        &["import", &scenario, "--force", "-o", &out],
        &["export", &scenario, "--force", &out],
    ] {
        let output = windfall(arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        let remedy =
            "a scenario, not a recording; make one with `windfall simulate FILE --trace OUT.wft`";
        assert!(text.contains(&format!("{scenario}: {remedy}")), "{arguments:?}: {text}");
    }
    assert_eq!(std::fs::read(&out).unwrap(), b"", "nothing is written");
}

/// A list names programs as they are called at the end, and each of them can be asked about.
#[test]
fn law_what_a_list_calls_a_thread_can_be_asked_about() {
    let text = explain(0, &recorded(), &["--thread", "cc1"]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let cc1 = rows.iter().filter(|row| row.first() == Some(&"cc1"));
    let bursts: Vec<u32> = cc1.map(|row| row[2].parse().unwrap()).collect();
    assert_eq!((bursts.len(), bursts.iter().sum::<u32>()), (25, 25), "{text}");
    assert_eq!(rows[1][..3], ["cc1", "19425", "1"], "{text}");
}

#[test]
fn accepts_the_recorded_desktop() {
    let text = explain(1, &recorded(), &["--thread", "audio-src", "--longer-than", "3ms"]);
    for part in [
        "235 bursts in 5.001s, 3 too long",
        "1689.644543s  too long by 614.0us: in 3.614ms ready 3.488ms, ran 126.0us (miss 3 of 3, burst 159)",
        "    3.488ms  96.51%  video-enc ran instead\n",
        "all 3 misses together, ",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    let all = explain(0, &recorded(), &[]);
    assert!(all.contains("cc1 (116 threads)              -   113"), "{all}");
    let json = explain(1, &recorded(), &["--longer-than", "3ms", "--all", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mut explained = 0;
    for thread in json["threads"].as_array().unwrap() {
        for episode in thread["explained"].as_array().unwrap() {
            let parts = episode["account"]["parts"].as_array().unwrap();
            let sum: u64 = parts.iter().map(|part| part["span_ns"].as_u64().unwrap()).sum();
            assert_eq!(sum, episode["span_ns"].as_u64().unwrap());
            explained += 1;
        }
    }
    assert!(explained > 500, "{explained}");
}

#[test]
fn accepts_a_recording_that_is_cut_and_says_so() {
    let whole = std::fs::read(recorded()).unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain-cut.gz");
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let text = explain(0, path.to_str().unwrap(), &["--thread", "lame"]);
    assert!(text.contains("LOST import: not read completely"), "{text}");
}

/// A soft deadline behind a hog, and a reservation that is too small for its owner.
const SCENARIO: &str = r#"
schema = 2
seed   = 1
length = "100ms"

[schedulers.fp]
scheduler = "fixed-priority"
parent    = "top"

[schedulers.res]
scheduler = "rez"
parent    = "fp"
priority  = 2

[threads.hog]
parent   = "fp"
priority = 1
run      = "spin"

[threads.small]
parent    = "res"
guarantee = "RESBH 2ms 10ms"
periodic  = "3ms/10ms"
"#;

#[test]
fn law_a_used_up_reservation_is_told_apart_from_whoever_runs_meanwhile() {
    let scenario = file("explain.toml", SCENARIO);
    let trace = scenario.replace(".toml", ".wft");
    windfall(&["simulate", "--force", &scenario, "--trace", &trace]);
    let text = explain(1, &trace, &["--thread", "small", "--miss", "1"]);
    let expected = "\
small (#2), under res (rez), promised RESBH 2ms 10ms
11 jobs in 100.0ms, 6 done late, 4 overdue at the end, 1 under way at the end; one runs 1.818ms on average, 3.000ms at most
9 periods in which it could always run, 0 of them with less than promised

0.000000s  late 1.000ms: in 11.00ms ready 8.000ms, ran 3.000ms (miss 1 of 10, job 1)
    8.000ms  72.73%  held: its own reservation was used up
    3.000ms  27.27%  it ran, in 2 turns
  woken by no thread (a timer, a device); deadline after 10.00ms
";
    assert_eq!(text, expected);
}

#[test]
fn r0013_json_is_bounded_and_says_what_was_left_out_and_how_to_get_it() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain-many.wft");
    let mut writer = Writer::new(std::fs::File::create(&path).unwrap(), &Header::default());
    let (many, mut ns) = (1_000, 0);
    let declare = |id: u32, name: &str| Event::Thread {
        thread: ThreadId(id),
        tid: id + 1,
        pid: 1,
        name: name.to_owned(),
        node: None,
    };
    for id in 0..=many {
        writer.record(Instant::ZERO, &declare(id, if id == 0 { "late" } else { "other" }));
    }
    let (cpu, mut ran) = (Cpu(0), None);
    for _ in 0..63 {
        writer.record(Instant::from_nanos(ns), &Event::Wake { thread: ThreadId(0), by: None });
        for id in (1..=many).chain([0]) {
            let next = Some(ThreadId(id));
            writer.record(Instant::from_nanos(ns), &Event::Switch { cpu, prev: ran, next });
            ran = next.map(|thread| (thread, Stop::Blocked));
            ns += 1_000;
        }
        writer
            .record(Instant::from_nanos(ns), &Event::Switch { cpu, prev: ran.take(), next: None });
        ns += 1_000;
    }
    writer.finish().unwrap();
    let path = path.to_str().unwrap();
    let parts = |episode: &serde_json::Value| -> (usize, u64) {
        let parts = episode["account"]["parts"].as_array().unwrap();
        (parts.len(), parts.iter().map(|part| part["span_ns"].as_u64().unwrap()).sum())
    };
    let text = explain(1, path, &["--thread", "late", "--longer-than", "1us", "--all", "--json"]);
    assert!(text.len() < 1_000_000, "{} bytes", text.len());
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let episodes = json["threads"][0]["explained"].as_array().unwrap();
    assert_eq!(episodes.len(), 63);
    for episode in episodes {
        assert_eq!(parts(episode), (21, episode["span_ns"].as_u64().unwrap()));
    }
    assert!(json["left_out"]["parts"].as_u64().unwrap() > 50_000, "{}", json["left_out"]);
    assert!(json["left_out"]["how"].as_str().unwrap().contains("--job N"));
    let one = explain(0, path, &["--thread", "late", "--job", "2", "--json"]);
    let one: serde_json::Value = serde_json::from_str(&one).unwrap();
    assert_eq!(parts(&one["threads"][0]["explained"][0]).0, 1_001);
    assert!(one["left_out"].is_null());
}
