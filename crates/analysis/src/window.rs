//! The worst window of a processor: time passes from the critical instant as work arrives.
//!
//! At the critical instant each task releases a job that has suffered the whole of its jitter, and
//! every later job as early as it may. The window ends where the work that has arrived is done.
//! Arrivals are taken in one at a time and each only once, so that the busy periods of all priority
//! levels cost one pass through the longest of them, without a division.
//!
//! Invariants: `now` never decreases; each arrival before `now` has its work inside `now`, once
//! settled. A window gives up (`None`) where the utilisation exceeds one (exactly), beyond [`HORIZON`],
//! or after [`ROUNDS`].

use crate::{Task, exact};
use core::cmp::Ordering;
use windfall_time::Span;

/// The longest window that is analysed: 2^62 ns, 146 years.
pub const HORIZON: Span = Span::from_nanos(1 << 62);

/// How many rounds over arrivals an analysis does before it gives up: 2^22.
pub const ROUNDS: u32 = 1 << 22;

/// From here on, the utilisation is checked each time that the rounds have doubled.
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
    /// Set once the tasks are known to take all of the processor and a backlog of jitter: the window
    /// has no end, and each response comes again after this long.
    cycle: Option<u64>,
}

impl<'a> Window<'a> {
    /// An empty window for some of these tasks; `None` when they are not in range.
    pub(crate) fn new(tasks: &'a [Task]) -> Option<Window<'a>> {
        // Jobs arrive up to a jitter before the window starts; the clock starts earlier still.
        let start = tasks.iter().map(|task| task.jitter.as_nanos()).max().unwrap_or(0);
        let streams = Vec::with_capacity(tasks.len());
        in_range(tasks).then_some(Window {
            tasks,
            streams,
            start,
            now: start,
            rounds: 0,
            cycle: None,
        })
    }

    /// Works off every job of the next task in the window before any of lower priority; the longest
    /// time from the arrival of such a job to its end.
    pub(crate) fn admit(&mut self) -> Option<u64> {
        if self.cycle.is_some() {
            return None;
        }
        let Task { work, period, jitter, .. } = *self.tasks.get(self.streams.len())?;
        let (work, period) = (work.as_nanos(), period.as_nanos());
        let first = self.start - jitter.as_nanos();
        let (mut next, mut worst) = (first, 0);
        loop {
            self.now += work;
            self.settle()?;
            worst = worst.max(self.now - next);
            next += period;
            if self.now <= next || self.cycle.is_some_and(|cycle| next - first >= cycle) {
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
                self.look_ahead()?;
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

    /// Gives up what has no bound, and finds the cycle of what has no end.
    #[cold]
    fn look_ahead(&mut self) -> Option<()> {
        let tasks = &self.tasks[..=self.streams.len()];
        match exact::utilisation(tasks).compare_whole(1) {
            _ if self.rounds >= ROUNDS => return None,
            Ordering::Greater => return None,
            Ordering::Equal if tasks.iter().any(|task| !task.jitter.is_zero()) => {
                self.cycle = Some(hyperperiod(tasks)?);
            }
            Ordering::Equal | Ordering::Less => {}
        }
        Some(())
    }
}

/// The longest time that the processor is busy with these tasks, from the critical instant;
/// `None` where there is no bound.
pub(crate) fn busy_period(tasks: &[Task]) -> Option<u64> {
    let mut window = Window::new(tasks)?;
    for _ in tasks {
        window.admit()?;
    }
    window.cycle.is_none().then_some(window.now - window.start)
}

/// After how long arrivals repeat: the least common multiple of the periods; `None` past 2^64 ns.
pub(crate) fn hyperperiod(tasks: &[Task]) -> Option<u64> {
    tasks.iter().try_fold(1_u64, |multiple, task| {
        let (mut divisor, mut rest) = (multiple, task.period.as_nanos());
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        (multiple / divisor).checked_mul(task.period.as_nanos())
    })
}
