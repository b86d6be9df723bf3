//! What no compiler sees: files that grow too long, and documents that lie.

use crate::pointers::Files;
use crate::run::{Done, root};
use crate::{functions, kinds, lengths, lines, openings, setting_names, traits, words};
use std::path::{Path, PathBuf};

/// What is read. Outside the workspace a folder may hold what was built there.
const FOLDERS: [&str; 12] = [
    "bpf",
    "ci",
    "crates",
    "fuzz",
    "xtask",
    "docs",
    "scenarios",
    "remote/src",
    "remote/tests",
    "remote/benches",
    "remote/zenoh/src",
    "remote/zenoh/tests",
];

const PAGES: [&str; 6] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "remote/README.md",
    "remote/zenoh/README.md",
];

/// Endings of files whose words are looked at.
const WITH_WORDS: [&str; 8] = ["c", "css", "h", "js", "md", "rs", "sh", "toml"];

pub(crate) fn check() -> Done {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(&root().join(folder), &mut files)?;
    }
    files.extend(PAGES.map(|page| root().join(page)));
    let (mut faults, mut lines) = (Vec::new(), lines::Lines::default());
    let (there, names) = (Files::read()?, kinds::names()?);
    let settings = setting_names::names()?;
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let below = file.strip_prefix(root()).unwrap_or(&file);
        let shown = below.display().to_string();
        let source = file.extension().is_some_and(|extension| extension == "rs");
        if source {
            lines.add(below, &text);
            faults.extend(long_functions(below, &text));
            faults.extend(lengths::found(below, &text).map(|found| format!("{shown}: {found}")));
            let mut found = openings::found(below, &text);
            found.extend(traits::found(below, &text));
            found.extend(kinds::found(below, &text, &names));
            found.extend(setting_names::found(below, &text, &settings));
            faults.extend(found.iter().map(|found| format!("{shown}:{found}")));
        }
        if source && !shown.ends_with("tidy.rs") {
            let cut = text.lines().enumerate().filter(|(_, text)| cuts(text));
            let words = "a number that does not fit is cut to size without a word";
            faults.extend(cut.map(|(line, _)| format!("{shown}:{}: {words}", line + 1)));
        }
        if source && !shown.ends_with("tidy.rs") && text.contains("#[ignore") {
            faults.push(format!("{shown}: a test is ignored"));
        }
        let tests = shown.ends_with("/tests.rs"); // the head of the module beside it speaks for both
        if source && !tests && !text.starts_with("//!") && !text.starts_with("#!") {
            faults.push(format!("{shown}: no sentence at the head"));
        }
        let page = file.extension().is_some_and(|extension| extension == "md");
        faults.extend(of_words(below, &text));
        let mut found = there.astray(below, &text);
        found.extend(openings::found_in_page(below, &text));
        faults.extend(found.iter().map(|found| format!("{shown}:{found}")));
        if page && text.contains("```ignore") {
            faults.push(format!("{shown}: a code block that is not run"));
        }
    }
    faults.extend(lengths::absent(&root()));
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    println!("    {lines}");
    Ok(None)
}

/// The words of a file that people read which should be others.
fn of_words(path: &Path, text: &str) -> Vec<String> {
    let shown = path.display().to_string();
    let extension = path.extension().unwrap_or_default();
    let is_read = WITH_WORDS.iter().any(|read| extension == *read);
    // A list of bugs and the page on renamed words tell of what was, and the check has the words themselves.
    let former = ["docs/bugs.md", "xtask/src/words.rs"].iter().any(|page| shown == *page);
    if !is_read || former || shown.contains("0016-version-2") {
        return Vec::new();
    }
    let is_history = shown == "CHANGELOG.md";
    let found = if is_history { words::found_in_history(text) } else { words::found(text) };
    found.iter().map(|found| format!("{shown}:{found}")).collect()
}

/// What is wrong with the functions of a source file that is neither a test nor a benchmark.
fn long_functions(path: &Path, text: &str) -> Vec<String> {
    if lines::is_test(path) {
        return Vec::new();
    }
    let long = functions::too_long(text).into_iter();
    let words = long.map(|(line, name, length)| {
        format!(
            "{}:{line}: `{name}` has {length} lines; cut it where its meaning divides",
            path.display()
        )
    });
    words.collect()
}

/// Whether a number that its type cannot hold becomes the greatest or the least that it can. Where it cannot happen, `expect` says
/// why; where it can, there is an error, or a function that has the limit in its name and its documentation.
fn cuts(line: &str) -> bool {
    let ends = ["::MAX)", "::MIN)"];
    let after = line.split_once("try_from(").and_then(|(_, after)| after.split_once(".unwrap_or("));
    after.is_some_and(|(_, least)| ends.iter().any(|end| least.contains(end)))
}

pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let listing =
        std::fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    for entry in listing.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_no_number_is_cut_to_size_in_silence() {
        assert_eq!(check(), Ok(None));
    }

    #[test]
    fn refuses_what_does_not_fit_and_accepts_what_is_absent() {
        for text in
            ["u32::try_from(n).unwrap_or(u32::MAX);", "u16::try_from(a.len()).unwrap_or(u16::MIN)"]
        {
            assert!(cuts(text), "{text}");
        }
        for text in ["u32::try_from(n).unwrap_or(0)", "soonest.min().unwrap_or(u64::MAX)"] {
            assert!(!cuts(text), "{text}");
        }
    }
}
