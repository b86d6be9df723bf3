//! `windfall catalogue [NAME]`

use crate::cli::CatalogueArgs;
use crate::output::{document, print, width};
use crate::{Answer, VerbError};
use serde_json::{Value, json};
use windfall_report::catalogue::{self, described, listed};
use windfall_schedulers::catalogue::{KINDS, Kind, find};

pub(crate) fn run(args: &CatalogueArgs) -> Result<Answer, VerbError> {
    let kinds: Vec<&Kind> = match &args.name {
        None => KINDS.to_vec(),
        Some(name) => vec![known(name)?],
    };
    let kinds = kinds.into_iter();
    print(&match (&args.name, args.json) {
        (_, true) => {
            document(json!({ "schedulers": kinds.map(catalogue::json).collect::<Value>() }))
        }
        (Some(_), false) => kinds.map(|kind| described(kind, width())).collect(),
        (None, false) => kinds.map(listed).collect::<Vec<_>>().join("\n"),
    })?;
    Ok(Answer::Yes)
}

fn known(name: &str) -> Result<&'static Kind, VerbError> {
    find(name).ok_or_else(|| {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let known = known.join(", ");
        VerbError(format!("windfall: unknown scheduler `{name}`; known: {known}"))
    })
}
