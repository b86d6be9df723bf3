//! `windfall record [-- COMMAND...]`

use crate::cli::RecordArgs;
use crate::output::{Destinations, document, print, print_error};
use crate::{Answer, VerbError};
use serde_json::{Value, json};
use std::io::Write;
use windfall_record::{Recorded, Recorder, Wanted};
use windfall_time::Span;
use windfall_trace::codec::Writer;

pub(crate) fn run(args: &RecordArgs) -> Result<Answer, VerbError> {
    if args.length.is_some_and(Span::is_zero) {
        return Err(VerbError("windfall: `--for 0s` is no time at all; write how long".to_owned()));
    }
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
        print_error(&summary(&recorded));
    }
    let mut draft = writer.finish().map_err(|error| output.write_error(&error))?;
    draft.flush().map_err(|error| output.write_error(&error))?;
    let bytes = draft.bytes();
    draft.commit()?;
    if args.json {
        let mut value = data(&recorded);
        value["wrote"] = name.into();
        value["records"] = records.into();
        print(&document(value))?;
    } else {
        let bytes = bytes.map_or(String::new(), |bytes| format!(", {bytes} bytes"));
        outputs.print(&format!("wrote {name}: {records} records{bytes}\n"))?;
    }
    Ok(answer(&recorded))
}

/// What a command answered; that we asked it to end is no failure of its.
pub(crate) fn answer(recorded: &Recorded) -> Answer {
    match recorded.answer {
        Some(answered) if !answered.asked => Answer::Status(answered.code),
        _ => Answer::Yes,
    }
}

/// What was recorded, for programs.
pub(crate) fn data(recorded: &Recorded) -> Value {
    json!({
        "by": recorded.by,
        "length_ns": recorded.length.as_nanos(),
        "switches": recorded.switches,
        "wakeups": recorded.wakeups,
        "threads": recorded.threads,
        "lost": recorded.lost,
        "missing": recorded.missing,
        "late": recorded.late,
        "latest_ns": recorded.latest.as_nanos(),
        "own_ns": recorded.own.as_nanos(),
        "status": recorded.answer.map(|answered| answered.code),
    })
}

/// What was recorded, what is missing, and what it cost.
pub(crate) fn summary(recorded: &Recorded) -> String {
    let Recorded { by, switches, wakeups, threads, .. } = recorded;
    let mut text = format!(
        "recorded {}.{:03} s by {by}: {switches} switches and {wakeups} wake-ups of {threads} threads\n",
        recorded.length.as_nanos() / 1_000_000_000,
        recorded.length.as_nanos() / 1_000_000 % 1_000,
    );
    let share = recorded.overhead() + 50;
    text.push_str(&format!(
        "overhead: {}.{} % of a processor at {} switches a second, and what the kernel needs to report each\n",
        share / 1_000,
        share / 100 % 10,
        recorded.rate(),
    ));
    match recorded.lost {
        0 => text.push_str("0 events lost\n"),
        lost => text.push_str(&format!("LOST: {lost} events; there the trace is unknown\n")),
    }
    if recorded.missing > 0 {
        text.push_str(&format!(
            "LOST: {} switches are missing without a word; there the trace is unknown\n",
            recorded.missing
        ));
    }
    if recorded.late > 0 {
        text.push_str(&format!(
            "{} events came too late to be sorted in and were moved, by {} at most\n",
            recorded.late, recorded.latest
        ));
    }
    text
}
