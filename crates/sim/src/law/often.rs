//! How often each kind is drawn. No kind could say so of itself, since it depends on what else is drawn.

use windfall_schedulers::catalogue::{Kind, find};
use windfall_schedulers::kinds;

/// Kinds that are drawn more often than once, because their guarantees are rare.
const OFTEN: [(&Kind, usize); 11] = [
    (kinds::TIME_TABLE, 8),
    (kinds::PSHED, 8),
    (kinds::OVERRUN, 3),
    (kinds::REZ, 3),
    (kinds::REZ_C, 3),
    (kinds::REZ_FB, 3),
    (kinds::CBS, 3),
    (kinds::JOIN, 2),
    (kinds::PROPORTIONAL_SHARE, 2),
    (kinds::TIME_LINE, 2),
    (kinds::PORTS, 3),
];

/// Kinds of the first scheduler in one tree of four: their guarantees are rare, and need all of a processor.
pub(super) const RARE_ROOTS: [&Kind; 2] = [kinds::TIME_TABLE, kinds::PSHED];

/// How often a kind is drawn: one of one's own more often than most of the catalogue.
pub(super) fn often(kind: &Kind) -> usize {
    const OWN: usize = 8;
    let usual = if find(kind.name).is_some() { 1 } else { OWN };
    OFTEN.iter().find(|(other, _)| kind == *other).map_or(usual, |(_, often)| *often)
}
