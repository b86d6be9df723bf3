//! Kinds of schedulers, from the heads of their own files, and kinds of programs.

use crate::terminal::{fitted, paragraph, table};
use serde_json::{Value, json};
use windfall_programs::catalogue as programs;
use windfall_schedulers::catalogue::{Kind, Setting};
use windfall_schedulers::parameters::Parameter;

/// The parts of a head that the list shows, in this order.
const SHOWN: [&str; 4] = ["Takes", "Gives", "Admits", "Assumes"];
/// Where the words of a part begin in the list.
const PART: usize = 11;

/// The head of its file.
fn head(kind: &Kind) -> impl Iterator<Item = &'static str> {
    let lines = kind.source.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line))
}

/// The lines of one part of the head, without its name.
fn part(kind: &Kind, name: &str) -> Vec<&'static str> {
    let mut lines = head(kind).skip_while(|line| !line.starts_with(name));
    let first = lines.next().and_then(|line| line.strip_prefix(name)).map(str::trim);
    let more = lines.take_while(|line| line.starts_with("  ")).map(str::trim);
    first.into_iter().chain(more).collect()
}

/// For people: its name, what it does, and what it takes, gives, admits and assumes.
#[must_use]
pub fn listed(kind: &Kind, width: Option<usize>) -> String {
    let mut text = format!("{}: {}\n", kind.name, kind.summary);
    for name in SHOWN {
        if let Some(width) = width {
            let words = part(kind, name).join(" ");
            text.push_str(&paragraph(&format!("  {name}"), PART, &words, width));
            continue;
        }
        for (at, line) in part(kind, name).into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            text.push_str(&format!("  {name:<8} {line}\n"));
        }
    }
    text
}

/// For people: a kind of program, and what it does.
#[must_use]
pub fn listed_program(kind: &programs::Kind, width: Option<usize>) -> String {
    match width {
        Some(width) => paragraph(&format!("{}: ", kind.name), 2, kind.summary, width),
        None => format!("{}: {}\n", kind.name, kind.summary),
    }
}

/// For people: a kind of program with its settings.
#[must_use]
pub fn described_program(kind: &programs::Kind, width: Option<usize>) -> String {
    let how = format!(
        "In a scenario: program = {{ kind = \"{}\" }}, with these settings beside it.",
        kind.name
    );
    let mut text = listed_program(kind, width);
    text.push_str(&fitted(&how, width));
    text.push_str(&settings_table(kind.settings, width));
    text
}

/// For programs: a kind of program.
#[must_use]
pub fn program_json(kind: &programs::Kind) -> Value {
    json!({
        "name": kind.name, "summary": kind.summary, "settings": settings_json(kind.settings),
    })
}

fn settings_json(settings: &[Setting]) -> Vec<Value> {
    let one = |setting: &Setting| {
        json!({
            "name": setting.name, "allowed": setting.form.brief(), "default": setting.default,
            "help": setting.help,
        })
    };
    settings.iter().map(one).collect()
}

/// The settings of a kind, after an empty line.
fn settings_table(settings: &[Setting], width: Option<usize>) -> String {
    if settings.is_empty() {
        return "\nNo settings.\n".to_owned();
    }
    let row = |setting: &Setting| {
        let (default, help) = (setting.default.to_owned(), setting.help.to_owned());
        vec![setting.name.to_owned(), setting.form.brief(), default, help]
    };
    let rows = settings.iter().map(row).collect();
    format!("\n{}", table(&["SETTING", "ALLOWED", "DEFAULT", "WHAT IT DOES"], 4, rows, width))
}

/// For programs.
#[must_use]
pub fn json(kind: &Kind) -> Value {
    let parts = SHOWN.map(|name| (name.to_lowercase(), part(kind, name).join(" ")));
    let settings = settings_json(kind.settings);
    let told = kind
        .takes
        .iter()
        .map(|told| json!({ "name": told.key, "default": told.default, "help": told.help }));
    let mut value = json!({
        "name": kind.name, "summary": kind.summary, "settings": settings,
        "parameters": told.collect::<Vec<_>>(),
    });
    for (name, part) in parts {
        value[name] = part.into();
    }
    value
}

/// Lines of a head; where a width is given, paragraphs and parts are broken anew.
fn reflowed<'a>(head: impl Iterator<Item = &'a str>, width: Option<usize>) -> String {
    let Some(width) = width else { return head.map(|line| line.to_owned() + "\n").collect() };
    let part = |line: &str| line.find("  ").filter(|at| *at > 0 && !line[..*at].contains(' '));
    let mut blocks: Vec<String> = Vec::new();
    let mut ended = true;
    for line in head {
        match blocks.last_mut() {
            Some(block) if !ended && part(line).is_none() && !line.is_empty() => {
                block.push(' ');
                block.push_str(line.trim_start());
            }
            _ => blocks.push(line.to_owned()),
        }
        ended = line.is_empty();
    }
    let shown = |block: &String| match part(block) {
        Some(_) => fitted(block, Some(width)),
        None => paragraph("", 0, block, width),
    };
    blocks.iter().map(shown).collect()
}

/// For people: the head of its file, then its settings, and the parameters of its children.
#[must_use]
pub fn described(kind: &Kind, width: Option<usize>) -> String {
    let mut text = reflowed(head(kind), width);
    text.push_str(&settings_table(kind.settings, width));
    if !kind.takes.is_empty() {
        let row =
            |told: &&Parameter| [told.key, told.default, told.help].map(str::to_owned).to_vec();
        let rows = kind.takes.iter().map(row).collect();
        text.push('\n');
        text.push_str(&table(&["CHILD PARAMETER", "DEFAULT", "WHAT IT MEANS"], 3, rows, width));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use windfall_scenario::Catalogues;

    #[test]
    fn law_a_program_is_listed_in_the_same_words_at_every_width() {
        let programs = Catalogues::default().programs;
        for kind in programs.kinds() {
            let plain = listed_program(kind, None);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            for width in [20, 60, 400] {
                let text = listed_program(kind, Some(width));
                assert_eq!(words(&text), words(&plain), "{width}: {text}");
            }
        }
    }
}
