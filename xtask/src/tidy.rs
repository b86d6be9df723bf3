//! What no compiler sees: files that grow too long, and documents that lie.

use crate::run::root;
use std::path::{Path, PathBuf};

/// A longer source file says why at its head.
const LONGEST: usize = 600;

pub(crate) fn check() -> Result<(), String> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask", "docs", "scenarios"] {
        collect(&root().join(folder), &mut files)?;
    }
    files.push(root().join("README.md"));
    let mut faults = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let shown = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
        let source = file.extension().is_some_and(|extension| extension == "rs");
        if source && text.lines().count() > LONGEST && !text.contains("//! Length:") {
            faults.push(format!("{shown}: longer than {LONGEST} lines, and does not say why"));
        }
        if source && !shown.ends_with("tidy.rs") && text.contains("#[ignore") {
            faults.push(format!("{shown}: a test is ignored"));
        }
        let tests = shown.ends_with("/tests.rs"); // the head of the module beside it speaks for both
        if source && !tests && !text.starts_with("//!") && !text.starts_with("#!") {
            faults.push(format!("{shown}: no sentence at the head"));
        }
        if file.extension().is_some_and(|extension| extension == "md") && text.contains("```ignore")
        {
            faults.push(format!("{shown}: a code block that is not run"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
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
