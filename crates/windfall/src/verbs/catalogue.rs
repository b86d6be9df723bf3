//! `windfall catalogue [NAME]`

use crate::cli::CatalogueArgs;
use crate::output::show;
use crate::{Answer, VerbError};
use serde_json::{Value, json};
use windfall_report::catalogue::{self, described, listed};
use windfall_schedulers::catalogue::{KINDS, Kind, find};

pub(crate) fn run(args: &CatalogueArgs) -> Result<Answer, VerbError> {
    let kinds: Vec<&Kind> = match &args.name {
        None => KINDS.to_vec(),
        Some(name) => vec![known(name)?],
    };
    show(
        args.json,
        || json!({ "schedulers": kinds.iter().copied().map(catalogue::json).collect::<Value>() }),
        |width| match &args.name {
            Some(_) => kinds.iter().map(|kind| described(kind, width)).collect(),
            None => {
                let all = kinds.iter().map(|kind| listed(kind, width));
                all.collect::<Vec<_>>().join("\n")
            }
        },
    )?;
    Ok(Answer::Yes)
}

fn known(name: &str) -> Result<&'static Kind, VerbError> {
    find(name).ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let known = known.join(", ");
        VerbError(format!("windfall: unknown scheduler `{name}`; known: {known}"))
    })
}
