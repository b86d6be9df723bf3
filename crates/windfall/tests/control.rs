//! A run on this machine, controlled while it runs. Needs root; without it each test says so and ends.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "control/queries.rs"]
mod queries;
#[path = "control/readme.rs"]
mod readme;
#[path = "common/real.rs"]
mod real;
#[path = "control/tasks.rs"]
mod tasks;
#[path = "control/timed.rs"]
mod timed;
#[path = "common/words.rs"]
mod words;

use serde_json::Value;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const WINDFALL: &str = env!("CARGO_BIN_EXE_windfall");
/// One run at a time.
static MACHINE: Mutex<()> = Mutex::new(());
/// How long others may be supervising it.
const PATIENCE: Duration = Duration::from_secs(60);

const TREE: &str = concat!(
    include_str!("../../scenario/tests/controlled.toml"),
    r#"
[threads.a]
run = "spin"

[threads.b]
run = "spin"
share = 2

[threads.c]
periodic = "1ms/20ms"
parent = "res"
guarantee = "RESBH 2ms 20ms"
"#
);

/// A run, its socket and the place of both.
struct Run {
    child: Child,
    folder: PathBuf,
}

impl Run {
    /// Starts a run; `None`, with a word about it, where the rights are missing.
    fn begin(name: &str) -> Option<(Run, MutexGuard<'static, ()>)> {
        Run::of(name, TREE)
    }

    /// Starts a run of this scenario.
    fn of(name: &str, tree: &str) -> Option<(Run, MutexGuard<'static, ()>)> {
        let alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
        if !real::is_ready() {
            return None;
        }
        let folder = std::env::temp_dir().join(format!("windfall-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("tree.toml"), tree).unwrap();
        let begun = Instant::now();
        loop {
            let child = Command::new("timeout")
                .args(["-s", "KILL", "90", WINDFALL, "run", "--json", "--socket"])
                .args([folder.join("socket"), folder.join("tree.toml")])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut run = Run { child, folder: folder.clone() };
            while run.child.try_wait().unwrap().is_none() {
                if run.ctl(&["list"]).status.success() {
                    return Some((run, alone));
                }
            }
            // Somebody else may be supervising this machine.
            assert!(begun.elapsed() < PATIENCE, "{}", run.errors());
        }
    }

    fn errors(&mut self) -> String {
        let mut text = String::new();
        let _ = self.child.stderr.take().unwrap().read_to_string(&mut text);
        text
    }

    fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    fn ctl(&self, words: &[&str]) -> Output {
        let socket = self.socket();
        let mut command = Command::new(WINDFALL);
        command.args(["ctl", "--socket"]).arg(socket).args(words).output().unwrap()
    }

    fn done(&self, words: &[&str]) {
        let output = self.ctl(words);
        assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    }

    fn refused(&self, words: &[&str]) -> String {
        let before = self.tree();
        let output = self.ctl(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {}", text(&output.stderr));
        assert_eq!(self.tree(), before, "{words:?}");
        text(&output.stderr)
    }

    fn list(&self) -> Value {
        let output = self.ctl(&["list", "--json"]);
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The schedulers with their parents, and the threads with theirs.
    fn tree(&self) -> Vec<String> {
        let list = self.list();
        let node = |node: &Value| {
            format!("{} {} {}", node["name"], node["kind"], node["owns"][0]["parent"])
        };
        let thread = |thread: &Value| format!("{} {}", thread["name"], thread["parent"]);
        let nodes = list["nodes"].as_array().unwrap().iter().map(node);
        nodes.chain(list["threads"].as_array().unwrap().iter().map(thread)).collect()
    }

    fn thread(&self, name: &str) -> Value {
        let list = self.list();
        let mut threads = list["threads"].as_array().unwrap().iter();
        threads.find(|thread| thread["name"] == name).unwrap().clone()
    }

    /// Ends the run; what it has come to.
    fn stop(mut self) -> Value {
        self.done(&["stop"]);
        let begun = Instant::now();
        let mut out = self.child.stdout.take().unwrap();
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        let code = self.child.wait().unwrap().code();
        assert!(code.is_some_and(|code| code < 2), "{code:?} {}", self.errors());
        assert!(begun.elapsed() < Duration::from_secs(5), "it does not end");
        assert!(!self.socket().exists(), "it leaves its socket behind");
        std::fs::remove_dir_all(&self.folder).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn accepts_all_that_hlsutil_did() {
    let Some((run, _alone)) = Run::begin("verbs") else { return };
    run.done(&[
        "create",
        "rr",
        "--scheduler",
        "round-robin",
        "--parent",
        "ts",
        "quantum=5ms",
        "share=3",
    ]);
    run.done(&["move", "a", "rr"]);
    assert_eq!(run.thread("a")["parent"], "rr");
    run.done(&["quantum", "rr", "2ms"]);
    run.done(&["reserve", "b", "RESBH 3ms 10ms", "--at", "res"]);
    let b = run.thread("b");
    assert_eq!(
        (&b["parent"], &b["promises"][0]["guarantee"]),
        (&"res".into(), &"RESBH 3ms 10ms".into())
    );
    assert_eq!(b["promises"][0]["granted"], true);
    run.done(&["reserve", "b", "2ms/10ms"]);
    run.done(&["unreserve", "b"]);
    assert_eq!(run.thread("b")["parent"], "ts");
    assert_eq!(run.thread("b")["promises"], Value::Array(Vec::new()), "it was released");
    run.done(&["share", "b", "5"]);
    run.done(&["share", "rr", "1"]);
    run.done(&["priority", "ts", "0"]);
    run.done(&["reserve", "c", "RESBH 1ms 20ms"]);
    run.done(&["unreserve", "c"]);
    assert_eq!(run.thread("c")["promises"], Value::Array(Vec::new()), "it was released");
    run.done(&["timer", "1024Hz"]);
    assert_eq!(run.list()["tick_ns"], 976_562);
    run.done(&["timer", "precise"]);
    run.done(&["create", "bvt", "--scheduler", "bvt", "--parent", "rr"]);
    run.done(&["move", "b", "bvt", "share=2"]);
    run.done(&["warp", "b", "1ms"]);
    run.done(&["create", "spare", "--scheduler", "round-robin", "--parent", "root", "priority=1"]);
    run.done(&["default", "spare"]);
    run.done(&["destroy", "rr"]);
    run.done(&["destroy", "ts"]);
    let tree = run.tree();
    assert!(tree.iter().all(|line| !line.starts_with("\"ts\"")), "{tree:?}");
    let outcome = run.stop();
    assert_eq!(outcome["refused"], Value::Array(Vec::new()));
    let ts = outcome["schedulers"].as_array().unwrap().iter().find(|node| node["name"] == "ts");
    assert_eq!(ts.unwrap()["alive"], false);
}

#[test]
fn refuses_what_breaks_a_grant_unless_forced() {
    let Some((run, _alone)) = Run::begin("breaks") else { return };
    let create =
        ["create", "above", "--scheduler", "round-robin", "--parent", "root", "priority=9"];
    let why = run.refused(&create);
    assert!(why.contains("would break what is granted") && why.contains("--force"), "{why}");
    run.done(&[&create[..], &["--force"]].concat());
    assert!(run.tree().iter().any(|line| line.contains("above")), "{:?}", run.tree());
    run.stop();
}

#[test]
fn refuses_what_cannot_be_and_changes_nothing() {
    let Some((run, _alone)) = Run::begin("refusals") else { return };
    let has = |words: &[&str], part: &str| {
        let why = run.refused(words);
        assert!(why.contains(part), "{words:?}: {why}");
    };
    has(&["reserve", "b", "RESBH 19ms 20ms", "--at", "res"], "is left; ask for at most that");
    has(&["reserve", "b", "RESBH 1ms 20ms", "--at", "rez"], "did you mean `res`");
    has(&["share", "d", "3"], "unknown thread `d`");
    has(&["share", "b", "0"], "write a whole number from 1");
    has(&["destroy", "ts"], "change the default first");
    has(&["destroy", "res2"], "unknown scheduler");
    has(&["create", "x", "--scheduler", "rezz", "--parent", "top"], "did you mean `rez`");
    has(&["create", "x", "--scheduler", "rez", "--parent", "top"], "all 1 processors are taken");
    has(&["create", "x", "--scheduler", "rez", "--parent", "ts", "q=1"], "unknown key `q`");
    has(&["create", "res", "--scheduler", "rez", "--parent", "ts"], "exists already");
    has(&["create", "top", "--scheduler", "rez", "--parent", "ts"], "means something else");
    has(&["time-slice", "b", "5ms"], "`time-slice` means nothing there");
    has(&["priority", "b", "0"], "allowed: 1 to 115");
    has(&["timer", "0Hz"], "Hz");
    has(&["quantum", "ts", "0s"], "above zero");
    assert_eq!(run.ctl(&["move", "a", "res", "share"]).status.code(), Some(2));
    run.stop();
}

#[test]
fn accepts_schedulers_that_move_transactions_and_queries() {
    let Some((run, _alone)) = Run::begin("moves") else { return };
    let has = |words: &[&str], part: &str| {
        let why = run.refused(words);
        assert!(why.contains(part), "{words:?}: {why}");
    };
    run.done(&["create", "fair", "--scheduler", "proportional-share", "--parent", "ts"]);
    run.done(&["move", "a", "fair", "share=3"]);
    has(&["move", "ts", "fair"], "below itself");
    has(&["move", "fair", "fair"], "below itself");
    has(&["remove-parent", "fair"], "no parent left");
    has(&["add-parent", "fair", "rez"], "did you mean `res`");

    let before = run.tree();
    let would = run.ctl(&["move", "fair", "res", "guarantee=RESBH 3ms 20ms", "--query"]);
    assert_eq!(
        (would.status.code(), run.tree()),
        (Some(0), before.clone()),
        "{}",
        text(&would.stderr)
    );
    assert!(text(&would.stdout).contains("break no promise"), "{}", text(&would.stdout));
    has(
        &["move", "fair", "res", "guarantee=RESBH 19ms 20ms", "--query"],
        "is left; ask for at most that",
    );
    assert_eq!(run.ctl(&["list", "--query"]).status.code(), Some(2));

    run.done(&["move", "fair", "res", "guarantee=RESBH 3ms 20ms"]);
    run.done(&["add-parent", "fair", "ts"]);
    let owns = |name: &str| {
        let list = run.list();
        let mut nodes = list["nodes"].as_array().unwrap().iter();
        nodes.find(|node| node["name"] == name).unwrap()["owns"].clone()
    };
    assert_eq!(
        (&owns("fair")[0]["parent"], &owns("fair")[1]["parent"]),
        (&"res".into(), &"ts".into())
    );
    run.done(&["remove-parent", "fair"]);
    assert_eq!(
        (&owns("fair")[0]["state"], &owns("fair")[0]["parent"]),
        (&"no-parent".into(), &Value::Null)
    );

    // All or none.
    let file = run.folder.join("requests.toml");
    let requests = |to: &str| {
        format!(
            "[[at]]\ndo = \"create\"\nname = \"both\"\n\
             with = {{ scheduler = \"round-robin\", parent = \"ts\" }}\n\
             [[at]]\ndo = \"move\"\nthread = \"b\"\nto = \"both\"\n\
             [[at]]\ndo = \"move\"\nscheduler = \"ts\"\nto = \"{to}\"\n"
        )
    };
    std::fs::write(&file, requests("both")).unwrap();
    let words = ["transaction", file.to_str().unwrap()];
    has(&words, "below itself");
    std::fs::write(&file, requests("root") + "priority = 1\n").unwrap();
    run.done(&words);
    assert_eq!(run.thread("b")["parent"], "both");
    let outcome = run.stop();
    assert_eq!(outcome["quarantined"], serde_json::json!([]));
}

#[test]
fn law_a_client_that_misbehaves_does_no_harm() {
    let Some((run, _alone)) = Run::begin("clients") else { return };
    let connect = || UnixStream::connect(run.socket()).unwrap();
    let hangs = connect();
    let mut half = connect();
    half.write_all(b"{\"windfall\":2,").unwrap();
    let mut endless = connect();
    endless.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
    let _ = endless.write_all(&vec![b'x'; 4 << 20]); // it need not listen to the end
    let mut rude = connect();
    rude.write_all(b"\x00\xff{]\n").unwrap();
    drop(rude);
    let mut deaf = connect();
    deaf.write_all(b"{\"windfall\":2,\"do\":\"list\"}\n").unwrap();
    for _ in 0..50 {
        drop(connect());
    }
    let received = || run.list()["nodes"][0]["received"]["ns"].as_u64().unwrap();
    let before = received();
    run.done(&["share", "b", "3"]);
    drop((hangs, half, endless, deaf));
    assert!(received() > before);
    let outcome = run.stop();
    assert_eq!(outcome["failure"], Value::Null);
}

#[test]
fn law_a_run_explains_a_deadline_that_was_missed_lately() {
    let Some((run, _alone)) = Run::begin("explain") else { return };
    let explain = |words: &[&str]| {
        let mut command = Command::new(WINDFALL);
        command.args(["explain", "--socket"]).arg(run.socket()).args(words).output().unwrap()
    };
    run.done(&["move", "c", "ts"]);
    run.done(&["reserve", "a", "RESBH 95ms 100ms", "--at", "res"]);
    let begun = Instant::now();
    while run.thread("c")["missed"].as_u64().unwrap() < 5 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{}", run.thread("c"));
        std::thread::sleep(Duration::from_millis(100));
    }
    let output = explain(&["--thread", "c"]);
    let found = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{found} {}", text(&output.stderr));
    assert!(found.lines().next().unwrap().contains("under ts (proportional-share)"), "{found}");
    assert!(
        found.contains("done late") && found.contains("a, under res (rez) ran instead"),
        "{found}"
    );
    assert!(!found.contains("LOST") && !found.contains("contradict"), "{found}");
    let one = explain(&["--thread", "c", "--miss", "1", "--json"]);
    let one: Value = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!(one["threads"][0]["explained"][0]["miss"], 1, "{one}");
    let output = explain(&["--thread", "a"]);
    let reserved = text(&output.stdout);
    let whom = reserved.lines().next().unwrap_or_default();
    assert!(
        whom.ends_with("under res (rez), promised RESBH 95ms 100ms"),
        "{reserved} {}",
        text(&output.stderr)
    );
    let nobody = explain(&["--thread", "d"]);
    assert_eq!(nobody.status.code(), Some(2));
    assert!(text(&nobody.stderr).contains("the run: no thread is called `d`"));
    run.stop();
}
