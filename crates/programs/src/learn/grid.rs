//! A grid of equal periods through given instants, and how well they fit.
//!
//! The grid follows slowly: each instant that is on time moves it by an eighth of its deviation. So a late instant
//! does not make the next one early, and a slightly wrong period does not make the grid drift away. After two
//! periods without an instant on time, the next instant restarts the grid.
//!
//! With a tolerance of a tenth of the period, chance would put a fifth of all instants on time, and among dense
//! instants one in every period. So the share is taken of the periods or of the gaps between instants, whichever
//! are more.

use super::period::{nearest_multiple, percentile};
use windfall_time::{Instant, Ratio, Span};

/// A grid and how well it fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Grid {
    pub(super) period: Span,
    /// Number of its periods, from the first instant to the last.
    pub(super) periods: u64,
    /// Number of periods that end with an instant on time.
    pub(super) good: u64,
    /// The number of which `good` is a share: periods or gaps, whichever are more.
    pub(super) counted: u64,
    /// The deviations of the instants that are on time.
    deviations: Vec<Span>,
}

impl Grid {
    /// Fits a grid of `period`, above zero, to `instants`, which are in order. An instant is on time if it deviates
    /// by at most `tolerance`, which is less than half a period.
    pub(super) fn lay(instants: &[Instant], period: Span, tolerance: Span) -> Grid {
        let gaps = instants.len().saturating_sub(1) as u64;
        let mut grid = Grid { period, periods: 0, good: 0, counted: gaps, deviations: Vec::new() };
        let mut rest = instants.iter().copied().peekable();
        let Some(mut place) = rest.next() else { return grid };
        let mut missed = 0;
        loop {
            let expected = place.saturating_add(period);
            let early = expected.checked_sub(tolerance).unwrap_or(Instant::ZERO);
            while rest.next_if(|at| *at < early).is_some() {}
            let Some(at) = rest.peek().copied() else { break };
            if at <= expected.saturating_add(tolerance) {
                rest.next();
                missed = 0;
                grid.periods += 1;
                grid.good += 1;
                grid.deviations.push(distance(at, expected));
                place = follow(expected, at);
            } else if missed == 0 {
                missed += 1;
                grid.periods += 1;
                place = expected;
            } else {
                rest.next();
                missed = 0;
                grid.periods += nearest_multiple(at.saturating_since(place), period);
                place = at;
            }
        }
        grid.counted = grid.counted.max(grid.periods);
        grid.deviations.sort_unstable();
        grid
    }

    /// A grid from known counts and deviations.
    pub(super) fn of(
        period: Span,
        periods: u64,
        good: u64,
        counted: u64,
        mut deviations: Vec<Span>,
    ) -> Grid {
        deviations.sort_unstable();
        Grid { period, periods, good, counted, deviations }
    }

    pub(super) fn confidence(&self) -> Ratio {
        Ratio::new(i128::from(self.good), i128::from(self.counted)).unwrap_or(Ratio::ZERO)
    }

    /// The deviation that 99 of 100 instants on time do not exceed.
    pub(super) fn jitter(&self) -> Span {
        percentile(&self.deviations, 99)
    }
}

fn distance(a: Instant, b: Instant) -> Span {
    a.saturating_since(b).max(b.saturating_since(a))
}

fn follow(expected: Instant, at: Instant) -> Instant {
    let eighth = |span: Span| Span::from_nanos(span.as_nanos() / 8);
    let forward = expected.saturating_add(eighth(at.saturating_since(expected)));
    forward.checked_sub(eighth(expected.saturating_since(at))).unwrap_or(Instant::ZERO)
}
