//! How many lines of code there are: those of `crates/*/src` that are no tests, no comments and not blank.

use std::path::Path;

/// Counts a source file; one of tests has none.
pub(crate) fn of(path: &Path, text: &str) -> usize {
    let parts: Vec<_> = path.iter().filter_map(|part| part.to_str()).collect();
    let tests =
        parts.iter().any(|part| ["tests", "tests.rs", "benches", "examples"].contains(part));
    if tests || parts.first() != Some(&"crates") || !parts.contains(&"src") {
        return 0;
    }
    count(text)
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
