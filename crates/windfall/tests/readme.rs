//! The README says nothing that was not run: its scenario, its commands, its links.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/real.rs"]
mod real;
#[path = "common/shipped.rs"]
mod shipped;
#[path = "common/taken.rs"]
mod taken;
#[path = "common/words.rs"]
mod words;

use shipped::{root, scratch};
use std::path::Path;
use std::process::{Command, Output};
use windfall_skips::{Needs, skip};

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

/// The code blocks of a language.
fn blocks(language: &str) -> Vec<String> {
    let text = readme();
    let mut blocks = Vec::new();
    let mut rest = text.as_str();
    while let Some((_, after)) = rest.split_once(&format!("```{language}\n")) {
        let (block, after) = after.split_once("```").unwrap();
        blocks.push(block.to_owned());
        rest = after;
    }
    blocks
}

fn windfall(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windfall"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn accepts_the_scenarios_of_the_readme() {
    let folder = scratch("readme_scenario");
    let blocks = blocks("toml");
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        std::fs::write(folder.join("readme.toml"), &block).unwrap();
        let output = windfall(&folder, &["simulate", "readme.toml"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}

#[test]
fn accepts_every_command_of_the_readme() {
    let folder = scratch("readme_commands");
    let (mut run, mut recorded) = (0, true);
    for line in blocks("sh").iter().flat_map(|block| block.lines()) {
        let line = line.split('#').next().unwrap().split('>').next().unwrap().trim();
        if let Some(example) = line.strip_prefix("cargo run ") {
            let words = example.split_whitespace();
            let cargo =
                Command::new(env!("CARGO")).arg("run").args(words).current_dir(root()).output();
            let output = cargo.unwrap();
            assert!(output.status.success() && !output.stdout.is_empty(), "{line}: {output:?}");
            run += 1;
            continue;
        }
        let Some(arguments) = line.strip_prefix("windfall ") else { continue };
        let home = |word: &str| word.replace('~', folder.to_str().unwrap());
        let arguments: Vec<String> = words::words(arguments).into_iter().map(home).collect();
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        if ["measure", "compare", "run"].contains(&words[0]) && !real::is_ready() {
            continue;
        }
        let Some(output) = taken::once_free(|| windfall(&folder, &words)) else { continue };
        let errors = String::from_utf8_lossy(&output.stderr);
        recorded &= words[0] != "record" || output.status.code() == Some(0);
        if !recorded && (errors.contains("CAP_PERFMON") || line.contains("load.wft")) {
            skip(Needs::Real, format!("`{line}`: {errors}"));
            continue;
        }
        // Their verdict is about this machine, and whoever else uses it.
        let any_verdict = ["doctor", "compare", "run"].contains(&words[0]);
        let most = if any_verdict { 1 } else { 0 };
        assert!((0..=most).contains(&output.status.code().unwrap()), "{line}: {output:?}");
        run += 1;
    }
    assert!(run >= 6, "only {run} commands were found");
    for written in ["report.html", "timeline.svg", "isolation.pftrace", "desktop.toml"] {
        assert!(folder.join(written).metadata().unwrap().len() > 1_000, "{written}");
    }
}

#[test]
fn accepts_every_link_of_the_documents() {
    let mut files = vec![root().join("README.md")];
    for folder in ["docs", "docs/benchmarks", "docs/decisions", "docs/guide/src", "scenarios"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            files.push(entry.unwrap().path());
        }
    }
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(file).unwrap();
        for (_, after) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)) {
            let link = after.split(')').next().unwrap();
            if !link.contains("://") && !link.starts_with('#') {
                let target = file.parent().unwrap().join(link);
                assert!(target.exists(), "{} links to {link}", file.display());
            }
        }
    }
}

/// The demonstration works, and shows what it promises: reservations keep the audio encoder's pace.
#[test]
fn accepts_the_demonstration() {
    let script = root().join("scenarios/recorded/demo.sh");
    let output = Command::new("bash")
        .arg(&script)
        .env("WINDFALL", env!("CARGO_BIN_EXE_windfall"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    let steps: Vec<&str> = told.lines().filter(|line| line.starts_with('[')).collect();
    // How many seconds have begun is the machine's matter.
    assert!(steps.len() == 6 && steps[0].starts_with("[1/6, after "), "{told}");
    assert!(steps[0].contains(" s] imports"), "{told}");
    let longest = |hierarchy: &str| {
        let path = root().join(format!("target/demo/{hierarchy}.toml"));
        let output = windfall(&root(), &["simulate", "--json", path.to_str().unwrap()]);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let threads = json["threads"].as_array().unwrap();
        let audio = threads.iter().find(|thread| thread["name"] == "audio-src").unwrap();
        audio["response_ns"]["max"].as_u64().unwrap()
    };
    assert!(longest("shared") > 10_000_000, "time sharing delays the audio source");
    assert!(longest("reserved") < 1_000_000, "a reservation does not");
}
