//! Which part of a trace a picture shows, and where on it a time lies.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "places on a picture; a share of a pixel does not matter"
)]

use super::Picture;
use crate::Story;
use crate::figures::short;
use std::collections::BTreeMap;
use windfall_time::{Instant, Span};
use windfall_trace::ThreadId;

/// Slices that are shown of a trace without periods.
const SLICES: usize = 300;

/// A part of a trace on a row of pixels.
pub(super) struct Window {
    pub(super) from: Instant,
    pub(super) to: Instant,
    /// Where `from` lies, and how many pixels there are up to `to`.
    pub(super) left: f32,
    pub(super) wide: f32,
    /// Why it is this part, in words; empty when it is all.
    pub(super) why: String,
}

impl Window {
    pub(super) fn of(picture: &Picture, story: &Story, left: f32, wide: f32) -> Window {
        let timeline = &story.timeline;
        let (first, last) = (timeline.from, timeline.to);
        let (from, to, why) = match picture.window {
            Some((from, to)) => (from, to, String::new()),
            None => match slowest(story) {
                Some((period, name)) => {
                    let span = period.checked_mul(u64::from(picture.periods.max(1)));
                    let to = span.map_or(last, |span| first.saturating_add(span)).min(last);
                    (first, to, format!("{} periods of {name}", picture.periods.max(1)))
                }
                None => (first, nth_slice(story).unwrap_or(last), format!("{SLICES} slices")),
            },
        };
        let to = to.max(from.saturating_add(Span::from_nanos(1)));
        let whole = from <= first && to >= last;
        let why = match (whole, why.is_empty()) {
            (true, _) => String::new(),
            (false, true) => format!("of {}", short(timeline.span())),
            (false, false) => format!("of {}: first {why}", short(timeline.span())),
        };
        Window { from, to, left, wide, why }
    }

    pub(super) fn span(&self) -> Span {
        self.to.saturating_since(self.from)
    }

    /// Where `at` lies, between the window's ends.
    pub(super) fn x(&self, at: Instant) -> f32 {
        let part = at.saturating_since(self.from).as_nanos() as f64 / self.span().as_nanos() as f64;
        self.left + part.min(1.0) as f32 * self.wide
    }

    pub(super) fn holds(&self, at: Instant) -> bool {
        self.from <= at && at <= self.to
    }
}

/// The longest of the threads' periods, each the shortest time between two releases.
fn slowest(story: &Story) -> Option<(Span, &str)> {
    let mut last: BTreeMap<ThreadId, (Instant, Option<Span>)> = BTreeMap::new();
    for job in &story.jobs {
        let (before, period) = last.entry(job.thread).or_insert((job.release, None));
        let gap = job.release.saturating_since(*before);
        if !gap.is_zero() {
            *period = Some(period.map_or(gap, |period| period.min(gap)));
        }
        *before = job.release;
    }
    let periods = last.iter().filter_map(|(thread, (_, period))| Some(((*period)?, *thread)));
    let (period, thread) = periods.max()?;
    Some((period, story.timeline.thread(thread).map_or("?", |line| line.name.as_str())))
}

/// When the last of the first slices of any processor ends.
fn nth_slice(story: &Story) -> Option<Instant> {
    let mut ends: Vec<Instant> = story
        .timeline
        .cpus
        .iter()
        .flat_map(|line| line.slices.iter().take(SLICES).map(|slice| slice.to))
        .collect();
    ends.sort_unstable();
    ends.get(SLICES - 1).copied()
}
