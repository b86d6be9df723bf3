//! `windfall export TRACE OUT`

use crate::cli::ExportArgs;
use crate::output::{Destinations, input_name};
use crate::{Answer, VerbError};
use std::io;
use std::path::Path;
use windfall_report::perfetto::Perfetto;
use windfall_trace::codec::Writer;
use windfall_trace::import::Format;
use windfall_trace::{Sink, Source};

pub(crate) fn run(args: &ExportArgs) -> Result<Answer, VerbError> {
    let mut outputs = Destinations::new(args.force.force, [args.trace.as_path()])?;
    let output = outputs.claim("OUTPUT", &args.output)?;
    let trouble = |why: String| VerbError(format!("windfall: {}: {why}", input_name(&args.trace)));
    let perfetto = match output.extension("pftrace") {
        "pftrace" | "perfetto-trace" => true,
        "wft" => false,
        other => {
            return Err(VerbError(format!(
                "windfall: cannot tell from `.{other}` what trace to write; end the name in `.pftrace` (Perfetto) or \
                 `.wft` (compact)"
            )));
        }
    };
    let mut source = open_recording(&args.trace, Format::Auto).map_err(trouble)?;
    // The header of a text is complete once a record has been given.
    let first = source.next();
    let header = source.header().clone();
    let (mut count, mut cut) = (0_u64, None);
    let mut records = first.into_iter().chain(source.by_ref());
    let mut draft = output.open()?;
    let mut pour = |sink: &mut dyn Sink| {
        for record in records.by_ref() {
            match record {
                Ok(record) => {
                    sink.record(record.at, &record.event);
                    count += 1;
                }
                Err(why) => cut = Some(why.to_string()),
            }
        }
    };
    let written = if perfetto {
        let mut writer = Perfetto::new(&mut draft, &header);
        pour(&mut writer);
        writer.finish().map(drop)
    } else {
        let mut writer = Writer::new(&mut draft, &header);
        pour(&mut writer);
        writer.finish().map(drop).map_err(io::Error::other)
    };
    written.map_err(|error| output.write_error(&error))?;
    if source.report().is_some_and(|report| report.imported() == 0) {
        return Err(trouble(cut.unwrap_or_else(|| {
            "no recording: not one of its lines is an event of ftrace or perf; nothing was written".to_owned()
        })));
    }
    draft.commit()?;
    if let Some(why) = cut {
        outputs.print(&format!(
            "LOST: the recording is not whole ({why}); what could be read is written\n"
        ))?;
    }
    outputs.print(&format!("wrote {}: {count} records\n", output.name()))?;
    Ok(Answer::Yes)
}

/// Opens a recording. A scenario is none, and says how to make one of it.
pub(crate) fn open_recording(path: &Path, format: Format) -> Result<Source, String> {
    if path.extension().is_some_and(|extension| extension == "toml") {
        let why =
            "a scenario, not a recording; make one with `windfall simulate FILE --trace OUT.wft`";
        return Err(why.to_owned());
    }
    Source::open(path, format).map_err(|error| error.to_string())
}
