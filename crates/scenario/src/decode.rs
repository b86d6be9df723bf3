//! From a tree to the file types, by serde, collecting every mistake instead of the first.
//!
//! serde stops at its first error. So the entry that caused it is reported and removed, and the
//! rest is read again, until the rest is sound.

use crate::diagnostic::{Code, ScenarioError};
use crate::renamed::renamed;
use crate::suggest;
use crate::tree::{Node, cut};
use serde::de::DeserializeOwned;
use toml::de::ValueDeserializer;

/// Reads a value; what cannot be read is reported and left out. `None` when nothing is left.
pub(crate) fn decode<T: DeserializeOwned>(
    mut node: Node<'_>,
    mistakes: &mut Vec<ScenarioError>,
) -> Option<T> {
    loop {
        let error = match T::deserialize(ValueDeserializer::from(node.clone())) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let place = error.span().unwrap_or_else(|| node.span());
        mistakes.push(explain(error.message(), place.clone()));
        if place == node.span() || !cut(&mut node, &place) {
            return None;
        }
    }
}

/// serde's words in ours.
fn explain(message: &str, place: std::ops::Range<usize>) -> ScenarioError {
    let message = message.lines().next().unwrap_or_default();
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if message.starts_with("unknown field") {
        let word = quoted.first().copied().unwrap_or_default();
        return unknown_key(word, quoted.iter().skip(1).copied(), Some(place));
    }
    match message.split_once(", expected ") {
        Some((found, wanted)) => {
            let found = found.replace("invalid type: ", "").replace("invalid length ", "length ");
            ScenarioError::new(
                Code::WrongType,
                format!("{found} does not belong here"),
                Some(place),
            )
            .help(format!("write {wanted}"))
        }
        None => ScenarioError::new(Code::WrongType, message, Some(place)),
    }
}

/// An unknown key.
pub(crate) fn unknown_key<'a>(
    word: &str,
    allowed: impl IntoIterator<Item = &'a str> + Clone,
    place: Option<std::ops::Range<usize>>,
) -> ScenarioError {
    if let Some(now) = renamed(word) {
        return ScenarioError::new(
            Code::RenamedKey,
            format!("`{word}` is called `{now}` now"),
            place,
        )
        .help(format!("write `{now}`"));
    }
    ScenarioError::new(Code::UnknownKey, format!("unknown key `{word}`"), place)
        .help(suggest::hint(word, allowed))
}
