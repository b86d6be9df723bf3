//! The command on a terminal: colour only where it is wanted, and a terminal that is left as it was.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/calls.rs"]
mod calls;
#[path = "common/every_verb.rs"]
mod every_verb;
#[path = "common/scratch.rs"]
mod scratch;
#[path = "common/signal.rs"]
mod signal;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};
use scratch::{SCENARIO, Scratch, text};
use signal::Signal;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use windfall_linux::control::{Listing, LiveStatus, Node, Promised, Thread};

/// A terminal, and all that was ever written to it.
struct Terminal {
    ours: File,
    theirs: OwnedFd,
    seen: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    fn new(columns: u16) -> Terminal {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = File::options().read(true).write(true).open(name).unwrap();
        let size = Winsize { ws_row: 30, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&theirs, size).unwrap();
        let ours = File::from(ours);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, kept) = (ours.try_clone().unwrap(), Arc::clone(&seen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                kept.lock().unwrap().extend_from_slice(&bytes[..count]);
            }
        });
        Terminal { ours, theirs: theirs.into(), seen }
    }

    fn start(&self, command: &mut Command) -> Child {
        let end = || Stdio::from(self.theirs.try_clone().unwrap());
        command.env("TERM", "xterm-256color").stdin(end()).stdout(end()).stderr(end());
        command.spawn().unwrap()
    }

    fn text(&self) -> String {
        text(&self.seen.lock().unwrap())
    }

    /// Waits until something is on it.
    fn wait(&self, part: &str) {
        let begun = Instant::now();
        while !self.text().contains(part) {
            assert!(begun.elapsed() < Duration::from_secs(30), "no `{part}` in {}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn modes(&self) -> Termios {
        tcgetattr(&self.theirs).unwrap()
    }
}

/// Runs a command to its end on a terminal of so many columns; all that it wrote.
fn on_terminal(command: &mut Command, columns: u16) -> String {
    let terminal = Terminal::new(columns);
    let mut child = terminal.start(command);
    child.wait().unwrap();
    // The thread that reads it needs a moment.
    std::thread::sleep(Duration::from_millis(100));
    terminal.text()
}

/// The colours that a text switches to, but for those that switch them off.
fn colours(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split("\x1b[").skip(1) {
        let Some(end) = part.find(|c: char| !c.is_ascii_digit() && c != ';') else { continue };
        if part.as_bytes()[end] == b'm' {
            let codes = part[..end].split(';').filter_map(|code| code.parse::<u32>().ok());
            let colours = codes.filter(|code| matches!(code, 30..=38 | 40..=48 | 90..=107));
            found.extend(colours.map(|code| code.to_string()));
        }
    }
    found
}

/// A run that answers `list`, until it is dropped.
struct Run {
    over: Arc<AtomicBool>,
}

impl Run {
    fn new(socket: &Path) -> Run {
        let _ = std::fs::remove_file(socket);
        let listener = UnixListener::bind(socket).unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let (ended, socket) = (Arc::clone(&over), socket.to_owned());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if ended.load(Ordering::Relaxed) {
                    let _ = std::fs::remove_file(&socket);
                    return;
                }
                let mut line = String::new();
                BufReader::new(&stream).read_line(&mut line).unwrap();
                let answer = serde_json::json!({ "ok": true, "answer": listing() });
                stream.write_all(format!("{answer}\n").as_bytes()).unwrap();
            }
        });
        Run { over }
    }
}

/// A scheduler and threads, one for each standing.
fn listing() -> Listing {
    let all = [
        LiveStatus::Met,
        LiveStatus::Unused,
        LiveStatus::NotTested,
        LiveStatus::Over,
        LiveStatus::Stolen,
        LiveStatus::Overhead,
        LiveStatus::Missed,
        LiveStatus::Unknown,
    ];
    let threads = all.into_iter().enumerate().map(|(at, standing)| Thread {
        name: format!("thread{at}"),
        parent: Some("root".to_owned()),
        promises: vec![Promised {
            guarantee: "RESBS 1ms 10ms".to_owned(),
            standing,
            ..Promised::default()
        }],
        ..Thread::default()
    });
    Listing {
        name: "pretended".to_owned(),
        lost: true,
        nodes: vec![Node { name: "root".to_owned(), ..Node::default() }],
        threads: threads.collect(),
        ..Listing::default()
    }
}

#[test]
fn law_no_color_is_honoured_by_every_verb() {
    let folder = Scratch::new("colour");
    folder.write("bad.toml", &SCENARIO.replace("\"edf\"\nparent", "\"edff\"\nparent"));
    let verbs: [&[&str]; 22] = [
        &["check", "a.toml"],
        &["check", "bad.toml"],
        &["convert", "RESBS 10ms 20ms", "PSBE 1/2 10ms"],
        &["reserve", "b.toml"],
        &["simulate", "a.toml", "--for", "500s"],
        &["run", "a.toml", "--host", "sim"],
        &["run", "a.toml", "--cpus", "60000"],
        &["compare", "bad.toml"],
        &["doctor"],
        &["measure", "--cpu", "60000"],
        &["record", "-o", "x.txt"],
        &["calibrate", "--pid", "99999999"],
        &["export", "a.wft", "x.wft", "--force"],
        &["ctl", "list", "--socket", "none"],
        &["top", "--socket", "none"],
        &["import", "a.ftrace.gz", "-o", "x.toml", "--force"],
        &["explain", "a.ftrace.gz"],
        &["lab", "list"],
        &["catalogue"],
        &["schema"],
        &["completions", "bash"],
        &["man", "man", "--force"],
    ];
    let usage: [&[&str]; 3] = [&["simulate", "--nothing"], &["chekc"], &["--help"]];
    for arguments in verbs.iter().chain(&usage) {
        let text = on_terminal(folder.command(arguments).env("NO_COLOR", "1"), 100);
        assert_eq!(colours(&text), [""; 0], "{arguments:?}: {text}");
    }
    // That colours are seen where there are some, this shows; an empty NO_COLOR means nothing.
    for arguments in [verbs[1], usage[0]] {
        let text = on_terminal(folder.command(arguments).env("NO_COLOR", ""), 100);
        assert!(!colours(&text).is_empty(), "{arguments:?}: {text}");
    }
}

/// Starts `top`, waits for its screen, does something to it, and looks at what it leaves.
fn top(
    name: &str,
    no_color: &str,
    act: impl FnOnce(&Terminal, &Child, &Run),
) -> (String, ExitStatus) {
    let folder = Scratch::new(name);
    // The name of a socket is short.
    let socket = std::env::temp_dir().join(format!("wf-{name}-{}", std::process::id()));
    let run = Run::new(&socket);
    let terminal = Terminal::new(100);
    let before = format!("{:?}", terminal.modes());
    let mut command = folder.command(&["top", "-d", "50ms", "--socket", socket.to_str().unwrap()]);
    let mut child = terminal.start(command.env("NO_COLOR", no_color));
    terminal.wait("thread4");
    assert!(!terminal.modes().local_modes.contains(LocalModes::ICANON), "keys are read at once");
    act(&terminal, &child, &run);
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_secs(15), "it goes on: {}", terminal.text());
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(format!("{:?}", terminal.modes()), before, "the terminal's modes");
    terminal.wait("\x1b[?1049l"); // the screen that was there before
    let text = terminal.text();
    let (left, shown) = (text.rfind("\x1b[?1049l"), text.rfind("\x1b[?25h"));
    assert!(shown.is_some(), "the cursor is shown again");
    assert!(left > text.rfind("thread4"), "something was drawn after the end: {text:?}");
    let _ = std::fs::remove_file(socket);
    (text, status)
}

#[test]
fn law_top_leaves_the_terminal_as_it_was_whatever_ends_it() {
    let keys: [(&str, &[u8]); 3] = [("q", b"q"), ("escape", b"\x1b"), ("ctrl-c", b"\x03")];
    for (name, key) in keys {
        let (_, status) = top(name, "", |terminal, _, _| (&terminal.ours).write_all(key).unwrap());
        assert_eq!(status.code(), Some(0), "{name}");
    }
    for (signal, number) in
        [(Signal::TERM, 15), (Signal::INT, 2), (Signal::HUP, 1), (Signal::QUIT, 3)]
    {
        let (text, status) = top("signal", "", |_, child, _| signal::send(signal, child.id()));
        assert_eq!(status.code(), Some(128 + number), "{signal:?}");
        let after = text.rsplit("\x1b[?1049l").next().unwrap();
        assert!(after.contains("ended by SIG"), "{text:?}");
    }
}

#[test]
fn law_top_of_a_run_that_has_ended_says_so_and_leaves_the_terminal_as_it_was() {
    let (text, status) = top("dead", "", |terminal, _, run| {
        run.over.store(true, Ordering::Relaxed);
        terminal.wait("it has ended");
        (&terminal.ours).write_all(b"q").unwrap();
    });
    assert_eq!(status.code(), Some(0), "{text}");
}

#[test]
fn law_top_ends_when_its_terminal_is_gone() {
    let folder = Scratch::new("gone");
    let socket = std::env::temp_dir().join(format!("wf-gone-{}", std::process::id()));
    let _run = Run::new(&socket);
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = File::options().read(true).write(true).open(name).unwrap();
    let size = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size).unwrap();
    let end = || Stdio::from(theirs.try_clone().unwrap());
    // It is the terminal of its session, as a terminal window's is.
    let mut command = Command::new("setsid");
    command.args(["--ctty", env!("CARGO_BIN_EXE_windfall"), "top", "-d", "1s", "--socket"]);
    command.arg(&socket).current_dir(folder.path(""));
    command.env("TERM", "xterm-256color").stdin(end()).stdout(end()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop((command, theirs));
    // It draws, until nobody has the other end any longer.
    let (mut ours, mut seen, mut bytes) = (File::from(ours), Vec::new(), [0; 4096]);
    while !text(&seen).contains("thread4") {
        let count = ours.read(&mut bytes).unwrap();
        seen.extend_from_slice(&bytes[..count]);
    }
    // By then it waits for a key.
    std::thread::sleep(Duration::from_millis(300));
    drop(ours);
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if begun.elapsed() > Duration::from_secs(20) => {
                child.kill().unwrap();
                panic!("it goes on without a terminal");
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    assert!(matches!(status.code(), Some(2 | 129)), "{status}");
    let _ = std::fs::remove_file(socket);
}

#[test]
fn law_top_shows_standings_in_colour_unless_no_color_is_set() {
    let quit = |terminal: &Terminal, _: &Child, _: &Run| (&terminal.ours).write_all(b"q").unwrap();
    let (text, _) = top("plain", "1", quit);
    assert_eq!(colours(&text), [""; 0], "{text:?}");
    assert!(text.contains('~') && text.contains("thread5"), "standings have signs");
    let (text, _) = top("coloured", "", quit);
    assert!(!colours(&text).is_empty(), "{text:?}");
}

/// For people only: in a pipe nothing is added to what a verb says.
#[test]
fn law_each_verb_ends_with_the_next_command_on_a_terminal_alone() {
    let folder = Scratch::new("next");
    let said = on_terminal(&mut folder.command(&["check", "a.toml"]), 100);
    assert!(said.trim_end().ends_with("next: windfall simulate a.toml"), "{said}");
    // A list names the thread to ask about; with one thread alone it is another verb.
    for arguments in [&["explain", "a.ftrace.gz"][..], &["explain", "a.ftrace.gz", "--worst"]] {
        let said = on_terminal(&mut folder.command(arguments), 200);
        let next: Vec<&str> = said.lines().filter(|line| line.contains("next: ")).collect();
        let verb = if arguments.len() == 2 { "explain a.ftrace.gz --thread " } else { "suggest" };
        assert!(matches!(next[..], [one] if one.contains(verb)), "{said}");
        assert!(!text(&folder.run(arguments).stdout).contains("next: "));
    }
    for arguments in [&["check", "a.toml", "--json"][..], &["check", "none.toml"]] {
        let said = on_terminal(&mut folder.command(arguments), 100);
        assert!(!said.contains("next: "), "{said}");
    }
    let piped = folder.run(&["check", "a.toml"]);
    assert!(!text(&piped.stdout).contains("next: ") && piped.stderr.is_empty(), "{piped:?}");
}

/// But for commands that can be copied, and words that are longer than the terminal is wide.
#[test]
fn law_what_every_verb_prints_fits_the_terminal() {
    let folder = Scratch::new("wide");
    for call in calls::calls(&folder) {
        for columns in [60, 80] {
            let said = on_terminal(folder.command(call).env("NO_COLOR", "1"), columns);
            let lines = said.lines().map(str::trim_end).filter(|line| !line.starts_with("next: "));
            let wide = lines.filter(|line| line.chars().count() > usize::from(columns));
            let wide: Vec<&str> = wide.filter(|line| line.trim().contains(' ')).collect();
            assert!(wide.is_empty(), "{call:?} at {columns}: {wide:#?}");
        }
    }
}

#[test]
fn law_a_table_on_standard_error_is_that_of_a_terminal_as_wide() {
    let folder = Scratch::new("stderr-table");
    let table = |said: &str| {
        let lines = said.lines().map(str::trim_end).skip_while(|line| !line.starts_with("THREAD"));
        lines.take_while(|line| !line.starts_with("cpu 0")).map(str::to_owned).collect::<Vec<_>>()
    };
    let terminal = Terminal::new(80);
    let mut command = folder.command(&["simulate", "a.toml", "--csv", "-"]);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::from(terminal.theirs.try_clone().unwrap()));
    command.spawn().unwrap().wait().unwrap();
    terminal.wait("cpu 0");
    let there = table(&terminal.text());
    assert!(there.len() > 3, "{}", terminal.text());
    assert_eq!(there, table(&on_terminal(&mut folder.command(&["simulate", "a.toml"]), 80)));
}
