//! `NAME.KEY=VALUE`: a value that is set from outside a scenario's file.
//!
//! Each one becomes a line of TOML with a place of its own, called `--set` in mistakes, and replaces the value in the file's tree
//! before anything is read from that. So it can express anything that a file can, is checked like it, and the order of entries stays.

use crate::diagnostic::{Code, ScenarioError};
use crate::suggest::near;
use crate::tree::{Node, parse};
use core::fmt;
use core::ops::Range;
use core::str::FromStr;
use toml::de::{DeTable, DeValue};

/// One value: `audio.guarantee=RESBH 4ms 10ms`, `machine.processors=2`, `length=5s`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Override {
    key: String,
    value: String,
}

impl Override {
    /// `value` for `key`, both as in `NAME.KEY=VALUE`.
    #[must_use]
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Override {
        Override { key: key.into(), value: value.into() }
    }

    /// Where it is set.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// Why a text is no [`Override`]: it has no key, or no `=` after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverrideError;

impl fmt::Display for OverrideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("write NAME.KEY=VALUE, as `audio.guarantee=RESBH 4ms 10ms`")
    }
}

impl std::error::Error for OverrideError {}

impl FromStr for Override {
    type Err = OverrideError;

    fn from_str(text: &str) -> Result<Override, OverrideError> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                Ok(Override::new(key.trim(), value.trim()))
            }
            _ => Err(OverrideError),
        }
    }
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

/// The parts of a file whose entries have names; of two entries that are called alike, the one of the later part is meant.
const PARTS: [&str; 4] = ["programs", "locks", "schedulers", "threads"];

impl Override {
    /// The equivalent line of TOML in a file with this tree. An entry is called by its name, or by its part and its name.
    pub(crate) fn line(&self, root: &Node<'_>) -> Result<String, ScenarioError> {
        let value = written(&self.value);
        let Some((first, rest)) = self.key.split_once('.') else {
            return Ok(format!("{} = {value}\n", self.key));
        };
        if first == "machine" {
            return Ok(format!("machine.{rest} = {value}\n"));
        }
        let part = PARTS.into_iter().find(|part| *part == first);
        let by_path = part.and_then(|part| owner(root, &[part], rest));
        match by_path.or_else(|| owner(root, &PARTS, &self.key)) {
            Some((part, name, rest)) => {
                let quoted = serde_json::to_string(name).unwrap_or_default();
                Ok(format!("{part}.{quoted}{rest} = {value}\n"))
            }
            None => Err(self.nobody(root, part)),
        }
    }

    /// No entry is called so; which may be meant.
    fn nobody(&self, root: &Node<'_>, part: Option<&'static str>) -> ScenarioError {
        let key = part.map_or(self.key.as_str(), |part| &self.key[part.len() + 1..]);
        let (first, rest) = key.split_once('.').unwrap_or((key, "KEY"));
        let wrong = |message: String, help: String| {
            ScenarioError::new(Code::UnknownName, message, None).help(help)
        };
        let has_count = |name: &&str| {
            let entry = root.get_ref().get("threads").and_then(|all| all.get_ref().get(*name));
            entry.is_some_and(|entry| entry.get_ref().get("count").is_some())
        };
        let mut counted = names(root, "threads").filter(has_count);
        if let Some((entry, thread, rest)) = counted.find_map(|name| numbered(name, key)) {
            let message =
                format!("`{thread}` is a thread of the entry `{entry}`, which has a `count`");
            return wrong(message, format!("write `{entry}{rest}`, which is about all of them"));
        }
        let parts = part.map_or(PARTS.to_vec(), |part| vec![part]);
        let all: Vec<&str> = parts.iter().flat_map(|part| names(root, part)).collect();
        let before = part.map_or(String::new(), |part| format!("{part}."));
        let help = near(first, all.iter().copied()).first().map_or(
            "`check` lists the names; `machine.KEY` is for the machine".to_owned(),
            |near| format!("did you mean `{before}{near}.{rest}`?"),
        );
        let what = part
            .map_or("no scheduler, thread, lock or program of the file".to_owned(), |part| {
                format!("not among the {part} of the file")
            });
        wrong(format!("`{first}` is {what}"), help)
    }
}

/// Of a key that begins with `NAME-2`: the name, the thread, and the rest, from its dot.
fn numbered<'n, 'k>(name: &'n str, key: &'k str) -> Option<(&'n str, &'k str, &'k str)> {
    let number = key.strip_prefix(name)?.strip_prefix('-')?;
    let at = key.len() - number.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    let (thread, rest) = key.split_at(at);
    (thread.len() > name.len() + 1 && rest.starts_with('.')).then_some((name, thread, rest))
}

/// The names in a part of the file.
fn names<'n>(root: &'n Node<'_>, part: &str) -> impl Iterator<Item = &'n str> {
    let table = root.get_ref().get(part).and_then(|table| table.get_ref().as_table());
    table.into_iter().flat_map(DeTable::keys).map(|name| name.get_ref().as_ref())
}

/// The entry with whose name `key` begins, plain or in quotes: its part, its name, and the rest of the key, from its dot. A name
/// may contain dots itself, so the longest one counts.
fn owner<'n, 'k>(
    root: &'n Node<'_>,
    parts: &[&'static str],
    key: &'k str,
) -> Option<(&'static str, &'n str, &'k str)> {
    let named = |part: &'static str| {
        names(root, part).filter_map(move |name| {
            let quoted = serde_json::to_string(name).unwrap_or_default();
            let forms = [name.to_owned(), quoted, format!("'{name}'")];
            let rest = forms.iter().find_map(|form| key.strip_prefix(form.as_str()))?;
            rest.starts_with('.').then_some((part, name, rest))
        })
    };
    parts.iter().copied().flat_map(named).max_by_key(|(_, name, _)| name.len())
}

/// A value as TOML: unchanged if it is TOML, else as text. A comment is no part of a value.
fn written(value: &str) -> String {
    let alone = format!("v = {value}");
    let is_toml = parse(&alone, 0).is_ok_and(|root| match root.get_ref() {
        DeValue::Table(table) => {
            table.len() == 1 && table.values().all(|value| value.span().end == alone.len())
        }
        _ => false,
    });
    if is_toml { value.to_owned() } else { serde_json::to_string(value).unwrap_or_default() }
}

/// Refuses a line that is read too late to have an effect.
pub(crate) fn is_in_time(line: &Node<'_>) -> Result<(), ScenarioError> {
    let table = line.get_ref().as_table();
    let inherits =
        table.into_iter().flat_map(DeTable::keys).find(|key| key.get_ref() == "inherits");
    match inherits {
        None => Ok(()),
        Some(key) => {
            let message = "`inherits` cannot be set from outside";
            let help = "write it in a file, and set single values of that";
            Err(ScenarioError::new(Code::UnknownKey, message, Some(key.span())).help(help))
        }
    }
}

/// Puts the one value of `line` in its place in `root`; tables on the way to it are made where there are none. `text` is the
/// line's, in which the position `start` is the first; overrides begin at `outside`.
///
/// # Errors
/// The places of the value that another override has set, and of this one.
pub(crate) fn apply<'i>(
    root: &mut Node<'i>,
    line: Node<'i>,
    (text, start): (&str, usize),
    outside: usize,
) -> Result<(), [Range<usize>; 2]> {
    let (DeValue::Table(table), DeValue::Table(line)) = (root.get_mut(), line.into_inner()) else {
        return Ok(());
    };
    for (key, value) in line {
        // A table in braces is the value itself; one without is on the way to it.
        let braces = text.get(value.span().start - start..).is_some_and(|at| at.starts_with('{'));
        match table.get_mut(key.get_ref().as_ref()) {
            Some(old) if !braces && old.get_ref().is_table() && value.get_ref().is_table() => {
                apply(old, value, (text, start), outside)?;
            }
            old => {
                if let Some(before) = old.and_then(|old| set_at(old, outside)) {
                    return Err([before, value.span()]);
                }
                table.insert(key, value);
            }
        }
    }
    Ok(())
}

/// Where an override has set something of a value.
fn set_at(value: &Node<'_>, outside: usize) -> Option<Range<usize>> {
    match value.get_ref() {
        _ if value.span().start >= outside => Some(value.span()),
        DeValue::Table(table) => table.values().find_map(|value| set_at(value, outside)),
        _ => None,
    }
}
