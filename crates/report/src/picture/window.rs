//! Which part of a trace a picture shows, and where on it a time lies.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "places on a picture; a share of a pixel does not matter"
)]

use super::Picture;
use crate::figures::short;
use crate::{Outcome, Story};
use std::collections::BTreeMap;
use windfall_time::{Instant, Span};
use windfall_trace::ThreadId;

/// Slices that are shown of a trace without periods.
const SLICES: usize = 300;

/// A part of a trace on a row of pixels.
pub(super) struct Window {
    pub(super) from: Instant,
    pub(super) to: Instant,
    /// The end of the trace.
    pub(super) end: Instant,
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
            None => match slowest(story, picture.periods.max(1)) {
                Some(Slowest { from, to, what }) => (from.max(first), to.min(last), what),
                None => (first, nth_slice(story).unwrap_or(last), format!("first {SLICES} slices")),
            },
        };
        let to = to.max(from.saturating_add(Span::from_nanos(1)));
        let whole = from <= first && to >= last;
        let why = match (whole, why.is_empty()) {
            (true, _) => String::new(),
            (false, true) => format!("of {}", short(timeline.span())),
            (false, false) => format!("of {}: {why}", short(timeline.span())),
        };
        Window { from, to, end: last, left, wide, why }
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

/// The first jobs of the thread that is slowest to do so many.
struct Slowest {
    from: Instant,
    to: Instant,
    what: String,
}

/// The jobs of a thread so far.
struct Jobs {
    first: Instant,
    last: Instant,
    /// The shortest time between two releases.
    period: Option<Span>,
    /// When each job was done.
    ends: Vec<Instant>,
}

/// The first `many` jobs of the slowest thread: at least so many of its shortest times between releases, and so many jobs
/// done, if it gets so many done.
fn slowest(story: &Story, many: u32) -> Option<Slowest> {
    let mut threads: BTreeMap<ThreadId, Jobs> = BTreeMap::new();
    for job in &story.jobs {
        let (first, last) = (job.release, job.release);
        let new = || Jobs { first, last, period: None, ends: Vec::new() };
        let jobs = threads.entry(job.thread).or_insert_with(new);
        let gap = job.release.saturating_since(jobs.last);
        if !gap.is_zero() {
            jobs.period = Some(jobs.period.map_or(gap, |period| period.min(gap)));
        }
        jobs.last = job.release;
        let done = matches!(job.outcome, Outcome::Done | Outcome::Missed);
        jobs.ends.extend(job.end.filter(|_| done));
    }
    let stretch = |(thread, jobs): (&ThreadId, &Jobs)| {
        let periods = jobs.period?.checked_mul(u64::from(many))?;
        let done = jobs.ends.get(usize::try_from(many).ok()? - 1).copied();
        let to = jobs.first.saturating_add(periods).max(done.unwrap_or(jobs.first));
        let what = if done.is_some_and(|done| done >= to) { "jobs" } else { "periods" };
        Some((to.saturating_since(jobs.first), *thread, what, jobs.first))
    };
    let (span, thread, what, first) = threads.iter().filter_map(stretch).max()?;
    let name = story.timeline.thread(thread).map_or("?", |line| line.name.as_str());
    // The beginning is shown with it where it is near.
    let before = first.saturating_since(story.timeline.from);
    let from = if before <= span { story.timeline.from } else { first };
    let to = first.saturating_add(span);
    Some(Slowest { from, to, what: format!("first {many} {what} of {name}") })
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
