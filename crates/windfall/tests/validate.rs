//! Ways in which `windfall lab validate` ends before its time, or cannot hand over what it found.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/listing.rs"]
mod listing;
#[path = "common/nobody.rs"]
mod nobody;
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
use windfall_skips::{Needs, skip};

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

#[test]
fn law_without_rights_it_lists_what_it_could_not_do() {
    let arguments = "lab validate --quick --for 100ms --part conditions --json";
    let words: Vec<&str> = arguments.split(' ').collect();
    let Some(output) = nobody::run(&words) else { return };
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let undone = json["undone"].as_array().unwrap();
    let one = undone.iter().find(|one| one["what"] == "anything at a real-time priority");
    assert!(one.is_some_and(|one| text_of(&one["why"]).contains("CAP_SYS_NICE")), "{json}");
    assert!(json["metrics"].as_array().is_some_and(|metrics| metrics.len() >= 3), "{json}");
}

fn text_of(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn refuses_a_report_where_this_user_may_not_write_before_anything_is_measured() {
    let words = ["lab", "validate", "--quick", "--part", "speed", "--report", "/windfall-o.html"];
    let Some(output) = nobody::run(&words) else { return };
    let why = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""), "{output:?}");
    assert!(why.contains("cannot make a file in `/`") && why.contains("name another"), "{why}");
    assert!(!why.contains("how fast"), "something was measured: {why}");
}

/// The output of a call that is to be refused before anything is measured.
fn refused(folder: &Scratch, words: &[&str]) -> String {
    let output = folder.run(&[&["lab", "validate"], words].concat());
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""), "{output:?}");
    let why = text(&output.stderr);
    assert!(!why.contains("what spoils other results"), "something was measured: {why}");
    why
}

#[test]
fn refuses_what_was_mistyped_before_anything_is_measured() {
    let folder = Scratch::new("validate-refused");
    let begun = Instant::now();
    for (words, said) in [
        (["--for", "0s"], "between 100ms and 1440m"),
        (["--for", "99ms"], "between 100ms and 1440m"),
        (["--for", "1441m"], "between 100ms and 1440m"),
        (["--part", "sped"], "no part is called `sped`"),
        (["--limit", "wake"], "timing.wake.p99.cpu0=50000"),
        (["--incidents", "wrong.txt"], "wrong.txt: line 2: `11:00` is no time"),
        (["--incidents", "future.txt"], "future.txt: the window ends at 4000000000 s"),
    ] {
        folder.write("wrong.txt", "window 1000 2000\n11:00 error\n");
        folder.write("future.txt", "window 1000 4000000000\nnone\n");
        let why = refused(&folder, &words);
        assert!(why.contains(said), "{words:?}: {why}");
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "it took {:?}", begun.elapsed());
}

/// Runs it as a user of its own who may have so many threads; `None` where that cannot be.
fn with_threads(folder: &Scratch, threads: u32) -> Option<Output> {
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        skip(Needs::Real, "only root can become another user");
        return None;
    }
    // A user whom no other test is, since all threads of a user count.
    let user = 900_000 + std::process::id() % 100_000;
    let copy = folder.path("windfall");
    std::fs::copy(scratch::WINDFALL, &copy).unwrap();
    let limit = format!("--nproc={threads}:{threads}");
    let mut command = std::process::Command::new("prlimit");
    command.args([&limit, copy.to_str()?, "lab", "validate", "--quick", "--part", "speed"]);
    let process = command.uid(user).gid(user).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut process = process.unwrap();
    let begun = Instant::now();
    while process.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(120) {
            process.kill().unwrap();
            panic!("with {threads} threads it does not end: {:?}", process.wait_with_output());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(process.wait_with_output().unwrap())
}

#[test]
fn refuses_to_wait_for_a_thread_that_cannot_be_started() {
    let folder = Scratch::new("validate-threads");
    let mut said = Vec::new();
    for threads in 1..=4 {
        let Some(output) = with_threads(&folder, threads) else { return };
        let both = text(&output.stdout) + &text(&output.stderr);
        assert!(!both.contains("panicked"), "{threads}: {both}");
        said.push(both);
    }
    let refused = said.iter().filter(|said| said.contains("start a thread for processor"));
    assert!(refused.count() >= 1, "{said:?}");
}
