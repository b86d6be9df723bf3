//! No source file is longer than can be read at once, but for named tables of data.

use std::path::Path;

/// A longer source file is two concepts; so is one of tests.
const LONGEST: usize = 400;

/// Files that are one table of data, and longer: each with what it is a table of.
const TABLES: &[(&str, &str)] =
    &[("crates/windfall/src/cli.rs", "the command line, as clap reads it")];

/// What is wrong with the length of a source file.
pub(crate) fn found(path: &Path, text: &str) -> Option<String> {
    let length = text.lines().count();
    let table = TABLES.iter().find(|(table, _)| path == Path::new(table));
    match table {
        None if length > LONGEST => {
            Some(format!("{length} lines, and at most {LONGEST} are allowed; split it by concept"))
        }
        Some((_, what)) if length <= LONGEST => Some(format!(
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
    fn limit_a_file_has_400_lines_and_so_has_one_of_tests() {
        for path in ["crates/a/src/b.rs", "crates/a/src/b/tests.rs", "crates/a/tests/b.rs"] {
            assert_eq!(of(path, 400), None, "{path}");
            assert!(of(path, 401).is_some(), "{path}");
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
