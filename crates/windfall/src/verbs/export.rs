//! `windfall export TRACE OUT`

use crate::cli::ExportArgs;
use crate::output::{Destination, Destinations, input_name};
use crate::{Answer, VerbError};
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;
use windfall_report::perfetto::Perfetto;
use windfall_report::{StoryBuilder, page};
use windfall_trace::codec::Writer;
use windfall_trace::import::Format;
use windfall_trace::{Event, Header, Record, Sink, Source, SourceError};

/// The format to write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Perfetto,
    Compact,
    Page,
}

pub(crate) fn run(args: &ExportArgs) -> Result<Answer, VerbError> {
    let inputs = std::iter::once(&args.trace).chain(&args.beside).map(|path| path.as_path());
    let mut outputs = Destinations::new(args.force.force, inputs)?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let output = outputs.claim("OUTPUT", &args.output)?;
    let form = form(&output)?;
    if args.beside.is_some() && form != Form::Page {
        let why = "windfall: `--beside` is for pages; end the name of the output in `.html`";
        return Err(VerbError(why.to_owned()));
    }
    let mut reading = Reading::open(&args.trace)?;
    if form == Form::Page {
        page(args, &output, &mut reading)?;
    } else {
        let mut draft = output.open()?;
        let header = reading.header.clone();
        let written = if form == Form::Perfetto {
            let mut writer = Perfetto::new(&mut draft, &header);
            reading.pour(&mut writer);
            writer.finish().map(drop)
        } else {
            let mut writer = Writer::new(&mut draft, &header);
            reading.pour(&mut writer);
            writer.finish().map(drop).map_err(io::Error::other)
        };
        written.map_err(|error| output.write_error(&error))?;
        reading.is_recording()?;
        draft.commit()?;
    }
    let (Reading { count, cut, .. }, name) = (&reading, output.name());
    let lost = cut.as_ref().map_or_else(String::new, |why| {
        format!("LOST: the recording is incomplete ({why}); what could be read is written\n")
    });
    outputs.show(
        args.json,
        || json!({ "wrote": name, "records": count, "cut": cut }),
        |_| format!("{lost}wrote {name}: {count} records\n"),
    )?;
    Ok(Answer::Yes)
}

fn form(output: &Destination) -> Result<Form, VerbError> {
    Ok(match output.extension("pftrace") {
        "pftrace" | "perfetto-trace" => Form::Perfetto,
        "wft" => Form::Compact,
        "html" | "htm" => Form::Page,
        _ => {
            return Err(VerbError(format!(
                "windfall: cannot tell from `{}` what trace to write; end the name in `.pftrace` (Perfetto), \
                 `.wft` (compact) or `.html` (a page)",
                output.name()
            )));
        }
    })
}

/// A page with the timeline of the recording, and of another one below it.
fn page(args: &ExportArgs, output: &Destination, first: &mut Reading) -> Result<(), VerbError> {
    let mut runs = Vec::new();
    let mut tell = |path: &Path, reading: &mut Reading| {
        let mut story = StoryBuilder::default();
        reading.pour(&mut story);
        reading.is_recording()?;
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        runs.push((name.unwrap_or_default(), story.finish()));
        Ok::<(), VerbError>(())
    };
    tell(&args.trace, first)?;
    if let Some(other) = &args.beside {
        let mut reading = Reading::open(other)?;
        tell(other, &mut reading)?;
        first.cut = first.cut.take().or(reading.cut);
        first.count += reading.count;
    }
    let runs: Vec<_> = runs.iter().map(|(name, story)| (name.as_str(), story)).collect();
    let title = runs.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" and ");
    let text = page::beside(&title, &runs);
    output.write(|out| out.write_all(text.as_bytes()))
}

/// A recording on the way into something else.
struct Reading {
    name: String,
    source: Source,
    header: Header,
    first: Option<Result<Record, SourceError>>,
    count: u64,
    /// Whether it has any record that is more than the note of a loss.
    has_events: bool,
    /// Why it is not whole.
    cut: Option<String>,
}

impl Reading {
    fn open(path: &Path) -> Result<Reading, VerbError> {
        let name = input_name(path);
        let mut source = open_recording(path, None)
            .map_err(|why| VerbError(format!("windfall: {name}: {why}")))?;
        // The header of a text is complete once a record has been given.
        let first = source.next();
        let header = source.header().clone();
        Ok(Reading { name, source, header, first, count: 0, has_events: false, cut: None })
    }

    fn pour(&mut self, sink: &mut dyn Sink) {
        for record in self.first.take().into_iter().chain(self.source.by_ref()) {
            match record {
                Ok(record) => {
                    sink.record(record.at, &record.event);
                    self.count += 1;
                    self.has_events |= !matches!(record.event, Event::Lost { .. });
                }
                Err(why) => self.cut = Some(why.to_string()),
            }
        }
    }

    /// Refuses a text of which nothing was understood, and a trace of which nothing could be read.
    fn is_recording(&mut self) -> Result<(), VerbError> {
        let is_one = match self.source.report() {
            Some(report) => report.imported() > 0,
            None => self.has_events || self.cut.is_none(),
        };
        if is_one {
            return Ok(());
        }
        let why = self.cut.take().unwrap_or_else(|| {
            let formats: Vec<&str> = Format::ALL.iter().map(|format| format.name).collect();
            let formats = formats.join(" or ");
            format!(
                "no recording: not one of its lines is an event of {formats}; nothing was written"
            )
        });
        Err(VerbError(format!("windfall: {}: {why}", self.name)))
    }
}

/// Opens a recording. A scenario is none, and says how to make one of it.
pub(crate) fn open_recording(
    path: &Path,
    format: Option<&'static Format>,
) -> Result<Source, String> {
    if path.extension().is_some_and(|extension| extension == "toml") {
        let why =
            "a scenario, not a recording; make one with `windfall simulate FILE --trace OUT.wft`";
        return Err(why.to_owned());
    }
    Source::open(path, format).map_err(|error| error.to_string())
}
