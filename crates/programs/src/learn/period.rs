//! Finds out whether a thread has a period, and how much it needs in one.
//!
//! Where a trace has the thread's jobs, their releases are what is looked at; else its wake-ups, which miss those that come while it
//! is busy.
//!
//! Wake-ups are grouped into bunches in two ways, each with several sizes: a bunch begins with every k-th wake-up,
//! or after at least a certain silence. The median gap between bunches is a candidate for the period. A grid of
//! that period is fitted to the bunches (`grid.rs`); the share of its periods in which a bunch begins on time is
//! the confidence. The greatest confidence wins. A longer candidate wins only if it is better by more than 1/4, so
//! that a multiple of the period is not taken for the period. If no candidate is certain, the thread may still keep
//! a pace (`pace.rs`).
//!
//! Everything is decided in integers and exact fractions. Absent on purpose: a spectrum; a thread that mixes two
//! periods has none here.

use super::grid::Grid;
use super::pace::pace;
use super::replay::{Activation, Cause, Learned};
use std::fmt;
use windfall_time::{Instant, Ratio, Span, quantile};

/// Fewer periods than this are not trusted.
pub(super) const FEWEST: u64 = 8;
/// At most this many wake-ups make a period.
const MOST_WAKES: usize = 4;
/// Shorter periods are not considered, because they are answers to other threads, one after another.
const SHORTEST: Span = Span::from_nanos(200_000);

/// The period and the need of a thread, as its wake-ups show them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Habit {
    /// Its period; `None` if its activations have no common one.
    pub period: Option<Span>,
    /// The deviation from the grid that 99 of 100 on-time periods do not exceed.
    pub jitter: Span,
    /// Processor time that it used in a period, or per wake-up if it has no period.
    pub need: Need,
    /// The share of periods that begin on time: within a tenth of the period of their instant on the grid (less if
    /// several wake-ups make a period) or, for a pace, within its jitter. Of the best candidate if there is no
    /// period.
    pub confidence: Ratio,
    /// Number of periods observed.
    pub periods: u64,
    /// Number of times that it became ready after waiting, or that a job was released.
    pub wakeups: u64,
    /// The kind of result.
    pub note: Note,
}

/// Percentiles of the work in one period.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Need {
    /// Half of the periods needed at most this.
    pub p50: Span,
    /// 99 of 100 periods needed at most this.
    pub p99: Span,
    /// All periods needed at most this.
    pub max: Span,
}

/// The kind of result about a thread's period.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Note {
    /// It has a period of its own.
    Periodic,
    /// It has a period because this thread (an index into [`Learned::threads`]) wakes it.
    ReleasedBy(usize),
    /// It may have a period, but was not observed long enough to tell.
    TooFewPeriods,
    /// It was observed long enough, and has no period.
    NotPeriodic,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Periodic => f.write_str("periodic"),
            Note::ReleasedBy(thread) => write!(f, "released by thread {thread}"),
            Note::TooFewPeriods => f.write_str("too few periods"),
            Note::NotPeriodic => f.write_str("not periodic"),
        }
    }
}

/// One way to group wake-ups into periods.
struct Candidate {
    /// Indices of the wake-ups that begin a bunch.
    heads: Vec<usize>,
    grid: Grid,
}

/// Analyses one learned thread.
///
/// # Panics
/// When there is no thread with this index.
#[must_use]
pub fn habit(learned: &Learned, thread: usize) -> Habit {
    let jobs = &learned.threads[thread].jobs;
    let all = if jobs.is_empty() { &learned.threads[thread].activations } else { jobs };
    let wakes = &releases(all);
    let each_wake = || Need::of(all.iter().map(|a| a.work).collect());
    let mut habit = Habit {
        period: None,
        jitter: Span::ZERO,
        need: Need::default(),
        confidence: Ratio::ZERO,
        periods: 0,
        wakeups: wakes.len() as u64,
        note: Note::TooFewPeriods,
    };
    let Some(mut best) = best(wakes) else {
        habit.need = each_wake();
        return habit;
    };
    // good / counted < 3/4
    if best.grid.good * 4 < best.grid.counted * 3
        && let Some((heads, grid)) = pace(wakes)
        && grid.confidence() > best.grid.confidence()
    {
        best = Candidate { heads, grid };
    }
    (habit.confidence, habit.periods) = (best.grid.confidence(), best.grid.periods);
    // good / periods >= 2/3
    let regular = best.grid.good * 3 >= best.grid.counted * 2;
    habit.note = match (best.grid.periods >= FEWEST, regular) {
        (false, _) => Note::TooFewPeriods,
        (true, false) => Note::NotPeriodic,
        (true, true) => releaser(wakes).map_or(Note::Periodic, Note::ReleasedBy),
    };
    if matches!(habit.note, Note::Periodic | Note::ReleasedBy(_)) {
        habit.period = Some(best.grid.period);
        habit.jitter = best.grid.jitter();
        habit.need = best.need(wakes);
    } else {
        habit.need = each_wake();
    }
    habit
}

/// The activations that are releases. An activation that only means that the thread was seen again after a loss
/// belongs to the release before it. Work since the trace began has no known release.
fn releases(all: &[Activation]) -> Vec<Activation> {
    let mut releases: Vec<Activation> = Vec::with_capacity(all.len());
    for activation in all {
        match (activation.by, releases.last_mut()) {
            (Cause::Start, None) => {}
            (Cause::Start, Some(last)) => last.work = last.work.saturating_add(activation.work),
            _ => releases.push(*activation),
        }
    }
    releases
}

/// The best way to group the wake-ups; `None` if no way gives two gaps.
fn best(wakes: &[Activation]) -> Option<Candidate> {
    let mut best: Option<Candidate> = None;
    let every = (1..=MOST_WAKES).map(|k| ((0..wakes.len()).step_by(k).collect(), k as u64));
    // Silences of 2^17 ns (131 us) to 2^33 ns (8.6 s).
    let after = (17..=33).map(|bits| (heads_after(wakes, Span::from_nanos(1 << bits)), 1));
    for (heads, k) in every.chain(after) {
        let Some(candidate) = Candidate::of(heads, k, wakes) else { continue };
        if best.as_ref().is_none_or(|best| candidate.beats(best)) {
            best = Some(candidate);
        }
    }
    best
}

/// The wake-ups that follow the one before by `silence` or more.
pub(super) fn heads_after(wakes: &[Activation], silence: Span) -> Vec<usize> {
    let late = |i: &usize| *i == 0 || gap(wakes, *i - 1, *i) >= silence;
    (0..wakes.len()).filter(late).collect()
}

fn gap(wakes: &[Activation], from: usize, to: usize) -> Span {
    wakes[to].at.saturating_since(wakes[from].at)
}

/// The thread that causes at least nine of ten wake-ups, if there is one.
fn releaser(wakes: &[Activation]) -> Option<usize> {
    let mut wakers: Vec<usize> = wakes
        .iter()
        .filter_map(|a| if let Cause::Thread(waker) = a.by { Some(waker) } else { None })
        .collect();
    wakers.sort_unstable();
    let most = wakers.chunk_by(|a, b| a == b).max_by_key(|same| same.len())?;
    (most.len() * 10 >= wakes.len() * 9).then(|| most[0])
}

/// The percentile `hundredths` of the sorted spans; zero if there are none.
pub(super) fn percentile(sorted: &[Span], hundredths: u32) -> Span {
    quantile(sorted, hundredths, 100).unwrap_or(Span::ZERO)
}

impl Need {
    fn of(mut works: Vec<Span>) -> Need {
        works.sort_unstable();
        let max = works.last().copied().unwrap_or(Span::ZERO);
        Need { p50: percentile(&works, 50), p99: percentile(&works, 99), max }
    }
}

impl Candidate {
    /// A candidate in which each head counts `k` wake-ups. On time means within a tenth of the time between two
    /// wake-ups, because the sum of several gaps looks steadier than each of them.
    fn of(heads: Vec<usize>, k: u64, wakes: &[Activation]) -> Option<Candidate> {
        let mut gaps: Vec<Span> =
            heads.windows(2).map(|pair| gap(wakes, pair[0], pair[1])).collect();
        if gaps.len() < 2 {
            return None;
        }
        gaps.sort_unstable();
        let period = percentile(&gaps, 50);
        if period < SHORTEST {
            return None;
        }
        let instants: Vec<Instant> = heads.iter().map(|head| wakes[*head].at).collect();
        let tolerance = Span::from_nanos(period.as_nanos() / (10 * k));
        let grid = Grid::lay(&instants, period, tolerance);
        Some(Candidate { heads, grid })
    }

    /// Whether it is better by more than 1/4, or better at all and not longer. A trusted candidate beats an
    /// untrusted one.
    fn beats(&self, other: &Candidate) -> bool {
        let (mine, theirs) = (&self.grid, &other.grid);
        let trusted = |grid: &Grid| grid.periods >= FEWEST;
        if trusted(mine) != trusted(theirs) {
            return trusted(mine);
        }
        // Cross-multiplied comparison of good / counted.
        let my_part = u128::from(mine.good) * u128::from(theirs.counted) * 4;
        let their_part = u128::from(theirs.good) * u128::from(mine.counted) * 4;
        let quarter = u128::from(mine.counted) * u128::from(theirs.counted);
        // 5/4 of the other's period is well above its jitter and below its double.
        let coarser =
            u128::from(mine.period.as_nanos()) * 4 > u128::from(theirs.period.as_nanos()) * 5;
        my_part > their_part + if coarser { quarter } else { 0 }
    }

    /// The work from each head to the next. A head less than half a period after another belongs to it. If heads
    /// are m periods apart, each period counts an m-th. The trace may end too early after the last head, so the
    /// work there counts only if it is the largest.
    fn need(&self, wakes: &[Activation]) -> Need {
        let period = self.grid.period;
        let half = Span::from_nanos(period.as_nanos() / 2);
        let mut begins: Vec<usize> = Vec::new();
        for head in &self.heads {
            if begins.last().is_none_or(|last| gap(wakes, *last, *head) >= half) {
                begins.push(*head);
            }
        }
        let work = |from: usize, to: usize| {
            wakes[from..to].iter().fold(0_u64, |sum, a| sum.saturating_add(a.work.as_nanos()))
        };
        let mut works = Vec::new();
        for pair in begins.windows(2) {
            let periods = nearest_multiple(gap(wakes, pair[0], pair[1]), period);
            let each = Span::from_nanos(work(pair[0], pair[1]).div_ceil(periods));
            works.extend((0..periods).map(|_| each));
        }
        let mut need = Need::of(works);
        let last = begins.last().map_or(0, |last| work(*last, wakes.len()));
        need.max = need.max.max(Span::from_nanos(last));
        need
    }
}

/// The number of periods in a gap, rounded to the nearest; at least one.
pub(super) fn nearest_multiple(gap: Span, period: Span) -> u64 {
    let half = Span::from_nanos(period.as_nanos() / 2);
    gap.saturating_add(half).checked_div(period).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests;
