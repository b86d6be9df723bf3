//! Sources of a trace: names of the formats that can be read.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use windfall_trace::import::Format;

/// The source of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// A recording as text.
    Text(&'static Format),
    /// An rt-app file.
    RtApp,
}

/// A text, or an rt-app file.
pub(super) fn source() -> impl TypedValueParser<Value = Source> {
    let rt_app = PossibleValue::new("rt-app").help("An rt-app file");
    PossibleValuesParser::new(formats().chain([rt_app]))
        .map(|name| Format::named(&name).map_or(Source::RtApp, Source::Text))
}

/// A text.
pub(super) fn text() -> impl TypedValueParser<Value = &'static Format> {
    PossibleValuesParser::new(formats())
        .try_map(|name| Format::named(&name).ok_or("there is no such format"))
}

fn formats() -> impl Iterator<Item = PossibleValue> {
    Format::ALL.iter().map(|format| PossibleValue::new(format.name).help(format.help))
}
