//! rt-app files through the command: what each example of rt-app's repository becomes, as the table in
//! `docs/rt-app.md` has it, and files that ask for too much.
//!
//! The examples are not ours: `WINDFALL_RTAPP=DIR` says where they are (`doc/examples` of
//! github.com/scheduler-tools/rt-app); without it that test says that it is skipped.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use windfall_skips::{Needs, skip};

const BEGIN: &str = "<!-- What follows is written by the test `every_example`. -->\n";

fn windfall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_windfall")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// All `.json` files below a folder, in order.
fn examples(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(examples(&path));
        } else if path.extension().is_some_and(|end| end == "json") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Imports a file for four processors; the scenario's path and what was said.
fn import(file: &Path) -> Result<(String, String), String> {
    let name = file.file_name().unwrap().display();
    let scenario = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("rtapp-{name}.toml"));
    let _ = std::fs::remove_file(&scenario);
    let (from, to) = (file.to_str().unwrap(), scenario.to_str().unwrap());
    let output = windfall(&["import", from, "--from", "rt-app", "--processors", "4", "-o", to]);
    if output.status.success() {
        return Ok((to.to_owned(), text(&output.stdout).to_owned()));
    }
    assert_eq!(output.status.code(), Some(2), "{from}");
    let why = text(&output.stderr).to_owned();
    assert!(!scenario.exists(), "{from}: nothing is left of what was refused");
    Err(why.strip_prefix(&format!("windfall: {from}: ")).unwrap_or(&why).to_owned())
}

/// Messages about a file: texts without tasks and lines, and for each the tasks and lines.
#[derive(Default)]
struct Said(Vec<(String, Vec<String>)>);

impl Said {
    fn add(&mut self, text: &str, place: String) {
        match self.0.iter_mut().find(|(known, _)| known == text) {
            Some((_, places)) => places.push(place),
            None => self.0.push((text.to_owned(), vec![place])),
        }
    }

    /// `warning: 3:5: ...`, `rt-app: 3:5: ...` and ``rt-app: line 3: task `a`, `key`: ...``.
    fn line(&mut self, said: &str) {
        let Some((_, said)) = said.split_once(": ") else { return };
        let (line, said) = match said.strip_prefix("line ") {
            Some(said) => said.split_once(": ").unwrap(),
            None => {
                let (place, said) = said.split_once(": ").unwrap();
                (place.split(':').next().unwrap(), said)
            }
        };
        // The lines of the two keys differ each time.
        let said = said.split("; rt-app alone keeps").next().unwrap();
        let task = said.strip_prefix("task `").and_then(|said| said.split_once('`'));
        match task {
            Some((task, rest)) if rest.starts_with([',', ':']) => {
                let rest = rest.trim_start_matches([',', ':', ' ']);
                self.add(&rest.replace(&format!("`{task}`"), "it"), format!("`{task}` {line}"));
            }
            _ => self.add(said, line.to_owned()),
        }
    }

    fn cell(&self) -> String {
        let one = |(text, places): &(String, Vec<String>)| {
            format!("{text} ({})", places.join(", ")).replace('|', "\\|")
        };
        self.0.iter().map(one).collect::<Vec<_>>().join("<br>")
    }
}

/// A row of the table; a file that is imported is checked and simulated for a second as well.
fn row(name: &str, file: &Path) -> String {
    let mut said = Said::default();
    let became = match import(file) {
        Err(why) => {
            why.lines().filter(|line| line.starts_with("rt-app: ")).for_each(|l| said.line(l));
            assert!(!said.0.is_empty(), "{name} is refused without a line: {why}");
            "refused".to_owned()
        }
        Ok((scenario, words)) => {
            let lines = || words.lines();
            let told = lines().filter(|l| l.starts_with("warning: ") || l.starts_with("rt-app: "));
            told.for_each(|line| said.line(line));
            let sum = lines().find(|line| line.starts_with("threads: ")).unwrap();
            let part = |key: &str| {
                let from = &sum[sum.find(key).unwrap() + key.len()..];
                from.split([';', ' ']).next().unwrap().to_owned()
            };
            for verb in [&["check"][..], &["simulate", "--for", "1s"]] {
                let output = windfall(&[verb, &[scenario.as_str()]].concat());
                let code = output.status.code();
                assert_eq!(code, Some(0), "{name}: {verb:?}: {}", text(&output.stderr));
            }
            let waits = lines().find(|line| line.ends_with("come to wait for ever"));
            let waits = waits.map_or_else(String::new, |line| format!(", {line}"));
            format!("threads {}, length {}{waits}", part("threads: "), part("length: "))
        }
    };
    format!("| `{name}` | {became} | {} |\n", said.cell())
}

#[test]
fn every_example_of_rt_app_is_imported_or_refused_as_the_table_in_the_docs_says() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rt-app.md");
    let written = std::fs::read_to_string(&docs).unwrap();
    let (head, table) = written.split_once(BEGIN).expect("the table has a beginning");
    let rows = |table: &str| table.lines().filter(|line| line.starts_with("| `")).count();
    let Some(folder) = std::env::var_os("WINDFALL_RTAPP") else {
        assert!(rows(table) >= 28, "{table}");
        return skip(
            Needs::Other,
            "WINDFALL_RTAPP does not name `doc/examples` of rt-app's repository, by which the table in docs/rt-app.md is made",
        );
    };
    let folder = PathBuf::from(folder);
    let mut made =
        "\n| file | becomes | what is said of it (task and line) |\n|---|---|---|\n".to_owned();
    for file in examples(&folder) {
        let name = file.strip_prefix(&folder).unwrap().display().to_string();
        made.push_str(&row(&name, &file));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&docs, format!("{head}{BEGIN}{made}")).unwrap();
        return;
    }
    let lines = |table: &str| -> BTreeMap<usize, String> {
        table.lines().map(str::to_owned).enumerate().collect()
    };
    let (made, table) = (lines(&made), lines(table));
    for (number, line) in &made {
        let kept = table.get(number).map_or("", String::as_str);
        assert_eq!(line, kept, "run UPDATE_GOLDEN=1 cargo test -p windfall --test rtapp");
    }
    assert_eq!(made.len(), table.len());
}

#[test]
fn refuses_files_that_ask_for_too_much_with_line_and_limit() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("too-much.json");
    let refused = |text: &str| {
        std::fs::write(&path, text).unwrap();
        import(&path).unwrap_err()
    };
    let many = refused("{\"tasks\":{\"a\":{\n\"instance\":2000000000,\"run\":1}}}");
    assert!(
        many.contains("rt-app: 2:1: `instance` of task `a`") && many.contains("100000"),
        "{many}"
    );
    let far = refused("{\"tasks\":{\"a\":{\n\"cpus\":[4294967295],\"run\":1}}}");
    assert!(far.contains("rt-app: 2:9: `cpus` holds 4294967295; allowed: 0 to 1023"), "{far}");
    let more = refused("{\"tasks\":{\"a\":{\n\"cpus\":[7],\"run\":1}}}");
    assert!(
        more.contains("line 2: `cpus` of task `a`")
            && more.contains("have more, with --processors"),
        "{more}"
    );
    std::fs::write(&path, [b'\n', 0xff]).unwrap();
    assert!(import(&path).unwrap_err().contains("line 2 is not UTF-8 text"));
    let endless = import(Path::new("/dev/zero")).unwrap_err();
    assert!(endless.contains("longer than 16777216 bytes"), "{endless}");
}

#[test]
fn accepts_a_file_for_as_many_processors_as_there_are_here() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("here.json");
    std::fs::write(&path, "{\"tasks\":{\"a\":{\"run\":1000}}}").unwrap();
    let scenario = path.with_extension("toml");
    let words = [path.to_str().unwrap(), "-o", scenario.to_str().unwrap(), "--force"];
    let output = windfall(&[&["import"][..], &words].concat());
    let said = text(&output.stdout);
    let here = std::thread::available_parallelism().unwrap();
    assert!(said.contains(&format!("processors: {here} (as many as there are here)")), "{said}");
    let all = format!("processors = {here}");
    assert!(here.get() == 1 || std::fs::read_to_string(scenario).unwrap().contains(&all));
}
