//! Threads that share a row of a comparison: many whose names differ by their number alone, and whose figures changed in the same direction.
//!
//! Invariant: in no sum of a row does one thread's change make up for another's.

use super::difference;
use super::outcomes::{COLUMNS, Pair};
use crate::rows::{FEW, alike};
use crate::terminal::{short, threads};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use windfall_time::Span;

/// Threads that share a row: one, or many.
pub(super) struct Shared<'a>(Vec<Pair<'a>>);

/// The pairs that are shown, in the order of the first of each row.
pub(super) fn shared<'a>(pairs: &[Pair<'a>]) -> Vec<Shared<'a>> {
    let mut rows: BTreeMap<_, Vec<Pair<'a>>> = BTreeMap::new();
    for pair in pairs {
        rows.entry(likeness(pair)).or_default().push(*pair);
    }
    rows.retain(|_, pairs| pairs.len() > FEW);
    let row = |pair: &Pair<'a>| match rows.get(&likeness(pair)) {
        None => Some(Shared(vec![*pair])),
        Some(all) => (all[0].name == pair.name).then(|| Shared(all.clone())),
    };
    pairs.iter().filter_map(row).collect()
}

/// The name without its number, and in which direction each column changed.
fn likeness<'a>(pair: &Pair<'a>) -> (&'a str, Vec<Option<Ordering>>) {
    let changed = |(_, key): &(&str, &str)| Some(pair.number(0, key)?.cmp(&pair.number(1, key)?));
    (alike(pair.name), COLUMNS.iter().map(changed).collect())
}

impl Shared<'_> {
    pub(super) fn name(&self) -> String {
        match self.0.as_slice() {
            [one] => one.name.to_owned(),
            all => threads(alike(all[0].name), all.len()),
        }
    }

    /// A sum; of several response times the longest, since quantiles do not add.
    fn number(&self, side: usize, key: &str) -> Option<u64> {
        let mut numbers = self.0.iter().filter_map(|pair| pair.number(side, key));
        match self.0.len() {
            1 => numbers.next(),
            _ if key == "/response_ns/max" => numbers.max(),
            _ if key.starts_with("/response_ns/") => None,
            _ => Some(numbers.fold(0, u64::saturating_add)),
        }
    }

    /// A row for each outcome, and one for how far they are apart.
    pub(super) fn rows(&self) -> [Vec<String>; 3] {
        let dash = || "-".to_owned();
        let cell = |side: usize, key: &str| match self.number(side, key) {
            Some(ns) if key.ends_with("_ns") || key.contains("_ns/") => short(Span::from_nanos(ns)),
            Some(count) => count.to_string(),
            None => dash(),
        };
        let apart = |key: &str| {
            let both = self.number(0, key).zip(self.number(1, key));
            both.map_or_else(dash, |(one, other)| difference(one, other))
        };
        let row = |name: &str, what: &str, cells: &dyn Fn(&str) -> String| {
            let cells = COLUMNS.iter().map(|(_, key)| cells(key));
            [name.to_owned(), what.to_owned()].into_iter().chain(cells).collect()
        };
        [
            row(&self.name(), "first", &|key| cell(0, key)),
            row("", "second", &|key| cell(1, key)),
            row("", "difference", &apart),
        ]
    }
}
