//! Settings of a kind, of schedulers as of programs.

use super::reader::Reader;
use crate::decode::unknown_key;
use crate::diagnostic::Code;
use crate::file::Raw;
use crate::model::Setting;
use crate::source::Path;
use std::ops::Range;
use windfall_schedulers::catalogue::{self, Form, Value};

/// The keys that a table may have.
pub(super) struct Declared<I> {
    /// The kind.
    pub(super) name: &'static str,
    /// The settings of the kind.
    pub(super) settings: &'static [catalogue::Setting],
    /// Other keys of the same table, which are read elsewhere.
    pub(super) others: I,
}

/// Settings in alphabetical order; each comes with its name, its place, and the written value, if that was a scalar.
pub(super) fn read(
    of: &Declared<impl Iterator<Item = &'static str> + Clone>,
    written: impl IntoIterator<Item = (String, Option<Range<usize>>, Option<Raw>)>,
    path: &Path,
    reader: &mut Reader<'_>,
) -> Vec<(String, Setting)> {
    let mut settings = Vec::new();
    for (name, place, value) in written {
        let Some(known) = of.settings.iter().find(|setting| setting.name == name) else {
            let allowed = of.settings.iter().map(|setting| setting.name);
            let mistake = unknown_key(&name, allowed.chain(of.others.clone()), place);
            reader.mistakes.push(mistake);
            continue;
        };
        match value.and_then(|raw| setting(known.form, &raw)) {
            Some(setting) => settings.push((name, setting)),
            None => {
                let message = format!("`{name}` of `{}` is out of range", of.name);
                let help = format!("write {}; {}", known.form, known.help);
                reader.wrong(Code::OutOfRange, &path.key(&name), message, &help);
            }
        }
    }
    settings.sort_by(|(a, _), (b, _)| a.cmp(b));
    settings
}

/// A value in the form that a setting has; `None` when it has not.
fn setting(form: Form, raw: &Raw) -> Option<Setting> {
    let (value, setting) = match (form, raw) {
        (Form::Span, Raw::Text(text)) => {
            let span = text.parse().ok()?;
            (Value::Span(span), Setting::Span(span))
        }
        (_, Raw::Integer(n)) => (Value::Integer(*n), Setting::Integer(*n)),
        (_, Raw::Bool(b)) => (Value::Bool(*b), Setting::Bool(*b)),
        (_, Raw::Text(text)) => (Value::Word(text), Setting::Word(text.clone())),
        _ => return None,
    };
    form.allows(value).then_some(setting)
}
