//! The command as a new user meets it: help, exit status, errors, man pages, completions.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/every_verb.rs"]
mod every_verb;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn windfall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_windfall")).args(arguments).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A scenario in a file of its own.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const SCENARIO: &str = r#"
schema = 2
seed   = 1
length = "100ms"

[schedulers.edf]
scheduler = "edf"
parent    = "top"

[threads.a]
parent   = "edf"
periodic = "3ms/10ms"

[[expect]]
what    = "a.missed"
equals  = 0
because = "it is alone"
"#;

#[test]
fn status_is_0_when_expectations_hold_1_when_not_2_when_it_could_not_run() {
    let good = file("good.toml", SCENARIO);
    let failing = file("failing.toml", &SCENARIO.replace("equals  = 0", "at-least = 1"));
    let broken = file("broken.toml", &SCENARIO.replace("edf\"", "edff\""));
    let statuses: Vec<Option<i32>> = [&good, &failing, &broken]
        .iter()
        .map(|path| windfall(&["simulate", path]).status.code())
        .collect();
    assert_eq!(statuses, [Some(0), Some(1), Some(2)]);
    assert_eq!(windfall(&["simulate", "/nonexistent.toml"]).status.code(), Some(2));
    assert_eq!(windfall(&["simulat"]).status.code(), Some(2));
    assert_eq!(windfall(&["simulate", &good, "--for", "10"]).status.code(), Some(2));
}

#[test]
fn refuses_with_line_caret_and_suggestion() {
    let broken = file("caret.toml", &SCENARIO.replace("edf\"\nparent", "edff\"\nparent"));
    let output = windfall(&["check", &broken]);
    let text = errors(&output);
    for part in [
        "caret.toml:7:13: error[unknown-kind]: unknown scheduler `edff`",
        "^^^^^^",
        "did you mean `edf`?",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    assert!(printed(&output).is_empty());
}

#[test]
fn refuses_a_span_without_a_unit_and_says_what_would_do() {
    let good = file("unit.toml", SCENARIO);
    let text = errors(&windfall(&["simulate", &good, "--for", "10"]));
    assert!(text.contains("add one of ns, us, ms, s"), "{text}");
}

#[test]
fn refuses_outputs_of_unknown_kind_before_it_simulates() {
    let good = file("kinds.toml", SCENARIO);
    for (flag, name) in [("--trace", "out.zip"), ("--picture", "out.jpg")] {
        let output = windfall(&["simulate", &good, flag, name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).contains("end the name in"), "{output:?}");
        assert!(!Path::new(name).exists());
    }
}

#[test]
fn law_a_run_that_is_refused_leaves_the_trace_that_was_there() {
    let good = file("refused.toml", SCENARIO);
    let trace = file("refused.wft", "what was there");
    let fresh = trace.replace("refused.wft", "refused-fresh.wft");
    for kept in [&trace, &fresh] {
        let output = windfall(&["run", &good, "--cpus", "60000", "--trace", kept, "--force"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).contains("cannot use processor 60000"), "{output:?}");
    }
    assert_eq!(std::fs::read_to_string(&trace).unwrap(), "what was there");
    assert!(!Path::new(&fresh).exists());
    let simulate = ["simulate", &good, "--trace", &trace, "--force"];
    assert_eq!(windfall(&simulate).status.code(), Some(0));
    assert_ne!(std::fs::read(&trace).unwrap(), b"what was there");
}

#[test]
fn json_has_what_the_contract_names() {
    let good = file("json.toml", SCENARIO);
    let text = printed(&windfall(&["simulate", &good, "--json"]));
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in ["length_ns", "events", "decisions", "quarantined", "expectations", "threads"] {
        assert!(!json[key].is_null(), "no `{key}`");
    }
    let thread = &json["threads"][0];
    let keys = [
        "name",
        "parent",
        "received_ns",
        "runnable_ns",
        "wakeups",
        "dispatches",
        "preemptions",
        "migrations",
        "jobs",
        "deadlines_missed",
        "response_ns",
    ];
    for key in keys {
        assert!(!thread[key].is_null(), "no `{key}` of a thread");
    }
    assert!(thread.get("promised").is_some());
    for key in ["min", "mean", "p50", "p99", "max"] {
        assert_eq!(thread["response_ns"][key], 3_000_000, "{key}");
    }
    assert_eq!(json["length_ns"], 100_000_000);
}

#[test]
fn output_is_plain_and_silent_when_piped() {
    let good = file("plain.toml", SCENARIO);
    let output = windfall(&["simulate", &good]);
    assert!(!printed(&output).contains('\x1b'));
    assert!(errors(&output).is_empty());
}

#[test]
fn every_verb_has_help_a_man_page_and_completions() {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    let _ = std::fs::remove_dir_all(&folder);
    let output = windfall(&["man", folder.to_str().unwrap(), "--force"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let verbs = every_verb::verbs(&printed(&windfall(&["--help"])));
    for verb in &verbs {
        assert!(printed(&windfall(&[verb, "--help"])).contains("Usage"), "{verb}");
        assert!(folder.join(format!("windfall-{verb}.1")).exists(), "{verb}");
    }
    let mut named = 0;
    for page in std::fs::read_dir(&folder).unwrap() {
        let text = std::fs::read_to_string(page.unwrap().path()).unwrap().replace("\\-", "-");
        for line in
            text.lines().filter(|line| line.starts_with("windfall-") && line.ends_with("(1)"))
        {
            assert!(folder.join(line.replace("(1)", ".1")).exists(), "no page {line}");
            named += 1;
        }
    }
    assert!(named > verbs.len() + 20, "{named} pages are named");
    assert!(!folder.join("windfall-help.1").exists(), "`help` is no verb of its own");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = printed(&windfall(&["completions", shell]));
        assert!(text.contains("WINDFALL_COMPLETE") && text.contains("windfall"), "{shell}: {text}");
    }
    let completed = completions(&["windfall", ""]);
    assert!(verbs.iter().all(|verb| completed.contains(verb)), "{completed:?}");
}

/// The completions that bash gets for the last of these words.
fn completions(words: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_windfall"))
        .args([&["--"], words].concat())
        .env("WINDFALL_COMPLETE", "bash")
        .env("_CLAP_IFS", "\n")
        .env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    printed(&output).lines().map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn completions_know_schedulers_experiments_and_nodes() {
    let kinds = completions(&["windfall", "catalogue", "lottery"]);
    assert_eq!(kinds, ["lottery"]);
    let kinds = completions(&["windfall", "ctl", "create", "late", "--scheduler", "round"]);
    assert_eq!(kinds, ["round-robin"]);
    assert_eq!(completions(&["windfall", "lab", "figure-11-6"]), ["figure-11-6"]);
    let scenario = file("nodes.toml", SCENARIO);
    let nodes = completions(&["windfall", "check", &scenario, "--why", ""]);
    let declared = SCENARIO.lines().filter_map(|line| {
        let (_, name) = line.strip_prefix('[')?.strip_suffix(']')?.split_once('.')?;
        Some(name.to_owned())
    });
    let mut declared: Vec<String> = declared.collect();
    declared.sort();
    let mut nodes = nodes;
    nodes.sort();
    assert_eq!(nodes, declared);
    let schedulers = SCENARIO.lines().filter_map(|line| line.strip_prefix("[schedulers."));
    let schedulers: Vec<_> = schedulers.filter_map(|line| line.strip_suffix(']')).collect();
    assert_eq!(completions(&["windfall", "reserve", &scenario, "--node", ""]), schedulers);
    let values = completions(&["windfall", "simulate", &scenario, "--set", ""]);
    assert!(values.iter().any(|value| value == "machine.processors="), "{values:?}");
    for name in &declared {
        assert!(values.iter().any(|value| value.starts_with(&format!("{name}."))), "{values:?}");
    }
    let more = "[programs.tick]\nperiodic = \"1ms/10ms\"\n\
                [threads.c]\nparent = \"edf\"\nprogram = \"tick\"\n\
                [threads.d]\nparent = \"edf\"\nsteps = [{ lock = \"l\" }, { run = \"1ms\" }, { unlock = \"l\" }]\n\
                [locks.l]\nprotocol = \"none\"\n";
    let scenario = file("values.toml", &format!("{SCENARIO}{more}"));
    let values = completions(&["windfall", "simulate", &scenario, "--set", ""]);
    for value in ["a.periodic=", "tick.periodic=", "l.protocol="] {
        assert!(values.iter().any(|one| one == value), "{value}: {values:?}");
    }
    assert!(!values.iter().any(|one| one == "c.periodic="), "{values:?}");
    let recording =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/recorded/desktop.perf.gz");
    let threads = completions(&["windfall", "explain", recording, "--thread", "audio"]);
    assert!(threads.contains(&"audio-src".to_owned()), "{threads:?}");
    assert!(completions(&["windfall", "ctl", "destroy", "--socket", "/nowhere", ""]).len() < 20);
}

#[test]
fn every_scheduler_describes_itself() {
    let list = printed(&windfall(&["catalogue"]));
    let (schedulers, programs) = list.split_once("\nPrograms:\n").unwrap();
    let names: Vec<&str> = schedulers
        .lines()
        .filter_map(|line| Some(line.split_once(": ")?.0))
        .filter(|name| !name.contains(" "))
        .collect();
    assert!(names.len() >= 10, "{list}");
    for name in names {
        let text = printed(&windfall(&["catalogue", name]));
        for part in ["Takes", "Gives", "Admits", "Assumes", "Costs", "Ties", "Source"] {
            assert!(text.contains(part), "{name} does not say what it {part}");
        }
    }
    assert!(programs.contains("bsat-generator: composes"), "{programs}");
    let sink = printed(&windfall(&["catalogue", "bsat-sink"]));
    for part in ["discards them", "kind = \"bsat-sink\"", "capacity", "from", "152us"] {
        assert!(sink.contains(part), "{part}: {sink}");
    }
    assert_eq!(windfall(&["catalogue", "nobody"]).status.code(), Some(2));
}

#[test]
fn the_schema_is_the_one_in_the_documents() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let kept = std::fs::read_to_string(root.join("docs/scenario.schema.json")).unwrap();
    assert_eq!(printed(&windfall(&["schema"])).trim(), kept.trim());
}

#[test]
fn refuses_to_overwrite_what_it_reads() {
    let good = file("itself.toml", SCENARIO);
    let html = good.replace(".toml", ".html");
    std::fs::copy(&good, &html).unwrap();
    let output = windfall(&["simulate", &html, "--report", &html]);
    assert!(errors(&output).contains("is the input ("), "{output:?}");
    assert_eq!(std::fs::read_to_string(&html).unwrap(), SCENARIO);
    let output = windfall(&["simulate", &good, "--report", &good]);
    assert_eq!(output.status.code(), Some(2));
    let output = windfall(&["import", &good, "-o", &good]);
    assert!(errors(&output).contains("is the input ("), "{output:?}");
}

#[test]
fn accepts_a_recording_that_is_cut_and_says_so() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let whole = std::fs::read(root.join("scenarios/recorded/desktop.ftrace.gz")).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (cut, out) = (folder.join("cut.gz"), folder.join("cut.toml"));
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let output =
        windfall(&["import", cut.to_str().unwrap(), "-o", out.to_str().unwrap(), "--force"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(printed(&output).contains("LOST: the recording ends early"), "{output:?}");
    // So do all verbs that use it from then on.
    for verb in ["check", "simulate"] {
        let output = windfall(&[verb, out.to_str().unwrap()]);
        assert!(output.status.success());
        let said = errors(&output);
        assert_eq!(said.matches("LOST: the recording cut.gz ends early").count(), 1, "{said}");
    }
    let output = windfall(&["suggest", "--json", cut.to_str().unwrap()]);
    let found: serde_json::Value = serde_json::from_str(&printed(&output)).unwrap();
    assert!(found["cut"].as_str().unwrap().contains("not read completely"), "{found}");
    assert!(found["lost"]["gaps"].is_u64(), "{found}");
}

#[test]
fn refuses_to_export_a_trace_of_which_nothing_can_be_read() {
    let scenario = file("damaged.toml", SCENARIO);
    let trace = scenario.replace(".toml", ".wft");
    assert!(windfall(&["simulate", &scenario, "--trace", &trace, "--force"]).status.success());
    let mut bytes = std::fs::read(&trace).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&trace, bytes).unwrap();
    for end in ["pftrace", "html", "wft"] {
        let out = scenario.replace("damaged.toml", &format!("damaged-out.{end}"));
        drop(std::fs::remove_file(&out)); // of an earlier test
        let output = windfall(&["export", &trace, &out]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(errors(&output).contains("damaged"), "{output:?}");
        assert!(!Path::new(&out).exists(), "{out}");
    }
}

/// A thread that spins above one that asks for a millisecond in ten.
const PROMISES: &str = r#"
schema = 2
seed   = 1
length = "100ms"

[schedulers.fp]
scheduler = "fixed-priority"
parent    = "top"

[threads.high]
parent    = "fp"
guarantee = "ALL"
priority  = 2
run       = "spin"

[threads.low]
parent    = "fp"
guarantee = "RESBS 1ms 10ms"
priority  = 1
run       = "spin"
"#;

#[test]
fn simulate_says_how_each_promise_fared_and_blames_nobody_for_what_was_not_granted() {
    let path = file("promises.toml", PROMISES);
    let output = windfall(&["simulate", &path]);
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(1), "a request was refused: {text}");
    let row = |of: &str| text.lines().find(|line| line.starts_with(of)).unwrap();
    assert!(row("ALL ").contains("kept"), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("RESBS 1ms 10ms")), "{text}");
    let refused = row("refused, and so not promised: ");
    assert!(refused.contains("RESBS 1ms 10ms for low: 1 of its siblings"), "{refused}");
    // What was refused stands in no other place, and a program without deadlines misses none.
    let low = row("low ");
    assert!(!low.contains("RESBS") && low.contains(" - "), "{low}");
    let output = windfall(&["simulate", "--json", &path]);
    let json: serde_json::Value = serde_json::from_str(&printed(&output)).unwrap();
    let promises = json["promises"].as_array().unwrap();
    assert_eq!(promises.len(), 1);
    assert_eq!(promises[0]["state"], "kept");
}
