//! The version of the format, which each file that is read has to have.

use super::Reader;
use crate::catalogues::Catalogues;
use crate::decode::decode;
use crate::diagnostic::{Code, ScenarioError};
use crate::file::{HeadFile, Lax};
use crate::source::{Origin, Path, SourceFile};
use crate::tree::{self, Node};
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The version of the format.
pub(crate) const SCHEMA: u64 = 2;
const KEY: &str = "schema";

/// Reports a version that is not read.
pub(super) fn version(version: Option<Lax<u64>>, reader: &mut Reader<'_>) {
    let path = Path::of(&[KEY]);
    let Some(other) = reader.get(version, &path).filter(|version| *version != SCHEMA) else {
        return;
    };
    let place = reader.origin.value(&path);
    let (message, help) = match other {
        0 => (format!("there is no schema {other}"), format!("this program reads schema {SCHEMA}")),
        1 => (
            format!("schema {other} is not read any more"),
            "`windfall migrate FILE` rewrites it, comments and all".to_owned(),
        ),
        _ => (
            format!("schema {other} is newer than this program"),
            format!("this program reads schema {SCHEMA}; a newer one may read the file"),
        ),
    };
    let mistake = ScenarioError::new(Code::SchemaVersion, message, place);
    reader.mistakes.push(mistake.help(help));
}

/// Reports a version that is not read, or that there is none.
pub(super) fn needed(version: Option<Lax<u64>>, reader: &mut Reader<'_>) {
    if version.is_none() {
        reader.missing(&Path::of(&[KEY]), "`schema = 2`");
    }
    self::version(version, reader);
}

/// Mistakes in the version of one file of several. A version that is absent is that of the other file.
pub(super) fn of_one(
    root: &Node<'_>,
    files: &Arc<Vec<SourceFile>>,
    catalogues: &Catalogues,
) -> Vec<ScenarioError> {
    let mut head = DeTable::new();
    if let DeValue::Table(table) = root.get_ref() {
        let found = table.iter().find(|(key, _)| key.get_ref() == KEY);
        head.extend(found.map(|(key, value)| (key.clone(), value.clone())));
    }
    let head = Spanned::new(root.span(), DeValue::Table(head));
    let origin = Origin { files: files.clone(), places: Arc::new(tree::places(&head)) };
    let mut reader = Reader::new(&origin, &catalogues.schedulers, &catalogues.programs);
    let head: HeadFile = decode(head, &mut reader.mistakes).unwrap_or_default();
    version(head.schema, &mut reader);
    reader.mistakes
}
