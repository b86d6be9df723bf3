//! Earliest deadline first with locks, where the scheduler itself holds a guarantee or a processor.
//!
//! In a window that ends with a deadline, in addition to the work due in it, later jobs delay it once, by the bound that
//! `locks.rs` gives for tasks whose relative deadline is longer than the window (Baruah 2006). So the blocking of a
//! window is that of the longest relative deadline in it.
//!
//! A1, A2 as in `local_edf.rs`, but for locks, of which A1 to A4 of `locks.rs` hold.
//! A3 No task has jitter: with a lock, a deadline may be taken that counts from a release.
//!
//! Sufficient, and necessary as far as each task holds its lock at the worst moment. Without blocking it agrees with
//! `local_edf.rs`. Sources: Baker 1991; Baruah 2006; Spuri 1996 for response times; Zhang and Burns 2013 for the jumps.

use crate::load::repetition;
use crate::local_edf::{busy_period_after, demand, last_deadline, undecided};
use crate::window::{HORIZON, ROUNDS, in_range};
use crate::{Supply, Task, UnboundedError};
use core::cmp::Ordering;
use windfall_time::Span;

/// Whether every job meets its deadline; `blocking` by task, as those with longer relative deadlines delay it.
///
/// # Errors
/// [`UnboundedError::OutOfRange`], [`UnboundedError::Jitter`], and [`UnboundedError::NotFound`] where it is not decided within
/// [`HORIZON`] and [`ROUNDS`].
pub fn schedulable(
    tasks: &[Task],
    blocking: &[Span],
    supply: &Supply,
) -> Result<bool, UnboundedError> {
    let blocks = Blocks::new(tasks, blocking)?;
    let most = match busy_period_after(blocks.largest, tasks, supply) {
        Ok(busy) => Some(busy),
        // The tasks take exactly the supply's rate, so the first blocking is never made up for. From the longest deadline on, blocking
        // is the same: demand repeats as without it.
        Err(Ordering::Equal) => {
            repetition(tasks, supply).and_then(|(start, cycle)| start.checked_add(cycle))
        }
        Err(_) => None,
    };
    let Some(most) = most else { return undecided(tasks, supply) };
    let mut window = last_deadline(tasks, most);
    for _ in 0..ROUNDS {
        let Some(now) = window else { return Ok(true) };
        let Some(work) = demand(tasks, now) else { return undecided(tasks, supply) };
        let within = |more: u64| supply.window_ns(work.checked_add(more)?);
        if within(blocks.at(now)).is_none_or(|needed| needed > now) {
            return Ok(false);
        }
        // No shorter window down to one that holds even this work and the largest blocking is in want.
        window = match within(blocks.largest) {
            Some(sure) if sure < now => last_deadline(tasks, sure),
            _ => now.checked_sub(1).and_then(|shorter| last_deadline(tasks, shorter)),
        };
    }
    undecided(tasks, supply)
}

/// The longest response time of each task, however late that is; `blocking` as for [`schedulable`].
///
/// All have a bound, or none has.
#[must_use]
pub fn response_times(
    tasks: &[Task],
    blocking: &[Span],
    supply: &Supply,
) -> Vec<Result<Span, UnboundedError>> {
    let found = Blocks::new(tasks, blocking).and_then(|blocks| {
        let mut rounds = 0;
        let busy = busy_period_after(blocks.largest, tasks, supply).ok();
        let mut all = |busy| {
            (0..tasks.len()).map(|own| worst(&blocks, own, supply, busy, &mut rounds)).collect()
        };
        busy.and_then(&mut all).ok_or_else(|| UnboundedError::of(tasks, supply))
    });
    match found {
        Ok(found) => Vec::into_iter(found).map(Ok).collect(),
        Err(why) => vec![Err(why); tasks.len()],
    }
}

/// Tasks, and the blocking before them, by window.
struct Blocks<'a> {
    tasks: &'a [Task],
    /// Relative deadlines with the blocking of windows from there on, the longest first.
    steps: Vec<(u64, u64)>,
    largest: u64,
}

impl<'a> Blocks<'a> {
    fn new(tasks: &'a [Task], blocking: &[Span]) -> Result<Blocks<'a>, UnboundedError> {
        if tasks.iter().any(|task| !task.jitter.is_zero()) {
            return Err(UnboundedError::Jitter);
        }
        if !in_range(tasks) {
            return Err(UnboundedError::OutOfRange);
        }
        let of = |at: usize| blocking.get(at).map_or(0, |blocking| blocking.as_nanos());
        let steps = tasks.iter().enumerate().map(|(at, task)| (task.deadline.as_nanos(), of(at)));
        let mut steps: Vec<(u64, u64)> = steps.collect();
        steps.sort_unstable_by_key(|step| std::cmp::Reverse(*step));
        let largest = steps.iter().map(|(_, blocking)| *blocking).max().unwrap_or(0);
        Ok(Blocks { tasks, steps, largest })
    }

    /// The blocking of a window of this length.
    fn at(&self, window: u64) -> u64 {
        let step = self.steps.iter().find(|(deadline, _)| *deadline <= window);
        step.map_or(0, |(_, blocking)| *blocking)
    }

    /// The work of a window that is due by `due` of it and arrives in the first `window`.
    fn work(&self, window: u64, due: u64) -> Option<u64> {
        self.tasks.iter().try_fold(self.at(due), |sum, task| {
            let [period, deadline] = [task.period, task.deadline].map(Span::as_nanos);
            let jobs = due.checked_sub(deadline).map_or(0, |past| past / period + 1);
            let jobs = jobs.min(window.div_ceil(period));
            sum.checked_add(jobs.checked_mul(task.work.as_nanos())?)
        })
    }
}

/// The longest response time of one task, over all deadlines at which work or blocking changes.
fn worst(
    blocks: &Blocks<'_>,
    own: usize,
    supply: &Supply,
    busy: u64,
    rounds: &mut u32,
) -> Option<Span> {
    let relative = blocks.tasks[own].deadline.as_nanos();
    let (mut worst, mut due) = (0, relative);
    while due - relative < busy {
        let finish = finish(blocks, supply, due, rounds)?;
        worst = worst.max(finish.saturating_sub(due - relative));
        // The next deadline of any task.
        let later = blocks.tasks.iter().map(|task| {
            let [period, deadline] = [task.period, task.deadline].map(Span::as_nanos);
            due.checked_sub(deadline)
                .map_or(deadline, |past| (past / period + 1) * period + deadline)
        });
        due = later.min()?;
    }
    Some(Span::from_nanos(worst))
}

/// The least window that holds all work that arrives in it and is due by `due`.
fn finish(blocks: &Blocks<'_>, supply: &Supply, due: u64, rounds: &mut u32) -> Option<u64> {
    let mut window = 1;
    while *rounds < ROUNDS {
        *rounds += 1;
        let needed = supply.window_ns(blocks.work(window, due)?)?;
        if needed > HORIZON.as_nanos() {
            return None;
        }
        if needed <= window {
            return Some(needed);
        }
        window = needed;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{small_supply, small_tasks, task};
    use crate::{load, local_edf};
    use proptest::prelude::*;

    fn without_jitter(tasks: Vec<Task>) -> Vec<Task> {
        tasks.into_iter().map(|task| Task { jitter: Span::ZERO, ..task }).collect()
    }

    /// Blocking by tasks with longer deadlines: for each task, the longest section among them.
    fn blocking(tasks: &[Task], sections: &[u64]) -> Vec<Span> {
        let of = |own: &Task| {
            let later = tasks.iter().zip(sections).filter(|(task, _)| task.deadline > own.deadline);
            Span::from_nanos(later.map(|(_, section)| *section).max().unwrap_or(0))
        };
        tasks.iter().map(of).collect()
    }

    #[test]
    fn refuses_blocking_where_tasks_take_the_whole_rate() {
        let tasks = [task(1, 5, 11, 0)];
        let span = Span::from_nanos;
        let resource = crate::Resource::continuous(span(10)).unwrap();
        let supply = resource.supply(span(2)).unwrap();
        // The first deadline is after 11 ns, and 1 + 3 ns of work take 20 ns.
        assert_eq!(schedulable(&tasks, &[span(3)], &supply), Ok(false));
        assert_eq!(schedulable(&tasks, &[Span::ZERO], &supply), Ok(true));
    }

    proptest! {
        #[test]
        fn limit_jumps_decide_as_all_windows_do(
            tasks in small_tasks(1..=3), supply in small_supply(),
            sections in prop::collection::vec(0..6_u64, 3),
        ) {
            let tasks = without_jitter(tasks);
            let blocking = blocking(&tasks, &sections);
            let (start, cycle) = load::repetition(&tasks, &supply).unwrap();
            let slow = load::against_rate(&tasks, &supply) != Ordering::Greater
                && (0..=start + cycle + 2_000).all(|window| {
                    let first = tasks.iter().zip(&blocking).filter(|(task, _)| {
                        task.deadline.as_nanos() <= window
                    });
                    let own = first.max_by_key(|(task, _)| task.deadline);
                    let Some((_, own)) = own else { return true };
                    let least = supply.least(Span::from_nanos(window)).as_nanos();
                    demand(&tasks, window).unwrap() + own.as_nanos() <= least
                });
            prop_assert_eq!(schedulable(&tasks, &blocking, &supply), Ok(slow));
        }

        #[test]
        fn limit_responses_are_those_of_all_arrivals(
            tasks in small_tasks(1..=3), supply in small_supply(),
            sections in prop::collection::vec(0..6_u64, 3),
        ) {
            let tasks = without_jitter(tasks);
            let blocking = blocking(&tasks, &sections);
            let blocks = Blocks::new(&tasks, &blocking).unwrap();
            let responses = response_times(&tasks, &blocking, &supply);
            let Ok(busy) = busy_period_after(blocks.largest, &tasks, &supply) else {
                return Ok(());
            };
            for (task, response) in tasks.iter().zip(responses) {
                let of = |arrival: u64| {
                    let due = arrival + task.deadline.as_nanos();
                    finish(&blocks, &supply, due, &mut 0).unwrap().saturating_sub(arrival)
                };
                let slow = (0..busy).map(of).max().unwrap();
                prop_assert_eq!(response, Ok(Span::from_nanos(slow)));
            }
        }

        #[test]
        fn limit_without_blocking_it_is_the_analysis_itself(
            tasks in small_tasks(1..=3), supply in small_supply(),
        ) {
            let tasks = without_jitter(tasks);
            let none = vec![Span::ZERO; tasks.len()];
            prop_assert_eq!(
                schedulable(&tasks, &none, &supply), local_edf::schedulable(&tasks, &supply)
            );
            if busy_period_after(0, &tasks, &supply).is_ok() {
                let plain = local_edf::response_times(&tasks, &supply);
                prop_assert_eq!(response_times(&tasks, &none, &supply), plain);
            }
        }
    }

    #[test]
    fn refuses_jitter_and_accepts_blocking_that_just_fits() {
        let tasks = [task(2, 10, 5, 0), task(4, 10, 9, 0)];
        let blocking = |longest| [Span::from_nanos(longest), Span::ZERO];
        assert_eq!(schedulable(&tasks, &blocking(3), &Supply::all()), Ok(true));
        assert_eq!(schedulable(&tasks, &blocking(4), &Supply::all()), Ok(false));
        let bounds = response_times(&tasks, &blocking(3), &Supply::all());
        assert_eq!(bounds, [Ok(Span::from_nanos(5)), Ok(Span::from_nanos(6))]);
        let late = [task(2, 10, 5, 1)];
        let error = response_times(&late, &[], &Supply::all());
        assert_eq!(error, [Err(UnboundedError::Jitter)]);
        assert_eq!(schedulable(&late, &[], &Supply::all()), Err(UnboundedError::Jitter));
    }
}
