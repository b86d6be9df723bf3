//! How many lines of code there are: those of `crates/*/src` that are no tests, no comments and not blank.

use std::path::Path;

/// Crates that came later than the tag `before-house` (2026-11-23, 70,345 lines) with code that did not exist then. All others existed, or
/// were cut out of one that did.
const LATER: [&str; 12] = [
    "admission",
    "allocations",
    "client",
    "clocks",
    "cores",
    "instructions",
    "nmr",
    "ports",
    "reliability",
    "robot",
    "speculation",
    "trial",
];

/// Lines of code, in crates with code that existed at that tag and in later ones.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Lines {
    existed: usize,
    later: usize,
}

impl Lines {
    /// Adds those of a source file.
    pub(crate) fn add(&mut self, path: &Path, text: &str) {
        let is_later =
            path.iter().nth(1).is_some_and(|name| LATER.iter().any(|later| name == *later));
        let lines = if is_later { &mut self.later } else { &mut self.existed };
        *lines += of(path, text);
    }
}

impl std::fmt::Display for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Lines { existed, later } = self;
        let all = existed + later;
        write!(
            f,
            "{all} lines of code in crates/*/src, without tests, comments and blanks: {existed} in crates whose code existed at \
             before-house (70345 there) or was cut out of it, {later} in crates that came later"
        )
    }
}

/// Counts a source file; one of tests has none.
fn of(path: &Path, text: &str) -> usize {
    let is_code = path.starts_with("crates") && path.iter().any(|part| part == "src");
    if is_code && !is_test(path) { count(text) } else { 0 }
}

/// Whether a source file has tests, benchmarks or examples only.
pub(crate) fn is_test(path: &Path) -> bool {
    let folders = ["tests", "tests.rs", "benches", "examples"];
    path.iter().any(|part| folders.iter().any(|folder| part == *folder))
}

fn count(text: &str) -> usize {
    let mut lines = text.lines();
    let (mut count, mut is_test) = (0, false);
    while let Some(line) = lines.next() {
        let code = line.trim();
        if is_test && line.starts_with("mod ") && line.ends_with('{') {
            lines.by_ref().find(|line| *line == "}");
            count -= 1; // the attribute
        } else if !code.is_empty() && !code.starts_with("//") {
            count += 1;
        }
        is_test = line == "#[cfg(test)]";
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! Head.\n\nuse a::b;\n\n/// Says so.\nfn f() {\n    // why\n    g();\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n";

    #[test]
    fn law_tests_comments_and_blanks_do_not_count() {
        assert_eq!(count(TEXT), 4);
        assert_eq!(of(Path::new("crates/time/src/span.rs"), TEXT), 4);
        for path in ["crates/time/tests/span.rs", "crates/time/src/span/tests.rs", "xtask/src/a.rs"]
        {
            assert_eq!(of(Path::new(path), TEXT), 0, "{path}");
        }
    }

    #[test]
    fn law_crates_that_came_later_are_counted_apart() {
        let mut lines = Lines::default();
        for path in ["crates/time/src/span.rs", "crates/nmr/src/rule.rs", "crates/nmr/tests/a.rs"] {
            lines.add(Path::new(path), TEXT);
        }
        assert_eq!(lines, Lines { existed: 4, later: 4 });
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        for name in LATER {
            assert!(crates.join(name).join("Cargo.toml").exists(), "there is no crate {name}");
        }
    }
}
