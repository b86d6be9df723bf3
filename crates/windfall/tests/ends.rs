//! How verbs end before they are done: outputs that fail, readers that leave, signals, commands that will not end.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/scratch.rs"]
mod scratch;
#[path = "common/signal.rs"]
mod signal;

use scratch::{Scratch, text};
use signal::Signal;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use windfall_skips::{Needs, skip};

/// Whether this machine can be recorded; says so if not.
#[track_caller]
fn can_record(folder: &Scratch) -> bool {
    let output = folder.run(&["record", "--force", "--for", "1ms", "-o", "trial.wft"]);
    let why = text(&output.stderr);
    let missing = output.status.code() == Some(2) && why.contains("CAP_PERFMON");
    assert!(missing || output.status.success(), "{output:?}");
    if missing {
        skip(Needs::Real, why);
    }
    !missing
}

/// Waits until `is_so`.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "not within a minute: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Processes that have this word in their command line; none of them goes on.
fn ended_processes_of(word: &str) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        line.windows(word.len()).any(|part| part == word.as_bytes()).then_some(pid)
    });
    all.inspect(|pid| signal::send(Signal::KILL, *pid)).collect()
}

/// A number of seconds that no other process sleeps for.
fn mark(number: u32) -> String {
    format!("97.000{number}000{}", std::process::id())
}

#[test]
fn law_an_output_that_fails_takes_no_other_with_it() {
    let folder = Scratch::new("each-output");
    std::fs::create_dir(folder.path("lost")).unwrap();
    symlink("/dev/full", folder.path("full.svg")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path("o.wft")).status().unwrap().success());
    let arguments =
        ["simulate", "a.toml", "--for", "60s", "--trace", "o.wft", "--csv", "lost/o.csv"];
    let more = ["--picture", "full.svg", "--report", "o.html"];
    let run = folder.command(&[&arguments[..], &more].concat()).spawn().unwrap();
    // The trace is longer than a pipe holds, so that the simulation waits for its reader.
    let mut trace = File::open(folder.path("o.wft")).unwrap();
    std::fs::remove_dir(folder.path("lost")).unwrap();
    assert!(trace.read_to_end(&mut Vec::new()).unwrap() > 70_000);
    let output = run.wait_with_output().unwrap();
    let why = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{why}");
    let failures: Vec<&str> = why.lines().filter(|line| line.starts_with("windfall: ")).collect();
    assert!(failures.len() == 2, "{why}");
    assert!(failures[0].contains("lost/o.csv") && failures[1].contains("full.svg"), "{why}");
    assert!(folder.path("o.html").exists(), "{why}");
}

/// Standard output that nobody reads.
fn unread() -> Stdio {
    std::io::pipe().unwrap().1.into()
}

#[test]
fn law_only_what_was_written_is_said_to_be() {
    let folder = Scratch::new("unread");
    let rt_app = r#"{"tasks": {"a": {"loop": 3, "run": 1000, "sleep": 9000}}}"#;
    folder.write("tasks.json", rt_app);
    for arguments in [
        &["import", "tasks.json", "-o", "-"][..],
        &["import", "a.ftrace.gz", "-o", "-"],
        &["suggest", "a.ftrace.gz", "-o", "-"],
        &["export", "a.wft", "-"],
        &["new", "audio", "-o", "-"],
        &["schema", "-o", "-"],
    ] {
        let output = folder.command(arguments).stdout(unread()).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        assert!(said.contains("went away before all was written"), "{arguments:?}: {said}");
        assert!(!said.contains("wrote "), "{arguments:?}: {said}");
        // A closed descriptor is opened as /dev/null before any of this command begins.
        let said = text(&folder.command(arguments).output().unwrap().stderr);
        assert!(said.contains("wrote to /dev/null"), "{arguments:?}: {said}");
        assert!(text(&folder.run(arguments).stderr).contains("wrote to standard output"));
    }
}

#[test]
fn law_a_recording_ends_when_nobody_reads_it() {
    let folder = Scratch::new("record-unread");
    if !can_record(&folder) {
        return;
    }
    let mut command = folder.command(&["record", "--for", "100s", "-o", "-"]);
    let mut recording = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut reader = recording.stdout.take().unwrap();
    reader.read_exact(&mut [0; 10]).unwrap();
    drop(reader);
    let begun = Instant::now();
    let output = recording.wait_with_output().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(50), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("went away before all was written") && !said.contains("wrote"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn law_a_recording_ends_when_its_disk_is_full() {
    let folder = Scratch::new("record-full");
    if !can_record(&folder) {
        return;
    }
    symlink("/dev/full", folder.path("full.wft")).unwrap();
    let begun = Instant::now();
    let busy = "while :; do sleep 0.001; done"; // so that there is something to write
    let output = folder.run(&["record", "-o", "full.wft", "--for", "100s", "--", "sh", "-c", busy]);
    assert!(begun.elapsed() < Duration::from_secs(50), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("No space left") && said.contains("which ended the recording"), "{said}");
    assert_eq!(output.status.code(), Some(2), "{said}");
}

#[test]
fn law_a_recording_leaves_nothing_running_of_its_command_unsaid() {
    let folder = Scratch::new("record-children");
    if !can_record(&folder) {
        return;
    }
    let record = |name: &str, script: &str| -> Output {
        let _ = std::fs::remove_file(folder.path("recording.wft"));
        let ended = folder.run(&["record", "--for", "300ms", "--", "sh", "-c", script]);
        assert_eq!(ended.status.code(), Some(0), "{name}: {ended:?}");
        ended
    };
    let (several, stopped, stubborn) = (mark(1), mark(2), mark(3));
    let quiet = "exec > /dev/null 2>&1"; // what goes on would keep the pipes open that are read here
    let output = record("several", &format!("{quiet}; sleep {several} & sleep {several} & wait"));
    assert_eq!(ended_processes_of(&several), [0; 0], "{output:?}");
    let output = record("stopped", &format!("{quiet}; kill -STOP $$; sleep {stopped}"));
    assert_eq!(ended_processes_of(&stopped), [0; 0], "{output:?}");
    let output = record("stubborn", &format!("{quiet}; trap '' TERM; sleep {stubborn}; :"));
    let left = ended_processes_of(&stubborn);
    let said = text(&output.stderr);
    assert_eq!(left.len(), 2, "a shell and its child ignore the signal: {said}");
    for pid in left {
        let line = format!("\n{pid} s");
        assert!(said.contains(&line) && said.contains(" still runs; end it with"), "{said}");
    }
}

/// Starts a verb, and sends it a signal after a while.
fn ended_by(signal: Signal, folder: &Scratch, arguments: &[&str]) -> Output {
    let child: Child = folder.command(arguments).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(900));
    signal::send(signal, child.id());
    child.wait_with_output().unwrap()
}

#[test]
fn law_a_measurement_says_which_signal_ended_it() {
    let folder = Scratch::new("measure-ended");
    for (signal, number, name) in
        [(Signal::INT, 2, "SIGINT"), (Signal::TERM, 15, "SIGTERM"), (Signal::HUP, 1, "SIGHUP")]
    {
        let output = ended_by(signal, &folder, &["measure", "-o", "o.toml"]);
        let why = text(&output.stderr);
        if output.status.code() == Some(2) && why.contains("CAP_SYS_NICE") {
            return skip(Needs::Real, why);
        }
        assert_eq!(output.status.signal(), Some(number), "{output:?}");
        assert!(why.contains(&format!("ended by {name}")), "{why}");
        assert!(!folder.path("o.toml").exists());
    }
}

#[test]
fn law_an_interrupted_calibration_replaces_no_longer_one() {
    let folder = Scratch::new("calibrate-ended");
    if !can_record(&folder) {
        return;
    }
    let place = folder.path("windfall/profiles/player.toml");
    let started = folder.path("started");
    let calibrate = |seconds: &str, force: &[&str]| {
        let _ = std::fs::remove_file(&started);
        let command = format!("touch started; exec sleep {seconds}");
        let words = [&["calibrate", "--save", "player"], force, &["--", "sh", "-c", &command]];
        let mut calibrate = folder.command(&words.concat());
        let calibrate = calibrate.env("XDG_CONFIG_HOME", folder.path("")).stdout(Stdio::piped());
        calibrate.spawn().unwrap()
    };
    let interrupted = |force: &[&str]| {
        let child = calibrate("100", force);
        until("the command starts", || Path::new(&started).exists());
        signal::send(Signal::INT, child.id());
        child.wait_with_output().unwrap()
    };
    // Where there is none, it is saved, and its end is said.
    let output = interrupted(&[]);
    let said = text(&output.stdout);
    assert!(said.contains("a signal ended the calibration after"), "{output:?}");
    std::fs::remove_file(&place).unwrap();
    let whole = calibrate("1.5", &[]).wait_with_output().unwrap();
    assert!(whole.status.code() < Some(2), "{whole:?}");
    let before = std::fs::read(&place).unwrap();
    let output = interrupted(&["--force"]);
    let why = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{why}");
    assert!(why.contains("stays as it was") && why.contains("a signal ended"), "{why}");
    assert_eq!(std::fs::read(&place).unwrap(), before);
}
