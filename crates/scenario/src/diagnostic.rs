//! Mistakes in a scenario: the error, its place, and a correction.
//!
//! Invariant: rendering never fails; a mistake without a place (a scenario made in code) shows its
//! message alone.

mod code;
#[cfg(feature = "fancy")]
mod drawn;

pub use code::Code;

use crate::source::{Origin, SourceFile};
use core::fmt;
use serde::Serialize;
use std::ops::Range;
use std::sync::Arc;
use windfall_trace::escape::{escaped_lines, masked};

/// One mistake.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Diagnostic {
    /// The kind of mistake.
    pub code: Code,
    /// The file, as the user named it; empty when the scenario was made in code.
    pub file: String,
    /// The line, from 1; 0 when there is no file.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// A description of the mistake.
    pub message: String,
    /// A suggested correction.
    pub help: Option<String>,
    #[serde(skip)]
    place: Option<Range<usize>>,
}

/// All mistakes of a scenario, in order of place; at least one.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    files: Arc<Vec<SourceFile>>,
    list: Vec<Diagnostic>,
}

/// How mistakes are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rendering {
    /// A source line and carets, for files and pipes.
    Plain,
    /// Drawn with lines, for terminals.
    Drawn,
    /// Drawn with lines and in colour.
    Coloured,
}

/// The most characters of a line that are shown.
const WIDEST: usize = 200;

/// A mistake, before its file is looked up.
#[derive(Clone, Debug)]
pub(crate) struct ScenarioError {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) place: Option<Range<usize>>,
}

impl ScenarioError {
    pub(crate) fn new(
        code: Code,
        message: impl Into<String>,
        place: Option<Range<usize>>,
    ) -> ScenarioError {
        ScenarioError { code, message: message.into(), help: None, place }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> ScenarioError {
        self.help = Some(help.into());
        self
    }
}

impl Diagnostics {
    /// How many mistakes are shown as text.
    pub const SHOWN: usize = 20;

    /// `None` when there are no mistakes.
    pub(crate) fn of(origin: &Origin, mistakes: Vec<ScenarioError>) -> Option<Diagnostics> {
        let files = Arc::clone(&origin.files);
        let lines = beginnings(&files);
        let mut list: Vec<Diagnostic> =
            mistakes.into_iter().map(|mistake| locate(&files, &lines, mistake)).collect();
        list.sort_by_key(|d| d.place.as_ref().map_or(usize::MAX, |place| place.start));
        list.dedup();
        (!list.is_empty()).then_some(Diagnostics { files, list })
    }

    /// One mistake.
    pub(crate) fn single(origin: &Origin, mistake: ScenarioError) -> Diagnostics {
        let files = Arc::clone(&origin.files);
        let list = vec![locate(&files, &beginnings(&files), mistake)];
        Diagnostics { files, list }
    }

    /// The mistakes.
    #[must_use]
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// The mistakes as a JSON array of `{code, file, line, column, message, help}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&self.list).unwrap_or_else(|_| "[]".to_owned())
    }

    /// With source line and caret. `fancy` draws and colours, for terminals.
    #[must_use]
    pub fn render(&self, fancy: bool) -> String {
        self.render_as(if fancy { Rendering::Coloured } else { Rendering::Plain })
    }

    /// The first [`SHOWN`](Diagnostics::SHOWN) with source line and caret, and how many more there are. Without the crate's feature
    /// `fancy` nothing is drawn.
    #[must_use]
    pub fn render_as(&self, how: Rendering) -> String {
        let mut text = String::new();
        for diagnostic in self.list.iter().take(Self::SHOWN) {
            if how != Rendering::Plain && cfg!(feature = "fancy") && !text.is_empty() {
                text.push('\n');
            }
            let drawn = self.draw(how, diagnostic);
            text.push_str(&drawn.unwrap_or_else(|| self.plain(diagnostic)));
        }
        let more = self.list.len().saturating_sub(Self::SHOWN);
        if more > 0 {
            text.push_str(&format!("and {more} more\n"));
        }
        text
    }

    /// Nothing can be drawn.
    #[cfg(not(feature = "fancy"))]
    fn draw(&self, _: Rendering, _: &Diagnostic) -> Option<String> {
        None
    }

    /// The file of a diagnostic and the range in it.
    fn source(&self, diagnostic: &Diagnostic) -> Option<(&SourceFile, Range<usize>)> {
        let place = diagnostic.place.as_ref()?;
        let file = file_at(&self.files, place.start)?;
        Some((file, local(file, place)))
    }

    fn plain(&self, diagnostic: &Diagnostic) -> String {
        let mut text = String::new();
        if let Some((file, range)) = self.source(diagnostic) {
            let begin = file.text[..range.start].rfind('\n').map_or(0, |end| end + 1);
            let line = file.text[begin..].split('\n').next().unwrap_or_default();
            let line = masked(line.trim_end()).replace('\t', " ");
            let column = diagnostic.column.saturating_sub(1);
            // The surroundings of the place in a line that is too long for the screen.
            let skipped =
                if line.chars().count() > WIDEST { column.saturating_sub(WIDEST / 2) } else { 0 };
            let line: String = line.chars().skip(skipped).take(WIDEST).collect();
            let before = column - skipped;
            let marked = file.text[range].split('\n').next().unwrap_or_default();
            let room = line.chars().count().saturating_sub(before).max(1);
            let carets = marked.trim_end().chars().count().clamp(1, room);
            let (row, column) = (diagnostic.line, diagnostic.column);
            let margin = " ".repeat(row.to_string().len());
            text.push_str(&format!(
                "{}:{row}:{column}: {}[{}]: {}\n{margin} |\n{row} | {line}\n{margin} | {}{}\n",
                diagnostic.file,
                diagnostic.code.level(),
                diagnostic.code,
                diagnostic.message,
                " ".repeat(before),
                "^".repeat(carets),
            ));
        } else {
            let (level, code) = (diagnostic.code.level(), diagnostic.code);
            text.push_str(&format!("{level}[{code}]: {}\n", diagnostic.message));
        }
        if let Some(help) = &diagnostic.help {
            text.push_str(&format!("  help: {help}\n"));
        }
        text
    }
}

fn file_at(files: &[SourceFile], at: usize) -> Option<&SourceFile> {
    files.iter().rev().find(|file| file.start <= at)
}

/// A range of all positions as a range of the file's text, at character boundaries.
fn local(file: &SourceFile, place: &Range<usize>) -> Range<usize> {
    let cut = |at: usize| {
        let at = at.saturating_sub(file.start).min(file.text.len());
        (0..=at).rev().find(|at| file.text.is_char_boundary(*at)).unwrap_or(0)
    };
    let start = cut(place.start);
    start..cut(place.end).max(start)
}

/// Where the lines of each file begin.
fn beginnings(files: &[SourceFile]) -> Vec<Vec<usize>> {
    let of = |file: &SourceFile| {
        let ends = file.text.match_indices('\n').map(|(end, _)| end + 1);
        std::iter::once(0).chain(ends).collect()
    };
    files.iter().map(of).collect()
}

fn locate(files: &[SourceFile], lines: &[Vec<usize>], mistake: ScenarioError) -> Diagnostic {
    let ScenarioError { code, message, help, place } = mistake;
    let place = place.filter(|place| file_at(files, place.start).is_some());
    let (mut name, mut line, mut column) = (String::new(), 0, 0);
    if let Some(place) = &place
        && let Some(at) = files.iter().rposition(|file| file.start <= place.start)
    {
        let file = &files[at];
        let start = local(file, place).start;
        name.clone_from(&file.name);
        line = lines[at].partition_point(|begin| *begin <= start);
        column = file.text[lines[at][line - 1]..start].chars().count() + 1;
    }
    let message = escaped_lines(&message).into_owned();
    let help = help.map(|help| escaped_lines(&help).into_owned());
    Diagnostic { code, file: name, line, column, message, help, place }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

impl std::error::Error for Diagnostics {}
