//! Ways in which `windfall lab validate` ends before its time, or cannot hand over what it found.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/listing.rs"]
mod listing;
#[path = "common/scratch.rs"]
mod scratch;
#[path = "common/signal.rs"]
mod signal;

use listing::names;
use scratch::{Scratch, text};
use signal::Signal;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

/// The threads of a process that are a load.
fn loads(process: &Child) -> usize {
    let threads = std::fs::read_dir(format!("/proc/{}/task", process.id())).into_iter();
    let name = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("comm"));
    let names = threads.flatten().flatten().map(name);
    names.filter(|name| name.as_ref().is_ok_and(|name| name.starts_with("load-"))).count()
}

/// Starts it, and waits until it measures beside its loads, of which there are six for each processor.
fn under_load(folder: &Scratch) -> Child {
    let arguments = "lab validate --quick --for 12s --part timing --report o.html";
    let words: Vec<&str> = arguments.split(' ').collect();
    let process = folder.command(&words).stdout(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while loads(&process) < 6 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it has no load");
        std::thread::sleep(Duration::from_millis(20));
    }
    process
}

fn ended(folder: &Scratch, signal: Signal) -> Output {
    let process = under_load(folder);
    signal::send(signal, process.id());
    process.wait_with_output().unwrap()
}

#[test]
fn law_a_signal_under_load_ends_it_with_what_was_measured() {
    let folder = Scratch::new("validate-signals");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let output = ended(&folder, signal);
        assert_eq!(output.status.code(), Some(2), "{signal:?}: {output:?}");
        let (printed, why) = (text(&output.stdout), text(&output.stderr));
        assert!(printed.contains("ended before all was measured"), "{signal:?}: {printed}");
        assert!(printed.contains("work that was left of each period"), "{signal:?}: {printed}");
        assert!(why.contains("ended by a signal"), "{signal:?}: {why}");
        let page = std::fs::read_to_string(folder.path("o.html")).unwrap();
        assert!(page.trim_end().ends_with("</html>"), "{signal:?}");
        std::fs::remove_file(folder.path("o.html")).unwrap();
    }
}

#[test]
fn law_killed_under_load_it_leaves_nothing() {
    let folder = Scratch::new("validate-killed");
    let before = names(&folder.path(""));
    let groups = || std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let group = groups();
    let output = ended(&folder, Signal::KILL);
    assert_eq!(output.status.signal(), Some(9), "{output:?}");
    assert_eq!((names(&folder.path("")), groups()), (before, group));
}

#[test]
fn law_a_full_device_takes_the_page_or_the_text_but_not_both() {
    let folder = Scratch::new("validate-full");
    let validate = |report: &str, stdout: Stdio| {
        let words = ["lab", "validate", "--quick", "--part", "speed", "--json", "--report", report];
        folder.command(&words).stdout(stdout).spawn().unwrap().wait_with_output().unwrap()
    };
    let output = validate("whole.html", Stdio::from(File::create("/dev/full").unwrap()));
    let why = text(&output.stderr);
    assert!(output.status.code() == Some(2) && why.contains("No space left"), "{output:?}");
    let page = std::fs::read_to_string(folder.path("whole.html")).unwrap();
    assert!(page.trim_end().ends_with("</html>"));
    std::os::unix::fs::symlink("/dev/full", folder.path("full.html")).unwrap();
    let output = validate("full.html", Stdio::piped());
    let why = text(&output.stderr);
    assert!(output.status.code() == Some(2) && why.contains("No space left"), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["metrics"].as_array().is_some_and(|metrics| !metrics.is_empty()), "{json}");
}

#[test]
fn law_a_reader_that_goes_away_keeps_the_page() {
    let folder = Scratch::new("validate-closed");
    let words = ["lab", "validate", "--quick", "--part", "speed", "--report", "o.html"];
    let mut process = folder.command(&words).stdout(Stdio::piped()).spawn().unwrap();
    let mut byte = [0];
    process.stdout.take().unwrap().read_exact(&mut byte).unwrap(); // and it is closed
    let output = process.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    assert!(!text(&output.stderr).contains("panicked"), "{output:?}");
    let page = std::fs::read_to_string(folder.path("o.html")).unwrap();
    assert!(page.trim_end().ends_with("</html>"));
}
