//! The findings of the suite as text for people and as JSON for programs and for a later `--against`.

use super::found::{Better, Level, Metric, Sentence};
use super::suite::Validation;
use serde_json::{Value, json};
use windfall_report::terminal::{paragraph, table};

/// Lines are folded to this where the width is not known.
const WIDTH: usize = 100;

const fn head(level: Level) -> &'static str {
    match level {
        Level::Fault => "FAULT    ",
        Level::Answer => "         ",
        Level::Warning => "warning  ",
        Level::Fact => "         ",
    }
}

/// As text: the sentences first, then a part after the other.
#[must_use]
pub fn text(validation: &Validation, width: Option<usize>) -> String {
    let wide = width.unwrap_or(WIDTH);
    let mut text = format!("{}\n\n", validation.machine);
    for (_, Sentence { level, text: said, remedies }) in validation.sentences() {
        text.push_str(&paragraph(head(*level), 9, said, wide));
        for remedy in remedies {
            text.push_str(&paragraph("         -> ", 12, remedy, wide));
        }
    }
    for part in &validation.parts {
        text.push_str(&format!("\n{}: {}\n", part.name, part.title));
        for line in &part.found.circumstances {
            text.push_str(&paragraph("Measured: ", 10, line, wide));
        }
        for one in part.found.tables.iter().filter(|table| !table.rows.is_empty()) {
            let head: Vec<&str> = one.head.iter().map(String::as_str).collect();
            text.push_str(&format!("\n{}\n", one.title));
            text.push_str(&table(&head, one.words, one.rows.clone(), width));
        }
    }
    let mut undone = validation.undone().peekable();
    if undone.peek().is_some() {
        text.push_str("\nNot measured\n");
    }
    for one in undone {
        text.push_str(&paragraph("  ", 4, &format!("{}: {}", one.what, one.why), wide));
    }
    text
}

fn sentence(part: &str, sentence: &Sentence) -> Value {
    json!({
        "level": sentence.level.name(),
        "part": part,
        "text": sentence.text,
        "remedies": sentence.remedies,
    })
}

fn metric(metric: &Metric) -> Value {
    json!({
        "name": metric.name,
        "value": metric.value,
        "unit": metric.unit.name(),
        "better": match metric.better { Better::Lower => "lower", Better::Higher => "higher" },
        "noise_percent": metric.noise,
        "noise_least": metric.least,
    })
}

/// As JSON.
#[must_use]
pub fn json(validation: &Validation) -> Value {
    let parts = validation.parts.iter().map(|part| {
        let tables =
            part.found.tables.iter().map(
                |table| json!({ "title": table.title, "head": table.head, "rows": table.rows }),
            );
        let raw = part.found.raw.iter().map(|raw| json!({ "name": raw.name, "text": raw.text }));
        json!({
            "name": part.name,
            "title": part.title,
            "question": part.question,
            "measured": part.found.circumstances,
            "tables": tables.collect::<Vec<_>>(),
            "raw": raw.collect::<Vec<_>>(),
        })
    });
    let sentences = validation.sentences();
    json!({
        "machine": validation.machine,
        "for_ns": validation.length.as_nanos(),
        "quick": validation.quick,
        "stopped": validation.is_stopped,
        "sound": validation.is_sound(),
        "sentences": sentences.iter().map(|(part, one)| sentence(part, one)).collect::<Vec<_>>(),
        "metrics": validation.metrics().map(metric).collect::<Vec<_>>(),
        "parts": parts.collect::<Vec<_>>(),
        "undone": validation.undone().map(|one| json!({ "what": one.what, "why": one.why })).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::found::Found;
    use super::super::suite::PartFound;
    use super::*;
    use crate::findings::{Raw, record};
    use windfall_time::Span;

    #[test]
    fn law_json_has_the_numbers_of_the_pictures_and_whether_it_was_ended() {
        let raw = vec![Raw::csv("validate-speed", "processor,task_ns", [record![1, 12]])];
        let found = Found { raw, ..Found::default() };
        let part = PartFound { name: "speed", title: "", question: "", found };
        let validation = Validation {
            machine: "a machine".to_owned(),
            length: Span::from_secs(1),
            quick: true,
            parts: vec![part],
            compared: Vec::new(),
            is_stopped: true,
        };
        let json = json(&validation);
        assert_eq!(json["stopped"], true);
        let raw = &json["parts"][0]["raw"][0];
        assert_eq!(raw["name"], "validate-speed.csv");
        assert_eq!(raw["text"], "processor,task_ns\n1,12\n");
    }
}
