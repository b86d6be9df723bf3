//! `windfall export TRACE OUT`

use crate::cli::ExportArgs;
use crate::output::{Destinations, input_name};
use crate::verbs::recording::open_recording;
use crate::{Answer, VerbError};
use serde_json::json;
use std::path::Path;
use windfall_report::export::{Exported, Form, Recorded, export};

pub(crate) fn run(args: &ExportArgs) -> Result<Answer, VerbError> {
    let inputs = std::iter::once(&args.trace).chain(&args.beside).map(|path| path.as_path());
    let mut outputs = Destinations::new(args.force.force, inputs)?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = outputs.claim("OUTPUT", &args.output)?;
    let (name, ending) = (output.name(), output.extension("pftrace"));
    let form = Form::of_ending(ending, &name, args.beside.is_some())?;
    let first = recorded(&args.trace)?;
    let beside = args.beside.as_deref().map(recorded).transpose()?;
    let mut draft = output.open()?;
    let exported = export(form, first, beside, &mut draft);
    let Exported { records, cut, .. } = exported.map_err(|why| match why.is_of_the_output() {
        true => output.write_error(&why),
        false => why.into(),
    })?;
    draft.commit()?;
    let lost = cut.as_ref().map_or_else(String::new, |why| {
        format!("LOST: the recording is incomplete ({why}); what could be read is written\n")
    });
    outputs.show(
        args.json,
        || json!({ "wrote": name, "records": records, "cut": cut }),
        |_| lost + &output.wrote(&format!(": {records} records")),
    )?;
    Ok(Answer::Yes)
}

fn recorded(path: &Path) -> Result<Recorded, VerbError> {
    let title = path.file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
    Ok(Recorded::new(input_name(path), title, open_recording(path, None)?))
}
