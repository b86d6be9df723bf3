//! `windfall record [-- COMMAND...]`

use crate::cli::RecordArgs;
use crate::output::{Destinations, Draft, print_error};
use crate::{Answer, VerbError};
use std::io::Write;
use windfall_record::{Recorded, Recorder, Wanted};
use windfall_report::record;
use windfall_time::Instant;
use windfall_trace::codec::Writer;
use windfall_trace::{Event, Sink};

/// Where a recording goes. It is broken as soon as nothing more can be written, or nobody reads it.
struct Tape(Writer<Draft>);

impl Sink for Tape {
    fn record(&mut self, at: Instant, event: &Event) {
        self.0.record(at, event);
    }

    fn is_broken(&self) -> bool {
        self.0.is_broken() || self.0.destination().is_left()
    }
}

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
    let mut tape = Tape(Writer::new(output.open()?, &recorder.header()));
    let wanted = Wanted { command: args.command.clone(), length: args.length, ..Wanted::default() };
    let recorded = match recorder.run(&wanted, &mut tape) {
        Ok(recorded) => recorded,
        Err(fault) if fault.status() == 2 => return Err(fault.into()),
        Err(fault) => {
            print_error(&format!("windfall: {fault}\n"));
            return Ok(Answer::Status(fault.status()));
        }
    };
    let writer = tape.0;
    let (records, broken) = (writer.records(), writer.is_broken());
    if !args.json {
        print_error(&record::text(&recorded));
    }
    let mut draft = writer.finish().map_err(|error| match broken {
        true => {
            let after = recorded.length;
            output.write_error(&format!("{error}, which ended the recording after {after}"))
        }
        false => output.write_error(&error),
    })?;
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
    outputs.show(args.json, value, |_| output.wrote(&format!(": {records} records{bytes}")))?;
    Ok(answer(&recorded))
}

/// The answer of the recorded command. One that was ended at our request has not failed.
pub(crate) fn answer(recorded: &Recorded) -> Answer {
    match recorded.answer {
        Some(answered) if !answered.requested => Answer::Status(answered.code),
        _ => Answer::Yes,
    }
}
