//! Files kept of a run, whatever the host: a trace, a picture, a report, values.

mod tape;

use self::tape::Tape;
use crate::VerbError;
use crate::cli::KeepArgs;
use crate::output::{Destination, Destinations, is_standard};
use crate::verbs::reserve::is_png;
use std::io::Write;
use std::path::Path;
use windfall_report::picture::Picture;
use windfall_report::{Story, StoryBuilder, csv, page};
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Outcome, Verdict};
use windfall_time::Instant;
use windfall_trace::{Event, Header, Sink};

/// Everything that is to be kept of what happens.
pub(crate) struct Outputs {
    destinations: Destinations,
    trace: Option<Tape>,
    story: Option<StoryBuilder>,
    /// And whether it is to be a PNG.
    picture: Option<(Destination, bool)>,
    report: Option<Destination>,
    csv: Option<Destination>,
}

impl Outputs {
    /// Makes sure that everything can be written, and touches nothing; no file may be the scenario's. With `json` the results
    /// take standard output.
    pub(crate) fn open(
        args: &KeepArgs,
        scenario: &Path,
        json: bool,
        header: &Header,
    ) -> Result<Outputs, VerbError> {
        let mut destinations = Destinations::new(args.force.force, [scenario])?;
        if json {
            destinations.claim_standard("`--json`")?;
        }
        let mut claim = |option: &str, path: &Option<_>| {
            path.as_deref().map(|path: &Path| destinations.claim(option, path)).transpose()
        };
        let trace = claim("--trace", &args.trace)?;
        let picture = claim("--picture", &args.picture)?;
        let report = claim("--report", &args.report)?;
        let csv = claim("--csv", &args.csv)?;
        if let Some(report) = &report {
            is_page(report)?;
        }
        let picture = match picture {
            Some(picture) => Some((is_png(&picture)?, picture)).map(|(png, it)| (it, png)),
            None => None,
        };
        let told = picture.is_some() || report.is_some();
        let story = told.then(StoryBuilder::default);
        let trace = trace.map(|trace| Tape::open(trace, header)).transpose()?;
        Ok(Outputs { destinations, trace, story, picture, report, csv })
    }

    /// Whether anything is to be kept.
    pub(crate) const fn wanted(&self) -> bool {
        self.trace.is_some() || self.story.is_some()
    }

    /// Programs that are started print nothing into a document on standard output.
    #[cfg(feature = "machine")]
    pub(crate) fn keep_programs_apart(&self) -> Result<(), VerbError> {
        self.destinations.keep_programs_apart()
    }

    /// Prints results for people.
    pub(crate) fn print(&self, text: &str) -> Result<(), VerbError> {
        self.destinations.print(text)
    }

    /// How many characters a line of these results has.
    pub(crate) fn width(&self) -> Option<usize> {
        self.destinations.width()
    }

    /// Writes the rest when the run is over: each output for itself, so that one that fails takes no other with it.
    pub(crate) fn close(
        &mut self,
        file: &Path,
        scenario: &Scenario,
        outcome: &Outcome,
        verdicts: &[Verdict],
    ) -> Result<(), VerbError> {
        let trace = self.trace.take().map_or(Ok(()), Tape::close);
        let values = self.csv.as_ref().map_or(Ok(()), |values| {
            values.write(|out| out.write_all(csv::threads(outcome).as_bytes()))
        });
        let Some(builder) = self.story.take() else { return VerbError::of_all([trace, values]) };
        let story: Story = builder.finish();
        let title = match file.file_stem() {
            Some(stem) if !is_standard(file) => stem.to_string_lossy().into_owned(),
            _ => String::new(),
        };
        let picture = self.picture.as_ref().map_or(Ok(()), |(picture, png)| {
            let drawn = Picture { title: title.clone(), ..Picture::default() };
            let bytes = if *png { drawn.png(&story) } else { drawn.svg(&story).into_bytes() };
            picture.write(|out| out.write_all(&bytes))
        });
        let report = self.report.as_ref().map_or(Ok(()), |report| {
            let text = page::text(&page::report(&title, scenario, outcome, verdicts, story));
            report.write(|out| out.write_all(text.as_bytes()))
        });
        VerbError::of_all([trace, values, picture, report])
    }
}

/// Refuses a name that does not say that it is a page.
pub(crate) fn is_page(report: &Destination) -> Result<(), VerbError> {
    match report.extension("html") {
        "html" | "htm" => Ok(()),
        _ => Err(VerbError(format!(
            "windfall: a report is an HTML page; end the name of `{}` in `.html`",
            report.name()
        ))),
    }
}

impl Sink for Outputs {
    fn record(&mut self, at: Instant, event: &Event) {
        if let Some(trace) = &mut self.trace {
            trace.record(at, event);
        }
        if let Some(story) = &mut self.story {
            story.record(at, event);
        }
    }
}
