//! Imports repeat the recording: jobs of a recorded timer, and the demonstration's figures.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::path::{Path, PathBuf};
use std::process::Command;
use windfall_time::Span;
use windfall_trace::import::Format;
use windfall_trace::{Event, Record, Source};

const WINDFALL: &str = env!("CARGO_BIN_EXE_windfall");

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/recorded").join(name)
}

fn windfall(arguments: &[&str]) -> String {
    let output = Command::new(WINDFALL).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

#[test]
fn r0013_a_recorded_timer_of_perf_text_is_replayed_with_all_its_jobs() {
    let file = recorded("cyclictest.perf.gz");
    let records: Vec<Record> =
        Source::open(&file, Some(Format::PERF)).unwrap().map(Result::unwrap).collect();
    let its = records.iter().find_map(|record| match &record.event {
        Event::Thread { thread, tid: 25057, .. } => Some(*thread),
        _ => None,
    });
    let woken = |record: &&Record| matches!(record.event, Event::Wake { thread, .. } if Some(thread) == its);
    // Its wake-ups, and what it did since it was made.
    let jobs = records.iter().filter(woken).count() as u64 + 1;
    let scenario = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cyclictest.toml");
    let scenario = scenario.to_str().unwrap();
    // It ran before all others, so here it is reserved what it needs.
    let printed =
        windfall(&["import", file.to_str().unwrap(), "--reserve", "--force", "-o", scenario]);
    let doubt = printed.lines().find(|line| line.starts_with("the source does not say")).unwrap();
    assert!(doubt.contains("strictly periodic") && doubt.contains("DOUBTFUL"), "{doubt}");
    let outcome: serde_json::Value =
        serde_json::from_str(&windfall(&["simulate", scenario, "--json"])).unwrap();
    let threads = outcome["threads"].as_array().unwrap();
    let timer = threads.iter().find(|thread| thread["name"] == "cyclictest-2").unwrap();
    assert_eq!(timer["jobs"].as_u64(), Some(jobs), "{timer:#}");
}

#[test]
fn r0013_the_demonstration_compares_with_the_recording_and_with_what_linux_does() {
    let output =
        Command::new("bash").arg(recorded("demo.sh")).env("WINDFALL", WINDFALL).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let source: Vec<&str> = text.lines().filter(|line| line.starts_with("audio-src")).collect();
    let [_, recorded, linux, reserved] = source[..] else { panic!("{text}") };
    let word = |line: &str, at: usize| line.split_whitespace().nth(at).unwrap().to_owned();
    let last = |line: &str| line.split_whitespace().next_back().unwrap().to_owned();
    let longest: Span = word(recorded, 5).parse().unwrap();
    let by_linux: Span = last(linux).parse().unwrap();
    let with_reservation: Span = last(reserved).parse().unwrap();
    // The replay is of the recording's kind (HLS's time sharing of 2001: six times as long), a reservation is not.
    let within = |a: Span, b: Span| a.as_nanos() < b.as_nanos() * 2;
    assert!(within(longest, by_linux) && within(by_linux, longest), "{longest} {by_linux}");
    assert!(with_reservation.as_nanos() * 10 < longest.as_nanos(), "{with_reservation}");
}
