//! The reference of all keys of a scenario file as Markdown, made from the schema, so from the types that read it.

use crate::Catalogues;
use crate::file::ScenarioFile;
use serde_json::{Map, Value};
use std::fmt::Write;
use windfall_schedulers::catalogue::{KINDS, Setting};

const HEAD: &str = "# The keys of a scenario file

Made from the types that read such files (`UPDATE_GOLDEN=1 cargo test -p windfall-scenario`); the same as a JSON schema for editors:
`scenario.schema.json`, or `windfall schema`. Why the format is as it is: decision 0003.
";

/// The tables of a file in the order in which one writes them: the key, its heading.
const TABLES: [(&str, &str); 8] = [
    ("machine", "`[machine]`"),
    ("interrupts", "`[[interrupts]]`"),
    ("schedulers", "`[schedulers.NAME]`"),
    ("programs", "`[programs.NAME]`"),
    ("locks", "`[locks.NAME]`"),
    ("threads", "`[threads.NAME]`"),
    ("at", "`[[at]]`"),
    ("expect", "`[[expect]]`"),
];

const SCHEDULERS: (&str, &str) = (
    "Settings of schedulers",
    "Keys of `[schedulers.NAME]` beside those above, by the kind that `scheduler` names. Kinds that are not listed have none; \
     `windfall catalogue KIND` says what a kind takes, gives and assumes.",
);

const PROGRAMS: (&str, &str) = (
    "Kinds of programs",
    "Kinds that `kind` of `[programs.NAME]` and `program` of a thread may name, as `windfall catalogue` lists them. Crates above may \
     register more.",
);

/// All keys, with the allowed values of each; ends with a line feed.
#[must_use]
pub fn reference() -> String {
    let schema = schemars::schema_for!(ScenarioFile).to_value();
    let schema =
        Schema { definitions: table(&schema["$defs"]), root: table(&schema["properties"]) };
    let mut text = HEAD.to_owned();
    let named = |key: &str| TABLES.iter().any(|(part, _)| *part == key);
    let own = schema.root.iter().filter(|(key, _)| !named(key));
    schema.section(&mut text, "Keys of the file itself", "", own);
    let mut told = Vec::new();
    for (key, heading) in TABLES {
        if let Some(name) = schema.root.get(key).and_then(definition) {
            schema.definition(&mut text, heading, name);
            told.push(name);
        }
    }
    for name in schema.definitions.keys().map(String::as_str) {
        if !told.contains(&name) && schema.definitions[name]["properties"].is_object() {
            schema.definition(&mut text, name, name);
        }
    }
    let schedulers = KINDS.iter().map(|kind| (kind.name, kind.summary, kind.settings));
    kinds(&mut text, SCHEDULERS, schedulers.filter(|(.., settings)| !settings.is_empty()));
    let programs = Catalogues::default().programs;
    kinds(
        &mut text,
        PROGRAMS,
        programs.kinds().map(|kind| (kind.name, kind.summary, kind.settings)),
    );
    text
}

/// Kinds that have settings, in a table of their own.
fn kinds(
    text: &mut String,
    (heading, head): (&str, &str),
    kinds: impl Iterator<Item = (&'static str, &'static str, &'static [Setting])>,
) {
    let columns = "| kind | what it does | setting | value | default | meaning |\n|---|---|---|---|---|---|\n";
    // Writing to a string does not fail.
    let _ = write!(text, "\n## {heading}\n\n{head}\n\n{columns}");
    for (name, summary, settings) in kinds {
        let (mut name, mut summary) = (format!("`{name}`"), summary);
        for setting in settings {
            let (form, help) = (cell(&setting.form.to_string()), cell(setting.help));
            let (key, default) = (setting.name, setting.default);
            let _ =
                writeln!(text, "| {name} | {summary} | `{key}` | {form} | {default} | {help} |");
            (name, summary) = (String::new(), "");
        }
    }
}

struct Schema {
    definitions: Map<String, Value>,
    root: Map<String, Value>,
}

impl Schema {
    fn definition(&self, text: &mut String, heading: &str, name: &str) {
        let Some(definition) = self.definitions.get(name) else { return };
        let keys = table(&definition["properties"]);
        self.section(text, heading, &words(definition), &keys);
    }

    fn section<'k>(
        &self,
        text: &mut String,
        heading: &str,
        about: &str,
        keys: impl IntoIterator<Item = (&'k String, &'k Value)>,
    ) {
        text.push_str(&format!("\n## {heading}\n\n"));
        if !about.is_empty() {
            text.push_str(&format!("{about}\n\n"));
        }
        text.push_str("| key | value | meaning |\n|---|---|---|\n");
        for (key, value) in keys {
            let (form, meaning) = (cell(&self.form(value)), cell(&words(value)));
            // Writing to a string does not fail.
            let _ = writeln!(text, "| `{key}` | {form} | {meaning} |");
        }
    }

    /// The form of a value, in words.
    fn form(&self, value: &Value) -> String {
        if let Some(name) = value["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            return self.named(&name.replace("%20", " "));
        }
        if let Some(all) = value["anyOf"].as_array() {
            let forms = all.iter().filter(|one| one["type"] != "null").map(|one| self.form(one));
            return forms.collect::<Vec<_>>().join(", or ");
        }
        let is = |kind: &str| {
            let kinds = &value["type"];
            *kinds == kind || kinds.as_array().is_some_and(|all| all.iter().any(|one| one == kind))
        };
        if is("array") {
            return format!("a list: {}", self.form(&value["items"]));
        }
        if is("object") {
            return format!("a table of names: {}", self.form(&value["additionalProperties"]));
        }
        match (&value["minimum"], &value["maximum"]) {
            _ if is("string") => "a text in quotes".to_owned(),
            (Value::Number(least), Value::Number(most)) => {
                format!("a whole number from {least} to {most}")
            }
            _ => "a whole number".to_owned(),
        }
    }

    /// The definition of that name.
    fn named(&self, name: &str) -> String {
        let Some(definition) = self.definitions.get(name) else { return name.to_owned() };
        if definition["properties"].is_object() {
            let heading = TABLES
                .iter()
                .find(|(key, _)| self.root.get(*key).and_then(self::definition) == Some(name));
            let heading = heading.map_or(name, |(_, heading)| heading);
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | ' ');
            let anchor: String = heading.to_lowercase().chars().filter(kept).collect();
            return format!("a table: [{heading}](#{})", anchor.replace(' ', "-"));
        }
        match words(definition) {
            words if words.is_empty() => self.form(definition),
            words => words,
        }
    }
}

/// The definition that the entries of a table or a list have, or the value itself.
fn definition(value: &Value) -> Option<&str> {
    let inner = [&value["additionalProperties"], &value["items"], value];
    let of_any = value["anyOf"].as_array().into_iter().flatten();
    let all = inner.into_iter().chain(of_any).find_map(|one| one["$ref"].as_str());
    all?.strip_prefix("#/$defs/")
}

fn table(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// The description from the types, on one line.
fn words(value: &Value) -> String {
    value["description"].as_str().unwrap_or_default().replace('\n', " ")
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
