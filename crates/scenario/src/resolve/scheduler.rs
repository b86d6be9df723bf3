//! Schedulers, their settings and their parents.

use super::reader::Reader;
use super::setting::{self, Declared};
use crate::decode::decode;
use crate::diagnostic::{Code, ScenarioError};
use crate::file::{Lax, ParentFile, Raw, SchedulerFile, TextOr, WithRequirements, own_keys};
use crate::model::{Attachment, Parent, Scheduler, Setting};
use crate::source::Path;
use crate::suggest;
use crate::tree::Node;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use windfall_schedulers::kinds::REZ;

pub(super) fn schedulers(node: Option<Node<'_>>, reader: &mut Reader<'_>) -> Vec<Scheduler> {
    let entries = reader.named(node, "schedulers");
    entries
        .into_iter()
        .map(|(name, node)| {
            let path = Path::of(&["schedulers", &name]);
            scheduler(name, node, &path, reader)
        })
        .collect()
}

/// A key that is not one of a scheduler's own.
struct Extra {
    key: Spanned<String>,
    value: Option<Raw>,
}

pub(super) fn scheduler(
    name: String,
    node: Node<'_>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Scheduler {
    let (node, extras) = split(node);
    let file: WithRequirements<SchedulerFile> =
        decode(node, &mut reader.mistakes).unwrap_or_default();
    let WithRequirements { own: file, requirements } = file;
    let requires = reader.requirements(requirements, path);
    let example = format!("its kind, as `scheduler = \"{REZ}\"`");
    let kind = reader.need(file.scheduler, &path.key("scheduler"), &example);
    let kind = kind.unwrap_or_default();
    let settings = settings(&kind, extras, path, reader);
    let count = usize::from(reader.get(file.processors, &path.key("processors")).unwrap_or(1));
    if count == 0 {
        reader.wrong(Code::OutOfRange, &path.key("processors"), "no processors", "write 1 or more");
    }
    let owns = match (file.parent, file.parents) {
        (parent, None) => {
            let what = "`parent = \"top\"` or the name of a scheduler";
            let parent = reader.need(parent, &path.key("parent"), what);
            let own = Attachment { parent: parent_of(parent), requires };
            vec![own; count.max(1)]
        }
        (None, Some(list)) => {
            if count != 1 {
                let path = path.key("processors");
                reader.wrong(
                    Code::MisplacedKey,
                    &path,
                    "`processors` goes with `parent`",
                    "name a parent as often as there are virtual processors",
                );
            }
            if !requires.is_empty() {
                let message = "what is asked of several parents stands inside `parents`";
                let help = "write `parents = [{ parent = \"res\", share = 3 }, \"root\"]`";
                reader.wrong(Code::MisplacedKey, path, message, help);
            }
            parents(list, &path.key("parents"), reader)
        }
        (Some(_), Some(_)) => {
            let path = path.key("parents");
            reader.wrong(
                Code::ExclusiveKeys,
                &path,
                "`parent` and `parents` exclude each other",
                "leave one of them out",
            );
            Vec::new()
        }
    };
    Scheduler { name, kind, settings, owns }
}

pub(super) fn parent_of(name: Option<String>) -> Parent {
    match name.unwrap_or_default() {
        name if name == "top" => Parent::Top,
        name => Parent::Scheduler(name),
    }
}

fn parents(
    list: Vec<TextOr<WithRequirements<ParentFile>>>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Vec<Attachment> {
    let mut owns = Vec::new();
    if list.is_empty() {
        reader.wrong(Code::TooFewParents, path, "no parents", "name at least one");
    }
    for (number, entry) in list.into_iter().enumerate() {
        let path = path.item(number);
        let file = match entry {
            TextOr::Text(raw) => {
                let own = Attachment {
                    parent: parent_of(reader.get(Some(Lax::from_raw(&raw)), &path)),
                    requires: crate::model::Requirements::default(),
                };
                owns.push(own);
                continue;
            }
            TextOr::Table(file) => file,
        };
        let requires = reader.requirements(file.requirements, &path);
        let what = "`parent = \"top\"` or the name of a scheduler";
        let parent = reader.need(file.own.parent, &path.key("parent"), what);
        owns.push(Attachment { parent: parent_of(parent), requires });
    }
    owns
}

fn split(node: Node<'_>) -> (Node<'_>, Vec<Extra>) {
    let span = node.span();
    let DeValue::Table(table) = node.get_ref() else {
        return (node, Vec::new());
    };
    let mut own = DeTable::new();
    let mut extras = Vec::new();
    for (key, value) in table.iter() {
        if own_keys().any(|own| own == key.get_ref()) {
            own.insert(key.clone(), value.clone());
        } else {
            extras.push(Extra {
                key: Spanned::new(key.span(), key.get_ref().clone().into_owned()),
                value: decode(value.clone(), &mut Vec::new()),
            });
        }
    }
    (Spanned::new(span, DeValue::Table(own)), extras)
}

fn settings(
    kind: &str,
    extras: Vec<Extra>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Vec<(String, Setting)> {
    let Some(kind) = reader.catalogue.find(kind) else {
        if !kind.is_empty() {
            let names: Vec<&str> = reader.catalogue.kinds().map(|kind| kind.name).collect();
            let place = reader.origin.value(&path.key("scheduler"));
            let mistake =
                ScenarioError::new(Code::UnknownKind, format!("unknown scheduler `{kind}`"), place);
            let help = suggest::hint(kind, names.iter().copied());
            reader.mistakes.push(mistake.help(help));
        }
        return Vec::new();
    };
    let of = Declared { name: kind.name, settings: kind.settings, others: own_keys() };
    let extras = extras.into_iter().map(|Extra { key, value }| {
        let span = key.span();
        (key.into_inner(), Some(span), value)
    });
    setting::read(&of, extras, path, reader)
}
