//! Does a thread keep a pace although it begins at no steady place of its period, as one does that looks every 10 ms whether the
//! next frame is due?
//!
//! Its looks take next to nothing, so wake-ups of less than some work are left out; of those left each begins a period that follows
//! enough silence. A straight line is laid through the beginnings, numbered as they come (least squares): **a pace is told when
//! none strays from it by a quarter of a period, and all together stray much less than by chance.** Gaps that only look alike add
//! up: of n gaps with the deviation s, the beginnings would spread by about 1.2 s sqrt(n), and by less than 0.44 s sqrt(n) in none of
//! 32,000 trials; 0.28 s sqrt(n) is asked for, which takes some 75 periods where they begin at any place of a stretch alike.
//!
//! Numbers and beginnings part where one is left out or comes twice, as when a program starts up or is held up. So it is
//! enough that a half or a quarter of the beginnings keeps the pace; the confidence is the share of all periods that begin
//! within its jitter of that same line.

use super::grid::Grid;
use super::period::heads_after;
use super::replay::Activation;
use windfall_time::{Instant, Span};

/// Fewer beginnings than this are not trusted.
const FEWEST: usize = 24;
/// All beginnings, the halves and the quarters are looked at.
const PARTS: [usize; 3] = [1, 2, 4];
/// The square of the spread is at most this part of the deviation's square for each gap: 2/25 is about 0.28 squared.
const SPREAD: (i128, i128) = (2, 25);

/// Which wake-ups begin a period, and how the periods lie; `None` when no pace is kept.
pub(super) fn pace(wakes: &[Activation]) -> Option<(Vec<usize>, Grid)> {
    let mut best: Option<(Vec<usize>, Grid)> = None;
    // Works of 4 us to 16 ms, silences of 131 us to 67 ms.
    for work in (12..=24).map(|bits| Span::from_nanos(1 << bits)) {
        let worked: Vec<usize> = (0..wakes.len()).filter(|at| wakes[*at].work >= work).collect();
        if worked.len() < FEWEST {
            break;
        }
        let chosen: Vec<Activation> = worked.iter().map(|at| wakes[*at]).collect();
        for silence in (17..=26).map(|bits| Span::from_nanos(1 << bits)) {
            let heads = heads_after(&chosen, silence);
            let instants: Vec<Instant> = heads.iter().map(|at| chosen[*at].at).collect();
            let Some(grid) = along(&instants) else { continue };
            if best.as_ref().is_none_or(|(_, best)| grid.confidence() > best.confidence()) {
                best = Some((heads.iter().map(|at| worked[*at]).collect(), grid));
            }
        }
    }
    best
}

/// The grid along which beginnings lie, if enough of them keep a pace.
fn along(heads: &[Instant]) -> Option<Grid> {
    let parts = PARTS.iter().flat_map(|parts| heads.chunks(heads.len().div_ceil(*parts).max(1)));
    let lines = parts.filter(|part| part.len() >= FEWEST).filter_map(Line::through);
    lines.filter_map(|line| line.grid(heads)).max_by_key(Grid::confidence)
}

/// A pace that some beginnings keep, in ns.
struct Line {
    /// The middle of where the first period begins.
    origin: i128,
    period: i128,
    /// How far beginnings lie apart on the line at most.
    spread: i128,
}

impl Line {
    /// The line through beginnings that keep a pace.
    fn through(heads: &[Instant]) -> Option<Line> {
        let first = i128::from(heads.first()?.as_nanos());
        let at = |head: &Instant| i128::from(head.as_nanos()) - first;
        let count = i128::try_from(heads.len()).ok()?;
        let (mut above, mut below) = (0_i128, 0_i128);
        for (number, head) in (0..).zip(heads) {
            let weight = 2 * number - (count - 1); // from the middle number, twice, so that it is whole
            above = above.checked_add(at(head).checked_mul(weight)?)?;
            below += weight * weight;
        }
        let period = (2 * above + below / 2).checked_div(below)?;
        let strays = (0..).zip(heads).map(|(number, head)| at(head) - number * period);
        let (least, most) = (strays.clone().min()?, strays.max()?);
        let spread = most - least;
        let apart = period > 0 && 2 * spread < period && is_no_chance(heads, spread);
        apart.then_some(Line { origin: first + least + spread / 2, period, spread })
    }

    /// How well it fits all beginnings.
    fn grid(&self, heads: &[Instant]) -> Option<Grid> {
        let Line { origin, period, spread } = self;
        let (mut deviations, mut places) = (Vec::new(), Vec::new());
        for head in heads {
            let from = i128::from(head.as_nanos()) - origin + period / 2;
            let stray = (from.rem_euclid(*period) - period / 2).abs();
            if 2 * stray <= spread + 1 {
                places.push(from.div_euclid(*period));
                deviations.push(Span::from_nanos(u64::try_from(stray).ok()?));
            }
        }
        places.dedup();
        let periods = u64::try_from(places.last()? - places.first()?).ok()?;
        let counted = periods.max(heads.len() as u64 - 1);
        let period = Span::from_nanos(u64::try_from(*period).ok()?);
        Some(Grid::of(period, periods, places.len() as u64 - 1, counted, deviations))
    }
}

/// Whether beginnings spread along a line by less than gaps like theirs would by chance.
fn is_no_chance(heads: &[Instant], spread: i128) -> bool {
    let gaps =
        heads.windows(2).map(|pair| i128::from(pair[1].saturating_since(pair[0]).as_nanos()));
    let count = gaps.len() as i128;
    let sum: i128 = gaps.clone().sum();
    let squares = gaps.fold(0_i128, |squares, gap| squares.saturating_add(gap.saturating_mul(gap)));
    // count^2 times the square of the deviation; then both sides times count.
    let deviation = squares.saturating_mul(count).saturating_sub(sum.saturating_mul(sum));
    let limit = deviation.saturating_mul(SPREAD.0);
    spread.saturating_mul(spread).saturating_mul(count).saturating_mul(SPREAD.1) <= limit
}

#[cfg(test)]
mod tests;
