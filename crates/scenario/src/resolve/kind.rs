//! Programs of a kind: `kind` and its settings, in `[programs.NAME]` or in a thread's `program`.

use super::reader::Reader;
use super::setting::{self, Declared};
use crate::diagnostic::{Code, ScenarioError};
use crate::file::{KindFile, Lax, ProgramFile, Raw};
use crate::model::Run;
use crate::source::Path;
use crate::suggest;

/// The key that names the kind.
pub(super) const KIND: &str = "kind";

/// The program that the keys of a kind describe.
pub(super) fn program(mut file: KindFile, path: &Path, reader: &mut Reader<'_>) -> Option<Run> {
    let named = file.0.remove(KIND);
    let what = "its kind, as `kind = \"bsat-sink\"`; `windfall catalogue` lists them";
    let named = named.map(|raw| Lax::<String>::from_raw(&raw));
    let name = reader.need(named, &path.key(KIND), what)?;
    let Some(kind) = reader.programs.find(&name) else {
        let known: Vec<&str> = reader.programs.kinds().map(|kind| kind.name).collect();
        let place = reader.origin.value(&path.key(KIND));
        let message = format!("unknown kind of program `{name}`");
        let mistake = ScenarioError::new(Code::UnknownProgram, message, place);
        reader.mistakes.push(mistake.help(suggest::hint(&name, known.iter().copied())));
        return None;
    };
    let is_setting = |key: &str| kind.settings.iter().any(|setting| setting.name == key);
    let declared = ProgramFile::default().keys();
    let own = declared
        .iter()
        .map(|(key, _)| *key)
        .find(|key| !is_setting(key) && file.0.contains_key(*key));
    if let Some(own) = own {
        let message = format!("`{KIND}` and `{own}` exclude each other");
        let help = "a program is of a kind, or says itself what it runs";
        reader.wrong_key(Code::ExclusiveKeys, &path.key(own), message, help);
        return None;
    }
    let of = Declared { name: kind.name, settings: kind.settings, others: [KIND].into_iter() };
    let written: Vec<(String, Option<std::ops::Range<usize>>, Option<Raw>)> = file
        .0
        .into_iter()
        .map(|(key, value)| {
            let place = reader.origin.key(&path.key(&key));
            (key, place, Some(value))
        })
        .collect();
    let settings = setting::read(&of, written, path, reader);
    Some(Run::OfKind { kind: name, settings })
}
