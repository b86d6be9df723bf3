//! Sentences of doc comments and of pages begin with their subject, and not with a relative clause: "The result of a run", not "What a run
//! found". Headings, heads of tables and questions may.

use std::path::Path;

/// Words that open no sentence.
const OPENINGS: [&str; 9] =
    ["Of what", "Of whom", "That of", "What", "Whatever", "Who", "Whoever", "Whom", "Whose"];

/// Pages that tell of what was; and two whose words are kept elsewhere.
const NOT_READ: [&str; 2] = ["docs/decisions", "CHANGELOG.md"];

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
            found.extend(opening.map(|word| refusal(number, word)));
            is_open = doc.is_empty() || doc.starts_with('#') || doc.ends_with(['.', '!', '?']);
        }
    }
    found
}

/// The sentences of a page that begin so.
pub(crate) fn found_in_page(path: &Path, text: &str) -> Vec<String> {
    let is_page = path.extension().is_some_and(|extension| extension == "md");
    if !is_page || NOT_READ.iter().any(|past| path.starts_with(past)) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let (mut found, mut is_open, mut is_code) = (Vec::new(), true, false);
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim();
        if line.starts_with("```") {
            (is_open, is_code) = (true, !is_code);
        } else if !is_code && line.starts_with('|') {
            let is_head = lines.get(index + 1).is_some_and(|next| is_rule(next));
            let cells = cells(line).into_iter().filter(|_| !is_head);
            found.extend(cells.filter_map(|cell| {
                let mut sentences = sentences(cell, true);
                let word = sentences.find_map(|one| opening(one).filter(|_| !asks(one, &[])))?;
                Some(refusal(index + 1, word))
            }));
            is_open = true;
        } else if !is_code && !line.starts_with('#') {
            let item = item(line);
            let begun = sentences(item.unwrap_or(line), is_open || item.is_some());
            let begun = begun.map(|sentence| sentence.trim_start_matches(['*', '_']));
            let mut clauses = begun.filter_map(|sentence| Some((sentence, opening(sentence)?)));
            let clause = clauses.find(|(sentence, _)| !asks(sentence, &lines[index + 1..]));
            found.extend(clause.map(|(_, word)| refusal(index + 1, word)));
            is_open = line.is_empty() || line.ends_with(['.', '!', '?']);
        } else {
            is_open = true;
        }
    }
    found
}

fn refusal(line: usize, word: &str) -> String {
    format!("{line}: a sentence begins with `{word}`; begin with its subject")
}

/// Whether a line divides the head of a table from its rows.
fn is_rule(line: &str) -> bool {
    line.trim().starts_with('|') && line.contains('-') && line.chars().all(|c| "|-: ".contains(c))
}

/// The cells of a row of a table; `\|` ends none.
fn cells(row: &str) -> Vec<&str> {
    let ends = row.match_indices('|').map(|(at, _)| at);
    let ends: Vec<usize> = ends.filter(|at| !row[..*at].ends_with('\\')).collect();
    ends.windows(2).map(|ends| row[ends[0] + 1..ends[1]].trim()).collect()
}

/// The text of an item of a list.
fn item(line: &str) -> Option<&str> {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = numbered.strip_prefix(". ").filter(|_| numbered.len() < line.len());
    line.strip_prefix("- ").or_else(|| line.strip_prefix("> ")).or(numbered)
}

/// Whether a sentence, which may go on in further lines, ends with a question mark.
fn asks(sentence: &str, further: &[&str]) -> bool {
    let further = further.iter().take_while(|line| !line.trim().is_empty()).copied();
    let text = std::iter::once(sentence).chain(further).collect::<Vec<_>>().join(" ") + " ";
    let ends = text.match_indices(['.', '!', '?']);
    let mut ends = ends.filter(|(at, _)| text[at + 1..].starts_with([' ', '*', '_']));
    ends.next().is_some_and(|(_, end)| end == "?")
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

    fn in_page(path: &str, text: &str) -> usize {
        found_in_page(Path::new(path), text).len()
    }

    #[test]
    fn refuses_a_page_in_which_a_sentence_begins_so() {
        for text in [
            "What it costs.",
            "# A\n\nOne. What two is.",
            "One.\nWhoever asks.",
            "- *What remains* is rare.\n",
            "of one\n- Whose.",
            "2. What two is.",
            "```\nfn f() {}\n```\nWhat is left.",
            "What it costs\nis little. Is it?",
            "| term | meaning |\n|---|---|\n| cost | What it costs. |",
            "| term |\n|---|\n| One. What two is. |",
            "| term |\n|---|\n| a \\| b |\n| What it costs |",
        ] {
            assert_eq!(in_page("docs/a.md", text), 1, "{text}");
        }
    }

    #[test]
    fn accepts_a_question_a_heading_and_pages_of_what_was() {
        for text in [
            "# What it costs",
            "**What is enough?** The work.",
            "What would happen\nwithout it? Little.",
            "```\nWhat it costs.\n```",
            "It is\nWhat it costs.",
            "| What | it costs |\n|:---|---:|\n| one | two |",
            "| question |\n|---|\n| What does it cost? |",
            "| a |\n|---|\n| one \\| What two is |",
        ] {
            assert_eq!(in_page("docs/a.md", text), 0, "{text}");
        }
        for path in ["docs/decisions/0001-a.md", "CHANGELOG.md", "docs/a.txt"] {
            assert_eq!(in_page(path, "What it costs."), 0, "{path}");
        }
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
