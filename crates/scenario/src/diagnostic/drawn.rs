//! Mistakes drawn with lines and in colour, for terminals.

use super::{Diagnostic, Diagnostics, Rendering};
use core::fmt;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Severity, SourceCode,
};
use windfall_trace::escape::masked;

impl Diagnostics {
    /// `None` if it must not be drawn, or has no place.
    pub(super) fn draw(&self, how: Rendering, diagnostic: &Diagnostic) -> Option<String> {
        let theme = match how {
            Rendering::Plain => return None,
            Rendering::Drawn => GraphicalTheme::unicode_nocolor(),
            Rendering::Coloured => GraphicalTheme::unicode(),
        };
        let (file, range) = self.source(diagnostic)?;
        let report = Report {
            diagnostic,
            code: NamedSource::new(&file.name, masked(&file.text)),
            label: LabeledSpan::new_with_span(None, range),
        };
        let mut text = String::new();
        GraphicalReportHandler::new_themed(theme).render_report(&mut text, &report).ok()?;
        Some(text)
    }
}

/// A diagnostic as miette wants it.
#[derive(Debug)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    code: NamedSource<String>,
    label: LabeledSpan,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.diagnostic.code))
    }

    fn severity(&self) -> Option<Severity> {
        Some(if self.diagnostic.code.is_warning() { Severity::Warning } else { Severity::Error })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.diagnostic.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.code)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(self.label.clone())))
    }
}
