//! Each folder of the crate `linux` knows only some others (docs/ARCHITECTURE.md).
//!
//! Classes of threads that are not ours are set in `carrier` and `restore` only. What is checked of the rest are paths (`crate::FOLDER`);
//! methods of a type stand in at most two files (`shape.rs`), so paths show who uses what.

use crate::run::{Done, root};
use std::path::Path;

/// Each folder, and which folders it may use. `restore` knows no other. `supervise` drives all others, and these use its types and those of `threads`.
const FOLDERS: &[(&str, &[&str])] = &[
    ("restore", &[]),
    ("account", &["supervise", "threads"]),
    ("carrier", &["restore", "supervise", "threads"]),
    ("threads", &["carrier", "restore", "supervise"]),
    ("control", &["account", "supervise", "threads"]),
    ("supervise", &["account", "carrier", "control", "restore", "threads"]),
];

/// Reads each source file of the crate.
pub(crate) fn check() -> Done {
    let sources = root().join("crates/linux/src");
    let listing = std::fs::read_dir(&sources).map_err(|why| why.to_string())?;
    for entry in listing.filter_map(Result::ok) {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some((_, allowed)) = FOLDERS.iter().find(|(folder, _)| *folder == name) else {
            if name == "lib" {
                continue;
            }
            return Err(format!(
                "`{name}` is no folder of crate linux; add it to xtask/src/folders.rs"
            ));
        };
        each(&path, &name, allowed)?;
    }
    Ok(None)
}

/// Looks at a file, or at all files of a folder and those below it.
fn each(path: &Path, own: &str, allowed: &[&str]) -> Result<(), String> {
    let trouble = |why: std::io::Error| format!("{}: {why}", path.display());
    if path.is_dir() {
        let listing = std::fs::read_dir(path).map_err(trouble)?;
        return listing.filter_map(Result::ok).try_for_each(|e| each(&e.path(), own, allowed));
    }
    let text = std::fs::read_to_string(path).map_err(trouble)?;
    if let (Some(line), false) = (sets_a_class(&text), ["carrier", "restore"].contains(&own)) {
        let shown = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        return Err(format!(
            "{shown}:{line} sets the class of another thread; `carrier` does that"
        ));
    }
    match foreign(&text, own, allowed) {
        None => Ok(()),
        Some(used) => {
            let shown = path.strip_prefix(root()).unwrap_or(path).display().to_string();
            Err(format!("{shown} uses `{used}`, which the folder `{own}` may not know"))
        }
    }
}

/// The line in which a text sets the class or affinity of a thread that is not the calling one (0).
fn sets_a_class(text: &str) -> Option<usize> {
    let sets = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        [".give(", "set_fifo("].iter().any(|call| {
            let mut calls = code.split(call).skip(1);
            calls.any(|argument| !argument.starts_with("0)") && !argument.starts_with("0,"))
        })
    };
    text.lines().position(sets).map(|at| at + 1)
}

/// The first folder that a text uses and may not.
fn foreign<'a>(text: &'a str, own: &str, allowed: &[&str]) -> Option<&'a str> {
    let named = text.split("crate::").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '_'));
        rest.get(..end.unwrap_or(rest.len()))
    });
    let folder = |name: &&str| FOLDERS.iter().any(|(folder, _)| folder == name);
    named.filter(folder).find(|name| *name != own && !allowed.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_folder_uses_only_those_that_it_may_know() {
        assert_eq!(check(), Ok(None));
    }

    #[test]
    fn refuses_what_is_not_in_the_table_and_accepts_what_is() {
        let text = "use crate::restore::log::RestoreLog;\nuse crate::STACK;";
        assert_eq!(foreign(text, "control", &["threads"]), Some("restore"));
        assert_eq!(foreign(text, "threads", &["restore"]), None);
        assert_eq!(foreign(text, "restore", &[]), None);
    }

    #[test]
    fn refuses_to_set_a_class_of_another_thread() {
        assert_eq!(sets_a_class("let _ = set_fifo(0, 3);\nAffinity::one(1).give(0)?;"), None);
        assert_eq!(sets_a_class("ours\nAttributes::fifo(3).give(tid)?;"), Some(2));
        assert_eq!(sets_a_class("set_fifo(child, 3);"), Some(1));
    }
}
