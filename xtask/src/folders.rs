//! Each folder of the crate `linux` knows only some others (docs/ARCHITECTURE.md).
//!
//! Classes of threads that are not ours are set in `carrier` and `restore` only. What is checked of the rest are paths (`crate::FOLDER`), and
//! calls on the machine's carrier; methods of a type stand in at most two files (`shape.rs`), so paths show who uses what. What a folder may use
//! and does not is refused, too.

use crate::run::{Done, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Each folder, and which folders it may use. `restore` knows no other. `supervise` drives all others, and these use its types and those of `threads`.
const FOLDERS: &[(&str, &[&str])] = &[
    ("restore", &[]),
    ("account", &["supervise", "threads"]),
    ("carrier", &["restore", "supervise", "threads"]),
    ("threads", &["carrier", "restore", "supervise"]),
    ("control", &["supervise"]),
    ("supervise", &["account", "carrier", "control", "restore", "threads"]),
];

/// Reads each source file of the crate.
pub(crate) fn check() -> Done {
    let sources = root().join("crates/linux/src");
    let listing = std::fs::read_dir(&sources).map_err(|why| why.to_string())?;
    let mut used: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
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
        // The file of a folder's name belongs to it.
        each(&path, &name, allowed, used.entry(name.clone()).or_default())?;
    }
    for (name, allowed) in FOLDERS {
        let used = &used[*name];
        if let Some(other) = allowed.iter().find(|other| !used.contains(**other)) {
            return Err(format!(
                "the folder `{name}` may use `{other}` and does not; take it out of xtask/src/folders.rs"
            ));
        }
    }
    Ok(None)
}

/// Looks at a file, or at all files of a folder and those below it; collects which folders they use.
fn each(
    path: &Path,
    own: &str,
    allowed: &[&str],
    used: &mut BTreeSet<&'static str>,
) -> Result<(), String> {
    let trouble = |why: std::io::Error| format!("{}: {why}", path.display());
    if path.is_dir() {
        let listing = std::fs::read_dir(path).map_err(trouble)?;
        let mut paths = listing.filter_map(Result::ok).map(|entry| entry.path());
        return paths.try_for_each(|path| each(&path, own, allowed, used));
    }
    let text = std::fs::read_to_string(path).map_err(trouble)?;
    if let (Some(line), false) = (sets_a_class(&text), ["carrier", "restore"].contains(&own)) {
        let shown = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        return Err(format!(
            "{shown}:{line} sets the class of another thread; `carrier` does that"
        ));
    }
    let named = named(&text, own);
    used.extend(&named);
    match named.iter().find(|name| !allowed.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let shown = path.strip_prefix(root()).unwrap_or(path).display().to_string();
            Err(format!("{shown} uses `{name}`, which the folder `{own}` may not know"))
        }
    }
}

/// The line in which a text sets the class or affinity of a thread that is not the calling one (0).
fn sets_a_class(text: &str) -> Option<usize> {
    let sets = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        [".give(", "set_fifo(", "set_nice("].iter().any(|call| {
            let mut calls = code.split(call).skip(1);
            calls.any(|argument| !argument.starts_with("0)") && !argument.starts_with("0,"))
        })
    };
    text.lines().position(sets).map(|at| at + 1)
}

/// The other folders that a text uses: by a path, or by a call on the machine's carrier.
fn named(text: &str, own: &str) -> BTreeSet<&'static str> {
    let paths = text.split("crate::").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '_'));
        rest.get(..end.unwrap_or(rest.len()))
    });
    let calls = text.contains(".carrier.").then_some("carrier");
    let used: BTreeSet<&str> = paths.chain(calls).filter(|name| *name != own).collect();
    FOLDERS.iter().map(|(folder, _)| *folder).filter(|folder| used.contains(folder)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_each_folder_uses_only_those_that_it_may_know() {
        assert_eq!(check(), Ok(None));
    }

    #[test]
    fn accepts_paths_and_calls_as_what_a_folder_uses() {
        let text = "use crate::restore::log::RestoreLog;\nuse crate::STACK;";
        assert_eq!(named(text, "control"), BTreeSet::from(["restore"]));
        assert_eq!(named(text, "restore"), BTreeSet::new());
        assert_eq!(named("host.machine.carrier.park(3)", "control"), BTreeSet::from(["carrier"]));
    }

    #[test]
    fn refuses_to_set_a_class_of_another_thread() {
        assert_eq!(sets_a_class("let _ = set_fifo(0, 3);\nAffinity::one(1).give(0)?;"), None);
        assert_eq!(sets_a_class("ours\nAttributes::fifo(3).give(tid)?;"), Some(2));
        assert_eq!(sets_a_class("set_fifo(child, 3);"), Some(1));
        assert_eq!(sets_a_class("set_nice(tid, 3);"), Some(1));
    }
}
