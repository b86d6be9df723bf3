//! Outside `schedulers` a kind is a constant (`kinds::REZ`), or what a file names; code that asks a kind for its name does
//! for one scheduler what a declaration should say for all.

use crate::lines;
use std::path::Path;

/// Comparisons of a kind with a name.
const COMPARED: [&str; 2] = ["kind == \"", "kind != \""];

/// The lines of a source file that branch on a kind's name.
pub(crate) fn found(path: &Path, text: &str) -> Vec<String> {
    if path.starts_with("crates/schedulers")
        || path.ends_with("xtask/src/kinds.rs")
        || lines::is_test(path)
    {
        return Vec::new();
    }
    let lines = text.lines().zip(1..);
    let found = lines.filter(|(line, _)| COMPARED.iter().any(|compared| line.contains(compared)));
    let words =
        "a branch on a scheduler's name; have the kind declare what differs, or be given it";
    found.map(|(_, number)| format!("{number}: {words}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_branch_on_a_name_outside_of_the_kinds() {
        let text = "fn f() {}\nif scheduler.kind == \"rez\" {";
        assert_eq!(found(Path::new("crates/windfall/src/a.rs"), text).len(), 1);
        assert!(found(Path::new("crates/windfall/src/a.rs"), text)[0].starts_with("2: "));
        for path in ["crates/schedulers/src/a.rs", "crates/windfall/tests/a.rs"] {
            assert!(found(Path::new(path), text).is_empty(), "{path}");
        }
        assert!(found(Path::new("crates/windfall/src/a.rs"), "kind == kinds::REZ").is_empty());
    }
}
