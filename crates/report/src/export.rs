//! A recording in another form: a trace for Perfetto, a compact one, or a page with its timeline.

mod error;
mod reading;

pub use error::ExportError;

use crate::perfetto::Perfetto;
use crate::{StoryBuilder, page};
use reading::Reading;
use std::io::Write;
use windfall_trace::Source;
use windfall_trace::codec::Writer;

/// A form in which a recording is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Form {
    /// A trace for Perfetto.
    Perfetto,
    /// Windfall's own format.
    Compact,
    /// A page with the timelines of one recording or two.
    Page,
}

impl Form {
    /// The form that the ending of a name asks for; errors call the output `output`.
    ///
    /// # Errors
    /// When the ending is of no form, or when another recording stands `beside` in a form that holds one.
    pub fn of_ending(ending: &str, output: &str, beside: bool) -> Result<Form, ExportError> {
        let form = match ending {
            "pftrace" | "perfetto-trace" => Form::Perfetto,
            "wft" => Form::Compact,
            "html" | "htm" => Form::Page,
            _ => return Err(ExportError::Ending { output: output.to_owned() }),
        };
        form.holds(beside)
    }

    /// Refuses a second recording where there is no place for one.
    fn holds(self, beside: bool) -> Result<Form, ExportError> {
        if beside && self != Form::Page { Err(ExportError::Beside) } else { Ok(self) }
    }
}

/// A recording that is to be exported.
pub struct Recorded {
    name: String,
    title: String,
    source: Source,
}

impl Recorded {
    /// A recording that errors call `name`, and pages `title`.
    #[must_use]
    pub fn new(name: impl Into<String>, title: impl Into<String>, source: Source) -> Recorded {
        Recorded { name: name.into(), title: title.into(), source }
    }
}

/// What was exported.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Exported {
    /// How many records.
    pub records: u64,
    /// Why a recording is not whole, if one is not; what could be read is there.
    pub cut: Option<String>,
}

/// Writes a recording, and on a page another one below it.
///
/// # Errors
/// When one is no recording, or `out` did not take all; what `out` has then is of no use.
pub fn export(
    form: Form,
    first: Recorded,
    beside: Option<Recorded>,
    mut out: impl Write,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    match form.holds(beside.is_some())? {
        Form::Page => {
            let text = timelines(std::iter::once(first).chain(beside), &mut exported)?;
            out.write_all(text.as_bytes()).map_err(ExportError::Write)?;
        }
        Form::Perfetto => {
            let mut reading = Reading::new(first);
            let mut writer = Perfetto::new(out, reading.header());
            reading.pour(&mut writer);
            writer.finish().map_err(ExportError::Write)?;
            reading.finish(&mut exported)?;
        }
        Form::Compact => {
            let mut reading = Reading::new(first);
            let mut writer = Writer::new(out, reading.header());
            reading.pour(&mut writer);
            writer.finish().map_err(ExportError::Trace)?;
            reading.finish(&mut exported)?;
        }
    }
    Ok(exported)
}

/// The page of recordings, one below the other.
fn timelines(
    recordings: impl Iterator<Item = Recorded>,
    exported: &mut Exported,
) -> Result<String, ExportError> {
    let mut runs = Vec::new();
    for recording in recordings {
        let title = recording.title.clone();
        let (mut reading, mut story) = (Reading::new(recording), StoryBuilder::default());
        reading.pour(&mut story);
        reading.finish(exported)?;
        runs.push((title, story.finish()));
    }
    let runs: Vec<_> = runs.iter().map(|(title, story)| (title.as_str(), story)).collect();
    let title = runs.iter().map(|(title, _)| *title).collect::<Vec<_>>().join(" and ");
    Ok(page::beside(&title, &runs))
}
