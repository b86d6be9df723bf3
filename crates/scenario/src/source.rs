//! The places of a scenario's parts: files, positions, and a place for each path.
//!
//! Files are numbered one after the other in a single line of positions, so that a position alone
//! names its file, as a compiler does it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The name of the virtual files of values that are set from outside, in mistakes.
pub(crate) const OVERRIDES: &str = "--set";

/// One file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SourceFile {
    /// As the user named it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The position of its first byte.
    pub start: usize,
}

/// The files that were read, and the place of each part of the scenario in them.
///
/// Equal to any other, so that scenarios are compared by content.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    pub(crate) files: Arc<Vec<SourceFile>>,
    pub(crate) places: Arc<BTreeMap<Path, Place>>,
}

/// The places of a key and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) key: Range<usize>,
    pub(crate) value: Range<usize>,
}

/// The keys and list positions that lead to a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Path(Vec<String>);

impl Path {
    pub(crate) fn of(keys: &[&str]) -> Path {
        Path(keys.iter().map(|key| (*key).to_owned()).collect())
    }

    /// The last key.
    pub(crate) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    #[must_use]
    pub(crate) fn key(&self, key: &str) -> Path {
        let mut path = self.clone();
        path.0.push(key.to_owned());
        path
    }

    #[must_use]
    pub(crate) fn item(&self, number: usize) -> Path {
        self.key(&number.to_string())
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}

impl Eq for Origin {}

impl Origin {
    /// Whether some values were set from outside: what the files say of their own values may then be wrong.
    #[must_use]
    pub fn is_overridden(&self) -> bool {
        self.files.iter().any(|file| file.name == OVERRIDES)
    }

    /// The files, the scenario's own first; none when it was made in code.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The place of the value at the first of these paths that was written; else the innermost
    /// table around the last one, or the beginning of the file.
    pub(crate) fn find(&self, paths: &[Path]) -> Option<Range<usize>> {
        if let Some(place) = paths.iter().find_map(|path| self.places.get(path)) {
            return Some(place.value.clone());
        }
        let mut path = paths.last()?.clone();
        while path.0.pop().is_some() {
            if let Some(place) = self.places.get(&path) {
                return Some(place.key.clone());
            }
        }
        (!self.files.is_empty()).then_some(0..0)
    }

    /// Whether a value is written at a path.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.places.contains_key(path)
    }

    /// Whether a value is written below a path.
    pub(crate) fn has_below(&self, path: &Path) -> bool {
        let mut after = self.places.range(path.clone()..).map(|(other, _)| other);
        after.find(|other| *other != path).is_some_and(|other| other.0.starts_with(&path.0))
    }

    /// The places of all that is written at a path and below it.
    pub(crate) fn at_and_below(&self, path: &Path) -> impl Iterator<Item = &Place> {
        let after = self.places.range(path.clone()..);
        let inside = after.take_while(move |(other, _)| other.0.starts_with(&path.0));
        inside.map(|(_, place)| place)
    }

    /// The place of the value at a path.
    pub(crate) fn value(&self, path: &Path) -> Option<Range<usize>> {
        self.find(std::slice::from_ref(path))
    }

    /// The place of the key at a path.
    pub(crate) fn key(&self, path: &Path) -> Option<Range<usize>> {
        match self.places.get(path) {
            Some(place) => Some(place.key.clone()),
            None => self.value(path),
        }
    }
}
