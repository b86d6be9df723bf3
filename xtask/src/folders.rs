//! Each folder of the crate `linux` knows only some others (docs/ARCHITECTURE.md).
//!
//! What is checked are paths (`crate::FOLDER`). The supervisor's methods are spread over folders, so they reach further than this
//! table says.

use crate::run::{Done, root};
use std::path::Path;

/// Each folder, and which folders it may use, from those that know least to those that know most.
const FOLDERS: &[(&str, &[&str])] = &[
    ("restore", &[]),
    ("account", &["supervise", "threads"]),
    ("carrier", &["supervise", "threads"]),
    ("threads", &["restore", "supervise"]),
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
    match foreign(&text, own, allowed) {
        None => Ok(()),
        Some(used) => {
            let shown = path.strip_prefix(root()).unwrap_or(path).display().to_string();
            Err(format!("{shown} uses `{used}`, which the folder `{own}` may not know"))
        }
    }
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
}
