//! Finds out whether a thread keeps a pace although it begins at no fixed place of its period, for example because it looks every 10 ms
//! whether the next frame is due.
//!
//! Such looks take almost no time, so wake-ups with less than some amount of work are left out. Of the others, each that follows enough
//! silence begins a period. A straight line is fitted to the numbered beginnings by least squares. **A thread keeps a pace if no beginning
//! deviates by a quarter of a period, and all together deviate much less than by chance.** If gaps are only alike in length, deviations
//! add up: with n gaps of deviation s, the beginnings would spread by about 1.2 s sqrt(n), and by less than 0.44 s sqrt(n) in none of
//! 32,000 trials; at most 0.28 s sqrt(n) is accepted, which takes some 75 periods if the beginnings are uniform within a stretch.
//!
//! Numbering goes wrong if a beginning is missing or comes twice, as when a program starts up or is delayed. So it suffices that a half or
//! a quarter of the beginnings keeps the pace; the confidence is the share of all periods that begin within its jitter of the same line.

use super::grid::Grid;
use super::period::heads_after;
use super::replay::Activation;
use windfall_time::{Instant, Span};

/// Fewer beginnings than this are not trusted.
const FEWEST: usize = 24;
/// All beginnings, the halves and the quarters are tried.
const PARTS: [usize; 3] = [1, 2, 4];
/// The spread's square is at most this multiple of the number of gaps times the square of their deviation: 2/25 is about 0.28 squared.
const SPREAD: (i128, i128) = (2, 25);

/// The wake-ups that begin a period, and the grid of the periods; `None` if the thread keeps no pace.
pub(super) fn pace(wakes: &[Activation]) -> Option<(Vec<usize>, Grid)> {
    let mut best: Option<(Vec<usize>, Grid)> = None;
    // Amounts of work from 4 us to 16 ms, silences from 131 us to 67 ms.
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

/// The grid along which the beginnings lie, if enough of them keep a pace.
fn along(heads: &[Instant]) -> Option<Grid> {
    let parts = PARTS.iter().flat_map(|parts| heads.chunks(heads.len().div_ceil(*parts).max(1)));
    let lines = parts.filter(|part| part.len() >= FEWEST).filter_map(Line::through);
    lines.filter_map(|line| line.grid(heads)).max_by_key(Grid::confidence)
}

/// The line of a pace that some beginnings keep, in ns.
struct Line {
    /// The middle of the range in which the first period begins.
    origin: i128,
    period: i128,
    /// The largest distance between two beginnings' deviations from the line.
    spread: i128,
}

impl Line {
    /// The line through beginnings that keep a pace; else `None`.
    fn through(heads: &[Instant]) -> Option<Line> {
        let first = i128::from(heads.first()?.as_nanos());
        let at = |head: &Instant| i128::from(head.as_nanos()) - first;
        let count = i128::try_from(heads.len()).ok()?;
        let (mut above, mut below) = (0_i128, 0_i128);
        for (number, head) in (0..).zip(heads) {
            let weight = 2 * number - (count - 1); // twice the distance from the middle number, so that it is whole
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

    /// The grid of this line, with all beginnings that fit it.
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

/// Whether the beginnings spread along a line by less than random gaps with the same deviation would.
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
