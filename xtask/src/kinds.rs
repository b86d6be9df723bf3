//! Outside `schedulers` a kind is a constant (`kinds::REZ`), or what a file names; code that asks a kind for its name does
//! for one scheduler what a declaration should say for all.
//!
//! Three things are found: a text that is exactly a kind's name, a comparison with a kind's constant or with a constant's name, and
//! a table of constants, which may be searched. Tables may stand in the files of [`TABLES`], and nothing else of this there. Not
//! found: a list without a name, and a name that is put together.

use crate::{lines, run, source};
use std::path::Path;

/// Names that mean something else, too: words of files and keys.
const COMMON: [&str; 3] = ["epoch", "limit", "stride"];

/// Files that may have a table of kinds, and why.
const TABLES: [(&str, &str); 2] = [
    (
        "crates/sim/src/law/often.rs",
        "how often a kind is drawn makes rare guarantees common enough to be tested; no kind could say so of itself, since it \
         depends on what else is drawn",
    ),
    (
        "crates/lab/src/experiments/overhead_11_6_8.rs",
        "the paper's figures of the schedulers that the experiment measures",
    ),
];

/// The names of all kinds, as their files declare them.
pub(crate) fn names() -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    crate::tidy::collect(&run::root().join("crates/schedulers/src"), &mut files)?;
    let texts = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    Ok(texts.filter_map(|text| declared(&text)).collect())
}

/// The name of the kind that a file declares, if it declares one.
fn declared(text: &str) -> Option<String> {
    let (_, declaration) = text.split_once("pub(crate) const KIND: Kind =")?;
    let (_, name) = declaration.split_once('"')?;
    name.split_once('"').map(|(name, _)| name.to_owned())
}

/// The lines of a source file that branch on a kind's name, list kinds in a table, or have a kind's name as a text.
pub(crate) fn found(path: &Path, text: &str, names: &[String]) -> Vec<String> {
    let is_ours = path.starts_with("crates") && !path.starts_with("crates/schedulers");
    let may_have_tables = TABLES.iter().any(|(file, _)| path == Path::new(file));
    if !is_ours || lines::is_test(path) {
        return Vec::new();
    }
    let tokens = source::tokens_with_texts(text);
    let aliases = aliases(&tokens);
    let mut found = Vec::new();
    for (at, (number, token)) in tokens.iter().enumerate() {
        let named = token.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let named = named.filter(|text| !COMMON.contains(text));
        if let Some(name) = named.filter(|text| names.iter().any(|name| name == text)) {
            found.push(format!("{number}: the name of a kind, `{name}`; use its constant"));
        }
        if (token == "==" || token == "!=") && compares(&tokens, at, &aliases) {
            found.push(format!(
                "{number}: a branch on a kind; have the kind declare what differs, or be given it"
            ));
        }
        if !may_have_tables && is_table(&tokens[at..]) {
            found.push(format!(
                "{number}: a table of kinds; have each declare what it has of it, or be given it"
            ));
        }
    }
    found
}

type Tokens = [(usize, String)];

/// Constants of the file that stand for a kind: `const NAME: &Kind`.
fn aliases(tokens: &Tokens) -> Vec<&str> {
    let is = |window: &Tokens| {
        window[0].1 == "const" && window[2].1 == ":" && window[3].1 == "&" && window[4].1 == "Kind"
    };
    tokens.windows(5).filter(|window| is(window)).map(|window| window[1].1.as_str()).collect()
}

/// Whether a list begins here that has a name, and has kinds' constants: `const NAME: [..Kind..] = [..kinds::REZ..];`.
fn is_table(tokens: &Tokens) -> bool {
    let [(_, item), _, (_, colon), ..] = tokens else { return false };
    if !["const", "static"].contains(&item.as_str()) || colon != ":" {
        return false;
    }
    let Some(equals) = tokens.iter().position(|(_, token)| token == "=") else { return false };
    let (form, list) = tokens.split_at(equals);
    let has = |word: &str| form.iter().any(|(_, token)| token == word);
    let mut list = list.split(|(_, token)| token == ";");
    let names = |list: &Tokens| list.windows(2).any(|two| two[0].1 == "kinds" && two[1].1 == "::");
    has("[") && has("Kind") && list.next().is_some_and(names)
}

/// Whether one side of the comparison at `at` is a kind's constant, or the name of one.
fn compares(tokens: &Tokens, at: usize, aliases: &[&str]) -> bool {
    let token = |at: usize| tokens.get(at).map_or("", |(_, token)| token.as_str());
    let is_kind = |constant: usize| {
        let is_of_kinds =
            constant > 1 && token(constant - 1) == "::" && token(constant - 2) == "kinds";
        is_of_kinds || aliases.contains(&token(constant))
    };
    // `.. kinds::REZ ==`, `.. kinds::REZ.name ==`
    let is_named = at > 2 && token(at - 1) == "name" && token(at - 2) == ".";
    let last = if is_named { at - 3 } else { at.saturating_sub(1) };
    // `== kinds::REZ`, `== *super::kinds::REZ.name`
    let mut first = at + 1;
    while ["&", "*"].contains(&token(first)) {
        first += 1;
    }
    while token(first + 1) == "::" {
        first += 2;
    }
    is_kind(last) || is_kind(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> Vec<String> {
        found(Path::new(path), text, &names().unwrap())
    }

    #[test]
    fn law_each_kind_of_the_catalogue_has_a_name_here() {
        let list = include_str!("../../crates/schedulers/src/kinds.rs");
        let rows = list.lines().filter(|line| line.starts_with("    ") && line.contains("::"));
        let rows = rows.filter(|line| line.trim_start().starts_with(|c: char| c.is_uppercase()));
        assert_eq!(names().unwrap().len(), rows.count());
        assert!(names().unwrap().contains(&"linux-2.4".to_owned()), "{:?}", names());
    }

    #[test]
    fn refuses_each_form_of_a_branch_on_a_kind() {
        for line in [
            "if scheduler.kind == \"rez\" {",
            "if kind.name != \"rez-fb\" {",
            "const SPARING: &[&str] = &[\"cbs\"];",
            "match name { \"time-sharing\" => 1, _ => 2 }",
            "one.filter(|one| one.kind == kinds::REZ.name)",
            "tells: rez != kinds::REZ,",
            "kinds::REZ == kind",
            "kind == schedulers::kinds::REZ",
            "kind == *kinds::REZ",
            "kinds::REZ.name == *kind",
            "const MINE: &Kind = kinds::REZ; fn f() { other.kind == MINE.name }",
            "const RARE: [&Kind; 2] = [kinds::REZ, kinds::CBS];",
            "static OFTEN: &[(&'static Kind, usize)] = &[(kinds::REZ, 2)];",
        ] {
            let text = format!("fn f() {{}}\n{line}");
            let found = of("crates/windfall/src/a.rs", &text);
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert!(found[0].starts_with("2: "), "{found:?}");
            for path in ["crates/schedulers/src/a.rs", "crates/windfall/tests/a.rs"] {
                assert!(of(path, &text).is_empty(), "{path}");
            }
        }
    }

    #[test]
    fn accepts_constants_that_are_given_and_words_that_are_something_else() {
        for line in [
            "let kind = kinds::REZ;",
            "Scheduler::root(\"rez of all\", kinds::REZ)",
            "keys.small(\"stride\", range)",
            "// kind == kinds::REZ, kind == \"rez\"",
            "let text = r#\"scheduler = \"rez\"\"#;",
            "error == kinds::OverheadKind::of(\"a\")",
            "const MINE: &Kind = kinds::REZ;",
            "const CALLS: [Kind; 1] = [Kind::Original];",
            "kind.properties.joins == true",
            "other.kind == kind.name",
            "#[cfg(test)]\nmod tests {\n    fn f() { kind == kinds::REZ; \"rez\" }\n}",
        ] {
            let found = of("crates/windfall/src/a.rs", line);
            assert!(found.is_empty(), "{line}: {found:?}");
        }
    }

    #[test]
    fn law_each_exception_is_a_table_and_nothing_else() {
        for (file, _) in TABLES {
            let text = std::fs::read_to_string(run::root().join(file)).unwrap();
            let found = of("crates/windfall/src/a.rs", &text);
            assert!(!found.is_empty(), "{file}");
            assert!(found.iter().all(|line| line.contains(": a table of kinds")), "{found:?}");
            assert_eq!(of(file, &text), Vec::<String>::new());
            assert_eq!(of(file, "kind == kinds::REZ").len(), 1, "{file}");
        }
    }
}
