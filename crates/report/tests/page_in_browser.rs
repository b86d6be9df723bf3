//! What a hand does with the timeline of a page, and the numbers that it then shows: in a browser, where one is installed.
//! It is started once for each page.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use windfall_report::{Story, page};
use windfall_skips::{Needs, skip};
use windfall_time::{Instant, Span};
use windfall_trace::{Cpu, Event, NodeId, Record, Stop, ThreadId};

/// Names that a browser that we can drive may have.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// What is done with the page of one run, within its own function; `found` is what the tests look at.
const SCRIPT: &str = include_str!("page_in_browser.js");

/// What is done with the page of two runs.
const SCRIPT_OF_TWO: &str = include_str!("two_runs_in_browser.js");

/// For how long the browser may take, in seconds: a page that never ends fails.
const PATIENCE: &str = "120";

/// The end of the page's own function.
const END: &str = "})();\n";

/// The turn of a spinner.
const TURN: Span = Span::from_millis(10);

/// What the script found; nothing where no browser runs.
fn found() -> Option<&'static Value> {
    static FOUND: OnceLock<Result<Value, String>> = OnceLock::new();
    or_skip(FOUND.get_or_init(|| {
        drive("page-in-browser", &page::beside("driven", &[("driven", &story())]), SCRIPT)
    }))
}

/// The same of a run of 100 ms beside one of 300 ms.
fn found_of_two() -> Option<&'static Value> {
    static FOUND: OnceLock<Result<Value, String>> = OnceLock::new();
    or_skip(FOUND.get_or_init(|| {
        let runs = [("short", &overdue(100)), ("long", &overdue(300))];
        drive("two-runs-in-browser", &page::beside("driven", &runs), SCRIPT_OF_TWO)
    }))
}

fn or_skip(found: &'static Result<Value, String>) -> Option<&'static Value> {
    found.as_ref().map_err(|why| skip(Needs::Other, why)).ok()
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = BROWSERS.iter().flat_map(|name| folders.iter().map(move |at| at.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// Loads the page with the script in it and reads what it wrote in the page's place; an error where that cannot be done here.
fn drive(name: &str, page: &str, script: &str) -> Result<Value, String> {
    let browser = browser().ok_or("no browser is installed (chromium)")?;
    let (before, after) = page.rsplit_once(END).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("driven.html");
    std::fs::write(&file, format!("{before}{script}{END}{after}")).unwrap();
    let output = Command::new("timeout")
        .args([PATIENCE.as_ref(), browser.as_os_str()])
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .output()
        .map_err(|why| format!("`timeout` cannot be run: {why}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    assert_ne!(output.status.code(), Some(124), "the page did not end");
    if !output.status.success() && text.is_empty() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} does not run here: {why}", browser.display()));
    }
    let found = text.split_once("FOUND ").and_then(|(_, rest)| rest.split_once(" END"));
    let (found, _) = found.unwrap_or_else(|| panic!("the script did not end: {text}"));
    let found: Value = serde_json::from_str(found).unwrap();
    assert_eq!(found["error"], Value::Null, "{found}");
    Ok(found)
}

/// Twelve spinners take turns on two processors for a second; then two others have both for 100 ms.
fn story() -> Story {
    let mut records = Vec::new();
    let mut put = |at: Span, event| records.push(Record { at: Instant::ZERO + at, event });
    for (id, name) in [(0, "ts"), (1, "rt")] {
        let (node, name, kind) = (NodeId(id), name.to_owned(), "round-robin".to_owned());
        put(Span::ZERO, Event::Node { node, parent: None, name, kind });
    }
    for id in 0..14 {
        let (thread, node) = (ThreadId(id), Some(NodeId(u32::from(id >= 12))));
        let name = if id < 12 { format!("w-{}", id + 1) } else { format!("hog{}", id - 11) };
        put(Span::ZERO, Event::Thread { thread, tid: 0, pid: 0, name, node });
    }
    (0..12).for_each(|id| put(Span::ZERO, Event::Wake { thread: ThreadId(id), by: None }));
    for turn in 0..100 {
        let of = |turn: u32, cpu: u32| ThreadId((2 * turn + cpu) % 12);
        for cpu in 0..2_u16 {
            let before = (turn > 0).then(|| (of(turn - 1, cpu.into()), Stop::Preempted));
            let next = Some(of(turn, cpu.into()));
            put(
                TURN.saturating_mul(turn.into()),
                Event::Switch { cpu: Cpu(cpu), prev: before, next },
            );
        }
    }
    let second = Span::from_millis(1_000);
    for cpu in 0..2_u16 {
        let (hog, last) = (ThreadId(12 + u32::from(cpu)), ThreadId((198 + u32::from(cpu)) % 12));
        put(second, Event::Wake { thread: hog, by: None });
        let prev = Some((last, Stop::Preempted));
        put(second, Event::Switch { cpu: Cpu(cpu), prev, next: Some(hog) });
    }
    for cpu in 0..2_u16 {
        let prev = Some((ThreadId(12 + u32::from(cpu)), Stop::Blocked));
        put(Span::from_millis(1_100), Event::Switch { cpu: Cpu(cpu), prev, next: None });
    }
    Story::build(records)
}

/// A spinner has the processor for so many milliseconds, while the job of another one is released at 0, due at 20 ms, and never done.
fn overdue(ms: u32) -> Story {
    let at = |ms, event| Record { at: Instant::ZERO + Span::from_millis(ms), event };
    let thread = |id, name: &str| {
        let (thread, name, node) = (ThreadId(id), name.to_owned(), None);
        at(0, Event::Thread { thread, tid: 0, pid: 0, name, node })
    };
    let deadline = Some(Instant::ZERO + Span::from_millis(20));
    let (spins, waits, cpu) = (ThreadId(0), ThreadId(1), Cpu(0));
    Story::build([
        thread(0, "spins"),
        thread(1, "waits"),
        at(0, Event::Wake { thread: spins, by: None }),
        at(0, Event::Wake { thread: waits, by: None }),
        at(0, Event::Release { thread: waits, deadline }),
        at(0, Event::Switch { cpu, prev: None, next: Some(spins) }),
        at(ms, Event::Mark { thread: None, text: "end".to_owned() }),
    ])
}

/// The line of a table that begins with `name`.
fn line<'v>(table: &'v Value, name: &str) -> Vec<&'v str> {
    let lines = table.as_array().unwrap().iter().map(|line| line.as_array().unwrap());
    let line =
        lines.into_iter().find(|line| line[0] == name).unwrap_or_else(|| panic!("{name}: {table}"));
    line.iter().map(|cell| cell.as_str().unwrap()).collect()
}

#[test]
fn law_a_group_has_the_sum_of_its_threads_times() {
    let Some(found) = found() else { return };
    let sums = &found["second"];
    assert_eq!(
        line(sums, "w (12 threads)"),
        ["w (12 threads)", "2.00 s", "200.0 %", "10.0 s", "0 ns"]
    );
    assert_eq!(line(sums, "cpu 0"), ["cpu 0", "1.00 s", "100.0 %", "0 ns", "0 ns"]);
    assert_eq!(line(sums, "hog1"), ["hog1", "0 ns", "0.0 %", "0 ns", "0 ns"]);
    // Two turns of three; the first of them begins in the middle.
    let group = line(&found["middle"], "w (12 threads)");
    assert_eq!(group, ["w (12 threads)", "30.0 ms", "200.0 %", "150 ms", "0 ns"]);
}

#[test]
fn limit_threads_are_drawn_together_after_26_days() {
    let Some(found) = found() else { return };
    assert_eq!(found["long"]["slices"], 100, "{}", found["long"]);
    assert!(found["long"]["off"].as_u64().unwrap() < 2, "ns: {}", found["long"]);
}

fn labels(found: &Value) -> Vec<&str> {
    found.as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect()
}

#[test]
fn law_a_closed_scheduler_draws_and_sums_its_threads_together() {
    let Some(found) = found() else { return };
    let all = ["cpu 0", "cpu 1", "ts", "w (12 threads)", "rt", "hog1", "hog2"];
    assert_eq!(labels(&found["first"]), all);
    assert_eq!(labels(&found["closed"]), ["cpu 0", "cpu 1", "ts", "rt", "hog1", "hog2"]);
    let sum = line(&found["sums_closed"], "ts");
    assert_eq!(sum, ["ts", "2.00 s", "181.8 %", "11.2 s", "0 ns"]);
    // Sums follow the rows that are seen.
    let has_group = |sums: &Value| sums.to_string().contains("w (12 threads)");
    assert!(has_group(&found["sums_opened"]) && !has_group(&found["sums_closed"]));
    assert_eq!(found["sums_again"], found["sums_closed"]);
    assert_ne!(found["colors"]["runs"], found["colors"]["ground"]);
    assert_eq!(labels(&found["again"]), all);
    // While a name is searched for, what is found stands for itself.
    let searched = serde_json::json!([["ts", false], ["w (12 threads)", true], ["w-3", true]]);
    assert_eq!(found["searched"], searched);
}

#[test]
fn law_a_click_on_a_wait_says_who_had_the_processors() {
    let Some(found) = found() else { return };
    // A thread's: it waits from the beginning for its turn on cpu 0.
    let (said, table) = (&found["waits"]["said"], &found["waits"]["table"]);
    assert_eq!(said[0], "w-3 waited 10.0 ms, from 0 ns to 10 ms");
    assert_eq!(line(table, "w-1"), ["w-1", "10.0 ms", "100.0 %"]);
    // A group's: while the others have both.
    let (said, table) = (&found["group_waits"]["said"], &found["group_waits"]["table"]);
    let lines = [
        "w (12 threads): ready, waiting for a processor",
        "100 ms from 1 s to 1.1 s",
        "0 of 12 threads ran.",
        "12 of 12 threads waited for a processor, for 1.20 s together.",
    ];
    assert_eq!(labels(said), lines);
    assert_eq!(line(table, "hog1"), ["hog1", "100 ms", "50.0 %"]);
    assert_eq!(line(table, "hog2"), ["hog2", "100 ms", "50.0 %"]);
    let said = labels(&found["group_runs"]["said"]);
    assert_eq!(said[2], "12 of 12 threads ran, for 2.00 s together.");
}

#[test]
fn limit_nothing_runs_out_of_a_page_that_is_500_pixels_wide() {
    let Some(found) = found() else { return };
    let all = serde_json::json!([[".tools", true], ["#miss", true], ["#timeline", true]]);
    assert_eq!(found["narrow"], all);
}

#[test]
fn law_a_miss_of_a_job_that_is_never_done_is_found() {
    let Some(found) = found_of_two() else { return };
    assert_eq!(found["can_go_to_a_miss"], true, "{found}");
    assert_eq!(found["misses"], 2);
    let window: Vec<f64> =
        found["window"].as_array().unwrap().iter().map(|end| end.as_f64().unwrap()).collect();
    assert!(window[0] <= 20e6 && 20e6 <= window[1], "{window:?}");
    let fate = "job 1: MISSED its deadline, not done after 100 ms, deadline after 20.0 ms";
    assert_eq!(found["job"], fate);
}

#[test]
fn law_nothing_is_said_of_a_run_after_its_end() {
    let Some(found) = found_of_two() else { return };
    assert_eq!(found["short_after"], "cpu 0: after the end of short at 100 ms");
    assert!(found["long_after"].as_str().unwrap().contains("spins"), "{}", found["long_after"]);
    // Of what there is of each run in 300 ms.
    let (sums, said) = (&found["sums"], labels(&found["said"]));
    assert_eq!(line(sums, "short: cpu 0"), ["short: cpu 0", "100 ms", "100.0 %", "0 ns", "0 ns"]);
    assert_eq!(line(sums, "long: cpu 0"), ["long: cpu 0", "300 ms", "100.0 %", "0 ns", "0 ns"]);
    assert!(said.contains(&"short ends at 100 ms; its shares are of the time before."), "{said:?}");
    assert_ne!(found["colors"]["inside"], found["colors"]["after"]);
    // By hand: with Shift, over 200 ms of which the short run has 50.
    assert_eq!(line(&found["dragged"], "short: cpu 0")[2], "100.0 %");
}
