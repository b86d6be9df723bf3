//! `windfall catalogue [NAME]`

use crate::cli::CatalogueArgs;
use crate::output::show;
use crate::verbs::meant::meant;
use crate::{Answer, VerbError};
use serde_json::{Value, json};
use windfall_report::catalogue::{
    described, described_program, json, listed, listed_program, program_json,
};
use windfall_scenario::Catalogues;
use windfall_schedulers::catalogue as schedulers;

pub(crate) fn run(args: &CatalogueArgs) -> Result<Answer, VerbError> {
    let is_meant = |name: &str| args.name.as_deref().is_none_or(|meant| meant == name);
    let kinds: Vec<_> = schedulers::KINDS.iter().filter(|kind| is_meant(kind.name)).collect();
    let programs = Catalogues::default().programs;
    let of_programs: Vec<_> = programs.kinds().filter(|kind| is_meant(kind.name)).collect();
    if let (Some(name), true, true) = (&args.name, kinds.is_empty(), of_programs.is_empty()) {
        return Err(unknown(name));
    }
    show(
        args.json,
        || {
            json!({
                "schedulers": kinds.iter().map(|kind| json(kind)).collect::<Value>(),
                "programs": of_programs.iter().map(|kind| program_json(kind)).collect::<Value>(),
            })
        },
        |width| match &args.name {
            Some(_) => {
                let schedulers = kinds.iter().map(|kind| described(kind, width));
                schedulers
                    .chain(of_programs.iter().map(|kind| described_program(kind, width)))
                    .collect()
            }
            None => {
                let schedulers = kinds.iter().map(|kind| listed(kind, width));
                let programs = of_programs.iter().map(|kind| listed_program(kind, width));
                let programs = format!("Programs:\n\n{}", programs.collect::<String>());
                schedulers.chain([programs]).collect::<Vec<_>>().join("\n")
            }
        },
    )?;
    Ok(Answer::Yes)
}

fn unknown(name: &str) -> VerbError {
    let schedulers: Vec<&str> = schedulers::KINDS.iter().map(|kind| kind.name).collect();
    let programs = Catalogues::default().programs;
    let programs: Vec<&str> = programs.kinds().map(|kind| kind.name).collect();
    let known = format!("schedulers {}; programs {}", schedulers.join(", "), programs.join(", "));
    let meant = meant(name, schedulers.iter().chain(&programs).copied());
    VerbError(format!("windfall: unknown kind `{name}`; {meant}known: {known}"))
}
