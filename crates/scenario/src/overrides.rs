//! `NAME.KEY=VALUE`: a value that is set from outside a scenario's file.
//!
//! Each one becomes a line of TOML with a place of its own, called `--set` in mistakes, and replaces the value in the file's tree
//! before anything is read from that. So it can express anything that a file can, is checked like it, and the order of entries stays.

use crate::diagnostic::{Code, ScenarioError};
use crate::suggest::near;
use crate::tree::{Node, parse};
use core::fmt;
use core::str::FromStr;
use toml::de::{DeTable, DeValue};

/// The name of the virtual file of overrides in mistakes.
pub(crate) const NAME: &str = "--set";

/// One value: `audio.guarantee=RESBH 4ms 10ms`, `machine.processors=2`, `length=5s`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Override {
    key: String,
    value: String,
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
                Ok(Override { key: key.trim().to_owned(), value: value.trim().to_owned() })
            }
            _ => Err(OverrideError),
        }
    }
}

impl Override {
    /// The equivalent line of TOML in a file with this tree.
    pub(crate) fn line(&self, root: &Node<'_>) -> Result<String, ScenarioError> {
        let value = written(&self.value);
        let Some((first, rest)) = self.key.split_once('.') else {
            return Ok(format!("{} = {value}\n", self.key));
        };
        if first == "machine" {
            return Ok(format!("machine.{rest} = {value}\n"));
        }
        let named = |part: &'static str| {
            let table = root.get_ref().get(part).and_then(|table| table.get_ref().as_table());
            table.into_iter().flat_map(DeTable::keys).map(move |name| (part, name.get_ref()))
        };
        // A name may contain dots itself, so the longest one counts; of two that are equal, the one of the later part.
        let names = || ["programs", "locks", "schedulers", "threads"].into_iter().flat_map(named);
        let owner = names()
            .filter(|(_, name)| {
                self.key.strip_prefix(name.as_ref()).is_some_and(|rest| rest.starts_with('.'))
            })
            .max_by_key(|(_, name)| name.len());
        match owner {
            Some((part, name)) => {
                let quoted = serde_json::to_string(name.as_ref()).unwrap_or_default();
                Ok(format!("{part}.{quoted}{} = {value}\n", &self.key[name.len()..]))
            }
            None => {
                let near = near(first, names().map(|(_, name)| name.as_ref())).first().map_or(
                    "`check` lists the names; `machine.KEY` is for the machine".to_owned(),
                    |near| format!("did you mean `{near}.{rest}`?"),
                );
                let message =
                    format!("`{first}` is no scheduler, thread, lock or program of the file");
                Err(ScenarioError::new(Code::UnknownName, message, None).help(near))
            }
        }
    }
}

/// A value as TOML: unchanged if it is TOML, else as text.
fn written(value: &str) -> String {
    let alone = format!("v = {value}");
    let is_toml = parse(&alone, 0).is_ok_and(|root| match root.get_ref() {
        DeValue::Table(table) => table.len() == 1,
        _ => false,
    });
    if is_toml { value.to_owned() } else { serde_json::to_string(value).unwrap_or_default() }
}

/// Puts the one value of `line` in its place in `root`; tables on the way to it are made where there are none. `text` is the
/// line's, in which the position `start` is the first.
pub(crate) fn apply<'i>(root: &mut Node<'i>, line: Node<'i>, text: &str, start: usize) {
    let (DeValue::Table(table), DeValue::Table(line)) = (root.get_mut(), line.into_inner()) else {
        return;
    };
    for (key, value) in line {
        // A table in braces is the value itself; one without is on the way to it.
        let braces = text.get(value.span().start - start..).is_some_and(|at| at.starts_with('{'));
        match table.get_mut(key.get_ref().as_ref()) {
            Some(old) if !braces && old.get_ref().is_table() && value.get_ref().is_table() => {
                apply(old, value, text, start);
            }
            _ => {
                table.insert(key, value);
            }
        }
    }
}
