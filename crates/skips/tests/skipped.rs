//! A skip as whoever runs tests sees it: this program again, with one test that skips, under the harness.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::process::{Command, Output};
use windfall_skips::{FILE, Needs, REQUIRE, Skip, skip};

/// Set for the copy of this program in which the test below skips.
const PART: &str = "WINDFALL_TEST_SKIPS";

#[test]
fn part_that_is_skipped() {
    if std::env::var_os(PART).is_some() {
        skip(Needs::Real, "there is\nno right");
    }
}

fn again(file: &std::path::Path, required: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "part_that_is_skipped"]).env(PART, "1").env(FILE, file);
    command.env(REQUIRE, required).output().unwrap()
}

#[test]
fn law_a_skip_is_seen_where_the_test_passes_and_is_noted_whole() {
    let file = std::env::temp_dir().join(format!("windfall-skips-{}", std::process::id()));
    let all: Vec<_> = (0..20)
        .map(|_| {
            let file = file.clone();
            std::thread::spawn(move || again(&file, "bpf"))
        })
        .collect();
    for output in all {
        let output = output.join().unwrap();
        assert!(output.status.success(), "{output:?}");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.starts_with("skipped: skipped ") && errors.ends_with("there is no right\n"));
    }
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let skips: Vec<Skip> = text.lines().map(|line| Skip::read(line).unwrap()).collect();
    assert_eq!(skips.len(), 20);
    assert!(skips.iter().all(|s| *s == skips[0] && s.why == "there is no right"), "{text}");
}

#[test]
fn refuses_to_skip_what_is_required() {
    let file = std::env::temp_dir().join("windfall-skips-none");
    for (required, said) in [("real", "cannot be had here: there is no right"), ("reel", "`reel`")]
    {
        let output = again(&file, required);
        assert!(!output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(said), "{output:?}");
        assert!(!file.exists());
    }
}
