//! What is kept of a run, whatever the host: a trace, a picture, a report.

mod tape;

use self::tape::Tape;
use crate::Trouble;
use crate::cli::KeepArgs;
use crate::output::{apart, write_file};
use std::io::Write;
use std::path::Path;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Outcome, Verdict};
use windfall_time::Instant;
use windfall_trace::export::picture::Picture;
use windfall_trace::export::{Story, StoryBuilder, report};
use windfall_trace::{Event, Header, Sink};

/// Everything that is to be kept of what happens.
pub(crate) struct Outputs<'a> {
    args: &'a KeepArgs,
    trace: Option<Tape>,
    story: Option<StoryBuilder>,
}

impl Outputs<'_> {
    /// Makes sure that everything can be written, and touches nothing; no file may be the scenario's.
    pub(crate) fn open<'a>(
        args: &'a KeepArgs,
        scenario: &Path,
        header: &Header,
    ) -> Result<Outputs<'a>, Trouble> {
        let mut outputs = Outputs { args, trace: None, story: None };
        for output in [&args.trace, &args.picture, &args.report].into_iter().flatten() {
            apart(scenario, output)?;
        }
        if let Some(path) = &args.report
            && !matches!(extension(path), "html" | "htm")
        {
            return Err(Trouble(format!(
                "windfall: a report is a page; end the name of `{}` in `.html`",
                path.display()
            )));
        }
        if let Some(path) = &args.picture
            && !matches!(extension(path), "svg" | "png")
        {
            return Err(Trouble(format!(
                "windfall: cannot draw `{}`; end the name in `.svg` or `.png`",
                path.display()
            )));
        }
        if args.picture.is_some() || args.report.is_some() {
            outputs.story = Some(StoryBuilder::default());
        }
        outputs.trace = args.trace.as_ref().map(|path| Tape::open(path, header)).transpose()?;
        Ok(outputs)
    }

    /// Whether anything is to be kept.
    pub(crate) const fn wanted(&self) -> bool {
        self.trace.is_some() || self.story.is_some()
    }

    /// Writes what is left, when it is over.
    pub(crate) fn close(
        self,
        file: &Path,
        scenario: &Scenario,
        outcome: &Outcome,
        verdicts: &[Verdict],
    ) -> Result<(), Trouble> {
        self.trace.map_or(Ok(()), Tape::close)?;
        let Some(builder) = self.story else { return Ok(()) };
        let story: Story = builder.finish();
        let title =
            file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        if let Some(path) = &self.args.picture {
            draw(path, &title, &story)?;
        }
        if let Some(path) = &self.args.report {
            let page = windfall_scenario::outcome::page(&title, scenario, outcome, verdicts, story);
            write_file(path, |out| report::write(out, &page))?;
        }
        Ok(())
    }
}

impl Sink for Outputs<'_> {
    fn record(&mut self, at: Instant, event: &Event) {
        if let Some(trace) = &mut self.trace {
            trace.record(at, event);
        }
        if let Some(story) = &mut self.story {
            story.record(at, event);
        }
    }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}

/// Draws a timeline.
fn draw(path: &Path, title: &str, story: &Story) -> Result<(), Trouble> {
    let picture = Picture { title: title.to_owned(), ..Picture::default() };
    write_file(path, |out| {
        if extension(path) == "png" {
            out.write_all(&picture.png(story))
        } else {
            out.write_all(picture.svg(story).as_bytes())
        }
    })
}
