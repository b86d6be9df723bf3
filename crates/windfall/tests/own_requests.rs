//! Programs of a real machine that ask for themselves while they are supervised (decision 0024). Needs root; without it each test says so and ends.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "own_requests/random.rs"]
mod random;
#[path = "common/real.rs"]
mod real;

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use windfall_client::{ClientError, Thread};
use windfall_skips::{Needs, skip};

const WINDFALL: &str = env!("CARGO_BIN_EXE_windfall");
/// One run at a time.
static MACHINE: Mutex<()> = Mutex::new(());

/// The example in C, compiled; `None` where there is no compiler.
fn compiled() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-client");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../client/examples/client.c");
    let status = Command::new("cc").arg("-o").arg(&program).arg(source).status().ok()?;
    status.success().then_some(program)
}

/// A run with a supervised program that computes and does what it is told by its words.
struct Run {
    child: Child,
    folder: PathBuf,
}

impl Run {
    /// Starts a run of `sleep` and of the client in C, which reserves at `res`.
    fn begin(name: &str) -> Option<Run> {
        let Some(client) = compiled() else {
            skip(Needs::Other, "no C compiler is installed");
            return None;
        };
        let threads = |socket: &Path| {
            format!(
                "[threads.app]\nexec = [\"{}\", \"res\"]\nenv = {{ WINDFALL_SOCKET = \"{}\" }}\n\
                 [threads.idle]\nexec = [\"sleep\", \"60\"]\n[threads.spin]\nrun = \"spin\"\n",
                client.display(),
                socket.display(),
            )
        };
        Run::of(name, threads)
    }

    /// Starts a run of these threads.
    fn of(name: &str, threads: impl Fn(&Path) -> String) -> Option<Run> {
        if !real::is_ready() {
            return None;
        }
        let folder = std::env::temp_dir().join(format!("windfall-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let socket = folder.join("socket");
        let tree = include_str!("../../scenario/tests/controlled.toml");
        let text = format!("{tree}\n{}", threads(&socket));
        std::fs::write(folder.join("tree.toml"), text).unwrap();
        let begun = Instant::now();
        loop {
            let child = Command::new("timeout")
                .args(["-s", "KILL", "60", WINDFALL, "run", "--json", "--socket"])
                .args([&socket, &folder.join("tree.toml")])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut run = Run { child, folder: folder.clone() };
            while run.child.try_wait().unwrap().is_none() {
                if run.ctl(&["list"]).is_some() {
                    return Some(run);
                }
            }
            let mut why = String::new();
            let _ = run.child.stderr.take().unwrap().read_to_string(&mut why);
            assert!(begun.elapsed() < Duration::from_secs(60), "{why}");
        }
    }

    fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    fn ctl(&self, words: &[&str]) -> Option<String> {
        let mut command = Command::new(WINDFALL);
        let output =
            command.args(["ctl", "--socket"]).arg(self.socket()).args(words).output().unwrap();
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    }

    fn threads(&self) -> Vec<Value> {
        let list: Value = serde_json::from_str(&self.ctl(&["list", "--json"]).unwrap()).unwrap();
        list["threads"].as_array().unwrap().clone()
    }

    /// The first thread of an entry, once `is` holds of it.
    fn when(&self, name: &str, is: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let threads = self.threads();
            let of = |thread: &&Value| thread["name"].as_str().unwrap().starts_with(name);
            if let Some(thread) = threads.iter().find(of)
                && is(thread)
            {
                return thread.clone();
            }
            assert!(Instant::now() < until, "`{name}` does not come to it: {threads:#?}");
        }
    }

    fn stop(mut self) -> Value {
        self.ctl(&["stop"]).unwrap();
        let mut text = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert!(self.child.wait().unwrap().code().is_some_and(|code| code < 2), "{text}");
        std::fs::remove_dir_all(&self.folder).unwrap();
        // What the programs print stands before it, or behind.
        let [begins, ends] = [text.find('{').unwrap(), text.rfind('}').unwrap()];
        serde_json::from_str(&text[begins..=ends]).unwrap()
    }
}

#[test]
fn accepts_a_reservation_that_a_program_makes_for_itself_and_tells_it_the_end() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(run) = Run::begin("own") else { return };
    let app = run.when("app", |app| app["parent"] == "res");
    let name = app["name"].as_str().unwrap();
    run.ctl(&["unreserve", name]).unwrap();
    // It hears of that, and ends.
    let until = Instant::now() + Duration::from_secs(20);
    while run.threads().iter().any(|thread| thread["name"] == name && thread["state"] != "ended") {
        assert!(Instant::now() < until, "it was not told");
    }
    assert_eq!(run.stop()["failure"], Value::Null);
}

#[test]
fn law_clients_of_every_sort_are_answered_or_refused_and_nothing_is_half_done() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(run) = Run::begin("own-clients") else { return };
    let app = run.when("app", |app| app["parent"] == "res");
    let idle = run.when("idle", |idle| idle["tid"].as_i64().is_some_and(|tid| tid > 0));
    let tid = i32::try_from(idle["tid"].as_i64().unwrap()).unwrap();
    let thread = Thread::numbered(tid).at(run.socket());

    // Somebody who is not supervised, and a move out of the subtree.
    let other = Thread::current().unwrap().at(run.socket());
    let why = other.share(2).unwrap_err().to_string();
    assert!(why.contains("is not supervised"), "{why}");
    let why = thread.move_to("root").unwrap_err().to_string();
    assert!(why.contains("does not lie below `ts`"), "{why}");

    // One that asks as fast as it can: some are carried out, the others are refused by name (how many, `linux/src/control/rights.rs` tests).
    let begun = Instant::now();
    let (mut done, mut refused) = (0_u32, 0_u32);
    for turn in 0..200_u32 {
        match thread.share(1 + turn % 3) {
            Ok(()) => done += 1,
            Err(ClientError::Refused { why, .. }) if why.contains("requests a second") => {
                refused += 1
            }
            Err(other) => panic!("{other}"),
        }
    }
    println!("{done} carried out, {refused} refused in {:?}", begun.elapsed());
    assert!(done > 0 && done + refused == 200, "{done} and {refused}");
    std::thread::sleep(Duration::from_millis(300));
    thread.guarantee("RESBH 1ms 20ms", Some("res")).unwrap();
    let promised = run.when("idle", |idle| idle["parent"] == "res");
    assert_eq!(promised["promises"][0]["guarantee"], "RESBH 1ms 20ms", "{promised:#}");
    thread.unreserve().unwrap();
    run.when("idle", |idle| idle["parent"] == "ts");

    // One that listens and never reads, ones that are gone in the middle, and ones that listen too often.
    std::thread::sleep(Duration::from_millis(300));
    let deaf = thread.notices().unwrap();
    let ask = |line: &str| {
        let mut stream = UnixStream::connect(run.socket()).unwrap();
        stream.write_all(line.as_bytes()).unwrap();
        stream
    };
    for _ in 0..20 {
        let line = format!(
            "{{\"windfall\":2,\"do\":\"reserve\",\"own\":{tid},\"reserve\":\"1ms/10ms\",\"to\":\"res\"}}\n"
        );
        drop(ask(&line[..line.len() / 2]));
        drop(ask(&line));
        drop(ask(&format!("{{\"windfall\":2,\"do\":\"unreserve\",\"own\":{tid}}}\n")));
    }
    std::thread::sleep(Duration::from_millis(300));
    let listening: Vec<_> = (0..9).map(|_| thread.notices()).collect();
    let many = listening.iter().filter(|one| one.is_err()).count();
    assert!(many >= 1, "eight connections are enough for a process");
    let state = run.when("idle", |idle| idle["parent"] == "res" || idle["parent"] == "ts");
    let reserved = state["parent"] == "res";
    let promised = state["promises"].as_array().unwrap().len();
    assert!(promised == 0 || reserved, "half done: {state:#}");
    drop((deaf, listening));

    // The program that was there all the time still has what it had.
    let still = run.when("app", |app| app["parent"] == "res");
    assert_eq!(still["name"], app["name"]);
    let mut line = String::new();
    let told = ask(&format!("{{\"windfall\":2,\"do\":\"destroy\",\"own\":{tid}}}\n"));
    BufReader::new(told).read_line(&mut line).unwrap();
    assert!(line.contains("not what a thread may ask for itself"), "{line}");
    assert_eq!(run.stop()["failure"], Value::Null);
}

/// `nice -n 19` of one of two programs leaves it an eighth of the other's share: priority 1 beside 8.
#[test]
fn paper_9_3_3_a_program_that_is_nice_has_an_eighth_of_the_share() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let threads = |_: &Path| {
        let busy = "\"sh\", \"-c\", \"while :; do :; done\"";
        format!(
            "[threads.niced]\nexec = [\"nice\", \"-n\", \"19\", {busy}]\n\
             [threads.plain]\nexec = [{busy}]\n"
        )
    };
    let Some(run) = Run::of("nice", threads) else { return };
    std::thread::sleep(Duration::from_secs(2)); // the audit looks at a few threads every 40 ms
    let received = || {
        ["niced", "plain"].map(|name| run.when(name, |_| true)["received"]["ns"].as_u64().unwrap())
    };
    let before = received();
    std::thread::sleep(Duration::from_secs(4));
    let after = received();
    let [niced, plain] = [0, 1].map(|at| after[at] - before[at]);
    let outcome = run.stop();
    let said = outcome["refused"].to_string();
    assert!(said.contains("asked for nice 19, and its scheduler was told priority 1"), "{said}");
    assert!(plain > 5 * niced && plain < 12 * niced, "{niced} and {plain}");
}
