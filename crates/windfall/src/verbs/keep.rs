//! What is kept of a run, whatever the host: a trace, a picture, a report.

use crate::Trouble;
use crate::cli::KeepArgs;
use crate::output::{apart, write_file};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use windfall_scenario::Scenario;
use windfall_scenario::outcome::{Outcome, Verdict};
use windfall_time::Instant;
use windfall_trace::codec::Writer;
use windfall_trace::export::perfetto::Perfetto;
use windfall_trace::export::picture::Picture;
use windfall_trace::export::{Story, StoryBuilder, report};
use windfall_trace::{Event, Header, Sink};

/// Everything that is to be kept of what happens.
pub(crate) struct Outputs<'a> {
    args: &'a KeepArgs,
    compact: Option<Writer<BufWriter<File>>>,
    perfetto: Option<Perfetto<BufWriter<File>>>,
    story: Option<StoryBuilder>,
}

impl Outputs<'_> {
    /// Makes the files that are written while it happens; none of them may be the scenario's.
    pub(crate) fn open<'a>(
        args: &'a KeepArgs,
        scenario: &Path,
        header: &Header,
    ) -> Result<Outputs<'a>, Trouble> {
        let mut outputs = Outputs { args, compact: None, perfetto: None, story: None };
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
        if let Some(path) = &args.trace {
            let create = || {
                let file = File::create(path);
                let trouble = |error| Trouble(format!("windfall: {}: {error}", path.display()));
                file.map(BufWriter::new).map_err(trouble)
            };
            match extension(path) {
                "wft" => outputs.compact = Some(Writer::new(create()?, header)),
                "pftrace" | "perfetto-trace" => {
                    outputs.perfetto = Some(Perfetto::new(create()?, header));
                }
                other => {
                    return Err(Trouble(format!(
                        "windfall: cannot tell from `.{other}` what trace to write; end the name \
                         in `.wft` (compact) or `.pftrace` (Perfetto)"
                    )));
                }
            }
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
        Ok(outputs)
    }

    /// Whether anything is to be kept.
    pub(crate) const fn wanted(&self) -> bool {
        self.compact.is_some() || self.perfetto.is_some() || self.story.is_some()
    }

    /// Writes what is left, when it is over.
    pub(crate) fn close(
        self,
        file: &Path,
        scenario: &Scenario,
        outcome: &Outcome,
        verdicts: &[Verdict],
    ) -> Result<(), Trouble> {
        let kept = self.compact.map_or(Ok(()), |w| w.finish().map(drop).map_err(|e| e.to_string()));
        let shown =
            self.perfetto.map_or(Ok(()), |w| w.finish().map(drop).map_err(|e| e.to_string()));
        if let (Some(path), Err(why)) = (&self.args.trace, kept.and(shown)) {
            return Err(Trouble(format!("windfall: {}: {why}", path.display())));
        }
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
        if let Some(writer) = &mut self.compact {
            writer.record(at, event);
        }
        if let Some(writer) = &mut self.perfetto {
            writer.record(at, event);
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
