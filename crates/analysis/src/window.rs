//! The worst window of a processor: time passes from the critical instant as work arrives.
//!
//! At the critical instant each task releases a job that has suffered the whole of its jitter, and
//! every later job as early as it may. The window ends where the work that has arrived is done.
//! Arrivals are taken in one at a time and each only once, so that the busy periods of all priority
//! levels cost one pass through the longest of them, without a division.
//!
//! Invariants: `now` never decreases; each arrival before `now` has its work inside `now`, once
//! settled. A window gives up (`None`) where the utilisation admits no end (exactly), beyond
//! [`HORIZON`], or after [`ROUNDS`].

use crate::{Task, exact};
use core::cmp::Ordering;
use windfall_time::Span;

/// No window longer than this is looked at: 2^62 ns, 146 years.
pub const HORIZON: Span = Span::from_nanos(1 << 62);

/// How often arrivals are gone through before an analysis gives up: 2^22 times.
pub const ROUNDS: u32 = 1 << 22;

/// From here on, the utilisation is looked at each time that the rounds have doubled.
const PATIENCE: u32 = 1 << 9;

/// Whether every number is in range: works and periods above zero, and the sum of all works,
/// the longest period, jitter and deadline together below a quarter of [`HORIZON`].
///
/// Sums of those, and of one moment before the horizon, cannot overflow then.
pub(crate) fn in_range(tasks: &[Task]) -> bool {
    const MOST: u64 = HORIZON.as_nanos() / 4;
    let (mut work, mut longest) = (0_u64, 0);
    for task in tasks {
        let Task { work: own, period, deadline, jitter } = *task;
        if own.is_zero() || period.is_zero() {
            return false;
        }
        work = work.saturating_add(own.as_nanos());
        longest = longest.max(period.max(deadline).max(jitter).as_nanos());
    }
    work <= MOST && longest <= MOST
}

/// Whether a busy period of these tasks has an end: not if they take more than the processor, nor
/// if they take all of it and have a backlog of jitter that can never be worked off.
pub(crate) fn ends(tasks: &[Task]) -> bool {
    match exact::utilisation(tasks).compare_whole(1) {
        Ordering::Less => true,
        Ordering::Equal => tasks.iter().all(|task| task.jitter.is_zero()),
        Ordering::Greater => false,
    }
}

/// The arrivals of one task that are still to come.
#[derive(Clone, Copy)]
struct Stream {
    next: u64,
    period: u64,
    work: u64,
}

/// The window, with the streams that have joined it.
pub(crate) struct Window<'a> {
    tasks: &'a [Task],
    streams: Vec<Stream>,
    start: u64,
    now: u64,
    rounds: u32,
}

impl<'a> Window<'a> {
    /// An empty window for some of these tasks; `None` when they are not in range.
    pub(crate) fn new(tasks: &'a [Task]) -> Option<Window<'a>> {
        // Jobs arrive up to a jitter before the window starts; the clock starts earlier still.
        let start = tasks.iter().map(|task| task.jitter.as_nanos()).max().unwrap_or(0);
        let streams = Vec::with_capacity(tasks.len());
        in_range(tasks).then_some(Window { tasks, streams, start, now: start, rounds: 0 })
    }

    /// How long the window is so far.
    pub(crate) fn length(&self) -> u64 {
        self.now - self.start
    }

    /// Works off every job of the next task in the window before any of lower priority; the longest
    /// time from the arrival of such a job to its end.
    pub(crate) fn admit(&mut self) -> Option<u64> {
        let Task { work, period, jitter, .. } = *self.tasks.get(self.streams.len())?;
        let (work, period) = (work.as_nanos(), period.as_nanos());
        let (mut next, mut worst) = (self.start - jitter.as_nanos(), 0);
        loop {
            self.now += work;
            self.settle()?;
            worst = worst.max(self.now - next);
            next += period;
            if self.now <= next {
                break;
            }
        }
        self.streams.push(Stream { next, period, work });
        Some(worst)
    }

    /// Lets time pass until all that has arrived is done: the least fixed point of equation 6.1.
    fn settle(&mut self) -> Option<()> {
        loop {
            let mut now = self.now;
            for stream in &mut self.streams {
                if stream.next < now {
                    // One round adds each work at most once and starts before the horizon.
                    now = now.wrapping_add(stream.work);
                    stream.next = stream.next.wrapping_add(stream.period);
                }
            }
            self.rounds += 1;
            if self.rounds >= PATIENCE && self.rounds.is_power_of_two() {
                let admitted = &self.tasks[..=self.streams.len()];
                if self.rounds >= ROUNDS || !ends(admitted) {
                    return None;
                }
            }
            if now > HORIZON.as_nanos() {
                return None;
            }
            if now == self.now {
                return Some(());
            }
            self.now = now;
        }
    }
}

/// The longest time that the processor is busy with these tasks, from the critical instant;
/// `None` where there is no bound.
pub(crate) fn busy_period(tasks: &[Task]) -> Option<u64> {
    let mut window = Window::new(tasks)?;
    for _ in tasks {
        window.admit()?;
    }
    Some(window.length())
}
