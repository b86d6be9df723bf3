//! The words for an episode.

use windfall_trace::explain::Kind;

/// The word for an episode of this kind.
pub(super) const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Job => "job",
        Kind::Burst => "burst",
        Kind::Period => "period",
    }
}

pub(super) const fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Job => "jobs",
        Kind::Burst => "bursts",
        Kind::Period => "periods",
    }
}
