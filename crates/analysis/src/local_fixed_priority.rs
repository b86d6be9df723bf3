//! Response times under fixed priorities, where the scheduler itself holds only a guarantee.
//!
//! Exact for the supply bound function: the least window that surely holds a job's own work and all
//! that goes before it. Demand of a window of length t after the critical instant is as in HLS
//! equation 6.1; instead of t itself, `Supply::window` gives the time that this demand takes.
//!
//! A1 The scheduler is runnable whenever a task is, so that its guarantee holds (HLS 5.1.3).
//! A2 Its supply in different windows is independent of what its tasks do.
//! A3 Tasks are independent, but for blocking where it is given; what switching costs is inside `work`.
//! A4 Deadlines play no part in response times; a response counts from the nominal arrival.
//!
//! Sources: Shin and Lee 2003, theorem 4.2; Tindell, Burns and Wellings 1994 for jitter and
//! deadlines beyond periods. With `Supply::all()` it agrees with `fixed_priority.rs`.

use crate::local_edf::undecided;
use crate::window::{HORIZON, ROUNDS, in_range};
use crate::{Supply, Task, UnboundedError, load};
use core::cmp::Ordering;
use windfall_time::Span;

/// From here on, the utilisation is checked each time that the rounds have doubled.
const PATIENCE: u32 = 1 << 9;

/// The longest response time of each task, in decreasing order of priority.
///
/// Without a bound: why the tasks down to this one have none.
#[must_use]
pub fn response_times(tasks: &[Task], supply: &Supply) -> Vec<Result<Span, UnboundedError>> {
    if !in_range(tasks) {
        return vec![Err(UnboundedError::OutOfRange); tasks.len()];
    }
    (0..tasks.len()).map(|last| last_response_time(&tasks[..=last], supply)).collect()
}

/// The longest response time of the last of these tasks, which has the lowest priority.
///
/// # Errors
/// Why they have no bound. Without tasks none is found.
pub fn last_response_time(tasks: &[Task], supply: &Supply) -> Result<Span, UnboundedError> {
    blocked_response_time(tasks, Span::ZERO, supply)
}

/// The same where sections of lower priority delay it by up to `blocking` in each busy period (`locks.rs`).
///
/// # Errors
/// As for [`last_response_time`].
pub fn blocked_response_time(
    tasks: &[Task],
    blocking: Span,
    supply: &Supply,
) -> Result<Span, UnboundedError> {
    let level = if in_range(tasks) { Level::new(tasks, supply) } else { None };
    let level = level.map(|level| Level { blocking: blocking.as_nanos(), ..level });
    let response = level.and_then(|mut level| level.response(None));
    response.map(Span::from_nanos).ok_or_else(|| UnboundedError::of(tasks, supply))
}

/// Whether every job meets its deadline, which counts from its arrival.
///
/// # Errors
/// [`UnboundedError::OutOfRange`], and [`UnboundedError::NotFound`] where it is not decided within [`HORIZON`] and
/// [`ROUNDS`].
pub fn schedulable(tasks: &[Task], supply: &Supply) -> Result<bool, UnboundedError> {
    if !in_range(tasks) {
        return Err(UnboundedError::OutOfRange);
    }
    for last in 0..tasks.len() {
        if !meets(&tasks[..=last], supply)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the last of these tasks meets its deadlines; they are in range.
///
/// # Errors
/// [`UnboundedError::NotFound`] where it is not decided.
pub(crate) fn meets(tasks: &[Task], supply: &Supply) -> Result<bool, UnboundedError> {
    let Some(mut level) = Level::new(tasks, supply) else { return Ok(true) };
    match level.response(Some(level.task.deadline.as_nanos())) {
        Some(_) => Ok(true),
        None if level.is_late => Ok(false),
        None => undecided(tasks, supply),
    }
}

/// The busy period of the last of some tasks, with all that goes before it.
struct Level<'a> {
    all: &'a [Task],
    task: &'a Task,
    higher: &'a [Task],
    supply: &'a Supply,
    /// The work of lower priorities that is done first, once in the busy period.
    blocking: u64,
    rounds: u32,
    /// Jobs that arrive from here on respond as earlier ones did: set once the tasks are known to
    /// take exactly the supply's rate, whose busy period may have no end.
    repeats: Option<u64>,
    /// Whether a response was found to exceed what was allowed.
    is_late: bool,
}

impl<'a> Level<'a> {
    fn new(all: &'a [Task], supply: &'a Supply) -> Option<Level<'a>> {
        let (task, higher) = all.split_last()?;
        Some(Level {
            all,
            task,
            higher,
            supply,
            blocking: 0,
            rounds: 0,
            repeats: None,
            is_late: false,
        })
    }

    /// The longest response time; `None` also as soon as one exceeds `most`.
    fn response(&mut self, most: Option<u64>) -> Option<u64> {
        let Task { work, period, jitter, .. } = *self.task;
        let (work, period, jitter) = (work.as_nanos(), period.as_nanos(), jitter.as_nanos());
        let (mut worst, mut finish, mut arrival, mut own) = (0, 0, 0_u64, self.blocking);
        loop {
            own = own.checked_add(work)?;
            let latest = most.map(|most| arrival.saturating_add(most).saturating_sub(jitter));
            finish = self.settle(finish, own, latest.unwrap_or(HORIZON.as_nanos()))?;
            let since_arrival = finish + jitter - arrival;
            worst = worst.max(since_arrival);
            let same_again = self.repeats.is_some_and(|from| arrival >= from);
            if since_arrival <= period || same_again {
                return Some(worst);
            }
            arrival += period;
            self.count_round()?;
        }
    }

    /// The least window, no shorter than `window`, that holds `own` and all higher work in it.
    fn settle(&mut self, window: u64, own: u64, latest: u64) -> Option<u64> {
        let mut window = self.supply.window_ns(own)?.max(window);
        loop {
            if window > latest.min(HORIZON.as_nanos()) {
                self.is_late = latest < HORIZON.as_nanos();
                return None;
            }
            let needed = self.supply.window_ns(load::arrived(self.higher, own, window)?)?;
            if needed <= window {
                return Some(window);
            }
            window = needed;
            self.count_round()?;
        }
    }

    /// Gives up on a busy period that never ends.
    fn count_round(&mut self) -> Option<()> {
        self.rounds += 1;
        if self.rounds < PATIENCE || !self.rounds.is_power_of_two() {
            return Some(());
        }
        if self.rounds >= ROUNDS {
            return None;
        }
        match load::against_rate(self.all, self.supply) {
            Ordering::Less => Some(()),
            Ordering::Greater => None,
            Ordering::Equal => {
                let (start, cycle) = load::repetition(self.all, self.supply)?;
                self.repeats = Some(start.checked_add(cycle)?);
                Some(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_priority;
    use crate::tests::{small_supply, small_tasks, task};
    use proptest::prelude::*;

    /// By definition, for deadlines within periods: some window up to the deadline holds the demand.
    fn some_window_holds(tasks: &[Task], supply: &Supply) -> bool {
        let (last, higher) = tasks.split_last().unwrap();
        let time = last.deadline.saturating_sub(last.jitter).as_nanos();
        (1..=time).any(|window| {
            let jobs = |t: &Task| (window + t.jitter.as_nanos()).div_ceil(t.period.as_nanos());
            let demand: u64 = higher.iter().map(|t| jobs(t) * t.work.as_nanos()).sum();
            supply.least(Span::from_nanos(window)).as_nanos() >= demand + last.work.as_nanos()
        })
    }

    /// The longest response time of the last task, by definition: from the critical instant on,
    /// supply comes as late as its bound allows, and each nanosecond of it goes to the first task
    /// that has work; until nothing is left, or for `limit`.
    fn simulated(tasks: &[Task], supply: &Supply, limit: u64) -> Option<u64> {
        let (mut released, mut left) = (vec![0; tasks.len()], vec![0; tasks.len()]);
        let (mut finished, mut worst) = (0, 0);
        for now in 0..limit {
            if now > 0 && left.iter().all(|left| *left == 0) {
                return Some(worst);
            }
            for (index, task) in tasks.iter().enumerate() {
                while released[index] * task.period.as_nanos() <= now + task.jitter.as_nanos() {
                    released[index] += 1;
                    left[index] += task.work.as_nanos();
                }
            }
            let supplied = |at: u64| supply.least(Span::from_nanos(at));
            if supplied(now) == supplied(now + 1) {
                continue;
            }
            let running = left.iter().position(|left| *left > 0).unwrap();
            left[running] -= 1;
            let last = tasks.last().unwrap();
            if running == tasks.len() - 1 && left[running] % last.work.as_nanos() == 0 {
                let arrival = finished * last.period.as_nanos();
                worst = worst.max(now + 1 + last.jitter.as_nanos() - arrival);
                finished += 1;
            }
        }
        None
    }

    proptest! {
        #[test]
        fn limit_blocking_is_a_job_that_comes_first_and_once(
            tasks in small_tasks(1..=3), supply in small_supply(), blocking in 1..6_u64,
        ) {
            // So far apart that a second one never comes.
            let first = task(blocking, 1 << 40, 1 << 40, 0);
            let with: Vec<Task> = [first].into_iter().chain(tasks.iter().copied()).collect();
            if load::against_rate(&with, &supply) == Ordering::Less {
                let blocking = Span::from_nanos(blocking);
                let blocked = blocked_response_time(&tasks, blocking, &supply);
                prop_assert_eq!(blocked, last_response_time(&with, &supply));
            }
        }

        #[test]
        fn limit_responses_are_the_simulated_worst_supply(
            tasks in small_tasks(1..=3), supply in small_supply(),
        ) {
            let responses = response_times(&tasks, &supply);
            for last in 0..tasks.len() {
                // Where the busy period has no end, responses may still have a bound.
                if let Some(slow) = simulated(&tasks[..=last], &supply, 60_000) {
                    prop_assert_eq!(responses[last], Ok(Span::from_nanos(slow)));
                }
            }
        }

        #[test]
        fn limit_schedulable_is_some_window_that_holds_the_demand(
            tasks in small_tasks(1..=3), supply in small_supply(),
        ) {
            let within = |mut t: Task| { t.deadline = t.deadline.min(t.period); t };
            let tasks: Vec<Task> = tasks.into_iter().map(within).collect();
            let slow = (1..=tasks.len()).all(|n| some_window_holds(&tasks[..n], &supply));
            prop_assert_eq!(schedulable(&tasks, &supply), Ok(slow));
        }

        #[test]
        fn law_schedulable_is_every_response_within_its_deadline(
            tasks in small_tasks(1..=3), supply in small_supply(),
        ) {
            let responses = response_times(&tasks, &supply);
            let within =
                |(t, r): (&Task, &Result<Span, _>)| r.is_ok_and(|r| r <= t.deadline);
            let met = tasks.iter().zip(&responses).all(within);
            prop_assert_eq!(schedulable(&tasks, &supply), Ok(met));
        }

        #[test]
        fn limit_all_is_a_dedicated_processor(tasks in small_tasks(1..=4)) {
            let dedicated = fixed_priority::response_times(&tasks);
            let supplied = response_times(&tasks, &Supply::all());
            for (dedicated, supplied) in dedicated.into_iter().zip(supplied) {
                prop_assert!(dedicated.is_err() || dedicated == supplied);
            }
        }

        #[test]
        fn law_any_numbers_have_an_answer(
            numbers in prop::collection::vec(any::<(u64, u64, u64, u64)>(), 0..4),
            x: u64, y: u64,
        ) {
            let tasks: Vec<Task> = numbers.iter().map(|(c, t, d, j)| task(*c, *t, *d, *j)).collect();
            let supply = Supply::basic(Span::from_nanos(x), Span::from_nanos(y));
            let supply = supply.unwrap_or(Supply::nothing());
            prop_assert_eq!(response_times(&tasks, &supply).len(), tasks.len());
        }
    }

    #[test]
    fn limit_at_the_full_rate_responses_repeat() {
        // The whole of a reservation with a gap: the backlog is never worked off, and never grows.
        let supply = Supply::basic(Span::from_nanos(1), Span::from_nanos(2)).unwrap();
        let responses = response_times(&[task(2, 4, 9, 0)], &supply);
        // The gap of 2, then 1 in 2: the job of 4k is done at 2 + 2 (2k + 1) + 1 at the latest.
        assert_eq!(responses, [Ok(Span::from_nanos(5))]);
        let overload = Err(UnboundedError::Overload);
        assert_eq!(response_times(&[task(3, 4, 9, 0)], &supply), [overload]);
        assert_eq!(response_times(&[task(1, 4, 9, 0)], &Supply::nothing()), [overload]);
    }

    #[test]
    fn refuses_a_deadline_one_shorter_than_the_response() {
        let supply = Supply::basic(Span::from_nanos(3), Span::from_nanos(5)).unwrap();
        assert_eq!(schedulable(&[task(4, 20, 9, 0)], &supply), Ok(false));
    }

    #[test]
    fn accepts_a_deadline_equal_to_the_response() {
        let supply = Supply::basic(Span::from_nanos(3), Span::from_nanos(5)).unwrap();
        assert_eq!(schedulable(&[task(4, 20, 10, 0)], &supply), Ok(true));
    }
    #[test]
    fn refuses_what_cannot_be_analysed_and_says_that_an_overload_is_late() {
        for tasks in [[task(0, 4, 4, 0)], [task(1, 0, 4, 0)], [task(1, u64::MAX, 4, 0)]] {
            assert_eq!(schedulable(&tasks, &Supply::all()), Err(UnboundedError::OutOfRange));
        }
        assert_eq!(schedulable(&[task(2, 1, 100, 0)], &Supply::all()), Ok(false));
        assert_eq!(schedulable(&[task(1, 2, 1, 0)], &Supply::nothing()), Ok(false));
        assert_eq!(schedulable(&[], &Supply::nothing()), Ok(true));
    }
}
