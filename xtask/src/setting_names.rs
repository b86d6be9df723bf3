//! Outside `schedulers` a setting is what a file names, or the declaration of a kind (`Properties`); code that asks for a setting by
//! name knows what a kind means by it.
//!
//! Two things are found: a comparison with a text that is exactly a setting's name, and such a text beside a value in a pair, as
//! `("exact".to_owned(), Setting::Bool(true))`. Not found: a constant with the name, and a name that is put together.

use crate::{lines, run, source};
use std::path::Path;

/// A file that may, and why.
const EXCEPTED: (&str, &str) = (
    "crates/sim/src/law/tree.rs",
    "how often a value of a setting is drawn makes rare guarantees common enough to be tested; no kind could say so of itself",
);

/// The names of all settings, as the kinds declare them.
pub(crate) fn names() -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    crate::tidy::collect(&run::root().join("crates/schedulers/src"), &mut files)?;
    let texts = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    let mut names: Vec<String> = texts.flat_map(|text| declared(&text)).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// The names of the settings that a file declares: `quantum: Span = "10ms",` in `settings!`, `CHARGES = charges: ..;` in `shared!`.
fn declared(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for begin in ["\nsettings! {", "\nshared! {"] {
        for block in text.split(begin).skip(1) {
            let block = block.split("\n}").next().unwrap_or_default();
            if block.lines().next().is_some_and(|first| first.ends_with('}')) {
                continue; // a kind without settings, in one line
            }
            let lines = block.lines().skip(1);
            let rows = lines.map(str::trim).filter(|line| !line.starts_with('/'));
            let fields = rows.filter_map(|line| line.split_once(':'));
            names.extend(
                fields.map(|(field, _)| {
                    field.rsplit(' ').next().unwrap_or_default().replace('_', "-")
                }),
            );
        }
    }
    names
}

/// The lines of a source file that ask for a setting of a scheduler by name.
pub(crate) fn found(path: &Path, text: &str, names: &[String]) -> Vec<String> {
    let is_ours = path.starts_with("crates") && !path.starts_with("crates/schedulers");
    if !is_ours || path == Path::new(EXCEPTED.0) || lines::is_test(path) {
        return Vec::new();
    }
    let tokens = source::tokens_with_texts(text);
    let token = |at: usize| tokens.get(at).map_or("", |(_, token)| token.as_str());
    let compares = |at: usize| ["==", "!="].contains(&token(at));
    let mut found = Vec::new();
    for (at, (number, text)) in tokens.iter().enumerate() {
        let named = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let Some(name) = named.filter(|text| names.iter().any(|name| name == text)) else {
            continue;
        };
        // `"exact".to_owned()`, `"exact".into()`
        let is_owned = token(at + 1) == "." && token(at + 3) == "(" && token(at + 4) == ")";
        let after = if is_owned { at + 5 } else { at + 1 };
        let is_value = ["Setting", "Value"].contains(&token(after + 1)) && token(after + 2) == "::";
        // `("exact", ..)` is a pair, `with("exact", ..)` sets it.
        let opens = at > 1 && token(at - 1) == "(" && !is_word(token(at - 2));
        let pairs = opens && token(after) == "," && is_value;
        if pairs || compares(after) || at > 0 && compares(at - 1) {
            found.push(format!(
                "{number}: the name of a setting, `{name}`; have the kind declare what it means"
            ));
        }
    }
    found
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphanumeric() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> Vec<String> {
        found(Path::new(path), text, &names().unwrap())
    }

    #[test]
    fn law_settings_of_each_form_are_known() {
        let names = names().unwrap();
        for name in ["quantum", "exact", "report-deadlines", "currency-4", "partition", "charges"] {
            assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
        }
        assert!(names.iter().all(|name| !name.is_empty() && !name.contains(' ')), "{names:?}");
        assert!(!names.contains(&"what".to_owned()), "{names:?}");
        assert!(names.len() > 40, "{names:?}");
    }

    #[test]
    fn law_the_exception_is_one() {
        let text = std::fs::read_to_string(run::root().join(EXCEPTED.0)).unwrap();
        assert!(!of("crates/windfall/src/a.rs", &text).is_empty());
    }

    #[test]
    fn refuses_each_form_of_a_branch_on_a_setting() {
        for line in [
            "Setting::Span(span) if name == \"quantum\" => Some(*span),",
            "let exact = (\"exact\".to_owned(), Setting::Bool(true));",
            "settings.contains(&(\"report-deadlines\", Value::Bool(true)))",
            "\"exact\" != *name",
        ] {
            let text = format!("fn f() {{}}\n{line}");
            let found = of("crates/scenario/src/a.rs", &text);
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert!(found[0].starts_with("2: "), "{found:?}");
            for path in ["crates/schedulers/src/a.rs", "crates/scenario/tests/a.rs", EXCEPTED.0] {
                assert!(of(path, &text).is_empty(), "{path}");
            }
        }
    }

    #[test]
    fn accepts_keys_of_files_and_words() {
        for line in [
            "reader.need(file.quantum, &path.key(\"quantum\"), what)",
            "name == REPORT_DEADLINES.name && *value == Setting::Bool(true)",
            "(\"quantum\", &[\"scheduler\", \"quantum\"])",
            "scheduler.with(\"overruns\", Setting::Word(dropped))",
            "#[cfg(test)]\nmod tests {\n    fn f() { name == \"quantum\"; }\n}",
        ] {
            let found = of("crates/scenario/src/a.rs", line);
            assert!(found.is_empty(), "{line}: {found:?}");
        }
    }
}
