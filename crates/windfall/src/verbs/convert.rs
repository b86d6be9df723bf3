//! `windfall convert FROM TO`

use crate::cli::ConvertArgs;
use crate::output::show;
use crate::{Answer, VerbError};
use windfall_guarantees::{Guarantee, rewrite};
use windfall_report::convert::{json, text};

pub(crate) fn run(args: &ConvertArgs) -> Result<Answer, VerbError> {
    let (from, to) = (parse(&args.from)?, parse(&args.to)?);
    let answer = rewrite(&from, &to);
    show(args.json, || json(&from, &to, &answer), |_| text(&from, &to, &answer))?;
    Ok(if answer.is_ok() { Answer::Yes } else { Answer::No })
}

fn parse(text: &str) -> Result<Guarantee, VerbError> {
    text.parse().map_err(|why| VerbError(format!("windfall: `{text}`: {why}")))
}
