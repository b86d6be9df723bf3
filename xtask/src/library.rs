//! What the library promises to those who build on it (docs/STABILITY.md): a struct that may grow cannot be constructed by its
//! fields, and each crate says which Rust it needs.

use crate::run::{Done, root};
use crate::{lines, tidy};
use std::path::Path;

/// Structs that anybody may construct: they are complete, or whoever hands one to Windfall is to fill it in whole.
const COMPLETE: [(&str, &[&str]); 22] = [
    ("admission", &["Costs", "Key", "Limits", "WhatIfError"]),
    ("clocks", &["Correlations", "Deviations", "Interrupts", "Load", "Reading"]),
    ("doctor", &["Check", "Cost", "Examination", "Measuring"]),
    ("exchange", &["Name", "Sizes"]),
    ("host", &["Passed"]),
    ("instructions", &["Fields", "Goal", "Instruction"]),
    ("lab", &["Options", "Settings", "Verdict"]),
    ("linux", &["ControlError", "Settings"]),
    ("observe", &["ChildKind", "Taken"]),
    ("os", &["Limit", "Listen", "Peer"]),
    ("plot", &["Axis", "Dot", "Stroke"]),
    ("ports", &["Target"]),
    ("programs", &["Place", "Posted", "Redundancy"]),
    ("record", &["Wanted"]),
    ("reliability", &["Running"]),
    ("report", &["Basis", "Outcomes", "Page", "Picture", "Suggested", "Suggestions", "Watched"]),
    ("robot", &["Random", "Size"]),
    ("scenario", &["Attachment", "CpuOutcome", "Search"]),
    ("settings", &["Setting"]),
    ("skips", &["Skip"]),
    ("speculation", &["Ahead", "Prices"]),
    ("trace", &["Format", "Head", "Record", "Slice", "Stretch"]),
];

/// What a run says of itself on its socket: versioned by the control protocol (decision 0009), and made by crate `linux`.
const LISTING: &str = "scenario/src/listing.rs";

/// Every crate inherits the workspace's minimum Rust version, and no struct lets others depend on its fields being all that
/// there are.
pub(crate) fn check() -> Done {
    let crates = root().join("crates");
    let mut faults = Vec::new();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&crates).map_err(|why| why.to_string())?.filter_map(Result::ok) {
        let manifest = std::fs::read_to_string(entry.path().join("Cargo.toml"))
            .map_err(|why| format!("{}: {why}", entry.path().display()))?;
        if !manifest.lines().any(|line| line == "rust-version.workspace = true") {
            let name = entry.file_name();
            faults.push(format!(
                "crate `{}` does not say which Rust it needs; write `rust-version.workspace = true`",
                name.display()
            ));
        }
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    for name in names {
        let complete =
            COMPLETE.iter().find(|(known, _)| *known == name).map_or(&[][..], |one| one.1);
        let mut files = Vec::new();
        tidy::collect(&crates.join(&name).join("src"), &mut files)?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
        for file in files.iter().filter(|file| !lines::is_test(file) && !file.ends_with(LISTING)) {
            let text = std::fs::read_to_string(file)
                .map_err(|why| format!("{}: {why}", file.display()))?;
            let shown = file.strip_prefix(root()).unwrap_or(file).display();
            faults.extend(open_causes(&text).into_iter().map(|one| {
                format!(
                    "{shown}: others may answer each cause in `{one}`, so there can never be another; make it `#[non_exhaustive]`"
                )
            }));
            let open = open_structs(&text);
            let open = open.into_iter().filter(|one| !complete.contains(one));
            faults.extend(open.map(|one| {
                format!(
                    "{shown}: others may construct `{one}` by its fields, so it can never have another; \
                     make it `#[non_exhaustive]`, with a constructor where users need one"
                )
            }));
        }
    }
    if faults.is_empty() { Ok(None) } else { Err(faults.join("\n")) }
}

/// The crates that the library exports, and those whose types are in what these export.
pub(crate) fn exported(crates: &Path) -> Result<Vec<String>, String> {
    let library = crates.join("windfall/src/lib.rs");
    let text = std::fs::read_to_string(library).map_err(|why| why.to_string())?;
    let used = text.lines().filter_map(|line| line.strip_prefix("pub use windfall_"));
    let mut names: Vec<String> =
        used.filter_map(|rest| Some(rest.split([' ', ':']).next()?.to_owned())).collect();
    names.push("settings".to_owned()); // what a kind's settings are, by way of `schedulers`
    names.sort();
    names.dedup();
    Ok(names)
}

/// The public enums of a file with causes of errors, by their names, which do not say that they may grow.
fn open_causes(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let open = lines.iter().enumerate().filter_map(|(at, line)| {
        let name = line.strip_prefix("pub enum ")?.split(['<', ' ', '{']).next()?;
        let mut above = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
        let is_cause = name.ends_with("Error") || name.ends_with("ErrorKind");
        (is_cause && !above.any(|line| *line == "#[non_exhaustive]")).then_some(name)
    });
    open.collect()
}

/// The public structs of a file whose fields are all public, and which do not say that they may grow.
fn open_structs(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let mut open = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = line.strip_prefix("pub struct ").filter(|_| line.ends_with('{')) else {
            continue;
        };
        let mut above = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
        let body = lines[at + 1..].iter().take_while(|line| **line != "}");
        let is_field = |line: &&&str| line.starts_with("    ") && line.contains(": ");
        let mut fields = body.filter(is_field).filter(|line| !line.trim().starts_with(['/', '#']));
        if !above.any(|line| *line == "#[non_exhaustive]")
            && fields.all(|line| line.starts_with("    pub ") || line.starts_with("     "))
        {
            open.extend(rest.split(['<', ' ', '{']).next());
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_structs_of_the_library_may_grow_and_crates_say_which_rust_they_need() {
        assert_eq!(check(), Ok(None));
    }

    #[test]
    fn refuses_a_struct_of_public_fields_that_does_not_say_that_it_may_grow() {
        let open =
            "#[derive(Debug)]\npub struct Open<'a> {\n    /// Why: this.\n    pub a: &'a str,\n}\n";
        assert_eq!(open_structs(open), ["Open"]);
        for closed in [
            "#[derive(Debug)]\n#[non_exhaustive]\npub struct Closed {\n    pub a: u8,\n}\n",
            "pub struct Private {\n    pub a: u8,\n    b: u8,\n}\n",
            "pub struct Tuple(pub u8);\n",
        ] {
            assert!(open_structs(closed).is_empty(), "{closed}");
        }
    }

    #[test]
    fn refuses_an_enum_of_causes_that_does_not_say_that_it_may_grow() {
        for name in ["OpenError", "OpenErrorKind", "OpenError<'a>"] {
            let open = format!("#[derive(Debug)]\npub enum {name} {{\n    A,\n}}\n");
            assert_eq!(open_causes(&open), [name.trim_end_matches("<'a>")]);
            let closed = format!("#[non_exhaustive]\n{open}");
            assert!(open_causes(&closed).is_empty(), "{closed}");
        }
        for other in ["pub enum Kind {\n", "enum Error {\n", "pub struct Error {\n"] {
            assert!(open_causes(other).is_empty(), "{other}");
        }
    }
}
