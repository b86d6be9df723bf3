//! Sentences of doc comments begin with their subject, and not with a relative clause: "The result of a run", not "What a run found".

use std::path::Path;

/// Words that open no sentence.
const OPENINGS: [&str; 9] =
    ["Of what", "Of whom", "That of", "What", "Whatever", "Who", "Whoever", "Whom", "Whose"];

/// The doc comments of `crates/*/src` in which a sentence begins so.
pub(crate) fn found(path: &Path, text: &str) -> Vec<String> {
    if !is_checked(path) {
        return Vec::new();
    }
    let (mut found, mut is_open, mut is_code) = (Vec::new(), true, false);
    for (line, number) in text.lines().zip(1..) {
        let Some(doc) = doc(line) else {
            (is_open, is_code) = (true, false);
            continue;
        };
        if doc.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let opening = sentences(doc, is_open).find_map(opening);
            found.extend(opening.map(|word| {
                format!("{number}: a sentence begins with `{word}`; begin with its subject")
            }));
            is_open = doc.is_empty() || doc.starts_with('#') || doc.ends_with(['.', '!', '?']);
        }
    }
    found
}

/// Whether a file belongs to the source of a crate.
fn is_checked(path: &Path) -> bool {
    let mut parts = path.iter().filter_map(|part| part.to_str());
    let is_crate = parts.next() == Some("crates");
    is_crate && parts.nth(1) == Some("src")
}

/// The text of a line of a doc comment.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim)
}

/// The sentences that begin in a line; its first words belong to an earlier one unless `is_open`.
fn sentences(doc: &str, is_open: bool) -> impl Iterator<Item = &str> {
    let later = [". ", "! ", "? "].into_iter().flat_map(|end| doc.split(end).skip(1));
    is_open.then_some(doc).into_iter().chain(later)
}

fn opening(sentence: &str) -> Option<&'static str> {
    OPENINGS.into_iter().find(|word| {
        let after = sentence.strip_prefix(word);
        after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_crate(name: &str, text: &str) -> usize {
        found(Path::new(&format!("crates/{name}/src/a.rs")), text).len()
    }

    #[test]
    fn refuses_a_doc_comment_that_begins_with_a_relative_clause() {
        for text in [
            "//! What it costs.",
            "fn f() {}\n    /// Whoever asks.",
            "/// One.\n/// Whose.",
            "/// One. What two is.",
            "/// One.\n///\n/// # Errors\n/// That of two.",
            "/// ```\n/// f();\n/// ```\n/// What is left.",
            "/// Ready? Who runs.",
            "/// one\nfn f() {}\n/// What it does.",
        ] {
            assert_eq!(in_crate("sim", text), 1, "{text}");
        }
        let words = found(Path::new("crates/sim/src/a.rs"), "\n/// Of whom it is.");
        assert_eq!(words, ["2: a sentence begins with `Of whom`; begin with its subject"]);
    }

    #[test]
    fn accepts_other_words_and_the_same_ones_elsewhere() {
        for text in [
            "/// Whole numbers.",
            "/// The result of a run that ended\n/// Who-knows-when.",
            "// What it costs.",
            "//// What it costs.",
            "let text = \"What it costs.\";",
            "/// ```\n/// What it costs.\n/// ```",
            "/// | What | it costs |",
            "/// It is what it costs.",
        ] {
            assert_eq!(in_crate("sim", text), 0, "{text}");
        }
        assert!(found(Path::new("crates/sim/tests/a.rs"), "/// What it costs.").is_empty());
        assert!(found(Path::new("remote/sim/src/a.rs"), "/// What it costs.").is_empty());
    }
}
