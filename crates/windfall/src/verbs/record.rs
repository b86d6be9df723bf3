//! `windfall record [-- COMMAND...]`

use crate::cli::RecordArgs;
use crate::output::print;
use crate::{Answer, Trouble};
use std::fs::File;
use windfall_linux::{Recorded, Recorder, Wanted};
use windfall_time::Span;
use windfall_trace::codec::Writer;

pub(crate) fn run(args: &RecordArgs) -> Result<Answer, Trouble> {
    if args.length.is_some_and(Span::is_zero) {
        return Err(Trouble("windfall: `--for 0s` is no time at all; write how long".to_owned()));
    }
    let name = args.output.display();
    if args.output.extension().is_none_or(|extension| extension != "wft") {
        return Err(Trouble(format!(
            "windfall: recordings are written in Windfall's own form; end the name of `{name}` in `.wft`, and make \
             another form of it with `windfall export`"
        )));
    }
    let trouble = |why: String| Trouble(format!("windfall: {name}: {why}"));
    let recorder = Recorder::open()?;
    let part = args.output.with_extension("wft.part"); // what was there before stays until there is a recording
    let file = File::create(&part).map_err(|error| trouble(error.to_string()))?;
    let mut writer = Writer::new(file, &recorder.header());
    let wanted = Wanted { command: args.command.clone(), length: args.length, ..Wanted::default() };
    let recorded = match recorder.run(&wanted, &mut writer) {
        Ok(recorded) => recorded,
        Err(fault) => {
            let _ = std::fs::remove_file(&part);
            if fault.status() == 2 {
                return Err(fault.into());
            }
            eprintln!("windfall: {fault}");
            return Ok(Answer::Status(fault.status()));
        }
    };
    let records = writer.records();
    let kept = |error: String| {
        trouble(format!("{error}; what could be written is in `{}`", part.display()))
    };
    let file = writer.finish().map_err(|error| kept(error.to_string()))?;
    std::fs::rename(&part, &args.output).map_err(|error| kept(error.to_string()))?;
    let bytes = file.metadata().map_or(0, |data| data.len());
    eprint!("{}", summary(&recorded));
    print(&format!("wrote {name}: {records} records, {bytes} bytes\n"))?;
    Ok(answer(&recorded))
}

/// What a command answered; that we asked it to end is no failure of its.
pub(crate) fn answer(recorded: &Recorded) -> Answer {
    match recorded.answer {
        Some(answered) if !answered.asked => Answer::Status(answered.code),
        _ => Answer::Yes,
    }
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
        "overhead: {}.{} % of a processor at {} switches a second, and what the kernel takes to tell each\n",
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
