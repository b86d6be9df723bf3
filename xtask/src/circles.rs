//! Which files of a crate know each other in a circle. A file knows another if it names something that is defined there, by whatever path:
//! `crate::`, `super::`, a child's name, or a name that a third file hands on. Handing on (`pub use`) is not knowing.
//!
//! Absent: what a type's methods in other files know. `shape.rs` looks over how many files those are spread.

use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// No circle has more files.
const LARGEST: usize = 3;

/// A larger circle that is known: the crate, one of its files, how many there are, and what holds them together.
type Known = (&'static str, &'static str, usize, &'static str);

const KNOWN: &[Known] = &[
    (
        "exchange",
        "lib",
        8,
        "`Exchange` has a table of each kind of object, whose file has the kind and the calls on it",
    ),
    ("ports", "pool::driven", 4, "a task, its submission and its pool hold each other"),
    (
        "programs",
        "action",
        17,
        "an action may make a process, which is a program, whose body takes actions",
    ),
    (
        "scenario",
        "check",
        27,
        "a request of a run is read, checked and planned as the file itself is, by the same code",
    ),
    (
        "scenario",
        "outcome",
        4,
        "an outcome has its threads, their tasks and the promises to them, which are judged by the whole",
    ),
];

/// The files of a crate by their paths as modules; the crate's root is `lib` or `main`.
pub(crate) type Files = BTreeMap<String, Source>;

/// What is wrong with the circles of a crate.
pub(crate) fn found(own: &str, files: &Files) -> Vec<String> {
    let circles = circles(files);
    let expected = |circle: &BTreeSet<&str>| {
        let mut known = KNOWN.iter().filter(|(of, ..)| *of == own);
        known.any(|(_, file, size, _)| circle.contains(file) && circle.len() == *size)
    };
    let wrong = circles.iter().filter(|circle| !expected(circle)).map(|circle| {
        format!(
            "{} files of {own} know each other in a circle, and at most {LARGEST} may; move what they share into a file below \
             them: {circle:?}",
            circle.len()
        )
    });
    let stale = KNOWN.iter().filter(|(of, file, size, _)| {
        *of == own && !circles.iter().any(|circle| circle.contains(file) && circle.len() == *size)
    });
    let stale = stale.map(|(_, file, size, _)| {
        format!("no circle of {size} files around `{file}` of {own}; mend the table in xtask/src/circles.rs")
    });
    wrong.chain(stale).collect()
}

/// Circles that are too large.
fn circles(files: &Files) -> BTreeSet<BTreeSet<&str>> {
    let knows: BTreeMap<&str, BTreeSet<&str>> =
        files.keys().map(|file| (file.as_str(), known(file, files))).collect();
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        knows.keys().map(|from| (*from, reached(from, &knows))).collect();
    let around = |from: &&str, to: &BTreeSet<&'_ str>| -> BTreeSet<String> {
        to.iter()
            .filter(|other| reach[*other].contains(from))
            .map(|&name| name.to_owned())
            .collect()
    };
    let all: BTreeSet<BTreeSet<String>> = reach.iter().map(|(from, to)| around(from, to)).collect();
    let all = all.into_iter().filter(|circle| circle.len() > LARGEST);
    let names = |circle: BTreeSet<String>| {
        files.keys().map(String::as_str).filter(|name| circle.contains(*name)).collect()
    };
    all.map(names).collect()
}

fn reached<'a>(from: &str, knows: &BTreeMap<&str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let (mut found, mut left) = (BTreeSet::new(), vec![from]);
    while let Some(file) = left.pop() {
        for next in knows.get(file).into_iter().flatten() {
            if found.insert(*next) {
                left.push(next);
            }
        }
    }
    found
}

/// The files that a file knows.
fn known<'a>(own: &'a str, files: &'a Files) -> BTreeSet<&'a str> {
    let source = &files[own];
    let used =
        source.uses.iter().filter(|used| !used.hands_on || source.words.contains(&used.name));
    let paths = used.map(|used| &used.path).chain(&source.paths);
    let mut seen = BTreeSet::new();
    paths
        .filter_map(|path| resolve(own, path, files, &mut seen))
        .filter(|file| *file != own)
        .collect()
}

/// The path of a file as those of its children begin; nothing for the root.
fn within(file: &str) -> &str {
    if ["lib", "main"].contains(&file) { "" } else { file }
}

fn child<'a>(file: &str, name: &str, files: &'a Files) -> Option<&'a str> {
    let parent = within(file);
    let path = if parent.is_empty() { name.to_owned() } else { format!("{parent}::{name}") };
    files.get_key_value(&path).map(|(path, _)| path.as_str())
}

fn root<'a>(file: &'a str, files: &'a Files) -> Option<&'a str> {
    let root = if within(file).is_empty() { Some(file) } else { None };
    root.or_else(|| ["lib", "main"].into_iter().find(|root| files.contains_key(*root)))
}

/// The file that defines what a path means in a file; `None` if that is no file of this crate. `seen` are names that were looked up.
fn resolve<'a>(
    file: &'a str,
    path: &[String],
    files: &'a Files,
    seen: &mut BTreeSet<(String, String)>,
) -> Option<&'a str> {
    let (mut at, mut left, mut relative) = (file, path, true);
    while let Some(first) = left.first() {
        at = match first.as_str() {
            "crate" => root(file, files)?,
            "super" => match within(at).rsplit_once("::") {
                Some((parent, _)) => files.get_key_value(parent)?.0,
                None => root(file, files).filter(|_| !within(at).is_empty())?,
            },
            "self" => at,
            _ => break,
        };
        (left, relative) = (&left[1..], false);
    }
    while let Some((name, rest)) = left.split_first() {
        let source = &files[at];
        let defined = source.defines.contains(name);
        match child(at, name, files) {
            Some(child) if !(rest.is_empty() && defined) => {
                (at, left, relative) = (child, rest, false)
            }
            _ if defined => return (!relative).then_some(at),
            _ => return handed_on(at, left, files, seen, relative),
        }
    }
    Some(at)
}

/// The file that defines a path whose first name a file has from elsewhere. A name that no `use` explains stands for the file, unless it is `relative`:
/// then it may come from anywhere.
fn handed_on<'a>(
    at: &'a str,
    path: &[String],
    files: &'a Files,
    seen: &mut BTreeSet<(String, String)>,
    relative: bool,
) -> Option<&'a str> {
    let (name, rest) = path.split_first()?;
    let fresh = seen.insert((at.to_owned(), name.clone()));
    if !fresh {
        return None;
    }
    let mut found = None;
    let source = &files[at];
    let named = source.uses.iter().find(|used| used.name == *name && name != "*");
    if let Some(used) = named {
        let whole: Vec<String> = used.path.iter().chain(rest).cloned().collect();
        found = Some(resolve(at, &whole, files, seen));
    } else if !relative {
        let globs = source.uses.iter().filter(|used| used.name == "*");
        let found_there = globs.filter_map(|used| {
            let (_, folder) = used.path.split_last()?;
            let whole: Vec<String> = folder.iter().chain(path).cloned().collect();
            resolve(at, &whole, files, seen).filter(|file| *file != at)
        });
        found = found_there.last().map(Some);
    }
    seen.remove(&(at.to_owned(), name.clone()));
    found.unwrap_or((!relative).then_some(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(of: &[(&str, &str)]) -> Files {
        of.iter().map(|(file, text)| ((*file).to_owned(), Source::read(text))).collect()
    }

    #[test]
    fn limit_a_circle_has_three_files() {
        let three = [
            ("lib", ""),
            ("a", "use crate::b::{C, D};"),
            ("b", "fn g() { crate::c::f() }"),
            ("c", "use super::a::F;"),
        ];
        assert_eq!(found("x", &files(&three)), [""; 0]);
        let four = [
            three[0],
            three[1],
            three[2],
            ("c", "use crate::{d::E, x};"),
            ("d", "use super::a::F;"),
        ];
        assert_eq!(found("x", &files(&four)).len(), 1);
    }

    fn of(file: &str, all: &[(&str, &str)]) -> Vec<String> {
        known(file, &files(all)).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn law_a_name_stands_for_the_file_that_defines_it() {
        let all = [
            ("lib", "mod a; mod b; pub use a::A; pub use b::*;"),
            ("a", "mod inner; pub struct A; pub use inner::{Inner as I};"),
            ("a::inner", "use super::A; use super::super::b::B; pub struct Inner;"),
            ("b", "pub struct B; fn f() { let _ = crate::A; crate::a::I::g(); }"),
            ("c", "use crate::B; fn f() { B::new() }"),
            ("d", "use std::fmt; fn f() { fmt::Debug; other::b::B }"),
        ];
        assert_eq!(of("lib", &all), [""; 0]); // it hands on only
        assert_eq!(of("a", &all), [""; 0]);
        assert_eq!(of("a::inner", &all), ["a", "b"]);
        assert_eq!(of("b", &all), ["a", "a::inner"]);
        assert_eq!(of("c", &all), ["b"]);
        assert_eq!(of("d", &all), [""; 0]);
    }

    #[test]
    fn law_handing_on_and_using_is_knowing() {
        let all =
            [("lib", ""), ("a", "pub use inner::I; fn f(_: I) {}"), ("a::inner", "pub struct I;")];
        assert_eq!(of("a", &all), ["a::inner"]);
    }

    #[test]
    fn law_the_table_of_circles_is_as_it_is() {
        for (of, file, size, why) in KNOWN {
            assert!(*size > LARGEST && !why.is_empty(), "{of}: {file}");
        }
    }
}
