//! Every file under `scenarios/`: read, built, and read again after writing; and the schema of them all.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::path::{Path, PathBuf};
use windfall_scenario::{Scenario, schema};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn scenarios() -> Vec<(PathBuf, Scenario)> {
    let entries = std::fs::read_dir(root().join("scenarios")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let load = |path: PathBuf| match Scenario::load(&path) {
        Ok(scenario) => (path, scenario),
        Err(mistakes) => panic!("{mistakes}"),
    };
    paths.into_iter().map(load).collect()
}

#[test]
fn every_scenario_is_built_and_says_what_it_asks() {
    let all = scenarios();
    assert!(all.len() >= 20, "only {} files", all.len());
    for (path, scenario) in all {
        let path = path.display();
        assert!(scenario.question.is_some() && scenario.answer.is_some(), "{path}");
        assert!(!scenario.expectations.is_empty(), "{path}");
        if let Err(mistakes) = scenario.build() {
            panic!("{mistakes}");
        }
    }
}

#[test]
fn law_every_scenario_is_read_again_as_it_was_written() {
    for (path, scenario) in scenarios() {
        let text = scenario.write();
        match Scenario::parse("written.toml", &text) {
            Ok(again) => assert_eq!(again, scenario, "{}", path.display()),
            Err(mistakes) => panic!("{}: {mistakes}\n{text}", path.display()),
        }
    }
}

#[test]
fn schema_in_docs_is_up_to_date() {
    let path = root().join("docs/scenario.schema.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, schema()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == schema(), "run UPDATE_GOLDEN=1 cargo test -p windfall-scenario");
}
