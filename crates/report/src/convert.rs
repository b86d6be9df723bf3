//! Whether one guarantee follows from another, and by which theorem.

use serde_json::{Value, json};
use windfall_guarantees::{Guarantee, RewriteError, Step};

/// For people.
#[must_use]
pub fn text(from: &Guarantee, to: &Guarantee, answer: &Result<Vec<Step>, RewriteError>) -> String {
    match answer {
        Ok(steps) if steps.is_empty() => format!("{from}\n  is the same\n"),
        Ok(steps) => {
            let line = |step: &Step| format!("  gives {}  ({})\n", step.gives, step.rule.name());
            format!("{from}\n{}", steps.iter().map(line).collect::<String>())
        }
        Err(why) => format!("{from}\n  does not give {to}: {why}\n"),
    }
}

/// For programs.
#[must_use]
pub fn json(from: &Guarantee, to: &Guarantee, answer: &Result<Vec<Step>, RewriteError>) -> Value {
    let step = |step: &Step| json!({ "guarantee": step.gives.to_string(), "by": step.rule.name() });
    let most = match answer {
        Err(RewriteError::TooMuch { most }) => most.map(|most| most.to_string()),
        _ => None,
    };
    json!({
        "from": from.to_string(),
        "to": to.to_string(),
        "follows": answer.is_ok(),
        "steps": answer.iter().flatten().map(step).collect::<Vec<_>>(),
        "why_not": answer.as_ref().err().map(ToString::to_string),
        "most": most,
    })
}
