//! TOML as a tree with positions: parsing, shifting by the length of another file, merging, and the map of places.

use crate::diagnostic::{Code, ScenarioError};
use crate::source::{Path, Place};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
pub(crate) type Node<'i> = Spanned<DeValue<'i>>;

/// Reads a text whose first byte has position `start`.
pub(crate) fn parse(text: &str, start: usize) -> Result<Node<'_>, Vec<ScenarioError>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        let span = table.span();
        let table = DeValue::Table(table.into_inner());
        return Ok(shifted(Spanned::new(span, table), start));
    }
    if text.trim_start().starts_with('{') {
        return Err(vec![json(text, start)]);
    }
    let mistakes = errors.iter().map(|error| {
        if error.message().contains("recurs") {
            return too_deep(text, start);
        }
        let place = error.span().unwrap_or(0..0);
        ScenarioError::new(
            Code::Syntax,
            error.message().trim().replace('\n', "; "),
            Some(shift(place, start)),
        )
    });
    Err(mistakes.collect())
}

/// No line of TOML begins with a brace, and outcomes and rt-app files do.
fn json(text: &str, start: usize) -> ScenarioError {
    let at = text.len() - text.trim_start().len();
    let message = "this is JSON, and a scenario is TOML";
    ScenarioError::new(Code::Syntax, message, Some(shift(at..at + 1, start))).help(
        "`windfall compare BEFORE AFTER` compares outcomes, `windfall import FILE.json -o FILE.toml` makes a scenario of an \
         rt-app file",
    )
}

/// Tables and lists too deep in each other, which the parser does not place: in the line with the most of them.
fn too_deep(text: &str, start: usize) -> ScenarioError {
    let depth = |line: &str| line.bytes().filter(|byte| b".[{".contains(byte)).count();
    let (mut at, mut deepest) = (0, (0, 0..0));
    for line in text.split_inclusive('\n') {
        if depth(line) > deepest.0 {
            deepest = (depth(line), at..at + 1);
        }
        at += line.len();
    }
    ScenarioError::new(
        Code::NestedTooDeep,
        "tables or lists too deep in each other",
        Some(shift(deepest.1, start)),
    )
    .help("write at most 80 levels")
}

fn shift(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn shifted(node: Node<'_>, by: usize) -> Node<'_> {
    if by == 0 {
        return node;
    }
    let span = shift(node.span(), by);
    let value = match node.into_inner() {
        DeValue::Table(table) => DeValue::Table(
            table
                .into_iter()
                .map(|(key, value)| {
                    let span = shift(key.span(), by);
                    (Spanned::new(span, key.into_inner()), shifted(value, by))
                })
                .collect(),
        ),
        DeValue::Array(mut list) => {
            for item in list.iter_mut() {
                let whole = std::mem::replace(item, Spanned::new(0..0, DeValue::Boolean(false)));
                *item = shifted(whole, by);
            }
            DeValue::Array(list)
        }
        other => other,
    };
    Spanned::new(span, value)
}

/// `own` over `base`: tables merge key by key; any other own value replaces the base's.
pub(crate) fn merge<'i>(own: Node<'i>, base: Node<'i>) -> Node<'i> {
    let span = own.span();
    match (own.into_inner(), base.into_inner()) {
        (DeValue::Table(own), DeValue::Table(base)) => {
            let mut merged: DeTable<'i> = base;
            for (key, value) in own {
                let value = match merged.remove_entry(&key) {
                    Some((_, old)) if matches!(old.get_ref(), DeValue::Table(_)) => {
                        merge(value, old)
                    }
                    _ => value,
                };
                merged.insert(key, value);
            }
            Spanned::new(span, DeValue::Table(merged))
        }
        (own, _) => Spanned::new(span, own),
    }
}

/// The places of all values in a tree.
pub(crate) fn places(root: &Node<'_>) -> BTreeMap<Path, Place> {
    let mut places = BTreeMap::new();
    collect(root, &Path::default(), &mut places);
    places
}

fn collect(node: &Node<'_>, path: &Path, places: &mut BTreeMap<Path, Place>) {
    let mut enter = |path: Path, key: Range<usize>, value: &Node<'_>| {
        let place = Place { key, value: value.span() };
        places.insert(path.clone(), place);
        collect(value, &path, places);
    };
    match node.get_ref() {
        DeValue::Table(table) => {
            for (key, value) in table.iter() {
                enter(path.key(key.get_ref()), key.span(), value);
            }
        }
        DeValue::Array(list) => {
            for (number, value) in list.iter().enumerate() {
                enter(path.item(number), value.span(), value);
            }
        }
        _ => {}
    }
}

/// Takes the table entry out whose key stands at `place`, or whose value does or holds it most
/// closely. Whether there was one.
pub(crate) fn cut(node: &mut Node<'_>, place: &Range<usize>) -> bool {
    let holds = |span: Range<usize>| span.start <= place.start && place.end <= span.end;
    match node.get_mut() {
        DeValue::Table(table) => {
            for (_, value) in table.iter_mut() {
                if value.span() != *place && cut(value, place) {
                    return true;
                }
            }
            let guilty = table
                .iter()
                .find(|(key, value)| key.span() == *place || holds(value.span()))
                .map(|(key, _)| key.clone());
            guilty.is_some_and(|key| table.remove(&key).is_some())
        }
        DeValue::Array(list) => list.iter_mut().any(|item| cut(item, place)),
        _ => false,
    }
}
