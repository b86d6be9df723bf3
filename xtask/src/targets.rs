//! The files of tests by how they are built: optimised or for debugging. Each runs once.

use crate::run::root;
use std::collections::BTreeSet;
use std::fs::read_dir;
use std::path::Path;

/// Files of these names, in whatever crate, draw many cases, repeat experiments, or bound what something costs: to build and run them optimised takes less time.
const OPTIMISED: [&str; 18] = [
    "all",
    "batch",
    "committed",
    "exhaustive",
    "fuzz",
    "held",
    "law",
    "memory",
    "mutations",
    "no_allocation",
    "paper",
    "programs",
    "redundant",
    "rows",
    "speed",
    "timed",
    "transport",
    "voters",
];

/// A file of tests: its crate and its name.
type Target = (String, String);

/// The arguments with which cargo tests those built for debugging: the unit tests of every crate, and all files but [`OPTIMISED`].
pub(crate) fn for_debugging() -> Result<Vec<String>, String> {
    let (_, others) = divided(all(&root().join("crates"))?)?;
    let names: BTreeSet<String> = others.into_iter().map(|(_, name)| name).collect();
    let command = ["test", "--workspace", "--no-fail-fast", "--lib", "--bins"];
    Ok(with_options(&command, "--test", names))
}

/// The arguments with which cargo tests [`OPTIMISED`]: these files of the crates that have one.
pub(crate) fn optimised() -> Result<Vec<String>, String> {
    let (chosen, _) = divided(all(&root().join("crates"))?)?;
    let (crates, names): (BTreeSet<String>, BTreeSet<String>) = chosen.into_iter().unzip();
    let command = with_options(&["test", "--no-fail-fast", "--profile", "checked"], "-p", crates);
    Ok(with_options(&command, "--test", names))
}

fn with_options<T: AsRef<str>>(
    command: &[T],
    option: &str,
    values: BTreeSet<String>,
) -> Vec<String> {
    let command = command.iter().map(|part| part.as_ref().to_owned());
    command.chain(values.into_iter().flat_map(|value| [option.to_owned(), value])).collect()
}

/// The optimised ones and the others. A name that no file has is an error: its tests would run nowhere else.
fn divided(all: Vec<Target>) -> Result<(Vec<Target>, Vec<Target>), String> {
    for name in OPTIMISED {
        if !all.iter().any(|(_, other)| other == name) {
            return Err(format!("no file of tests is called `{name}`; mend xtask/src/targets.rs"));
        }
    }
    Ok(all.into_iter().partition(|(_, name)| OPTIMISED.contains(&name.as_str())))
}

/// All files of tests of the crates in a folder, as cargo finds them: `tests/NAME.rs` and `tests/NAME/main.rs`.
fn all(crates: &Path) -> Result<Vec<Target>, String> {
    let mut found = Vec::new();
    for of_crate in entries(crates)? {
        let tests = crates.join(&of_crate).join("tests");
        if !tests.is_dir() {
            continue;
        }
        for file in entries(&tests)? {
            let name = match file.strip_suffix(".rs") {
                Some(name) => name,
                None if tests.join(&file).join("main.rs").is_file() => &file,
                None => continue,
            };
            let package = if of_crate == "windfall" { String::new() } else { "windfall-".into() };
            found.push((format!("{package}{of_crate}"), name.to_owned()));
        }
    }
    Ok(found)
}

fn entries(folder: &Path) -> Result<BTreeSet<String>, String> {
    let failed = |why| format!("{}: {why}", folder.display());
    let entries = read_dir(folder).map_err(failed)?;
    entries.map(|entry| Ok(entry.map_err(failed)?.file_name().to_string_lossy().into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(command: &[String], option: &str) -> BTreeSet<String> {
        let pairs = command.windows(2).filter(|pair| pair[0] == option);
        pairs.map(|pair| pair[1].clone()).collect()
    }

    #[test]
    fn law_each_file_of_tests_is_tested_once() {
        let (others, optimised) = (for_debugging().unwrap(), optimised().unwrap());
        let (others, crates) = (after(&others, "--test"), after(&optimised, "-p"));
        let optimised = after(&optimised, "--test");
        let all = all(&root().join("crates")).unwrap();
        assert!(all.len() > 100, "{}", all.len());
        for (of_crate, name) in all {
            let is_optimised = crates.contains(&of_crate) && optimised.contains(&name);
            assert_ne!(is_optimised, others.contains(&name), "{of_crate} {name}");
        }
    }

    #[test]
    fn refuses_a_name_that_no_file_has() {
        let renamed = vec![("windfall-sim".to_owned(), "laws".to_owned())];
        assert!(divided(renamed).is_err_and(|why| why.contains("`all`")));
    }
}
