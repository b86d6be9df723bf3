//! The members of one object: looked up by name and marked as used; the rest is reported.

use super::json::{Member, Node, Place, Value};
use super::{Duplicates, EntryError, limits};
use std::cmp::Ordering;
use windfall_time::Span;

/// Collects errors and warnings.
pub(super) struct Findings {
    pub(super) errors: Vec<EntryError>,
    pub(super) warnings: Vec<EntryError>,
    pub(super) duplicates: Duplicates,
}

/// An object being read.
pub(super) struct Keys<'a> {
    members: Vec<(&'a Member, bool)>,
    place: Place,
    /// Its description, for messages: `task \`a\``.
    what: String,
}

impl Findings {
    pub(super) fn refuse(&mut self, place: Place, text: impl Into<String>) {
        self.errors.push(place.problem(text));
    }

    pub(super) fn warn(&mut self, place: Place, text: impl Into<String>) {
        match self.warnings.len().cmp(&limits::MOST_WARNINGS) {
            Ordering::Less => self.warnings.push(place.problem(text)),
            Ordering::Equal => {
                self.refuse(place, limits::too_doubtful());
                self.warnings.push(place.problem(text));
            }
            Ordering::Greater => {}
        }
    }

    /// The members of an object, with duplicates treated as requested and reported.
    pub(super) fn open<'a>(&mut self, node: &'a Node, what: &str) -> Option<Keys<'a>> {
        let Value::Object(all) = &node.value else {
            let kind = node.value.kind();
            self.refuse(node.place, format!("{what} is {kind}; write an object: {{ ... }}"));
            return None;
        };
        let mut members: Vec<&Member> = Vec::with_capacity(all.len());
        let mut places = std::collections::HashMap::new();
        for member in all {
            match places.entry(member.key.as_str()) {
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(members.len());
                    members.push(member);
                }
                std::collections::hash_map::Entry::Occupied(place) => {
                    let first = members[*place.get()].place.line;
                    self.warn(member.place, self.twice(&member.key, first, member.place.line));
                    match self.duplicates {
                        Duplicates::InOrder => members.push(member),
                        Duplicates::JsonC => members[*place.get()] = member,
                    }
                }
            }
        }
        let members = members.into_iter().map(|member| (member, false)).collect();
        Some(Keys { members, place: node.place, what: what.to_owned() })
    }

    fn twice(&self, key: &str, first: u32, again: u32) -> String {
        let chosen = match self.duplicates {
            Duplicates::InOrder => "read here in order, each in its place (as workgen does)",
            Duplicates::JsonC => "read here as rt-app does",
        };
        format!(
            "`{key}` is given again; {chosen}; rt-app alone keeps the place of line {first} \
             with the value of line {again}"
        )
    }
}

impl<'a> Keys<'a> {
    pub(super) fn place(&self) -> Place {
        self.place
    }

    pub(super) fn what(&self) -> &str {
        &self.what
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.members.iter().any(|(member, _)| member.key == key)
    }

    /// The line of `key`; of the last, if there are several.
    pub(super) fn line(&self, key: &str) -> Option<u32> {
        let lines = self.members.iter().filter(|(member, _)| member.key == key);
        lines.map(|(member, _)| member.place.line).next_back()
    }

    /// The value of `key`; the last, if there are several.
    pub(super) fn take(&mut self, key: &str) -> Option<&'a Node> {
        let mut found = None;
        for (member, used) in &mut self.members {
            if member.key == key {
                *used = true;
                found = Some(&member.node);
            }
        }
        found
    }

    /// All unused members that `wanted` accepts, in order.
    pub(super) fn take_all(&mut self, wanted: impl Fn(&str) -> bool) -> Vec<&'a Member> {
        let mut found = Vec::new();
        for (member, used) in &mut self.members {
            if !*used && wanted(&member.key) {
                *used = true;
                found.push(*member);
            }
        }
        found
    }

    pub(super) fn integer(&mut self, key: &str, f: &mut Findings) -> Option<(i64, Place)> {
        let node = self.take(key)?;
        Some((integer(node, key, f)?, node.place))
    }

    /// An integer that fits `T`; `range` describes the allowed values.
    pub(super) fn small<T: TryFrom<i64>>(
        &mut self,
        key: &str,
        range: &str,
        f: &mut Findings,
    ) -> Option<T> {
        let (value, place) = self.integer(key, f)?;
        let small = T::try_from(value).ok();
        if small.is_none() {
            f.refuse(place, format!("`{key}` is {value}; allowed: {range}"));
        }
        small
    }

    /// Microseconds.
    pub(super) fn span(&mut self, key: &str, f: &mut Findings) -> Option<Span> {
        span(self.take(key)?, key, f)
    }

    /// A text; numbers and truths are taken as they are written.
    pub(super) fn text(&mut self, key: &str, f: &mut Findings) -> Option<String> {
        text(self.take(key)?, key, f)
    }

    pub(super) fn truth(&mut self, key: &str, f: &mut Findings) -> Option<bool> {
        let node = self.take(key)?;
        match &node.value {
            Value::Bool(truth) => Some(*truth),
            Value::Number(number) if number == "0" => Some(false),
            Value::Number(number) if number == "1" => Some(true),
            other => {
                let kind = other.kind();
                f.refuse(node.place, format!("`{key}` is {kind}; allowed: true, false"));
                None
            }
        }
    }

    /// Numbers below `most`.
    pub(super) fn integers(&mut self, key: &str, most: u32, f: &mut Findings) -> Option<Vec<u32>> {
        let node = self.take(key)?;
        let one;
        let nodes = match &node.value {
            Value::List(nodes) => nodes.as_slice(),
            Value::Number(_) => {
                one = [node.clone()];
                &one
            }
            other => {
                let kind = other.kind();
                f.refuse(node.place, format!("`{key}` is {kind}; write a list: [0, 1]"));
                return None;
            }
        };
        let mut numbers = Vec::new();
        for node in nodes {
            let value = integer(node, key, f)?;
            let Some(number) = u32::try_from(value).ok().filter(|number| *number < most) else {
                let text = format!("`{key}` holds {value}; allowed: 0 to {}", most - 1);
                f.refuse(node.place, text);
                return None;
            };
            numbers.push(number);
        }
        Some(numbers)
    }

    /// The rest is unknown: refused when it is similar to one of `known`, else reported as a warning.
    pub(super) fn close(self, known: &[&str], f: &mut Findings) {
        for (member, used) in self.members {
            if used {
                continue;
            }
            let key = &member.key;
            if let Some(near) = nearest(key, known) {
                let text = format!(
                    "unknown key `{key}` in {}, which rt-app would ignore; did you mean `{near}`?",
                    self.what
                );
                f.refuse(member.place, text);
            } else {
                let text = format!("unknown key `{key}` in {}; ignored, as rt-app does", self.what);
                f.warn(member.place, text);
            }
        }
    }
}

pub(super) fn integer(node: &Node, key: &str, f: &mut Findings) -> Option<i64> {
    if let Value::Number(number) = &node.value
        && let Ok(value) = number.strip_prefix('+').unwrap_or(number).parse()
    {
        return Some(value);
    }
    let found = match &node.value {
        Value::Number(number) => number.as_str(),
        other => other.kind(),
    };
    f.refuse(node.place, format!("`{key}` is {found}; write a whole number"));
    None
}

/// Microseconds.
pub(super) fn span(node: &Node, key: &str, f: &mut Findings) -> Option<Span> {
    let value = integer(node, key, f)?;
    let span = u64::try_from(value).ok().and_then(Span::from_micros);
    if span.is_none() {
        let text = format!("`{key}` is {value}; allowed: 0 to 18446744073709551 microseconds");
        f.refuse(node.place, text);
    }
    span
}

pub(super) fn text(node: &Node, key: &str, f: &mut Findings) -> Option<String> {
    match &node.value {
        Value::Text(text) | Value::Number(text) => Some(text.clone()),
        Value::Bool(truth) => Some(truth.to_string()),
        other => {
            let kind = other.kind();
            f.refuse(node.place, format!("`{key}` is {kind}; write a text in quotes"));
            None
        }
    }
}

/// The known key of which `key` is probably a misspelling: at most two letters differ, and fewer than
/// a third of them.
pub(super) fn nearest<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|known| (distance(key, known), *known)).min()?;
    let longest = key.chars().count().max(near.1.len());
    (near.0 <= 2 && 3 * near.0 <= longest).then_some(near.1)
}

/// Letters to insert, remove or change to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
