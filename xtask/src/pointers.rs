//! Paths in documents lead to files that exist. A path may be shortened at its front, as far as a reader knows where he is:
//! `carrier/fifo.rs` for `crates/linux/src/carrier/fifo.rs`.

use crate::run::root;
use crate::tidy::collect;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders that documents point into. Outside the workspace a folder may hold what was built there.
const FOLDERS: [&str; 12] = [
    "bpf",
    "ci/no-std/src",
    "crates",
    "docs",
    "fuzz/fuzz_targets",
    "remote/benches",
    "remote/src",
    "remote/tests",
    "remote/zenoh/src",
    "remote/zenoh/tests",
    "scenarios",
    "xtask",
];
/// Folders of which only the files count that lie in them.
const BESIDE: [&str; 4] = ["", "fuzz", "remote", "remote/zenoh"];
/// The ends of names of files that a document may point to; others are those of a user, or of another project.
const ENDS: [&str; 7] = [".c", ".h", ".js", ".md", ".rs", ".sh", ".toml"];

/// The files of the repository, each by its path and by all ends of it.
pub(crate) struct Files(BTreeSet<PathBuf>);

impl Files {
    pub(crate) fn read() -> Result<Files, String> {
        let mut all = Vec::new();
        for folder in FOLDERS {
            collect(&root().join(folder), &mut all)?;
        }
        for folder in BESIDE {
            let beside = std::fs::read_dir(root().join(folder)).map_err(|why| why.to_string())?;
            all.extend(beside.filter_map(Result::ok).map(|entry| entry.path()));
        }
        Ok(Files::of(all.iter().map(|file| file.strip_prefix(root()).unwrap_or(file))))
    }

    fn of<'a>(files: impl Iterator<Item = &'a Path>) -> Files {
        let ends = files.flat_map(|file| {
            let parts: Vec<_> = file.iter().collect();
            (0..parts.len()).map(move |from| parts[from..].iter().collect()).collect::<Vec<_>>()
        });
        Files(ends.collect())
    }

    /// The paths in backticks of a document that lead nowhere, line by line.
    pub(crate) fn astray(&self, path: &Path, text: &str) -> Vec<String> {
        if !is_checked(path) {
            return Vec::new();
        }
        let (mut found, mut is_code) = (Vec::new(), false);
        for (line, number) in text.lines().zip(1..) {
            if line.trim_start().starts_with("```") {
                is_code = !is_code;
            } else if !is_code {
                let named = line.split('`').skip(1).step_by(2).filter(|word| is_pointer(word));
                let astray = named.filter(|word| !self.0.contains(Path::new(word)));
                found.extend(astray.map(|word| format!("{number}: there is no file `{word}`")));
            }
        }
        found
    }
}

/// Whether a file is a document of today; decisions, bugs and the changelog tell of what was.
fn is_checked(path: &Path) -> bool {
    let is_page = path.extension().is_some_and(|extension| extension == "md");
    let past = ["docs/decisions", "docs/bugs.md", "CHANGELOG.md"];
    is_page && !past.iter().any(|past| path.starts_with(past))
}

/// Whether a word names a file here: a path, or a source file alone.
fn is_pointer(word: &str) -> bool {
    let begins = word.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let is_file = ENDS.iter().any(|end| word.ends_with(end));
    let is_placeholder = word.contains("NAME");
    let is_enough = word.contains('/') || word.ends_with(".rs");
    begins && is_plain && is_file && is_enough && !is_placeholder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn astray(path: &str, text: &str) -> usize {
        let there = ["crates/sim/src/cpu.rs", "docs/errata.md"];
        Files::of(there.iter().map(Path::new)).astray(Path::new(path), text).len()
    }

    #[test]
    fn refuses_a_path_that_leads_nowhere() {
        for text in ["In `sim/src/gpu.rs`.", "`cpu.rs` and `gpu.rs`", "`docs/error.md`"] {
            assert_eq!(astray("docs/ARCHITECTURE.md", text), 1, "{text}");
        }
    }

    #[test]
    fn accepts_an_end_of_a_path_and_what_is_no_file_of_here() {
        for text in [
            "`cpu.rs`, `src/cpu.rs`, `crates/sim/src/cpu.rs`, `docs/errata.md`",
            "`audio.toml`, `/proc/x.c`, `~/a/b.toml`, `a b.rs`, `*/a.rs`, `tests/NAME.rs`",
            "```\n`gpu.rs`\n```",
            "gpu.rs",
        ] {
            assert_eq!(astray("docs/ARCHITECTURE.md", text), 0, "{text}");
        }
        for path in ["docs/decisions/0001-a.md", "CHANGELOG.md", "docs/bugs.md", "crates/a.rs"] {
            assert_eq!(astray(path, "`gpu.rs`"), 0, "{path}");
        }
    }
}
