//! Figures that schedulers publish, in the form of results.

use windfall_hierarchy::Count;
use windfall_trace::Figure;

/// The figures of a scheduler, each by its name.
pub type Figures = Vec<(&'static str, Count)>;

/// A figure's key and number in results: `windfall_ns` and nanoseconds, `epochs` and a count.
#[must_use]
pub fn plain(name: &str, count: Count) -> (String, u64) {
    let name = name.replace('-', "_");
    match count {
        Count::Times(times) => (name, times),
        Count::Time(span) => (format!("{name}_ns"), span.as_nanos()),
        Count::At(at) => (format!("{name}_ns"), at.as_nanos()),
    }
}

/// A figure of a trace, in the form of results.
#[must_use]
pub const fn count(figure: Figure) -> Count {
    match figure {
        Figure::Count(times) => Count::Times(times),
        Figure::Time(span) => Count::Time(span),
    }
}
