//! Files that verbs read and write: `-`, files that are there, files that cannot become whole.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/calls.rs"]
mod calls;
#[path = "common/every_verb.rs"]
mod every_verb;
#[path = "common/listing.rs"]
mod listing;
#[path = "outputs/migrate.rs"]
mod migrate;
#[path = "common/scratch.rs"]
mod scratch;
#[path = "common/signal.rs"]
mod signal;

use listing::names;
use rustix::process::geteuid;
use scratch::{SCENARIO, Scratch, WINDFALL, text};
use signal::Signal;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use windfall_skips::{Needs, skip};

fn read(folder: &Scratch, file: &str) -> Vec<u8> {
    std::fs::read(folder.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn remove(folder: &Scratch, files: &[&str]) {
    for file in files {
        let _ = std::fs::remove_file(folder.path(file));
    }
}

/// Runs a command with this on its standard input.
fn feed(folder: &Scratch, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = folder.command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

/// Arguments of verbs that write files, and the files, in a folder with a scenario, a trace and a recording.
const WRITERS: [(&[&str], &[&str]); 13] = [
    (&["simulate", "a.toml", "--trace", "o.wft"], &["o.wft"]),
    (&["simulate", "a.toml", "--trace", "o.pftrace"], &["o.pftrace"]),
    (&["simulate", "a.toml", "--picture", "o.svg", "--report", "o.html"], &["o.svg", "o.html"]),
    (
        &["run", "a.toml", "--host", "sim", "--picture", "o.png", "--csv", "o.csv"],
        &["o.png", "o.csv"],
    ),
    (&["reserve", "--task", "1ms/10ms", "--picture", "o.svg"], &["o.svg"]),
    (&["export", "a.wft", "o.pftrace"], &["o.pftrace"]),
    (&["export", "a.wft", "o.html", "--beside", "a.ftrace.gz"], &["o.html"]),
    (&["import", "a.ftrace.gz", "-o", "o.toml"], &["o.toml"]),
    (&["suggest", "a.ftrace.gz", "-o", "o.toml"], &["o.toml"]),
    (&["new", "audio", "-o", "o.toml"], &["o.toml"]),
    (&["schema", "-o", "o.json"], &["o.json"]),
    (&["man", "o"], &["o/windfall.1", "o/windfall-top.1"]),
    (
        &["lab", "table-10-4", "--quick", "--host", "sim", "--keep", "o", "--report", "o.html"],
        &["o/table-10-4.csv", "o/table-10-4.svg", "o.html"],
    ),
];

#[test]
fn law_a_file_that_is_there_is_replaced_only_by_force() {
    let folder = Scratch::new("force");
    for (arguments, files) in WRITERS {
        for file in files {
            let _ = std::fs::remove_dir_all(folder.path("o"));
            remove(&folder, files);
            if let Some((parent, _)) = file.rsplit_once('/') {
                std::fs::create_dir_all(folder.path(parent)).unwrap();
            }
            folder.write(file, "what was there");
            let refused = folder.run(arguments);
            assert_eq!(refused.status.code(), Some(2), "{arguments:?} {file}: {refused:?}");
            let why = text(&refused.stderr);
            assert!(why.contains("exists") && why.contains("--force"), "{arguments:?}: {why}");
            assert_eq!(read(&folder, file), b"what was there", "{arguments:?}");
            assert!(refused.stdout.is_empty(), "{arguments:?} worked before it refused");
            for other in files.iter().filter(|other| *other != file) {
                assert!(!folder.path(other).exists(), "{arguments:?} {other}");
            }
            let forced = folder.run(&[arguments, &["--force"]].concat());
            assert!(forced.status.code() < Some(2), "{arguments:?}: {forced:?}");
            assert_ne!(read(&folder, file), b"what was there", "{arguments:?}");
            let unfinished = |name: &String| name.starts_with('.') || name.ends_with(".part");
            assert!(
                !names(&folder.path("")).iter().any(unfinished),
                "{:?}",
                names(&folder.path(""))
            );
        }
    }
}

/// Refused before any right is asked for, so that no machine skips this.
#[test]
fn refuses_to_replace_what_was_recorded_measured_or_calibrated() {
    let folder = Scratch::new("machine");
    std::fs::create_dir_all(folder.path("windfall/profiles")).unwrap();
    let profile = "windfall/profiles/player.toml";
    for (arguments, file) in [
        (vec!["record", "--for", "10ms", "-o", "o.wft"], "o.wft"),
        (vec!["record", "--for", "10ms"], "recording.wft"),
        (vec!["measure", "--quick", "-o", "o.toml"], "o.toml"),
        (vec!["run", "a.toml", "--trace", "o.wft"], "o.wft"),
        (vec!["calibrate", "--save", "player", "--", "touch", "started"], profile),
        (vec!["lab", "table-10-1", "--quick", "--report", "o.html"], "o.html"),
    ] {
        folder.write(file, "what was there");
        let mut command = folder.command(&arguments);
        let output = command.env("XDG_CONFIG_HOME", folder.path("")).output().unwrap();
        let why = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {why}");
        assert!(why.contains("exists") && why.contains("--force"), "{arguments:?}: {why}");
        assert_eq!(read(&folder, file), b"what was there", "{arguments:?}");
    }
    assert!(!folder.path("started").exists());
}

#[test]
fn law_what_is_replaced_keeps_its_mode_and_what_is_new_has_the_usual_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Scratch::new("modes");
    let mode = |file: &str| folder.path(file).metadata().unwrap().permissions().mode() & 0o777;
    let output = folder.run(&["simulate", "a.toml", "--report", "new.html"]);
    assert!(output.status.success(), "{output:?}");
    folder.write("usual.html", "");
    assert_eq!(mode("new.html"), mode("usual.html"));
    folder.write("old.html", "");
    let only_mine = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(folder.path("old.html"), only_mine).unwrap();
    let output = folder.run(&["simulate", "a.toml", "--report", "old.html", "--force"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(mode("old.html"), 0o640);
}

#[test]
fn law_a_dash_is_standard_input() {
    let folder = Scratch::new("stdin");
    let rt_app = r#"{"tasks": {"a": {"loop": 3, "run": 1000, "sleep": 9000}}}"#;
    for (named, dashed, input) in [
        (vec!["check", "a.toml"], vec!["check", "-"], read(&folder, "a.toml")),
        (vec!["check", "a.toml", "--json"], vec!["check", "-", "--json"], read(&folder, "a.toml")),
        (
            vec!["simulate", "a.toml", "--json"],
            vec!["simulate", "-", "--json"],
            read(&folder, "a.toml"),
        ),
        (vec!["reserve", "b.toml"], vec!["reserve", "-"], read(&folder, "b.toml")),
        (vec!["explain", "a.wft"], vec!["explain", "-"], read(&folder, "a.wft")),
        (vec!["explain", "a.ftrace.gz"], vec!["explain", "-"], read(&folder, "a.ftrace.gz")),
        (vec!["export", "a.wft", "-"], vec!["export", "-", "-"], read(&folder, "a.wft")),
        (
            vec!["import", "tasks.json", "-o", "-"],
            vec!["import", "-", "--from", "rt-app", "-o", "-"],
            rt_app.as_bytes().to_vec(),
        ),
    ] {
        folder.write("tasks.json", rt_app);
        let from_file = folder.run(&named);
        assert!(from_file.status.code() < Some(2), "{named:?}: {from_file:?}");
        let from_pipe = feed(&folder, &dashed, &input);
        assert_eq!(from_pipe.status, from_file.status, "{dashed:?}: {from_pipe:?}");
        let named = named[1];
        let same = text(&from_file.stdout).replace(named, "-");
        assert_eq!(text(&from_pipe.stdout), same, "{dashed:?}");
        assert!(!from_pipe.stdout.is_empty(), "{dashed:?}");
    }
}

#[test]
fn law_a_dash_is_standard_output_and_people_read_standard_error_then() {
    let folder = Scratch::new("stdout");
    for (named, file) in [
        (vec!["simulate", "a.toml", "--trace", "o.wft"], "o.wft"),
        (vec!["simulate", "a.toml", "--picture", "o.svg"], "o.svg"),
        (vec!["simulate", "a.toml", "--report", "o.html"], "o.html"),
        (vec!["reserve", "b.toml", "--picture", "o.svg"], "o.svg"),
        (vec!["export", "a.wft", "o.pftrace"], "o.pftrace"),
        (vec!["import", "a.ftrace.gz", "-o", "o.toml"], "o.toml"),
        (vec!["lab", "table-10-4", "--quick", "--host", "sim", "--report", "o.html"], "o.html"),
    ] {
        remove(&folder, &[file]);
        let to_file = folder.run(&named);
        let dashed: Vec<&str> =
            named.iter().map(|word| if *word == file { "-" } else { word }).collect();
        let to_pipe = folder.run(&dashed);
        assert_eq!(to_pipe.status, to_file.status, "{dashed:?}: {to_pipe:?}");
        assert_eq!(to_pipe.stdout, read(&folder, file), "{dashed:?}");
        let said = text(&to_file.stdout);
        let first = said.split_whitespace().next().unwrap();
        assert!(text(&to_pipe.stderr).contains(first), "{dashed:?}: {to_pipe:?}");
    }
}

#[test]
fn refuses_two_things_on_one_stream_and_folders_on_any() {
    let folder = Scratch::new("refused");
    for (arguments, part) in [
        (vec!["simulate", "a.toml", "--trace", "-", "--report", "-"], "both go to standard output"),
        (vec!["simulate", "a.toml", "--picture", "-", "--json"], "both go to standard output"),
        (vec!["simulate", "a.toml", "--trace", "-", "--report", "/dev/stdout"], "both go to"),
        (vec!["reserve", "b.toml", "--picture", "-", "--json"], "both go to standard output"),
        (vec!["compare", "-", "--costs", "-"], "named for two inputs"),
        (vec!["simulate", "a.toml", "--trace", "a.wft/x.wft"], "there is no folder"),
        (vec!["simulate", "a.toml", "--trace", "."], "is a folder"),
        (vec!["simulate", "a.toml", "--report", "x.html", "--picture", "./x.html"], "both name"),
        (vec!["import", "-", "-o", "x.toml"], "names its recording"),
        (vec!["man", "-"], "several files"),
        (vec!["lab", "table-10-4", "--quick", "--keep", "-"], "several files"),
        (vec!["export", "a.toml", "x.wft"], "simulate FILE --trace OUT.wft"),
        (vec!["export", "copy.txt", "x.wft"], "line 1: no event"),
        (vec!["export", "empty.txt", "x.wft"], "no events"),
        (vec!["explain", "a.toml"], "simulate FILE --trace OUT.wft"),
        (vec!["calibrate", "--pid", "99999999"], "there is no process 99999999"),
    ] {
        folder.write("copy.txt", SCENARIO);
        folder.write("empty.txt", "# tracer: nop\n");
        let output = folder.run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let why = text(&output.stderr);
        assert!(why.contains(part), "{arguments:?}: no `{part}` in {why}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        for file in ["x.wft", "x.html", "x.toml"] {
            assert!(!folder.path(file).exists(), "{arguments:?}");
        }
    }
}

#[test]
fn law_a_reader_that_goes_away_is_no_trouble() {
    let folder = Scratch::new("closed");
    for arguments in [
        &["simulate", "a.toml", "--for", "60s", "--trace", "-"][..],
        &["simulate", "a.toml", "--json"],
        &["import", "a.ftrace.gz", "-o", "-"],
        &["export", "a.ftrace.gz", "-"],
        &["catalogue"],
    ] {
        let mut child = folder.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut byte = [0];
        child.stdout.take().unwrap().read_exact(&mut byte).unwrap(); // and it is closed
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        assert!(!text(&output.stderr).contains("panicked"), "{output:?}");
    }
    // Nobody reads errors either.
    let mut child = folder.command(&["check", "none.toml"]).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// Starts a simulation that takes for ever, and waits until it has begun to write.
fn endless(folder: &Scratch) -> std::process::Child {
    let arguments =
        ["simulate", "a.toml", "--for", "24h", "--trace", "o.wft", "--report", "o.html"];
    let child = folder.command(&arguments).spawn().unwrap();
    let files = format!("/proc/{}/fd", child.id());
    let begun = Instant::now();
    let writes = |file: std::io::Result<std::fs::DirEntry>| {
        let target = file.and_then(|file| std::fs::read_link(file.path())).unwrap_or_default();
        target.starts_with(folder.path(""))
    };
    while !std::fs::read_dir(&files).is_ok_and(|mut files| files.any(writes)) {
        assert!(begun.elapsed() < Duration::from_secs(30), "it writes nothing");
    }
    child
}

fn ended(folder: &Scratch, signal: Signal) -> Output {
    let child = endless(folder);
    std::thread::sleep(Duration::from_millis(300));
    signal::send(signal, child.id());
    child.wait_with_output().unwrap()
}

#[test]
fn law_no_signal_leaves_a_part_of_a_file() {
    let folder = Scratch::new("signals");
    let before = names(&folder.path(""));
    for (signal, number, said) in [
        (Signal::INT, 2, "SIGINT"),
        (Signal::TERM, 15, "SIGTERM"),
        (Signal::HUP, 1, "SIGHUP"),
        (Signal::QUIT, 3, "SIGQUIT"),
        (Signal::KILL, 9, ""),
    ] {
        let output = ended(&folder, signal);
        assert_eq!(output.status.signal(), Some(number), "{output:?}");
        let why = text(&output.stderr);
        assert!(why.contains(said) && why.lines().count() <= 1, "{why}");
        assert_eq!(names(&folder.path("")), before, "{signal:?}");
    }
}

#[test]
fn law_a_full_device_leaves_nothing_and_is_named() {
    let folder = Scratch::new("full");
    let output = folder.run(&["simulate", "a.toml", "--for", "60s", "--trace", "o.wft"]);
    assert!(output.status.success() && read(&folder, "o.wft").len() > 70_000, "{output:?}");
    let script = format!(
        "mount -t tmpfs -o size=64k none small && cd small && mkdir d && cd d && \
         for out in '--trace o.wft' '--trace o.pftrace' '--report o.html'; do \
         {WINDFALL} simulate ../../a.toml --for 60s $out > /dev/null; echo $? >&2; ls -A >&2; done"
    );
    std::fs::create_dir_all(folder.path("small")).unwrap();
    // Root needs no user namespace, which some machines do not grant.
    let own: &[&str] = if geteuid().is_root() { &[] } else { &["--user", "--map-root-user"] };
    let output = Command::new("unshare")
        .args(own)
        .args(["--mount", "sh", "-c", &script])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let said = text(&output.stderr);
    if said.contains("unshare") || said.contains("mount:") {
        return skip(Needs::Other, format!("a file system of one's own cannot be mounted: {said}"));
    }
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 6, "a sentence and the status, and no file:\n{said}");
    for pair in lines.chunks(2) {
        let whole = pair[0].contains("No space left") && pair[0].contains("nothing was written");
        assert!(whole, "{said}");
        assert_eq!(pair[1], "2", "{said}");
    }
    // A device is written to as it is.
    std::os::unix::fs::symlink("/dev/full", folder.path("full.wft")).unwrap();
    let output = folder.run(&["simulate", "a.toml", "--trace", "full.wft"]);
    let why = text(&output.stderr);
    assert!(output.status.code() == Some(2) && why.contains("No space left"), "{output:?}");
}

#[test]
fn accepts_a_pipe_with_a_name_without_force() {
    let folder = Scratch::new("fifo");
    let pipe = folder.path("o.wft");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
    let output = folder.run(&["simulate", "a.toml", "--trace", "o.wft"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(reader.join().unwrap(), read(&folder, "a.wft"));
}

/// Each verb prints JSON alone, or where it cannot do its work here says so in JSON.
#[test]
fn law_every_verb_prints_json() {
    let folder = Scratch::new("json");
    for call in calls::calls(&folder) {
        let output = folder.run(&[call, &["--json"]].concat());
        let (printed, errors) = (text(&output.stdout), text(&output.stderr));
        let (document, key) = match output.status.code() {
            Some(2) => (errors.lines().last().unwrap_or_default(), "error"),
            _ => (printed.as_str(), "windfall"),
        };
        let value: serde_json::Value = serde_json::from_str(document)
            .unwrap_or_else(|why| panic!("{call:?}: {why}: {output:?}"));
        assert!(!value[key].is_null(), "{call:?}: {document}");
    }
    let both = folder.run(&["export", "a.wft", "-", "--json"]);
    assert_eq!(both.status.code(), Some(2), "two things on standard output");
}
