//! The codes of mistakes: each is given to some mistake, and `docs/diagnostics.md` shows which.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod examples;

use examples::examples;
use std::collections::BTreeSet;
use std::path::Path;
use windfall_scenario::{Diagnostic, DiagnosticCode};

const HEAD: &str = "# The mistakes that `check` finds

Made from the codes and the tests (`UPDATE_GOLDEN=1 cargo test -p windfall-scenario`). Each mistake in a scenario has a code: `error[unknown-key]` in
text, `code` in JSON. A code keeps its name and its meaning (`STABILITY.md`); new ones are added. Promises that do not follow from one another are no
mistakes of a file: `check` lists them among its answers.

| code | meaning | example |
|---|---|---|
";

#[test]
fn law_each_code_is_given_to_a_mistake() {
    for (code, mistakes) in examples() {
        let found: Vec<&str> = mistakes.list().iter().map(|one| one.code.name()).collect();
        assert!(found.contains(&code), "no `{code}` in {mistakes}");
    }
    let shown: BTreeSet<&str> = examples().iter().map(|(code, _)| *code).collect();
    let all: BTreeSet<&str> = DiagnosticCode::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(shown, all);
    assert_eq!(all.len(), DiagnosticCode::ALL.len(), "two codes have one name");
}

#[test]
fn law_codes_are_words_in_lower_case_with_hyphens() {
    for code in DiagnosticCode::ALL {
        let plain = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
        assert!(code.name().split('-').all(plain), "{code}");
        assert!(code.meaning().ends_with('.'), "{code}");
    }
}

#[test]
fn diagnostics_in_docs_are_up_to_date() {
    let mut made = HEAD.to_owned();
    let examples = examples();
    for code in DiagnosticCode::ALL {
        let (_, mistakes) = examples.iter().find(|(name, _)| *name == code.name()).unwrap();
        let one = mistakes.list().iter().find(|one| one.code == *code).unwrap();
        made.push_str(&format!("| `{code}` | {} | {} |\n", code.meaning(), shown(one)));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "diagnostics.md: run UPDATE_GOLDEN=1 cargo test -p windfall-scenario");
}

/// Message and help in a cell of a table.
fn shown(mistake: &Diagnostic) -> String {
    let help = mistake.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
    format!("{}{help}", mistake.message).replace('|', "\\|").replace('\n', " ")
}
