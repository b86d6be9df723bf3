//! `docs/STATUS.md` is made from the tests: what stands behind each scheduler, and what is missing.
//!
//! A test counts for a kind if it stands in a file of the kind's name, or names the kind in quotes, itself or in what it uses of its file.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use windfall_guarantees::Type;
use windfall_schedulers::catalogue::{KINDS, Kind};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All files below a folder that end so, in order.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Whether a text names a kind in quotes, as TOML in a string or not.
fn names(text: &str, kind: &str) -> bool {
    text.contains(&format!("\"{kind}\"")) || text.contains(&format!("\\\"{kind}\\\""))
}

/// A test: its name, and its text with that of all that it uses of its file.
struct Test {
    file: PathBuf,
    name: String,
    text: String,
}

/// The name of what a line begins, at any depth of modules.
fn item(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("pub(crate) ");
    let rest = ["fn ", "const ", "static "].iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

/// The tests of a file.
fn tests(file: &Path) -> Vec<Test> {
    let source = std::fs::read_to_string(file).unwrap();
    let mut items: BTreeMap<&str, String> = BTreeMap::new();
    let (mut current, mut tested, mut found) = ("", false, Vec::new());
    for line in source.lines() {
        if let Some(name) = item(line) {
            current = name;
            if std::mem::take(&mut tested) {
                found.push(name);
            }
        }
        tested |= line.trim() == "#[test]";
        items.entry(current).or_default().push_str(&format!("{line}\n"));
    }
    let whole = |test: &str| {
        let (mut used, mut open) = (BTreeSet::from([test.to_owned()]), vec![test.to_owned()]);
        let mut text = String::new();
        while let Some(name) = open.pop() {
            let own = &items[name.as_str()];
            text.push_str(own);
            let words = own.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            for word in words.filter(|word| items.contains_key(word) && !word.is_empty()) {
                if used.insert(word.to_owned()) {
                    open.push(word.to_owned());
                }
            }
        }
        text
    };
    let one =
        |name: &&str| Test { file: file.to_owned(), name: (*name).to_owned(), text: whole(name) };
    found.iter().map(one).collect()
}

/// The types of guarantees that the head of a scheduler's file says it gives.
fn gives(kind: &Kind) -> String {
    let head = kind.source.lines().skip_while(|line| !line.starts_with("//! Gives"));
    let own = |line: &&str| line.starts_with("//! Gives") || line.starts_with("//!    ");
    let text: String = head.take_while(own).collect::<Vec<_>>().join(" ");
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_uppercase()).collect();
    let types = Type::ALL_TYPES.iter().map(|kind| kind.name()).filter(|name| words.contains(name));
    let types: Vec<&str> = types.filter(|name| *name != "NULL").collect();
    if types.is_empty() { "NULL".to_owned() } else { types.join(", ") }
}

/// Whether a test runs a hierarchy on real threads; a twin of this crate's does, by what it has in `common`.
fn is_supervised(test: &Test) -> bool {
    let here = test.file.to_string_lossy().contains("/crates/windfall/tests/");
    let is_run = ["real::is_ready", "supervised::run"].iter().any(|run| test.text.contains(run));
    is_run || here && test.name.starts_with("twin_")
}

fn row(kind: &Kind, tests: &[Test], scenarios: &[String]) -> String {
    let file = kind.name.replace('-', "_");
    let of = |test: &&Test| {
        test.file.file_stem().is_some_and(|stem| *stem == *file) || names(&test.text, kind.name)
    };
    let own: Vec<&Test> = tests.iter().filter(of).collect();
    let count = |prefix: &str| own.iter().filter(|test| test.name.starts_with(prefix)).count();
    let host = own.iter().filter(|test| is_supervised(test));
    let (law, paper, twin, host) = (count("law_"), count("paper_"), count("twin_"), host.count());
    let used = scenarios.iter().filter(|text| names(text, kind.name)).count();
    let missing = match (law, paper, twin + host) {
        (0, ..) => "a law of its own",
        (_, 0, _) => "a figure or an example of a paper",
        (_, _, 0) => "a run on real threads",
        _ if twin == 0 => "a twin",
        _ => "",
    };
    let mark = |n: usize| if n == 0 { "-" } else { "yes" };
    let [law, paper, twin, host, used] = [law, paper, twin, host, used].map(mark);
    format!(
        "| `{}` | {} | {law} | {paper} | {twin} | {host} | {used} | {missing} |\n",
        kind.name,
        gives(kind)
    )
}

const HEAD: &str = "\
# Status

The tests that stand behind each scheduler. This page is made from the tests (`UPDATE_GOLDEN=1 cargo test -p windfall --test status`), and a test holds
that it is current.

- *gives*: the guarantees that it gives its children. Every kind is also drawn by the law of all trees (`sim/tests/law.rs`), which judges
  each of them in random hierarchies.
- *law*: tests of properties that name it. *paper*: tests of a number or a statement of a paper. *twin*: tests that run on the simulated machine and on
  real threads. *host*: tests in which a hierarchy with it runs real threads, twins among them. *scenarios*: files in `scenarios/` that use it.
- *missing for the next level*: the first that is not there.

| scheduler | gives | law | paper | twin | host | scenarios | missing for the next level |
|---|---|---|---|---|---|---|---|
";

#[test]
fn law_the_status_is_what_the_tests_say() {
    let mut all = Vec::new();
    for file in files(&root().join("crates"), ".rs") {
        if !file.ends_with("status.rs") {
            all.extend(tests(&file));
        }
    }
    let scenarios = files(&root().join("scenarios"), ".toml");
    let scenarios: Vec<String> =
        scenarios.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let rows: String = KINDS.iter().map(|kind| row(kind, &all, &scenarios)).collect();
    let (path, current) = (root().join("docs/STATUS.md"), format!("{HEAD}{rows}"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == current, "UPDATE_GOLDEN=1 renews docs/STATUS.md");
}

#[test]
fn law_a_test_names_what_it_uses_of_its_file() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("status_example.rs");
    let text = "const TREE: &str = \"scheduler = \\\"rez\\\"\";\nfn run() {\n    go(TREE);\n}\n\
                #[test]\nfn law_a() {\n    run();\n}\n#[test]\nfn twin_b() {\n    edf(\"edf\");\n}\n";
    std::fs::write(&file, text).unwrap();
    let found = tests(&file);
    let of = |kind: &str| -> Vec<&str> {
        found.iter().filter(|test| names(&test.text, kind)).map(|test| test.name.as_str()).collect()
    };
    assert_eq!(of("rez"), ["law_a"]);
    assert_eq!(of("edf"), ["twin_b"]);
    assert!(of("cbs").is_empty());

    let of = |file: &str| {
        found
            .iter()
            .map(|test| Test {
                file: file.into(),
                name: test.name.clone(),
                text: test.text.clone(),
            })
            .collect::<Vec<_>>()
    };
    let supervised = |file: &str| {
        of(file)
            .iter()
            .filter(|test| is_supervised(test))
            .map(|test| test.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(supervised("/a/crates/windfall/tests/twin.rs"), ["twin_b"]);
    assert!(supervised("/windfall/crates/sim/tests/all/programs.rs").is_empty());
}
