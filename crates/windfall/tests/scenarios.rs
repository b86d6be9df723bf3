//! Every file under `scenarios/` answers its question as it says.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Promises that no scenario puts to the test though somebody asks: who turns to a partition for overruns has a reservation of its own,
/// and does not want the partition as long as that lasts, so never through a whole period.
const UNTESTED: [(&str, &str); 2] = [("probabilistic", "ovr"), ("terminal-server", "ovr")];

#[test]
fn every_scenario_holds_and_states_its_question() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("scenarios"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 7, "{files:?}");
    let (mut untested, mut tested) = (Vec::new(), Vec::new());
    for file in files {
        let output = Command::new(env!("CARGO_BIN_EXE_windfall"))
            .args(["simulate", "--json"])
            .arg(&file)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{}: {text}{errors}", file.display());
        let results: serde_json::Value = serde_json::from_str(&text).unwrap();
        let expectations = results["expectations"].as_array().unwrap();
        assert!(!expectations.is_empty(), "{} expects nothing", file.display());
        assert!(expectations.iter().all(|e| e["held"] == true));
        let promises = results["promises"].as_array().unwrap().iter();
        let name = file.file_stem().unwrap().to_string_lossy();
        for promise in promises {
            let list = if promise["state"] == "not tested" { &mut untested } else { &mut tested };
            list.push((name.to_string(), promise["owner"].as_str().unwrap().to_owned()));
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for key in ["question", "answer"] {
            let states = text.lines().any(|line| line.starts_with(key));
            assert!(states, "{} has no {key}", file.display());
        }
    }
    // Where the work of a paper's example asks for less than is promised, the same tree stands beside it with more.
    untested.retain(|(file, who)| !tested.contains(&(format!("{file}-busy"), who.clone())));
    untested.sort();
    let untested: Vec<_> = untested.iter().map(|(file, who)| (&**file, &**who)).collect();
    assert_eq!(untested, UNTESTED, "each promise but these is to be put to the test");
}

/// Of 100 epochs of 100 ms: 75 ms are promised in each, of which 45 are used, and 70 in the first.
#[test]
fn paper_the_parts_of_epochs_are_those_that_can_be_computed() {
    let output = Command::new(env!("CARGO_BIN_EXE_windfall"))
        .args(["simulate", "--json"])
        .arg(root().join("scenarios/epoch.toml"))
        .output()
        .unwrap();
    let results: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let ms = |of: &serde_json::Value, key: &str| of[key].as_u64().unwrap() / 1_000_000;
    let node = &results["schedulers"][0]["stats"];
    assert_eq!(node["epochs"], 100);
    let parts = ["committed_ns", "uncommitted_ns", "windfall_ns"].map(|key| ms(node, key));
    assert_eq!(parts, [99 * 45 + 70, 100 * 25, 99 * 30 + 5]);
    let threads = results["threads"].as_array().unwrap();
    let given = threads.iter().map(|thread| ms(&thread["stats"], "windfall_given_ns"));
    assert_eq!(given.collect::<Vec<_>>(), [500, 0, 99 * 25, 0]);
}

/// Replicas that share processors run, and each verb that reads their scenario warns of it.
#[test]
fn law_fewer_processors_than_replicas_are_a_warning_and_it_runs() {
    for (verb, file, warns) in [
        ("check", "voting-two-processors", true),
        ("simulate", "voting-two-processors", true),
        ("check", "voting", false),
        ("simulate", "voting", false),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_windfall"))
            .args([verb, "--json"])
            .arg(root().join(format!("scenarios/{file}.toml")))
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{verb} {file}: {errors}");
        let words = "warning[shared-processors]: 3 replicas share 2 processors";
        assert_eq!(errors.contains(words), warns, "{verb} {file}: {errors}");
        if verb == "check" {
            let results: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let codes: Vec<_> = results["warnings"].as_array().unwrap().iter().collect();
            assert_eq!(codes.len(), usize::from(warns), "{codes:?}");
            assert!(codes.iter().all(|one| one["code"] == "shared-processors"), "{codes:?}");
        }
    }
}
