//! The doctor's findings as text and JSON.

use crate::terminal::paragraph;
use serde_json::{Value, json};
use windfall_doctor::{Check, Examination, State};

/// How wide lines are where no terminal is there.
const WIDTH: usize = 100;

/// How much room findings have beside their subjects, at least.
const LEAST: usize = 30;
/// Where findings begin below their subjects.
const NARROW: usize = 6;

const fn word(state: State) -> &'static str {
    match state {
        State::Yes => "yes",
        State::Limited => "limited",
        State::No => "no",
    }
}

/// For programs.
#[must_use]
pub fn json(found: &Examination) -> Value {
    let check = |check: &Check| {
        json!({
            "purpose": check.purpose, "subject": check.subject, "state": word(check.state),
            "found": check.found, "remedy": check.remedy, "needed": check.needed,
        })
    };
    json!({
        "machine": found.machine, "ready": found.ready(),
        "checks": found.checks.iter().map(check).collect::<Vec<_>>(),
    })
}

/// For people: a block for each purpose; a line for each check, broken at `width`; remedies below.
#[must_use]
pub fn text(found: &Examination, width: Option<usize>) -> String {
    let width = width.unwrap_or(WIDTH);
    let subject = found.checks.iter().map(|check| check.subject.len()).max().unwrap_or(0);
    let beside = 2 + 9 + subject + 2;
    // Findings stand beside their subjects where there is room, else below.
    let before = if beside + LEAST > width { NARROW } else { beside };
    let mut text = paragraph("", 0, &found.machine, width);
    let mut purposes: Vec<&str> = found.checks.iter().map(|check| check.purpose).collect();
    purposes.dedup();
    let mut told = Vec::new();
    for purpose in purposes.into_iter().filter(|purpose| {
        let first = !told.contains(purpose);
        told.push(*purpose);
        first
    }) {
        text.push_str(&format!("\n{purpose}\n"));
        for check in found.checks.iter().filter(|check| check.purpose == purpose) {
            let head = format!("  {:<9}{:<subject$}", word(check.state), check.subject);
            if before == NARROW {
                text.push_str(head.trim_end());
                text.push('\n');
                text.push_str(&paragraph("", before, &check.found, width));
            } else {
                text.push_str(&paragraph(&head, before, &check.found, width));
            }
            if let Some(remedy) = &check.remedy {
                text.push_str(&paragraph("", before, &format!("> {remedy}"), width));
            }
        }
    }
    text.push('\n');
    text + &paragraph("", 0, &verdict(found), width)
}

fn verdict(found: &Examination) -> String {
    let missing: Vec<&str> = found
        .checks
        .iter()
        .filter(|check| check.needed && check.state == State::No)
        .map(|check| check.subject)
        .collect();
    if missing.is_empty() {
        return "`windfall run` works here.".to_owned();
    }
    format!(
        "`windfall run` does not work here: {}. `windfall simulate` needs none of it.",
        missing.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(state: State, needed: bool) -> Examination {
        let check = Check {
            purpose: "reservations",
            subject: "SCHED_FIFO",
            state,
            found: "Operation not permitted: no right to real-time classes (CAP_SYS_NICE)".into(),
            remedy: Some("run as root, or give the program the capability CAP_SYS_NICE".into()),
            needed,
        };
        Examination { machine: "Linux, 2 processors".to_owned(), checks: vec![check] }
    }

    #[test]
    fn law_no_line_is_wider_than_the_terminal() {
        for width in [60, 80, 120] {
            let text = text(&one(State::No, true), Some(width));
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        }
    }

    #[test]
    fn refuses_only_what_is_needed_and_missing() {
        assert!(verdict(&one(State::No, true)).contains("does not work here: SCHED_FIFO"));
        for (state, needed) in [(State::Limited, true), (State::No, false)] {
            assert!(verdict(&one(state, needed)).starts_with("`windfall run` works"));
        }
    }
}
