//! The common state of reading: the places, the mistakes so far, and access to values.

use crate::decode::decode;
use crate::diagnostic::{Code, ScenarioError};
use crate::file::{Lax, Raw, RequirementsFile, Scalar, wanted};
use crate::model::Requirements;
use crate::source::{Origin, Path};
use crate::tree::Node;
use serde::de::DeserializeOwned;
use toml::de::DeValue;
use windfall_programs::catalogue::Catalogue as Programs;
use windfall_schedulers::catalogue::Catalogue;
use windfall_time::Span;

pub(crate) struct Reader<'a> {
    pub(super) origin: &'a Origin,
    pub(super) catalogue: &'a Catalogue,
    pub(super) programs: &'a Programs,
    pub(crate) mistakes: Vec<ScenarioError>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        origin: &'a Origin,
        catalogue: &'a Catalogue,
        programs: &'a Programs,
    ) -> Reader<'a> {
        Reader { origin, catalogue, programs, mistakes: Vec::new() }
    }

    /// A value that may be absent.
    pub(crate) fn get<T: Scalar>(&mut self, value: Option<Lax<T>>, path: &Path) -> Option<T> {
        self.value(value?, path, &T::wanted())
    }

    /// A value; if it cannot be read, the mistake names the expected form.
    fn value<T>(&mut self, value: Lax<T>, path: &Path, wanted: &str) -> Option<T> {
        match value.0 {
            Ok(value) => Some(value),
            Err(why) => {
                let place = self.origin.value(path);
                let mistake = ScenarioError::new(why.code(), why.to_string(), place);
                self.mistakes.push(mistake.help(format!("write {wanted}")));
                None
            }
        }
    }

    /// A value that may not.
    pub(crate) fn need<T: Scalar>(
        &mut self,
        value: Option<Lax<T>>,
        path: &Path,
        what: &str,
    ) -> Option<T> {
        if value.is_none() {
            self.missing(path, what);
        }
        self.get(value, path)
    }

    /// Reports a missing value, unless it was present and wrong.
    pub(super) fn missing(&mut self, path: &Path, what: &str) {
        if self.origin.has(path) {
            return;
        }
        let key = path.last().to_owned();
        let place = self.origin.value(path);
        self.mistakes.push(
            ScenarioError::new(Code::MissingKey, format!("`{key}` is missing"), place)
                .help(format!("write {what}")),
        );
    }

    /// A text in a place that also accepts a table.
    pub(super) fn scalar<T: Scalar>(&mut self, raw: &Raw, path: &Path) -> Option<T> {
        self.get(Some(Lax::from_raw(raw)), path)
    }

    /// A mistake at a path.
    pub(crate) fn wrong(
        &mut self,
        code: Code,
        path: &Path,
        message: impl Into<String>,
        help: &str,
    ) {
        let place = self.origin.value(path);
        self.mistakes.push(ScenarioError::new(code, message, place).help(help));
    }

    /// A mistake at a key.
    pub(super) fn wrong_key(
        &mut self,
        code: Code,
        path: &Path,
        message: impl Into<String>,
        help: &str,
    ) {
        let place = self.origin.key(path);
        self.mistakes.push(ScenarioError::new(code, message, place).help(help));
    }

    /// Whether a value at a path was reported and left out.
    pub(crate) fn cut_from(&self, path: &Path) -> bool {
        self.origin.has_below(path)
    }

    /// A length of time above zero.
    pub(crate) fn above_zero(&mut self, span: Option<Span>, path: &Path) -> Option<Span> {
        let zero = span.is_some_and(Span::is_zero);
        if zero {
            self.wrong(Code::ZeroTime, path, "no time at all", "write a length of time above zero");
        }
        span.filter(|span| !span.is_zero())
    }

    /// The requirements at a parent.
    pub(super) fn requirements(&mut self, requires: RequirementsFile, path: &Path) -> Requirements {
        let guarantee = self.get(requires.guarantee, &path.key("guarantee"));
        let mut requested = guarantee.map(Requirements::guarantee).unwrap_or_default();
        for (parameter, value) in requires.parameters {
            let path = path.key(parameter.key);
            requested.set(parameter, self.value(value, &path, &wanted(parameter.form)));
        }
        requested
    }

    /// The entries of a list of tables. One that cannot be read is empty, so that the others keep
    /// their numbers.
    pub(super) fn list<T: DeserializeOwned + Default>(
        &mut self,
        node: Option<Node<'_>>,
        key: &str,
    ) -> Vec<T> {
        let items = self.items(node, key);
        let items = items.into_iter();
        items.map(|node| decode(node, &mut self.mistakes).unwrap_or_default()).collect()
    }

    /// The entries of a list, not decoded.
    pub(super) fn items<'i>(&mut self, node: Option<Node<'i>>, key: &str) -> Vec<Node<'i>> {
        let Some(node) = node else {
            return Vec::new();
        };
        match node.into_inner() {
            DeValue::Array(list) => list.into_iter().collect(),
            _ => {
                let help = format!("write `[[{key}]]` above each of them");
                self.wrong(
                    Code::WrongType,
                    &Path::of(&[key]),
                    format!("`{key}` is a list of tables"),
                    &help,
                );
                Vec::new()
            }
        }
    }

    /// The entries of a table of tables, by name.
    pub(super) fn named<'i>(
        &mut self,
        node: Option<Node<'i>>,
        key: &str,
    ) -> Vec<(String, Node<'i>)> {
        let Some(node) = node else {
            return Vec::new();
        };
        match node.into_inner() {
            DeValue::Table(table) => table
                .into_iter()
                .map(|(key, value)| (key.into_inner().into_owned(), value))
                .collect(),
            _ => {
                let help = format!("write `[{key}.NAME]` above each of them");
                self.wrong(
                    Code::WrongType,
                    &Path::of(&[key]),
                    format!("`{key}` is a table of tables"),
                    &help,
                );
                Vec::new()
            }
        }
    }
}
