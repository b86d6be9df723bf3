//! Every file under `scenarios/`: read, built, and read again after writing; and the schema of them all.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::path::{Path, PathBuf};
use windfall_scenario::{MOST_BYTES, Scenario, TextError, read_text, reference, schema};

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

/// A file under `docs/` that is made, and made anew where `UPDATE_GOLDEN` says so.
fn is_up_to_date(name: &str, made: &str) {
    let path = root().join("docs").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, made).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == made, "{name}: run UPDATE_GOLDEN=1 cargo test -p windfall-scenario");
}

#[test]
fn schema_in_docs_is_up_to_date() {
    is_up_to_date("scenario.schema.json", &schema());
}

#[test]
fn reference_in_docs_is_up_to_date_and_has_every_key() {
    let reference = reference();
    is_up_to_date("scenario.md", &reference);
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let mut tables = vec![&schema];
    tables.extend(schema["$defs"].as_object().unwrap().values());
    let keys = tables.iter().filter_map(|table| table["properties"].as_object());
    for key in keys.flat_map(|properties| properties.keys()) {
        let part =
            ["machine", "interrupts", "schedulers", "programs", "threads", "locks", "at", "expect"];
        let told = reference.contains(&format!("| `{key}` |"));
        assert!(told || part.contains(&key.as_str()), "{key}");
    }
    // A link leads to a heading.
    for link in reference.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | ' ');
        let heading = |line: &str| {
            let text: String = line.to_lowercase().chars().filter(kept).collect();
            text.trim().replace(' ', "-")
        };
        let mut headings = reference.lines().filter_map(|line| line.strip_prefix("## "));
        assert!(headings.any(|line| heading(line) == link), "{link}");
    }
}

#[test]
fn refuses_files_that_are_no_text() {
    let gone = read_text(Path::new("/nowhere/a.toml")).unwrap_err();
    assert!(matches!(gone, TextError::Io(_)), "{gone}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-text.toml");
    std::fs::write(&path, b"a = 1\nb = \"\xff\"\n").unwrap();
    let why = read_text(&path).unwrap_err();
    assert!(matches!(why, TextError::NotUtf8(2)), "{why}");
    let most = usize::try_from(MOST_BYTES).unwrap();
    std::fs::write(&path, vec![b' '; most + 1]).unwrap();
    assert!(matches!(read_text(&path), Err(TextError::TooLong)));
    std::fs::write(&path, vec![b' '; most]).unwrap();
    assert!(read_text(&path).is_ok());
}
