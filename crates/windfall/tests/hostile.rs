//! Names and lines that were made to steer a terminal, in every verb that prints names; and answers that are none.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use windfall_time::Instant;
use windfall_trace::codec::Writer;
use windfall_trace::{Cpu, Event, Header, NodeId, Sink, Stop, ThreadId};

/// Clears the screen, sets a title, goes up a line, and turns the direction of writing.
const NAME: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}1A\u{202e}z";
/// Two lines in one name.
const LINES: &str = "a\nwrote b.toml\r";

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn windfall(arguments: &[&str]) -> Output {
    let (verb, rest) = arguments.split_at(1);
    // What an earlier run of these tests has left is replaced.
    let force = arguments.contains(&"-o").then_some("--force");
    Command::new(env!("CARGO_BIN_EXE_windfall"))
        .args(verb)
        .args(force)
        .args(rest)
        .current_dir(folder())
        .output()
        .unwrap()
}

/// Nothing that steers a terminal is printed; all that was.
fn calm(arguments: &[&str]) -> String {
    let output = windfall(arguments);
    let text = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    assert!(output.status.code().is_some_and(|code| code != 101), "{arguments:?}: {text:?}");
    let steers = |c: char| (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202e}');
    assert!(!text.contains(steers), "{arguments:?}: {text:?}");
    let spoofed = text.lines().any(|line| line.starts_with("wrote b.toml"));
    assert!(!spoofed, "{arguments:?}: {text}");
    text
}

/// A recording of periodic threads of both names, under a scheduler of such a name.
fn recording() -> &'static str {
    let file = std::fs::File::create(folder().join("hostile.wft")).unwrap();
    let mut writer = Writer::new(file, &Header::default());
    let ns = |us: u64| Instant::from_nanos(us * 1_000);
    let node = NodeId(0);
    let (name, kind) = (NAME.to_owned(), LINES.to_owned());
    writer.record(ns(0), &Event::Node { node, parent: None, name, kind });
    for (id, name) in [NAME, LINES].into_iter().enumerate() {
        let id = u32::try_from(id).unwrap();
        let (thread, name) = (ThreadId(id), name.to_owned());
        writer
            .record(ns(0), &Event::Thread { thread, tid: 10 + id, pid: 1, name, node: Some(node) });
    }
    writer.record(ns(0), &Event::Mark { thread: None, text: NAME.to_owned() });
    let (a, b) = (ThreadId(0), ThreadId(1));
    for begin in (0..20).map(|number| number * 10_000) {
        let cpu = Cpu(0);
        writer.record(ns(begin), &Event::Wake { thread: a, by: None });
        writer.record(ns(begin), &Event::Wake { thread: b, by: Some(a) });
        writer.record(ns(begin), &Event::Switch { cpu, prev: None, next: Some(a) });
        let stop = Stop::Blocked;
        writer
            .record(ns(begin + 900), &Event::Switch { cpu, prev: Some((a, stop)), next: Some(b) });
        writer.record(ns(begin + 1_900), &Event::Switch { cpu, prev: Some((b, stop)), next: None });
    }
    writer.finish().unwrap();
    "hostile.wft"
}

#[test]
fn r0013_no_verb_prints_what_steers_a_terminal() {
    let file = recording();
    let printed = calm(&["import", file, "-o", "hostile.toml"]);
    assert!(
        printed.contains("\\u001b[2J") && printed.contains("a\\u000awrote b.toml\\u000d"),
        "{printed}"
    );
    calm(&["import", file, "--reserve", "-o", "hostile-reserved.toml"]);
    for scenario in ["hostile.toml", "hostile-reserved.toml"] {
        calm(&["check", scenario]);
        calm(&["check", scenario, "--json"]);
        calm(&["simulate", scenario]);
        calm(&["simulate", scenario, "--json"]);
        calm(&["run", scenario, "--dry-run"]);
    }
    for name in [NAME, LINES, "*", "#10", "nobody", "z"] {
        let printed = calm(&["explain", file, "--thread", name, "--longer-than", "1ms", "--all"]);
        let listed = matches!(name, NAME | LINES | "*" | "#10");
        assert_eq!(
            printed.contains("\\u001b[2J") || printed.contains("\\u000a"),
            listed || name == "z",
            "{printed}"
        );
        let json = calm(&["explain", file, "--thread", name, "--json"]);
        if listed {
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert!(
                json["threads"][0]["name"]
                    .as_str()
                    .is_some_and(|name| name == NAME || name == LINES)
            );
        }
    }
    calm(&["export", file, "-o", "hostile.pftrace"]);
}

#[test]
fn r0013_lines_of_texts_and_scenarios_are_printed_in_words() {
    let line = format!("{NAME} 7/7 [000] 1.000000000: sched:sched_switch: {NAME}");
    std::fs::write(folder().join("hostile.perf"), format!("{line}\n")).unwrap();
    calm(&["import", "hostile.perf", "-o", "never.toml"]);
    calm(&["explain", "hostile.perf", "--thread", "x"]);
    std::fs::write(folder().join("hostile.json"), format!("{{\"tasks\":{{\"{NAME}\":{NAME}}}}}"))
        .unwrap();
    calm(&["import", "hostile.json", "-o", "never.toml"]);
    for text in [
        format!("schema = 2\n[threads.a]\n{NAME} = 1\n"),
        format!("schema = 2\n[threads.\"{}\"]\n", NAME.escape_default()),
    ] {
        std::fs::write(folder().join("mistaken.toml"), &text).unwrap();
        calm(&["check", "mistaken.toml"]);
        calm(&["check", "mistaken.toml", "--json"]);
    }
}

#[test]
fn r0013_a_command_of_such_a_name_is_recorded_in_words() {
    let path = folder().join("\u{1b}[2Jx");
    std::fs::write(&path, "#!/bin/sh\nexec sleep 0.2\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let command = path.to_str().unwrap();
    // Where this machine cannot be recorded, the refusal is printed.
    calm(&["record", "-o", "command.wft", "--", command]);
    calm(&["calibrate", "--for", "1s", "--", command]);
    calm(&["record", "-o", "never.wft", "--", "./\u{1b}[2Jmissing"]);
}

/// The output of `ctl` and `top` for a run that answers `answer`.
fn requested(answer: &'static [u8], verb: &[&str]) -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("socket-{number}");
    let path = folder().join(&name);
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).unwrap();
    let run = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut line = [0; 4096];
        let _ = stream.read(&mut line);
        let _ = stream.write_all(answer);
    });
    let mut arguments = vec!["ctl", "--socket", &name];
    arguments.extend(verb);
    let printed = calm(&arguments);
    run.join().unwrap();
    printed
}

#[test]
fn r0013_ctl_refuses_an_answer_that_is_none() {
    for answer in [&b"5\n"[..], b"[]\n", b"\"x\"\n", b"null\n"] {
        let printed = requested(answer, &["list"]);
        assert!(printed.contains("no object") && !printed.contains("panicked"), "{printed}");
    }
    let hostile = b"{\"windfall\":2,\"ok\":false,\"rejected\":{\"asked\":\"\\u001b[2J\",\"why\":\"\\u001b[2J\",\"help\":\"\"}}\n";
    assert!(requested(hostile, &["stop"]).contains("\\u001b[2J"));
}
