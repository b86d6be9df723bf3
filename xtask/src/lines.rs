//! How many lines of code there are: those of `crates/*/src` that are no tests, no comments and not blank.

use std::path::Path;

/// Counts a source file; one of tests has none.
pub(crate) fn of(path: &Path, text: &str) -> usize {
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
}
