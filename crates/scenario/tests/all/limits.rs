//! Limits at the door: what is too long, too deep or too many is refused at once, with its line and the limit.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use windfall_scenario::{MOST_BYTES, Scenario};

const HEAD: &str = "schema = 2\nlength = \"1 s\"\n";
const ONE: &str = "[threads.a]\nrun = \"spin\"\n";

/// A chain of schedulers, each below the one before.
fn chain(levels: usize) -> String {
    let mut text = HEAD.to_owned();
    for level in 0..levels {
        let parent = level.checked_sub(1).map_or_else(|| "top".to_owned(), |up| format!("s{up}"));
        writeln!(text, "[schedulers.s{level}]\nscheduler = \"edf\"\nparent = \"{parent}\"")
            .unwrap();
    }
    text + ONE
}

/// The mistakes found in a text, in no more time than reading it takes.
fn refused(text: &str) -> String {
    let begun = Instant::now();
    let mistakes = Scenario::parse("a.toml", text).unwrap_err().render(false);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(mistakes.len() < 2_000, "{} bytes of mistakes", mistakes.len());
    mistakes
}

#[test]
fn limit_a_tree_of_64_levels_is_accepted_and_of_65_refused_with_its_line() {
    Scenario::parse("a.toml", &chain(64)).unwrap().build().unwrap();
    let why = refused(&chain(65));
    for part in
        ["a.toml:197:10: error[tree-too-deep]: `s64` stands on level 65", "at most 64 levels"]
    {
        assert!(why.contains(part), "no `{part}` in {why}");
    }
}

#[test]
fn refuses_a_tree_100000_deep_at_once() {
    let why = refused(&chain(100_000));
    for part in ["a.toml:30003:13: error[too-many]: 100000 schedulers", "at most 10000"] {
        assert!(why.contains(part), "no `{part}` in {why}");
    }
    assert!(refused(&chain(9_000)).contains("`s64` stands on level 65"));
}

#[test]
fn refuses_four_million_threads_at_once() {
    let many = HEAD.to_owned()
        + "[schedulers.s]\nscheduler = \"edf\"\nparent = \"top\"\n[threads.a]\nrun = \"spin\"\n";
    let why = refused(&(many.clone() + "count = 4000000\n"));
    for part in ["a.toml:8:9: error[too-many]: 4000000 threads", "at most 100000"] {
        assert!(why.contains(part), "no `{part}` in {why}");
    }
    assert!(Scenario::parse("a.toml", &(many + "count = 100000\n")).is_ok());
}

#[test]
fn refuses_tables_and_lists_100000_deep_with_their_line() {
    let deep = vec!["a"; 100_000].join(".");
    let lists = format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    for text in [format!("{deep} = 1"), format!("[{deep}]"), format!("[[{deep}]]"), lists] {
        let why = refused(&format!("{HEAD}{text}\n"));
        for part in ["a.toml:3:1: error[nested-too-deep]: tables or lists too deep", "at most 80"] {
            assert!(why.contains(part), "no `{part}` in {why}");
        }
    }
}

#[test]
fn refuses_a_file_that_never_ends_here_and_inherited() {
    let why = Scenario::load(Path::new("/dev/zero")).unwrap_err().to_string();
    assert!(why.contains(&format!("longer than {MOST_BYTES} bytes")), "{why}");
    let folder = std::env::temp_dir().join(format!("windfall-limits-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.toml");
    std::fs::write(&path, format!("{HEAD}inherits = \"/dev/zero\"\n")).unwrap();
    let why = Scenario::load(&path).unwrap_err().to_string();
    std::fs::remove_dir_all(folder).unwrap();
    assert!(why.contains("a.toml:3:12: ") && why.contains("longer than"), "{why}");
}

#[test]
fn accepts_a_scenario_without_a_seed_as_one_with_seed_1() {
    let text = chain(1);
    let plain = Scenario::parse("a.toml", &text).unwrap();
    let named = Scenario::parse("a.toml", &format!("seed = 1\n{text}")).unwrap();
    assert_eq!((plain.seed, &plain), (1, &named));
}

/// Each mistake has its place, and finding it takes no longer the more there are.
#[test]
fn refuses_20000_mistakes_of_each_sort_at_once() {
    let tree = "[schedulers.s]\nscheduler = \"edf\"\nparent = \"top\"\n";
    let many = |entry: &str| entry.repeat(20_000);
    let keys: String = (0..20_000).map(|key| format!("k{key} = 1\n")).collect();
    for text in [
        format!("{keys}{HEAD}{tree}{ONE}"),
        format!("{HEAD}{tree}{ONE}{}", many("[[expect]]\nwhat = \"b.missed\"\nequals = 0\n")),
        format!("{HEAD}{tree}{ONE}{}", many("[[at]]\ntime = \"1ns\"\ndo = \"shar\"\n")),
    ] {
        let begun = Instant::now();
        let mistakes = Scenario::parse("a.toml", &text).unwrap_err();
        let last = mistakes.list().last().unwrap();
        let line = text.lines().nth(last.line - 1).unwrap();
        assert!(mistakes.list().len() >= 20_000 && !line.is_empty(), "{last:?}");
        assert!(mistakes.render(false).contains("more\n"), "most are counted alone");
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    }
}

#[test]
fn refuses_more_virtual_processors_than_a_scheduler_may_have() {
    let text = format!(
        "{HEAD}[schedulers.s]\nscheduler = \"edf\"\nparent = \"top\"\nprocessors = 65535\n{ONE}parent = \"s\"\n"
    );
    let why = refused(&text);
    for part in ["error[too-many]: 65535 virtual processors", "at most 1024"] {
        assert!(why.contains(part), "no `{part}` in {why}");
    }
}
