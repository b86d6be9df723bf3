#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A skip is a line on the process' own standard error, which the test harness does not capture, and a line in the file
//! that `WINDFALL_SKIPS` names, where `cargo xtask check` counts them. Where `WINDFALL_REQUIRE` (`real`, `bpf`, or both with a
//! comma) names what the test needs, it fails instead.
//!
//! It deliberately does not find out what a machine can do: each test knows what it was refused.
#![forbid(unsafe_code)]

use std::fmt::Display;
use std::io::Write;
use std::panic::Location;

/// The variable that names the file of skips.
pub const FILE: &str = "WINDFALL_SKIPS";

/// The variable that says what must not be missing.
pub const REQUIRE: &str = "WINDFALL_REQUIRE";

/// A requirement of a test on the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Needs {
    /// Threads of this machine are supervised or recorded: rights, tracepoints, nobody else who does it meanwhile.
    Real,
    /// The kernel takes our BPF programs.
    Bpf,
    /// Anything else: a program that is not installed, a second processor. It cannot be required.
    Other,
}

impl Needs {
    const ALL: [Needs; 3] = [Needs::Real, Needs::Bpf, Needs::Other];

    /// As in `WINDFALL_REQUIRE`, and in the lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Needs::Real => "real",
            Needs::Bpf => "bpf",
            Needs::Other => "other",
        }
    }

    /// Whether the variable's value, if there is one, demands it; an error where that names something else.
    fn is_in(self, required: Option<&str>) -> Result<bool, String> {
        let words = || required.unwrap_or_default().split(',').map(str::trim);
        let known = |word: &str| word.is_empty() || word == "real" || word == "bpf";
        match words().find(|word| !known(word)) {
            Some(word) => {
                Err(format!("{REQUIRE}: `{word}` cannot be required; `real` and `bpf` can"))
            }
            None => Ok(words().any(|word| word == self.name())),
        }
    }
}

/// One skip, as the file has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skip {
    /// The missing requirement.
    pub needs: Needs,
    /// The program that the test is part of, and its name there (or where it stands, in a thread without its name).
    pub test: String,
    /// The obstacle, in one line.
    pub why: String,
}

impl Skip {
    /// The line of the file.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{}\t{}\t{}\n", self.needs.name(), self.test, self.why)
    }

    /// Reads such a line; nothing if it is none.
    #[must_use]
    pub fn read(line: &str) -> Option<Skip> {
        let parts: Vec<&str> = line.trim_end_matches('\n').splitn(3, '\t').collect();
        let [needs, test, why] = parts.as_slice() else { return None };
        let needs = Needs::ALL.into_iter().find(|known| known.name() == *needs)?;
        Some(Skip { needs, test: (*test).to_owned(), why: (*why).to_owned() })
    }
}

/// Says that this test, or a part of it, cannot be done here, and why; the caller then leaves that out.
///
/// # Panics
/// Where `WINDFALL_REQUIRE` names what is needed, or something that is not known.
#[track_caller]
pub fn skip(needs: Needs, why: impl Display) {
    let (test, why) = (test(Location::caller()), in_one_line(&why.to_string()));
    let required = std::env::var(REQUIRE).ok();
    match needs.is_in(required.as_deref()) {
        Err(wrong) => panic!("{wrong}"),
        Ok(true) => panic!("{REQUIRE} says `{}`, which cannot be had here: {why}", needs.name()),
        Ok(false) => {}
    }
    // Not `eprintln!`, which the harness keeps to itself when the test passes.
    let _ = writeln!(std::io::stderr(), "skipped: {test} ({}): {why}", needs.name());
    if let Some(file) = std::env::var_os(FILE) {
        let opened = std::fs::File::options().append(true).create(true).open(&file);
        // One write each: tests of several processes share the file.
        let line = Skip { needs, test, why }.line();
        let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|why| panic!("{FILE}: {}: {why}", file.display()));
    }
}

/// The program, and the test as the harness names its thread; else the place in the source.
fn test(place: &Location<'_>) -> String {
    let own = std::env::current_exe().unwrap_or_default();
    let own = own.file_stem().unwrap_or_default().to_string_lossy();
    let program = own.rsplit_once('-').map_or(&*own, |(name, _)| name);
    let thread = std::thread::current();
    match thread.name().filter(|name| *name != "main") {
        Some(name) => format!("{program} {name}"),
        None => format!("{program} {}:{}", place.file(), place.line()),
    }
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_is_required_is_not_skipped() {
        for (required, real, bpf) in [
            (None, false, false),
            (Some(""), false, false),
            (Some("real"), true, false),
            (Some("real,bpf"), true, true),
            (Some(" bpf , real "), true, true),
        ] {
            assert_eq!(Needs::Real.is_in(required), Ok(real), "{required:?}");
            assert_eq!(Needs::Bpf.is_in(required), Ok(bpf), "{required:?}");
            assert_eq!(Needs::Other.is_in(required), Ok(false), "{required:?}");
        }
    }

    #[test]
    fn refuses_to_require_what_it_does_not_know() {
        for word in ["reel", "other", "real;bpf"] {
            let why = Needs::Real.is_in(Some(word)).unwrap_err();
            assert!(why.contains(&format!("`{word}`")), "{why}");
        }
    }

    #[test]
    fn law_a_line_is_read_as_it_was_written() {
        for needs in Needs::ALL {
            let why = in_one_line("a\nreason\twith \"tabs\"");
            let skip = Skip { needs, test: "twin a::b".to_owned(), why };
            assert_eq!(Skip::read(&skip.line()), Some(skip));
        }
        for line in ["", "real\ttest", "reel\ttest\twhy"] {
            assert_eq!(Skip::read(line), None, "{line}");
        }
    }

    #[test]
    fn law_a_test_is_named_as_the_harness_names_it() {
        let named = test(Location::caller());
        let own = "windfall_skips tests::law_a_test_is_named_as_the_harness_names_it";
        assert!(named == own || named.contains("src/lib.rs:"), "{named}");
    }
}
