//! The shape of the code: how many fields a struct has, and how many files a type is spread over; and which files know each other in a
//! circle (`circles.rs`).

use crate::circles;
use crate::run::{Done, root};
use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A type's methods stand in no more files.
const MOST_FILES: usize = 2;
/// A struct with more fields says why.
const MOST_FIELDS: usize = 10;
/// What the comment above a struct begins with that says why.
const REASON: &str = "// Fields: ";

/// A type that is spread over more files: the crate, the type, how many files, and why.
type Spread = (&'static str, &'static str, usize, &'static str);

const SPREAD: &[Spread] = &[
    ("admission", "Tree", 3, "search, splits and merges would be too long a file"),
    ("exchange", "Exchange", 6, "a file for each kind of object of a node"),
    ("hierarchy", "Hierarchy", 11, "a file for each family of calls"),
    ("host", "Host", 18, "a file for each thing that a host does"),
    ("nmr", "Voter", 3, "a value, a batch of a replica, rows of all replicas"),
    ("programs", "Learned", 3, "a file for each pass over what was recorded"),
    ("programs", "ProgramRuntime", 5, "a file for each family of calls"),
    ("programs", "System", 7, "a file for each kind of object of a node"),
    ("scenario", "Builder", 4, "a file for each section of a scenario"),
    ("scenario", "Live", 4, "a file for each question about the tree as it is now"),
    ("scenario", "Promises", 4, "a file for each question about promises"),
    ("scenario", "Scenario", 15, "a file for each question about a scenario"),
    ("schedulers", "Budgeted", 4, "charges, periods and reservations of one scheduler"),
    ("schedulers", "Ledger", 4, "a file for each temporal query"),
    ("schedulers", "Pool", 6, "bound children and homes beside what all policies need"),
    ("schedulers", "State", 3, "the classes and the time of `proportional-share`"),
];

/// Each source file of a crate by its path as a module.
type Sources = BTreeMap<String, String>;

/// Looks at all of it.
pub(crate) fn check() -> Done {
    let crates = root().join("crates");
    let mut found = Vec::new();
    for source in folders_in(&crates)? {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let sources = read(&source.join("src"))?;
        found.extend(spread(&name, &sources));
        let files =
            sources.iter().filter(|(module, _)| !module.split("::").any(|part| part == "tests"));
        let files = files.map(|(module, text)| (module.clone(), Source::read(text))).collect();
        found.extend(circles::found(&name, &files));
        for (module, text) in sources {
            found.extend(wide(&format!("{name}::{module}"), &text));
        }
    }
    if found.is_empty() { Ok(None) } else { Err(found.join("\n")) }
}

/// The folders in a folder, which are the crates.
fn folders_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listing =
        std::fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let paths = listing.filter_map(Result::ok).map(|entry| entry.path());
    Ok(paths.filter(|path| path.join("src").is_dir()).collect())
}

/// The Rust sources below a folder, without their tests.
fn read(folder: &Path) -> Result<Sources, String> {
    let (mut sources, mut left) = (Sources::new(), vec![folder.to_owned()]);
    while let Some(path) = left.pop() {
        let trouble = |why: std::io::Error| format!("{}: {why}", path.display());
        if path.is_dir() {
            let listing = std::fs::read_dir(&path).map_err(trouble)?;
            left.extend(listing.filter_map(Result::ok).map(|entry| entry.path()));
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(trouble)?;
        let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
        let module = module(path.strip_prefix(folder).unwrap_or(&path));
        sources.insert(module, text[..tests].to_owned());
    }
    Ok(sources)
}

fn module(path: &Path) -> String {
    let parts: PathBuf = path.with_extension("");
    parts.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("::")
}

/// Types of a crate whose methods stand in too many files, or in fewer than the table says.
fn spread(own: &str, sources: &Sources) -> Vec<String> {
    let mut files: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    let defined = defined(sources);
    for (module, text) in sources {
        for line in text.lines().filter(|line| line.starts_with("impl")) {
            let name = implementing(line);
            files.entry((owner(name, module, &defined), name)).or_default().insert(module);
        }
    }
    let known = |name: &str| {
        let mut known = SPREAD.iter().filter(|(of, other, ..)| (*of, *other) == (own, name));
        known.next().map(|(_, _, files, _)| *files)
    };
    let many = files.into_iter().filter(|(_, files)| files.len() > MOST_FILES);
    let many: Vec<_> = many.map(|((_, name), files)| (name, files)).collect();
    let stale = SPREAD.iter().filter(|(of, name, count, _)| {
        *of == own && !many.iter().any(|(other, files)| other == name && files.len() == *count)
    });
    let stale = stale.map(|(_, name, count, _)| {
        format!("`{name}` of {own} has no longer methods in {count} files; mend the table in xtask/src/shape.rs")
    });
    let more = many.iter().filter(|(name, files)| Some(files.len()) != known(name));
    let more = more.map(|(name, files)| {
        format!(
            "`{name}` of {own} has methods in {files:?}; make functions of those that need not be"
        )
    });
    more.chain(stale).collect()
}

/// By name, the files that define such a type.
fn defined(sources: &Sources) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut defined: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, text) in sources {
        for line in text.lines().filter(|line| line.starts_with(['p', 's', 'e'])) {
            let after = ["struct ", "enum "].iter().find_map(|word| {
                let (before, after) = line.split_once(word)?;
                (before.is_empty() || before.starts_with("pub")).then_some(after)
            });
            let name = after.and_then(|after| after.split(['<', '(', ' ', ';', '{']).next());
            name.into_iter().for_each(|name| {
                defined.entry(name).or_default().insert(module);
            });
        }
    }
    defined
}

/// The file that defines the type of that name which a file means: itself, or one above it, or the only one.
fn owner<'a>(
    name: &str,
    module: &'a str,
    defined: &BTreeMap<&'a str, BTreeSet<&'a str>>,
) -> &'a str {
    let Some(files) = defined.get(name) else { return "" };
    let above = std::iter::successors(Some(module), |path| Some(path.rsplit_once("::")?.0));
    let mut above = above.filter(|path| files.contains(path));
    above.next().unwrap_or(if files.len() == 1 { files.first().copied().unwrap_or("") } else { "" })
}

/// The type of which a line begins the methods.
fn implementing(line: &str) -> &str {
    let of = line.split_once(" for ").map_or_else(|| after_parameters(line), |(_, of)| of);
    of.trim().split(['<', ' ', '{']).next().unwrap_or_default()
}

/// What follows `impl` and its parameters in angle brackets.
fn after_parameters(line: &str) -> &str {
    let of = line.strip_prefix("impl").unwrap_or(line);
    let mut depth = 0;
    let end = of.find(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0
    });
    end.map_or(of, |end| &of[end + 1..])
}

/// Structs of a file with too many fields.
fn wide(module: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let declared = line.split_once("struct ").and_then(|(_, name)| name.strip_suffix(" {"));
        let Some(name) = declared else { continue };
        let body = lines[at + 1..].iter().map(|line| line.trim()).take_while(|line| *line != "}");
        let fields = body.filter(|line| line.ends_with(',') && !line.starts_with("//")).count();
        let head = lines[..at].iter().rev().map(|line| line.trim());
        let mut head = head.take_while(|line| line.starts_with(['/', '#']));
        if fields > MOST_FIELDS && !head.any(|line| line.starts_with(REASON)) {
            found.push(format!(
                "`{name}` of {module} has {fields} fields; say why above it (`{REASON}`)"
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_files_keep_their_shape() {
        assert_eq!(check(), Ok(None));
    }

    fn sources(of: &[(&str, &str)]) -> Sources {
        of.iter().map(|(module, text)| ((*module).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn limit_methods_of_a_type_stand_in_two_files() {
        let two = [("a", "impl T {\n"), ("b", "impl<'a> Drop for T<'a> {\n")];
        assert_eq!(spread("a", &sources(&two)), [""; 0]);
        let three = [two[0], two[1], ("c", "impl<A: B> T<A> {\n")];
        assert_eq!(spread("a", &sources(&three)).len(), 1);
        // Several types of one name, each with methods in its own file and below it.
        let own = "pub struct T;\nimpl T {\n";
        let several = [("a", own), ("b", own), ("b::c", "impl T {\n"), ("d", own)];
        assert_eq!(spread("a", &sources(&several)), [""; 0]);
        let more = [several[1], several[2], ("b::d", "impl T {\n")];
        assert_eq!(spread("a", &sources(&more)).len(), 1);
    }

    #[test]
    fn refuses_a_table_that_says_more_than_is_so() {
        let of = |count: usize| {
            let files: Sources =
                (0..count).map(|n| (format!("f{n}"), "impl Voter {\n".to_owned())).collect();
            spread("nmr", &files)
        };
        assert_eq!(of(3), [""; 0]);
        assert!(of(2).concat().contains("mend the table"), "{:?}", of(2));
        assert_eq!(of(4).len(), 2);
    }

    #[test]
    fn limit_a_struct_has_ten_fields_or_says_why() {
        let of = |count: usize, head: &str| {
            format!("{head}struct A {{\n{}}}\n", "    /// It, too,\n    b: C,\n".repeat(count))
        };
        assert_eq!(wide("a", &of(10, "")), [""; 0]);
        assert_eq!(wide("a", &of(11, "/// It.\n")).len(), 1);
        assert_eq!(wide("a", &of(11, "/// It.\n// Fields: a table.\n#[derive(A)]\n")), [""; 0]);
    }
}
