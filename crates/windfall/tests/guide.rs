//! The guide says nothing that was not run: each page in a folder of its own, from top to bottom.
//!
//! A block `toml,file=NAME` is written to a file, `toml,append=NAME` behind one. Each line `$ COMMAND` of a block `console` is given to
//! a shell, and the lines below it are what it must print, in order; `...` stands for any lines, or for the rest of one. A command
//! ends with 0, unless its line says `echo status $?`. `console,rights` needs rights on real threads. `json,in=NAME` is a part of the
//! JSON in a file. Blocks of Rust are run as tests of crate `lab`. `UPDATE_GOLDEN=1` renews outputs that are nearly the same.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

#[path = "common/real.rs"]
mod real;
#[path = "common/shipped.rs"]
mod shipped;
#[path = "common/taken.rs"]
mod taken;

use serde_json::Value;
use shipped::{root, scratch};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn pages() -> Vec<PathBuf> {
    let listing = std::fs::read_dir(root().join("docs/guide/src")).unwrap();
    let mut pages: Vec<PathBuf> = listing.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

/// A block of code: what stands behind the three accents, and its lines.
struct Block {
    page: String,
    line: usize,
    sort: String,
    text: String,
}

impl Block {
    /// The value of an attribute of it, as `file` in `toml,file=a.toml`.
    fn attribute(&self, name: &str) -> Option<&str> {
        self.sort.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
    }
}

fn blocks(page: &Path) -> Vec<Block> {
    let text = std::fs::read_to_string(page).unwrap();
    let page = page.file_name().unwrap().to_string_lossy().into_owned();
    let (mut blocks, mut open) = (Vec::new(), None::<Block>);
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(sort), None) => {
                let (sort, text) = (sort.to_owned(), String::new());
                open = Some(Block { page: page.clone(), line: number + 1, sort, text });
            }
            (None, Some(block)) => block.text.push_str(&format!("{line}\n")),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{page}: a block that does not end");
    blocks
}

/// The output of a command on both streams, in any order. It does not matter which shell it is.
fn shell(folder: &Path, command: &str) -> Output {
    let own = Path::new(env!("CARGO_BIN_EXE_windfall")).parent().unwrap();
    let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(folder).env("PATH", path);
    let output = shell.output().unwrap();
    Output { stderr: output.stdout.clone(), ..output }
}

/// The first line that was expected and did not come.
fn missing<'a>(expected: &'a str, found: &str) -> Option<&'a str> {
    let (mut found, mut any) = (found.lines().map(str::trim_end), false);
    for line in expected.lines().map(str::trim_end) {
        if line == "..." {
            any = true;
            continue;
        }
        let fits = |other: &str| match line.strip_suffix("...") {
            Some(begin) => other.starts_with(begin),
            None => other == line,
        };
        let came = if any { found.any(fits) } else { found.next().is_some_and(fits) };
        if !came {
            return Some(line);
        }
        any = false;
    }
    // What is not named at the end is left out on purpose only.
    (!any && !expected.is_empty() && found.next().is_some()).then_some("...")
}

/// The expected output, each missing line replaced by the printed one that has most words in common with it, if half
/// are.
fn renewed(expected: &str, printed: &str) -> String {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let line = |line: &str| {
        if line.ends_with("...") || printed.lines().any(|other| other.trim_end() == line) {
            return format!("{line}\n");
        }
        let own = words(line);
        let alike = |other: &&str| words(other).iter().filter(|word| own.contains(word)).count();
        let nearest = printed.lines().max_by_key(alike).filter(|near| 2 * alike(near) >= own.len());
        format!("{}\n", nearest.unwrap_or(line).trim_end())
    };
    expected.lines().map(line).collect()
}

fn console(block: &Block, folder: &Path) -> Result<(), String> {
    for part in format!("\n{}", block.text).split("\n$ ").skip(1) {
        let (command, expected) = part.split_once('\n').unwrap_or((part, ""));
        let rights = block.sort.contains("rights");
        let run = || shell(folder, command);
        let output = if rights { taken::once_free(run) } else { Some(run()) };
        let Some(output) = output else { return Ok(()) };
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(format!("`{command}` ends with {}:\n{printed}", output.status));
        }
        if let Some(line) = missing(expected, &printed) {
            let renewed = renewed(expected, &printed);
            let wanted = std::env::var_os("UPDATE_GOLDEN").is_some();
            if wanted && missing(&renewed, &printed).is_none() {
                let page = root().join("docs/guide/src").join(&block.page);
                let text = std::fs::read_to_string(&page).unwrap();
                let (old, new) =
                    (format!("$ {command}\n{expected}"), format!("$ {command}\n{renewed}"));
                std::fs::write(&page, text.replacen(&old, &new, 1)).unwrap();
                continue;
            }
            return Err(format!(
                "`{command}` does not print\n{line}\nin its place, but\n{printed}"
            ));
        }
    }
    Ok(())
}

/// Whether a document has all that a part of it says.
fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| holds(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            part.iter().all(|part| whole.iter().any(|whole| holds(whole, part)))
        }
        (whole, part) => whole == part,
    }
}

fn run(block: &Block, folder: &Path) -> Result<(), String> {
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|why| why.to_string())
    };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    match block.sort.split(',').next().unwrap_or_default() {
        "console" if block.sort.contains("rights") && !real::is_ready() => Ok(()),
        "console" => console(block, folder),
        "toml" => match (block.attribute("file"), block.attribute("append")) {
            (Some(name), _) => write(name, &block.text),
            (_, Some(name)) => write(name, &(read(name) + &block.text)),
            _ => Err("a file without a name".to_owned()),
        },
        "json" => {
            let name = block.attribute("in").ok_or("JSON of which file?")?;
            let part: Value = serde_json::from_str(&block.text).map_err(|why| why.to_string())?;
            let whole: Value = serde_json::from_str(&read(name)).unwrap();
            let same = holds(&whole, &part);
            if same { Ok(()) } else { Err(format!("{part:#} is no part of {whole:#}")) }
        }
        // Rust runs as tests of crate `lab`, and text is a command that takes too long.
        "rust" if !block.sort.contains("ignore") => Ok(()),
        "text" => Ok(()),
        sort => Err(format!("a block `{sort}` is not run")),
    }
}

#[test]
fn accepts_every_block_of_the_guide() {
    let (mut commands, mut wrong) = (0, Vec::new());
    for page in pages() {
        let folder = scratch(Path::new("guide").join(page.file_stem().unwrap()));
        for block in blocks(&page) {
            if let Err(why) = run(&block, &folder) {
                wrong.push(format!("{}:{}: {why}", block.page, block.line));
            }
            commands += block.text.lines().filter(|line| line.starts_with("$ ")).count();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(commands >= 40, "only {commands} commands were found");
}

/// The introduction says of which pages some commands are not run.
#[test]
fn law_the_introduction_names_every_page_with_something_that_is_not_run() {
    let introduction = root().join("docs/guide/src/introduction.md");
    let text = std::fs::read_to_string(&introduction).unwrap();
    let (_, not_run) = text.split_once("\nBlocks without such a mark are not run").unwrap();
    let mut named = 0;
    for page in pages().into_iter().filter(|page| *page != introduction) {
        let has_text = blocks(&page).iter().any(|block| block.sort == "text");
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(not_run.contains(&format!("]({name})")), has_text, "{name}");
        named += u32::from(has_text);
    }
    assert!(named > 0);
}

/// Every page is in the summary, and whatever the summary names is there.
#[test]
fn law_the_summary_names_every_page() {
    let folder = root().join("docs/guide/src");
    let summary = std::fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    for page in pages() {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "{name}");
    }
}

#[test]
fn law_what_a_command_does_not_print_is_found() {
    assert_eq!(missing("a\n...\nc\n", "a\nb\nc\n"), None);
    assert_eq!(missing("a\nwrote...\n...", "a\nwrote 3\nc\n"), None);
    assert_eq!(missing("", "anything\n"), None);
    assert_eq!(missing("a\nc\n", "a\nb\nc\n"), Some("c"));
    assert_eq!(missing("a\n", "a\nb\n"), Some("..."));
    assert_eq!(missing("...\nd\n", "a\nb\n"), Some("d"));
    let printed = "THREAD  TIME\naudio  res  3.2ms  x\nlate  9ms\n";
    assert_eq!(
        renewed("...\naudio  res  3.1ms  x\n...\n", printed),
        "...\naudio  res  3.2ms  x\n...\n"
    );
    assert_eq!(renewed("nothing of that\n", printed), "nothing of that\n");
}

/// The page about scenario files lists all quantities of expectations.
#[test]
fn law_the_page_of_scenario_files_names_everything_that_can_be_expected() {
    let page = std::fs::read_to_string(root().join("docs/guide/src/scenarios.md")).unwrap();
    for (name, _) in windfall_scenario::model::Quantity::ALL {
        assert!(page.contains(&format!("`{name}`")), "`{name}` can be expected");
    }
}
