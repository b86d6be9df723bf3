//! Rewrites a scenario file of an earlier version: the words that were renamed, and nothing else (decision 0016).
//!
//! Each word is replaced where the TOML reader found it, so comments, order and layout stay.

use crate::diagnostic::{Code, Diagnostics, ScenarioError};
use crate::renamed::{SETTINGS, renamed};
use crate::resolve::{SCHEMA, file, many, origin};
use crate::tree::{self, Node};
use std::ops::Range;
use toml::de::DeValue;

/// The result of migrating a file of an earlier version.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Migrated {
    /// The whole text.
    pub text: String,
    /// Each word that was replaced: its line, from 1, what it was and what it is.
    pub changes: Vec<(usize, String, String)>,
}

/// Rewrites the text of a file, called `name` in mistakes; `None` when it has the present version.
///
/// # Errors
/// The file is no TOML, or of an unknown version; with places.
pub fn migrate(name: &str, text: &str) -> Result<Option<Migrated>, Diagnostics> {
    let origin = origin(vec![file(name, text, 0)]);
    let root = tree::parse(text, 0);
    let root = root.map_err(|mistakes| many(&origin, mistakes))?;
    let mut edits = Vec::new();
    match version(&root) {
        Ok((version, _)) if version == SCHEMA => return Ok(None),
        Ok((1, place)) => edits.push((place, SCHEMA.to_string())),
        Ok((other, place)) => {
            let mistake = ScenarioError::new(
                Code::SchemaVersion,
                format!("schema {other} is not known"),
                Some(place),
            );
            let help = format!("this program rewrites schema 1 to schema {SCHEMA}");
            return Err(Diagnostics::single(&origin, mistake.help(help)));
        }
        Err(place) => {
            let mistake = ScenarioError::new(
                Code::SchemaVersion,
                "`schema`, the version of the file, is missing or no number",
                Some(place),
            );
            let help = format!(
                "a scenario file begins with `schema = {SCHEMA}`, one of an earlier version with `schema = 1`; \
                 `windfall new audio` writes an example"
            );
            return Err(Diagnostics::single(&origin, mistake.help(help)));
        }
    }
    for settings in tables_of_settings(&root) {
        rename(settings, &mut edits);
    }
    edits.sort_by_key(|(place, _)| place.start);
    let (mut now, mut changes, mut from) = (String::with_capacity(text.len()), Vec::new(), 0);
    for (place, new) in edits {
        now.push_str(&text[from..place.start]);
        now.push_str(&new);
        let line = text[..place.start].matches('\n').count() + 1;
        changes.push((line, text[place.clone()].to_owned(), new));
        from = place.end;
    }
    now.push_str(&text[from..]);
    match tree::parse(&now, 0) {
        Ok(_) => Ok(Some(Migrated { text: now, changes })),
        Err(_) => Err(Diagnostics::single(&origin, both_names())),
    }
}

fn both_names() -> ScenarioError {
    let names = SETTINGS.map(|(before, now)| format!("`{before}` beside `{now}`")).join(", ");
    ScenarioError::new(
        Code::RenamedTwice,
        format!("a table has a key under both of its names: {names}"),
        None,
    )
    .help("take one of them out")
}

/// The version, and where it stands; the beginning of a file that has none.
fn version(root: &Node<'_>) -> Result<(u64, Range<usize>), Range<usize>> {
    let value = root.get_ref().get("schema").ok_or(0..0)?;
    match value.get_ref() {
        DeValue::Integer(number) => {
            let version = u64::from_str_radix(number.as_str(), number.radix());
            version.map(|version| (version, value.span())).map_err(|_| value.span())
        }
        _ => Err(value.span()),
    }
}

/// Where settings of schedulers are: in their tables, and in the schedulers that requests create.
fn tables_of_settings<'n, 'i>(root: &'n Node<'i>) -> Vec<&'n Node<'i>> {
    let mut found = Vec::new();
    if let Some(DeValue::Table(schedulers)) = root.get_ref().get("schedulers").map(Node::get_ref) {
        found.extend(schedulers.iter().map(|(_, value)| value));
    }
    if let Some(DeValue::Array(requests)) = root.get_ref().get("at").map(Node::get_ref) {
        found.extend(requests.iter().filter_map(|request| request.get_ref().get("with")));
    }
    found
}

/// Notes the keys of a table that have another name now.
fn rename(settings: &Node<'_>, edits: &mut Vec<(Range<usize>, String)>) {
    let DeValue::Table(table) = settings.get_ref() else { return };
    for (key, _) in table.iter() {
        edits.extend(renamed(key.get_ref()).map(|now| (key.span(), now.to_owned())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# tells = true\nschema   = 1 # the first\nseed = 1\nlength = \"1s\"\n\
        [schedulers.tells]\nscheduler = \"rez\" # tells\nparent = \"top\"\n  tells   = true\t# kept\n\
        [schedulers]\nb.scheduler = \"edf\"\nb.\"tells\" = false\n\
        [threads.tells]\nparent = \"tells\"\nrun = \"spin\"\n\
        [[at]]\ntime = \"0s\"\ndo = \"create\"\nname = \"c\"\nwith = { tells = true, scheduler = \"cbs\", parent = \"top\" }\n";

    #[test]
    fn law_only_the_renamed_words_change() {
        let migrated = migrate("e.toml", BEFORE).unwrap().unwrap();
        let expected = BEFORE
            .replace("schema   = 1", "schema   = 2")
            .replace("  tells   = true", "  report-deadlines   = true")
            .replace("b.\"tells\"", "b.report-deadlines")
            .replace("{ tells", "{ report-deadlines");
        assert_eq!(migrated.text, expected);
        let lines: Vec<usize> = migrated.changes.iter().map(|(line, ..)| *line).collect();
        assert_eq!(lines, [2, 8, 11, 19]);
        assert_eq!(migrate("e.toml", &migrated.text).unwrap(), None, "once is enough");
    }

    #[test]
    fn refuses_what_is_no_scenario_of_an_earlier_version() {
        for (text, said) in [
            ("seed = 1\n", "`schema`, the version of the file, is missing"),
            ("", "a scenario file begins with `schema = 2`"),
            ("schema = 3\n", "schema 3 is not known"),
            ("schema = \"1\"\n", "`schema`, the version of the file, is missing"),
            ("schema = \n", "1:10"),
            (
                "schema = 1\n[schedulers.a]\ntells = true\nreport-deadlines = true\n",
                "a key under both of its names: `tells` beside `report-deadlines`",
            ),
        ] {
            let mistakes = migrate("e.toml", text).unwrap_err().render(false);
            assert!(mistakes.contains(said), "{text}: {mistakes}");
        }
    }
}
