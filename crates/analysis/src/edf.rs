//! Whether earliest deadline first on one processor meets every deadline, by processor demand.
//!
//! Exact (Liu and Layland 1973; Baruah, Rosier and Howell 1990; with jitter Spuri 1996), under these
//! assumptions.
//! A1 One processor of speed 1, always there; what scheduling costs is inside `work`.
//! A2 Tasks are independent, and preempted at any moment.
//! A3 Deadlines count from the arrival, as priorities do; they may exceed the period.
//! A4 A job is released at most `jitter` after its arrival.
//!
//! From the critical instant on (every task releases a job that has suffered its whole jitter), the
//! work due in a window must fit into it. [`schedulable`] visits few windows, from the longest down
//! (quick processor-demand analysis, Zhang and Burns 2009); [`least_slack`] visits all.

mod response;
#[cfg(test)]
mod tests;

pub use response::{Deadlines, response_times};

use crate::window::{self, HORIZON, ROUNDS};
use crate::{DemandError, Supply, Task, UnboundedError, exact};
use core::cmp::Ordering;
use windfall_time::{Slack, Span};

/// The result of the demand test for a set of tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// Every deadline is met.
    Schedulable,
    /// The tasks take more than the processor; sooner or later, a deadline is missed.
    Overloaded,
    /// A deadline may be missed: more is due in a window than fits into it.
    Late {
        /// Length of the window, from the critical instant.
        window: Span,
        /// Work due in it.
        demand: Span,
    },
    /// No answer: a work or period is zero, or beyond [`HORIZON`] and [`ROUNDS`].
    Undecided,
}

/// The window whose work fits with the least to spare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LeastSlack {
    /// Length of the window; the shortest, if several have the same slack.
    pub window: Span,
    /// Its slack; negative if a deadline may be missed.
    pub slack: Slack,
    /// How many windows there are that end with a deadline inside the busy period.
    pub points: u32,
}

/// The work that is due within `window` of the critical instant, at most (demand bound function).
///
/// # Errors
/// When a task that is due within the window has a period of zero, or the sum is 2^64 ns or more.
pub fn demand(tasks: &[Task], window: Span) -> Result<Span, DemandError> {
    tasks.iter().enumerate().try_fold(Span::ZERO, |sum, (index, task)| {
        let late = u128::from(window.as_nanos()) + u128::from(task.jitter.as_nanos());
        let Some(since_first) = late.checked_sub(u128::from(task.deadline.as_nanos())) else {
            return Ok(sum);
        };
        let periods = since_first.checked_div(u128::from(task.period.as_nanos()));
        let jobs = periods.ok_or(DemandError::ZeroPeriod { task: index })? + 1;
        let work = u64::try_from(jobs).ok().and_then(|jobs| task.work.checked_mul(jobs));
        work.and_then(|work| sum.checked_add(work)).ok_or(DemandError::TooMuch)
    })
}

/// The longest time that the processor is busy, from the critical instant.
///
/// # Errors
/// Why there is no bound, or none is found within [`HORIZON`] and [`ROUNDS`].
pub fn busy_period(tasks: &[Task]) -> Result<Span, UnboundedError> {
    busy(tasks).map(Span::from_nanos)
}

fn busy(tasks: &[Task]) -> Result<u64, UnboundedError> {
    window::busy_period(tasks).ok_or_else(|| UnboundedError::of(tasks, &Supply::all()))
}

/// Whether every deadline is met.
#[must_use]
pub fn schedulable(tasks: &[Task]) -> Verdict {
    match longest_window(tasks) {
        Ok(end) => check(&dues(tasks), end),
        Err(verdict) => verdict,
    }
}

/// The window of the busy period with the least slack; `None`, which is no error, where no deadline lies
/// in the busy period, so that none can be missed.
///
/// # Errors
/// Why the busy period has no bound; [`UnboundedError::NotFound`] also after [`ROUNDS`] windows.
pub fn least_slack(tasks: &[Task]) -> Result<Option<LeastSlack>, UnboundedError> {
    let end = busy(tasks)?;
    let dues = dues(tasks);
    let mut next = dues.iter().map(Due::first).min();
    let (mut points, mut least) = (0, None::<(i64, u64)>);
    while let Some(window) = next.filter(|window| *window <= end) {
        if points == ROUNDS {
            return Err(UnboundedError::NotFound);
        }
        points += 1;
        let slack = window.checked_signed_diff(total(&dues, window));
        let found = (slack.ok_or(UnboundedError::NotFound)?, window);
        least = Some(least.map_or(found, |least| least.min(found)));
        next = dues.iter().map(|due| due.after(window)).min();
    }
    Ok(least.map(|(slack, window)| LeastSlack {
        window: Span::from_nanos(window),
        slack: Slack::from_nanos(slack),
        points,
    }))
}

/// When the jobs of one task are due, from the critical instant; in range.
struct Due {
    work: u64,
    period: u64,
    deadline: u64,
    jitter: u64,
}

impl Due {
    /// The deadline of the job released first; at once, if its jitter exceeds its deadline.
    fn first(&self) -> u64 {
        self.deadline.saturating_sub(self.jitter)
    }

    /// The work due within the window.
    fn within(&self, window: u64) -> u64 {
        let since_first = (window + self.jitter).checked_sub(self.deadline);
        since_first.map_or(0, |since| (since / self.period + 1) * self.work)
    }

    /// The last deadline before the window's end.
    fn before(&self, window: u64) -> Option<u64> {
        let since_first = (window.checked_sub(1)? + self.jitter).checked_sub(self.deadline)?;
        let last = since_first - since_first % self.period + self.deadline;
        Some(last.saturating_sub(self.jitter))
    }

    /// The first deadline after the window.
    fn after(&self, window: u64) -> u64 {
        let since_first = (window + self.jitter).checked_sub(self.deadline);
        let next = since_first.map_or(0, |since| since - since % self.period + self.period);
        next + self.deadline - self.jitter
    }
}

fn dues(tasks: &[Task]) -> Vec<Due> {
    let due = |task: &Task| Due {
        work: task.work.as_nanos(),
        period: task.period.as_nanos(),
        deadline: task.deadline.as_nanos(),
        jitter: task.jitter.as_nanos(),
    };
    tasks.iter().map(due).collect()
}

/// The work due within the window; cannot overflow when the tasks fit on the processor.
fn total(dues: &[Due], window: u64) -> u64 {
    dues.iter().map(|due| due.within(window)).sum()
}

/// A window such that the shorter ones decide.
fn longest_window(tasks: &[Task]) -> Result<u64, Verdict> {
    if let Some(busy) = window::busy_period(tasks) {
        return Ok(busy);
    }
    if !window::in_range(tasks) {
        return Err(Verdict::Undecided);
    }
    match exact::utilisation(tasks).compare_whole(1) {
        Ordering::Less => Err(Verdict::Undecided),
        Ordering::Greater => Err(Verdict::Overloaded),
        // The demand repeats, a hyperperiod's work after each hyperperiod.
        Ordering::Equal => {
            let last = tasks.iter().map(|task| task.deadline.as_nanos()).max().unwrap_or(0);
            window::hyperperiod(tasks)
                .and_then(|hyperperiod| hyperperiod.checked_add(last)?.checked_add(1))
                .filter(|end| *end < HORIZON.as_nanos())
                .ok_or(Verdict::Undecided)
        }
    }
}

/// Looks for a window shorter than `end` that cannot hold its work, from the longest down: where
/// the work due leaves room, no window between that much work and this one is too short.
fn check(dues: &[Due], end: u64) -> Verdict {
    let last_before = |end| dues.iter().filter_map(|due| due.before(end)).max();
    let first = dues.iter().map(Due::first).min().unwrap_or(0);
    let Some(mut window) = last_before(end) else {
        return Verdict::Schedulable;
    };
    for _ in 0..ROUNDS {
        let demand = total(dues, window);
        if demand > window {
            let [window, demand] = [window, demand].map(Span::from_nanos);
            return Verdict::Late { window, demand };
        }
        if demand <= first {
            return Verdict::Schedulable;
        }
        let shorter = if demand < window { Some(demand) } else { last_before(window) };
        match shorter {
            Some(shorter) => window = shorter,
            None => return Verdict::Schedulable,
        }
    }
    Verdict::Undecided
}
