//! A Rust source as far as its names tell: what it defines, what it uses from elsewhere, and the paths and words in it. Tests in it do not count, nor does
//! what only its documentation names.

use std::collections::BTreeSet;

/// A name that a file has from elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Used {
    pub path: Vec<String>,
    /// The last of the path, or what it is renamed to.
    pub name: String,
    /// Whether others may have it from here.
    pub hands_on: bool,
}

/// The names of a file.
#[derive(Default, Debug)]
pub(crate) struct Source {
    pub uses: Vec<Used>,
    /// Paths of two names or more, outside of `use`.
    pub paths: BTreeSet<Vec<String>>,
    /// The items at its outermost level.
    pub defines: BTreeSet<String>,
    /// All words outside of `use`.
    pub words: BTreeSet<String>,
}

const ITEMS: [&str; 9] =
    ["struct", "enum", "trait", "fn", "const", "static", "type", "union", "macro_rules"];

impl Source {
    /// Reads a source's text.
    pub(crate) fn read(text: &str) -> Source {
        let (tokens, mut source, mut at, mut depth) = (tokens(text), Source::default(), 0, 0_usize);
        while at < tokens.len() {
            let token = tokens[at].as_str();
            if is_test(&tokens[at..]) {
                at = after_item(&tokens, at);
                continue;
            }
            match token {
                "use" => {
                    let end = position(&tokens, at, ";");
                    let hands_on = at > 0 && ["pub", ")"].contains(&tokens[at - 1].as_str());
                    source.use_tree(&tokens[at + 1..end], &[], hands_on);
                    at = end;
                }
                "(" if is_visibility(&tokens, at) => at = position(&tokens, at, ")"),
                "mod" if tokens.get(at + 2).is_some_and(|token| token == ";") => at += 2,
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ if is_word(token) => at = source.path(&tokens, at, depth),
                _ => {}
            }
            at += 1;
        }
        source
    }

    /// Takes the path that begins here. Returns where it ends.
    fn path(&mut self, tokens: &[String], at: usize, depth: usize) -> usize {
        let (mut path, mut end) = (vec![tokens[at].clone()], at);
        while tokens.get(end + 1).is_some_and(|token| token == "::")
            && tokens.get(end + 2).is_some_and(|token| is_word(token))
        {
            end += 2;
            path.push(tokens[end].clone());
        }
        let begins = at == 0 || tokens[at - 1] != "::";
        self.words.extend(path.iter().cloned());
        if path.len() > 1 && begins {
            self.paths.insert(path);
        } else if depth == 0 && ITEMS.contains(&tokens[at].as_str()) {
            let name = tokens[at + 1..].iter().find(|token| is_word(token));
            self.defines.extend(name.cloned());
        }
        end
    }

    /// Takes what `use` says between its word and its semicolon.
    fn use_tree(&mut self, tree: &[String], before: &[String], hands_on: bool) {
        let mut path = before.to_vec();
        for (at, token) in tree.iter().enumerate() {
            match token.as_str() {
                "{" => {
                    let inside = &tree[at + 1..tree.len() - 1];
                    parts(inside).for_each(|part| self.use_tree(part, &path, hands_on));
                    return;
                }
                "as" => break,
                "::" => {}
                "self" if !path.is_empty() => {}
                name => path.push(name.to_owned()),
            }
        }
        let renamed = tree.iter().position(|token| token == "as");
        let name = renamed.map_or(path.last(), |at| tree.get(at + 1)).cloned();
        if let Some(name) = name {
            self.uses.push(Used { path, name, hands_on });
        }
    }
}

/// The parts of a list in braces, of which some have braces of their own.
fn parts(list: &[String]) -> impl Iterator<Item = &[String]> {
    let mut depth = 0;
    let ends = move |token: &String| {
        depth += i32::from(token == "{") - i32::from(token == "}");
        depth == 0 && token == ","
    };
    list.split(ends).filter(|part| !part.is_empty())
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether an item begins here that is there for tests or documentation only.
fn is_test(tokens: &[String]) -> bool {
    let cfg = ["#", "[", "cfg", "("];
    tokens.len() > 4
        && tokens.iter().zip(cfg).all(|(token, expected)| token == expected)
        && ["test", "doc"].contains(&tokens[4].as_str())
}

/// Where the next item begins after one with attributes.
fn after_item(tokens: &[String], at: usize) -> usize {
    let (mut depth, mut is_use) = (0_i32, false);
    for (end, token) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "use" => is_use = true,
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                if depth == 0 && !is_use {
                    return end + 1;
                }
            }
            ";" if depth == 0 => return end + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Whether a parenthesis says where an item can be seen, as in `pub(in crate::a)`.
fn is_visibility(tokens: &[String], at: usize) -> bool {
    let is = |at: usize, what: &str| tokens.get(at).is_some_and(|token| token == what);
    at > 0 && is(at - 1, "pub") && is(at + 1, "in")
}

fn position(tokens: &[String], from: usize, what: &str) -> usize {
    tokens[from..].iter().position(|token| token == what).map_or(tokens.len(), |at| from + at)
}

/// Words and signs, without comments, strings and characters; `::` is one sign.
fn tokens(text: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(c) = rest.chars().next() {
        let length = if let Some(length) = skipped(rest) {
            length
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            end.unwrap_or(rest.len())
        } else {
            if rest.starts_with("::") { 2 } else { c.len_utf8() }
        };
        if skipped(rest).is_none() && !c.is_whitespace() {
            found.push(rest[..length].to_owned());
        }
        rest = &rest[length..];
    }
    found
}

/// Words, signs and plain strings (with their quotes) of what is there in more than tests, with their lines; `==`, `!=` and `::` are one
/// sign each.
pub(crate) fn tokens_with_texts(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut rest, mut line) = (Vec::new(), text, 1);
    while let Some(c) = rest.chars().next() {
        let is_text = c == '"';
        let is_skipped = skipped(rest);
        let length = if let Some(length) = is_skipped {
            length
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            end.unwrap_or(rest.len())
        } else {
            let double = ["::", "==", "!="].iter().any(|sign| rest.starts_with(sign));
            if double { 2 } else { c.len_utf8() }
        };
        if (is_text || is_skipped.is_none()) && !c.is_whitespace() {
            found.push((line, rest[..length].to_owned()));
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    let tokens: Vec<String> = found.iter().map(|(_, token)| token.clone()).collect();
    let mut at = 0;
    while at < tokens.len() {
        let end = if is_test(&tokens[at..]) { after_item(&tokens, at) } else { at + 1 };
        if end > at + 1 {
            found[at..end].iter_mut().for_each(|(_, token)| token.clear());
        }
        at = end;
    }
    found.retain(|(_, token)| !token.is_empty());
    found
}

/// How long the comment, string or character is that begins here.
fn skipped(text: &str) -> Option<usize> {
    let after = |start: usize, end: &str| {
        let at = text.get(start..).and_then(|rest| rest.find(end));
        at.map_or(text.len(), |at| start + at + end.len())
    };
    let raw = text.strip_prefix("br").or_else(|| text.strip_prefix('r'));
    let hashes = raw.map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
    if text.starts_with("//") {
        return Some(after(2, "\n"));
    }
    if text.starts_with("/*") {
        return Some(after(2, "*/"));
    }
    if raw.is_some_and(|raw| raw[hashes..].starts_with('"')) {
        let opening = text.find('"').unwrap_or(0) + 1;
        return Some(after(opening, &format!("\"{}", "#".repeat(hashes))));
    }
    let mut escaped = false;
    if let Some(string) = text.strip_prefix('"') {
        let end = string.find(|c: char| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        return Some(end.map_or(text.len(), |end| end + 2));
    }
    let character = text.strip_prefix('\'')?;
    let first = character.chars().next()?;
    if first == '\\' {
        return Some(character[2..].find('\'').map_or(text.len(), |end| end + 4));
    }
    character[first.len_utf8()..].starts_with('\'').then(|| first.len_utf8() + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(path: &str, name: &str, hands_on: bool) -> Used {
        let path = path.split("::").map(str::to_owned).collect();
        Used { path, name: name.to_owned(), hands_on }
    }

    #[test]
    fn law_names_are_read_and_nothing_that_only_looks_like_one() {
        let text = "//! `a::b`\npub(in crate::v) fn f() {}\nuse crate::{x::{self, Y as Z}, w};\npub(crate) use super::*;\n\
                    #[cfg(test)]\nmod tests { use crate::t; fn f() { t::g() } }\n#[cfg(doc)]\nuse crate::{d};\n\
                    pub struct S<'a> { s: &'a T }\nimpl S { fn m() { let c = '\"'; \"q::r\\\"\"; r#\"u::\"v\"#; x::y(); } }\n";
        let source = Source::read(text);
        let uses = [
            used("crate::x", "x", false),
            used("crate::x::Y", "Z", false),
            used("crate::w", "w", false),
            used("super::*", "*", true),
        ];
        assert_eq!(source.uses, uses);
        assert_eq!(source.defines, BTreeSet::from(["S".to_owned(), "f".to_owned()]));
        assert_eq!(source.paths, BTreeSet::from([vec!["x".to_owned(), "y".to_owned()]]));
        assert!(source.words.contains("m") && !source.words.contains("tests"));
    }
}
