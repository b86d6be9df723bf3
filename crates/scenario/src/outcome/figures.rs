//! Figures that schedulers keep for whoever watches, in the words of results.

use windfall_hierarchy::Count;

/// What a scheduler counted, each figure by its name.
pub type Figures = Vec<(&'static str, Count)>;

/// A figure's key and number in results: `windfall_ns` and nanoseconds, `epochs` and how often.
#[must_use]
pub fn plain(name: &str, count: Count) -> (String, u64) {
    let name = name.replace('-', "_");
    match count {
        Count::Times(times) => (name, times),
        Count::Time(span) => (format!("{name}_ns"), span.as_nanos()),
        Count::At(at) => (format!("{name}_ns"), at.as_nanos()),
    }
}
