//! `windfall convert FROM TO`: whether one guarantee follows from another, and by which theorem.

use crate::cli::ConvertArgs;
use crate::output::{document, print};
use crate::{Answer, VerbError};
use windfall_guarantees::{Guarantee, RewriteError, Step, rewrite};

pub(crate) fn run(args: &ConvertArgs) -> Result<Answer, VerbError> {
    let (from, to) = (parse(&args.from)?, parse(&args.to)?);
    let answer = rewrite(&from, &to);
    print(&match args.json {
        true => json(&from, &to, &answer),
        false => text(&from, &to, &answer),
    })?;
    Ok(if answer.is_ok() { Answer::Yes } else { Answer::No })
}

fn text(from: &Guarantee, to: &Guarantee, answer: &Result<Vec<Step>, RewriteError>) -> String {
    match answer {
        Ok(steps) if steps.is_empty() => format!("{from}\n  is the same\n"),
        Ok(steps) => {
            let line = |step: &Step| format!("  gives {}  ({})\n", step.gives, step.rule.name());
            format!("{from}\n{}", steps.iter().map(line).collect::<String>())
        }
        Err(unfit) => format!("{from}\n  does not give {to}: {unfit}\n"),
    }
}

fn json(from: &Guarantee, to: &Guarantee, answer: &Result<Vec<Step>, RewriteError>) -> String {
    let step = |step: &Step| serde_json::json!({ "guarantee": step.gives.to_string(), "by": step.rule.name() });
    let most = match answer {
        Err(RewriteError::TooMuch { most }) => most.map(|most| most.to_string()),
        _ => None,
    };
    let value = serde_json::json!({
        "from": from.to_string(),
        "to": to.to_string(),
        "follows": answer.is_ok(),
        "steps": answer.iter().flatten().map(step).collect::<Vec<_>>(),
        "why_not": answer.as_ref().err().map(ToString::to_string),
        "most": most,
    });
    document(value)
}

fn parse(text: &str) -> Result<Guarantee, VerbError> {
    text.parse().map_err(|why| VerbError(format!("windfall: `{text}`: {why}")))
}
