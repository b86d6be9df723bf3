//! The clients in Rust and in C against a run that is played by the test. Against a real one they are tried by `windfall/tests/own_requests.rs`.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use windfall_client::{ClientError, Notice, Thread};

const DONE: &str = "{\"answer\":{\"done\":true},\"ok\":true,\"windfall\":2}\n";
const NO: &str = "{\"ok\":false,\"rejected\":{\"asked\":\"move `a` to `res`\",\"help\":\"ask for less\",\"why\":\"9/10 do \\\"not\\\" fit\"},\"windfall\":2}\n";

fn socket(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.sock"));
    let _ = std::fs::remove_file(&path);
    path
}

/// Takes a request, and answers it.
fn serve(listener: &UnixListener, answer: &str) -> (String, UnixStream) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).unwrap();
    stream.write_all(answer.as_bytes()).unwrap();
    (line, stream)
}

#[test]
fn accepts_each_request_as_the_protocol_has_it() {
    let path = socket("each");
    let listener = UnixListener::bind(&path).unwrap();
    let run = std::thread::spawn(move || {
        (0..7).map(|_| serve(&listener, DONE).0).collect::<Vec<String>>()
    });
    let thread = Thread::numbered(7).at(&path);
    let ms = Duration::from_millis;
    thread.reserve(ms(3), ms(10), Some("a\"b")).unwrap();
    thread.reserve(ms(3), ms(10), None).unwrap();
    thread.guarantee("RESBH 3ms 10ms", Some("res")).unwrap();
    thread.unreserve().unwrap();
    thread.share(3).unwrap();
    thread.priority(-2).unwrap();
    thread.move_to("ts").unwrap();
    let own =
        |verb: &str, more: &str| format!("{{\"windfall\":2,\"do\":\"{verb}\",\"own\":7{more}}}\n");
    assert_eq!(
        run.join().unwrap(),
        [
            own("reserve", ",\"reserve\":\"3000000ns/10000000ns\",\"to\":\"a\\\"b\""),
            own("reserve", ",\"reserve\":\"3000000ns/10000000ns\""),
            own("guarantee", ",\"guarantee\":\"RESBH 3ms 10ms\",\"to\":\"res\""),
            own("unreserve", ""),
            own("share", ",\"share\":3"),
            own("priority", ",\"priority\":-2"),
            own("move", ",\"to\":\"ts\""),
        ]
    );
}

#[test]
fn refuses_with_the_words_of_the_run_and_says_when_there_is_none() {
    let path = socket("refusing");
    let thread = Thread::current().unwrap().at(&path);
    let none = thread.unreserve().unwrap_err();
    assert!(matches!(none, ClientError::Unreachable { .. }), "{none}");
    let listener = UnixListener::bind(&path).unwrap();
    let run = std::thread::spawn(move || {
        serve(&listener, NO);
        serve(&listener, "");
        serve(&listener, "what?\n");
    });
    let refused = thread.share(1).unwrap_err().to_string();
    assert_eq!(refused, "move `a` to `res`: 9/10 do \"not\" fit; ask for less");
    assert!(matches!(thread.share(1), Err(ClientError::Unreachable { .. })));
    assert!(matches!(thread.share(1), Err(ClientError::Answer(_))));
    run.join().unwrap();
}

#[test]
fn accepts_notices_until_the_run_ends() {
    let path = socket("notices");
    let listener = UnixListener::bind(&path).unwrap();
    let run = std::thread::spawn(move || {
        let told = "{\"notices\":[\"accepted\",\"budget-used-up\"],\"windfall\":2}\n{\"notices\":[\"later\"],\"windfall\":2}\n";
        serve(&listener, &format!("{DONE}{told}"));
    });
    let mut notices = Thread::current().unwrap().at(&path).notices().unwrap();
    run.join().unwrap();
    assert_eq!(notices.wait().unwrap(), [Notice::Accepted, Notice::BudgetUsedUp]);
    assert_eq!(notices.wait().unwrap(), [], "a later version may tell more");
    assert!(matches!(notices.wait(), Err(ClientError::Ended)));
}

/// The example in C, compiled; `None` where there is no compiler.
fn compiled() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("client-c");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/client.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu99", "-Wall", "-Wextra", "-Werror", "-O2", "-o"]);
    let status = compiler.arg(&program).arg(source).status().ok()?;
    assert!(status.success(), "the example in C does not compile");
    Some(program)
}

#[test]
fn accepts_the_example_in_c() {
    let Some(program) = compiled() else {
        return windfall_skips::skip(windfall_skips::Needs::Other, "no C compiler is installed");
    };
    let path = socket("c");
    let listener = UnixListener::bind(&path).unwrap();
    let begin = || {
        let mut command = Command::new(&program);
        command.arg("res").env("WINDFALL_SOCKET", &path).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().unwrap()
    };
    let child = begin();
    let (first, mut told) = serve(&listener, DONE);
    assert_eq!(first, format!("{{\"windfall\":2,\"do\":\"notices\",\"own\":{}}}\n", child.id()));
    let (second, _) = serve(&listener, DONE);
    assert!(second.contains("\"reserve\":\"3000000ns/10000000ns\",\"to\":\"res\""), "{second}");
    for notice in ["budget-used-up", "reservation-ended"] {
        told.write_all(format!("{{\"notices\":[\"{notice}\"],\"windfall\":2}}\n").as_bytes())
            .unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "reserved\nended\n");

    let child = begin();
    let _told = serve(&listener, DONE);
    serve(&listener, NO);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "9/10 do \"not\" fit\n");
}

/// The program of the project's front page is the one of this crate's, which is compiled.
#[test]
fn law_both_front_pages_show_one_program() {
    let program = |path: &str, hidden: bool| {
        let text =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        let block =
            text.split("```").find(|block| block.contains("use windfall_client::")).unwrap();
        let (_, block) = block.split_once('\n').unwrap();
        let lines = block.lines().filter(|line| !hidden || !line.starts_with("# "));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    let here = program("README.md", true);
    assert_eq!(program("../../README.md", false), here);
    let code = here.iter().filter(|line| !line.is_empty() && !line.starts_with("use "));
    assert!(code.count() <= 10, "a program of ten lines");
}
