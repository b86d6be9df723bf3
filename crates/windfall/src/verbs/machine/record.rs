//! `windfall record [-- COMMAND...]`

use crate::cli::RecordArgs;
use crate::output::{Destinations, print_error};
use crate::{Answer, VerbError};
use std::io::Write;
use windfall_record::{Recorded, Recorder, Wanted};
use windfall_report::record;
use windfall_trace::codec::Writer;

pub(crate) fn run(args: &RecordArgs) -> Result<Answer, VerbError> {
    let mut outputs = Destinations::new(args.force.force, [])?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = outputs.claim("--output", &args.output)?;
    let name = output.name();
    if output.extension("wft") != "wft" {
        return Err(VerbError(format!(
            "windfall: recordings are written in Windfall's own form; end the name of `{name}` in `.wft`, and make \
             another form of it with `windfall export`"
        )));
    }
    outputs.keep_programs_apart()?;
    let recorder = Recorder::open()?;
    let mut writer = Writer::new(output.open()?, &recorder.header());
    let wanted = Wanted { command: args.command.clone(), length: args.length, ..Wanted::default() };
    let recorded = match recorder.run(&wanted, &mut writer) {
        Ok(recorded) => recorded,
        Err(fault) if fault.status() == 2 => return Err(fault.into()),
        Err(fault) => {
            print_error(&format!("windfall: {fault}\n"));
            return Ok(Answer::Status(fault.status()));
        }
    };
    let records = writer.records();
    if !args.json {
        print_error(&record::text(&recorded));
    }
    let mut draft = writer.finish().map_err(|error| output.write_error(&error))?;
    draft.flush().map_err(|error| output.write_error(&error))?;
    let bytes = draft.bytes();
    draft.commit()?;
    let value = || {
        let mut value = record::json(&recorded);
        value["wrote"] = name.as_str().into();
        value["records"] = records.into();
        value
    };
    let bytes = bytes.map_or(String::new(), |bytes| format!(", {bytes} bytes"));
    outputs
        .show(args.json, value, |_| format!("{}: {records} records{bytes}\n", output.wrote()))?;
    Ok(answer(&recorded))
}

/// The answer of the recorded command. One that was ended at our request has not failed.
pub(crate) fn answer(recorded: &Recorded) -> Answer {
    match recorded.answer {
        Some(answered) if !answered.requested => Answer::Status(answered.code),
        _ => Answer::Yes,
    }
}
