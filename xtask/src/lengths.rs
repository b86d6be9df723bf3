//! No source file is longer than can be read at once, but for named tables of data.

use crate::lines;
use std::path::Path;

/// A longer source file is two concepts.
const LONGEST: usize = 400;

/// A longer file of tests is.
const LONGEST_OF_TESTS: usize = 600;

/// Files that are one table of data, and longer: each with what it is a table of.
const TABLES: &[(&str, &str)] =
    &[("crates/windfall/src/cli.rs", "the command line, as clap reads it")];

/// What is wrong with the length of a source file.
pub(crate) fn found(path: &Path, text: &str) -> Option<String> {
    let length = text.lines().count();
    let longest = if lines::is_test(path) { LONGEST_OF_TESTS } else { LONGEST };
    let table = TABLES.iter().find(|(table, _)| path == Path::new(table));
    match table {
        None if length > longest => {
            Some(format!("{length} lines, and at most {longest} are allowed; split it by concept"))
        }
        Some((_, what)) if length <= longest => Some(format!(
            "a table ({what}) that is no longer than other files; take it out of xtask/src/lengths.rs"
        )),
        _ => None,
    }
}

/// Tables that are named here, and are no file.
pub(crate) fn absent(root: &Path) -> impl Iterator<Item = String> {
    let absent = TABLES.iter().filter(move |(table, _)| !root.join(table).is_file());
    absent
        .map(|(table, _)| format!("{table}: named as a table in xtask/src/lengths.rs, and no file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, lines: usize) -> Option<String> {
        found(Path::new(path), &"\n".repeat(lines))
    }

    #[test]
    fn limit_a_file_has_400_lines_and_one_of_tests_600() {
        for (path, longest) in [("crates/a/src/b.rs", 400), ("crates/a/tests/b.rs", 600)] {
            assert_eq!(of(path, longest), None);
            assert!(of(path, longest + 1).is_some(), "{path}");
        }
        // A reason at its head does not excuse it.
        let reason = format!("//! Length: because.\n{}", "\n".repeat(400));
        assert!(found(Path::new("crates/a/src/b.rs"), &reason).is_some());
    }

    #[test]
    fn accepts_a_named_table_as_long_as_it_needs_to_be_named() {
        for (table, _) in TABLES {
            assert_eq!(of(table, 1000), None);
            assert!(of(table, 400).is_some(), "{table}");
        }
        assert_eq!(absent(Path::new("/")).count(), TABLES.len());
    }
}
