//! The reference of JSON explains every key of every document, in the section of its command.
//!
//! Documents of verbs that need rights on this machine are looked at where those are there.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/real.rs"]
mod real;
#[path = "common/shipped.rs"]
mod shipped;
#[path = "common/taken.rs"]
mod taken;

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A part of a section's heading, and a call whose document it explains.
const CALLS: &[(&str, &str)] = &[
    ("new", "new audio"),
    ("new", "new server"),
    ("check", "check scenarios/home-computer.toml"),
    ("check", "check refused.toml"),
    ("check", "check --why late refused.toml"),
    ("check", "check scenarios/voting.toml"),
    ("suggest", "suggest scenarios/recorded/desktop.ftrace.gz"),
    ("convert", "convert 'RESBS 10ms 20ms' 'PSBE 3/5 10ms'"),
    ("convert", "convert 'RESBS 10ms 20ms' 'PSBE 1/2 10ms'"),
    ("reserve", "reserve scenarios/media-player.toml"),
    ("simulate", "simulate scenarios/home-computer.toml --for 1s --judge all --trace home.wft"),
    ("simulate", "simulate scenarios/inference.toml --for 1s --trace tasks.wft"),
    ("simulate", "simulate scenarios/voting.toml --for 1s --trace votes.wft"),
    ("simulate", "simulate scenarios/device.toml --for 1s"),
    ("simulate", "simulate scenarios/stations.toml --for 1s"),
    ("compare A B", "compare audio.toml server.toml"),
    ("explain", "explain scenarios/recorded/desktop.ftrace.gz"),
    ("explain", "explain scenarios/recorded/desktop.ftrace.gz --worst --longer-than 3ms"),
    ("explain", "explain home.wft"),
    ("explain", "explain tasks.wft"),
    ("explain", "explain votes.wft"),
    ("export", "export home.wft home.html"),
    ("import", "import scenarios/recorded/desktop.ftrace.gz -o imported.toml"),
    ("import", "import scenarios/recorded/desktop.ftrace.gz --reserve -o reserved.toml"),
    ("migrate", "migrate old.toml"),
    ("doctor", "doctor"),
    ("lab list", "lab list"),
    ("lab NAME", "lab table-10-4 --quick --host sim"),
    ("catalogue", "catalogue"),
];

/// The same of verbs that supervise or measure this machine.
const WITH_RIGHTS: &[(&str, &str)] = &[
    ("run", "run --share 2 -- true"),
    ("run", "run --dry-run --share 2 -- true"),
    ("run", "run scenarios/real-programs.toml --for 1s"),
    ("compare FILE", "compare scenarios/isolation.toml --for 1s"),
    ("record", "record --for 100ms -o recorded.wft"),
    ("calibrate", "calibrate -- sleep 0.2"),
    ("measure", "measure --quick"),
    ("restore", "restore"),
];

/// Requests to a run that is under way.
const OF_A_RUN: &[(&str, &str)] = &[
    ("ctl list", "ctl --socket s list"),
    ("top", "top --socket s"),
    ("ctl`, other", "ctl --socket s --query share heavy 3"),
    ("ctl`, other", "ctl --socket s share heavy 3"),
    ("ctl`, other", "ctl --socket s reserve nobody 'RESBH 3ms 10ms'"),
    ("ctl`, other", "ctl --socket s stop"),
];

/// Objects whose keys are names of what they are about.
const NAMED: [&str; 2] = ["stats", "figures"];

const REFUSED: &str = "\
schema = 2
length = \"1s\"

[schedulers.root]
scheduler = \"rez\"
parent = \"top\"

[threads.first]
parent = \"root\"
guarantee = \"RESBH 8ms 10ms\"
periodic = \"2ms/10ms\"

[threads.late]
parent = \"root\"
guarantee = \"RESBH 5ms 10ms\"
periodic = \"9ms/10ms\"

[[expect]]
what = \"late.missed\"
equals = 0
because = \"it asks for more than is left\"
";

/// A folder with the shipped scenarios and some more.
fn scratch(name: &str) -> PathBuf {
    let folder = shipped::scratch(Path::new("json-reference").join(name));
    std::fs::write(folder.join("refused.toml"), REFUSED).unwrap();
    std::fs::write(folder.join("old.toml"), REFUSED.replace("schema = 2", "schema = 1")).unwrap();
    folder
}

/// A call with `--json`, which stands before the words of a command.
fn called(folder: &Path, call: &str) -> Output {
    let (own, command) = call.split_once(" -- ").unwrap_or((call, ""));
    let command = if command.is_empty() { String::new() } else { format!(" -- {command}") };
    let mut shell = Command::new("sh");
    let windfall = env!("CARGO_BIN_EXE_windfall");
    shell.args(["-c", &format!("exec '{windfall}' {own} --json{command}")]).current_dir(folder);
    shell.output().unwrap()
}

/// The reference: each section's heading, and the words that it has in quotes.
fn sections() -> Vec<(String, BTreeSet<String>)> {
    let page = std::fs::read_to_string(shipped::root().join("docs/guide/src/json.md")).unwrap();
    let section = |text: &str| {
        let (heading, text) = text.split_once('\n').unwrap_or((text, ""));
        let words = text.split('`').skip(1).step_by(2);
        (heading.to_owned(), words.map(str::to_owned).collect())
    };
    page.split("\n## ").skip(1).map(section).collect()
}

/// All keys of a document.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                if !NAMED.contains(&key.as_str()) {
                    keys(value, found);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

/// The keys of a document that its sections do not explain.
fn unexplained(of: &str, document: &Value) -> Vec<String> {
    let mut found = BTreeSet::new();
    keys(document, &mut found);
    found.remove("windfall");
    let heading = format!("`{of}");
    let sections = sections();
    let its: Vec<_> = sections.iter().filter(|(name, _)| name.contains(&heading)).collect();
    assert!(!its.is_empty(), "no section has `{of}` in its heading");
    let common = sections.iter().filter(|(name, _)| name == "Parts of several documents");
    let words: Vec<_> = its.into_iter().chain(common).map(|(_, words)| words).collect();
    found.retain(|key| !words.iter().any(|words| words.contains(key)));
    found.into_iter().map(|key| format!("`{key}` of `{of}`")).collect()
}

/// The document of a call; of one that was refused, that on standard error.
fn document(call: &str, output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code().is_some_and(|code| code < 2), "{call}: {output:?}");
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{call}: {why}: {text}"))
}

#[test]
fn law_the_reference_explains_every_key_of_every_document() {
    let folder = scratch("all");
    let mut wrong: BTreeSet<String> = BTreeSet::new();
    for (of, call) in CALLS {
        wrong.extend(unexplained(of, &document(call, &called(&folder, call))));
    }
    let refused = called(&folder, "check nowhere.toml");
    let last = String::from_utf8_lossy(&refused.stderr).lines().last().unwrap().to_owned();
    let error: Value = serde_json::from_str(&last).unwrap();
    wrong.extend(unexplained("error", &error));
    assert!(wrong.is_empty(), "docs/guide/src/json.md does not explain {wrong:#?}");
}

/// A run, ended when the test is over, also when that has failed.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = self.0.kill().and_then(|()| self.0.wait()); // there is nobody to tell
        }
    }
}

#[test]
fn law_the_reference_explains_what_this_machines_verbs_say() {
    if !real::is_ready() {
        return;
    }
    let folder = scratch("real");
    let mut wrong: BTreeSet<String> = BTreeSet::new();
    for (of, call) in WITH_RIGHTS {
        let Some(output) = taken::once_free(|| called(&folder, call)) else { return };
        wrong.extend(unexplained(of, &document(call, &output)));
    }
    let begun = Instant::now();
    let mut run = Command::new(env!("CARGO_BIN_EXE_windfall"));
    run.args(["run", "scenarios/real-programs.toml", "--for", "30s", "--socket", "s"]);
    run.current_dir(&folder).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = Running(run.spawn().unwrap());
    while !folder.join("s").exists() {
        if child.0.try_wait().unwrap().is_some() {
            child = Running(run.spawn().unwrap()); // another run was under way
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "no run began");
        std::thread::sleep(Duration::from_millis(100));
    }
    for (of, call) in OF_A_RUN {
        wrong.extend(unexplained(of, &document(call, &called(&folder, call))));
    }
    child.0.wait().unwrap();
    assert!(wrong.is_empty(), "docs/guide/src/json.md does not explain {wrong:#?}");
}

#[test]
fn law_a_key_that_is_not_explained_is_found() {
    let document =
        serde_json::json!({ "wrote": "a", "stats": { "any": 1 }, "list": [{ "odd": 1 }] });
    let found = unexplained("new", &document);
    assert_eq!(found, ["`list` of `new`", "`odd` of `new`", "`stats` of `new`"]);
}
