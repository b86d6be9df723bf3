//! Earliest deadline first, where the scheduler itself holds only a guarantee.
//!
//! Exact for the supply bound function: every deadline is met if and only if no window demands more
//! than it surely gets, dbf(t) <= sbf(t) for all t. Only windows within the longest busy period
//! count: with supply superadditive, a first window in want ends before it does. Candidates are gone
//! through from the longest down, in jumps: where a window's demand is surely supplied within a
//! shorter one, nothing between the two can be in want.
//!
//! A1 The scheduler is runnable whenever a task is. A2 Tasks are independent. A3 Deadlines count
//! from the nominal arrival; a job released late has so much less time.
//!
//! Sources: Shin and Lee 2003, theorem 4.1; Zhang and Burns 2009 for the jumps (their QPA, here with
//! the supply's inverse in the place of time itself); Spuri 1996 for response times.

mod finish;

use crate::window::{HORIZON, ROUNDS, in_range};
use crate::{Supply, Task, UnboundedError, load};
use core::cmp::Ordering;
use windfall_time::Span;

/// From here on, the utilisation is checked each time that the rounds have doubled.
const PATIENCE: u32 = 1 << 9;

/// The result of analysing a task set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Every deadline is met.
    Met,
    /// Windows of length `window` may demand `work`, which the supply does not surely hold.
    Want {
        /// Length of the window, ns.
        window: u64,
        /// Work to be done within the window, ns.
        work: u64,
    },
    /// More than the supply's rate, or not decided within [`HORIZON`] and [`ROUNDS`].
    TooMuch,
}

/// Whether every job meets its deadline.
///
/// # Errors
/// [`UnboundedError::OutOfRange`], and [`UnboundedError::NotFound`] where it is not decided within [`HORIZON`] and
/// [`ROUNDS`].
pub fn schedulable(tasks: &[Task], supply: &Supply) -> Result<bool, UnboundedError> {
    if !in_range(tasks) {
        return Err(UnboundedError::OutOfRange);
    }
    match verdict(tasks, supply) {
        Verdict::Met => Ok(true),
        Verdict::Want { .. } => Ok(false),
        Verdict::TooMuch => undecided(tasks, supply),
    }
}

/// Tasks that take more than the supply in the long run are late; of others nothing is known.
pub(crate) fn undecided(tasks: &[Task], supply: &Supply) -> Result<bool, UnboundedError> {
    match load::against_rate(tasks, supply) {
        Ordering::Greater => Ok(false),
        Ordering::Equal | Ordering::Less => Err(UnboundedError::NotFound),
    }
}

/// The longest response time of each task, from its nominal arrival, however late that is.
///
/// All have a bound, or none has.
#[must_use]
pub fn response_times(tasks: &[Task], supply: &Supply) -> Vec<Result<Span, UnboundedError>> {
    let busy = if in_range(tasks) { busy_period(tasks, supply).ok() } else { None };
    let responses = busy.and_then(|busy| finish::responses(tasks, supply, busy));
    match responses {
        Some(all) => all.into_iter().map(Ok).collect(),
        None => vec![Err(UnboundedError::of(tasks, supply)); tasks.len()],
    }
}

/// The same for tasks that are in range, with the reason.
pub(crate) fn verdict(tasks: &[Task], supply: &Supply) -> Verdict {
    let Some(most) = longest_window(tasks, supply) else { return Verdict::TooMuch };
    descend(|window| demand(tasks, window), |most| last_deadline(tasks, most), supply, most)
}

/// No window longer than this is in want unless a shorter one is; `None` for more than the
/// supply's rate, or not decided.
pub(crate) fn longest_window(tasks: &[Task], supply: &Supply) -> Option<u64> {
    match busy_period(tasks, supply) {
        Ok(length) => Some(length),
        Err(Ordering::Equal) => {
            let (start, cycle) = load::repetition(tasks, supply)?;
            start.checked_add(cycle)
        }
        Err(_) => None,
    }
}

/// The longest window up to `most` that is in want of its demand; `last` is the longest window up to
/// a given one in which demand is more than in all shorter ones.
pub(crate) fn descend(
    demand: impl Fn(u64) -> Option<u64>,
    last: impl Fn(u64) -> Option<u64>,
    supply: &Supply,
    most: u64,
) -> Verdict {
    let mut window = last(most);
    for _ in 0..ROUNDS {
        let Some(now) = window else { return Verdict::Met };
        let Some(work) = demand(now) else { return Verdict::TooMuch };
        match supply.window_ns(work) {
            Some(needed) if needed < now => window = last(needed),
            Some(needed) if needed == now => {
                window = now.checked_sub(1).and_then(&last);
            }
            _ => return Verdict::Want { window: now, work },
        }
    }
    Verdict::TooMuch
}

/// The work with arrival and deadline inside a window of this length, at most.
pub(crate) fn demand(tasks: &[Task], window: u64) -> Option<u64> {
    tasks.iter().try_fold(0_u64, |sum, task| {
        let jobs = jobs_due(task, window)?;
        sum.checked_add(jobs.checked_mul(task.work.as_nanos())?)
    })
}

/// How many jobs of one task can be released and due inside a window of this length.
fn jobs_due(task: &Task, window: u64) -> Option<u64> {
    let reach = window.checked_add(task.jitter.as_nanos())?;
    let past = reach.checked_sub(task.deadline.as_nanos());
    Some(past.map_or(0, |past| past / task.period.as_nanos() + 1))
}

/// The longest window up to `most` at whose end some job can be due; `None` where there is none.
pub(crate) fn last_deadline(tasks: &[Task], most: u64) -> Option<u64> {
    let last = |task: &Task| {
        let jobs = jobs_due(task, most)?.checked_sub(1)?;
        let due =
            jobs.checked_mul(task.period.as_nanos())?.checked_add(task.deadline.as_nanos())?;
        Some(due.saturating_sub(task.jitter.as_nanos()))
    };
    tasks.iter().filter_map(last).max()
}

/// The longest window in which there is work throughout; otherwise how the tasks' utilisation
/// compares with the rate: greater, equal, or less but too close to see an end.
fn busy_period(tasks: &[Task], supply: &Supply) -> Result<u64, Ordering> {
    busy_period_after(0, tasks, supply)
}

/// The same where so much is done first.
pub(crate) fn busy_period_after(
    first: u64,
    tasks: &[Task],
    supply: &Supply,
) -> Result<u64, Ordering> {
    let mut window = 1;
    for round in 1..=ROUNDS {
        let needed = load::arrived(tasks, first, window).and_then(|work| supply.window_ns(work));
        match needed.filter(|needed| *needed <= HORIZON.as_nanos()) {
            Some(needed) if needed <= window => return Ok(window),
            Some(needed) => window = needed,
            None => return Err(load::against_rate(tasks, supply)),
        }
        if round >= PATIENCE && round.is_power_of_two() {
            match load::against_rate(tasks, supply) {
                Ordering::Less => {}
                not_less => return Err(not_less),
            }
        }
    }
    Err(Ordering::Less)
}

/// The least window that holds all work that arrives in it and is due by `due`: the slow definition.
#[cfg(test)]
fn finish(tasks: &[Task], supply: &Supply, due: i128) -> Option<u64> {
    let mut window = 1_u64;
    loop {
        let work = tasks.iter().try_fold(0_u64, |sum, task| {
            let [period, deadline, jitter] =
                [task.period, task.deadline, task.jitter].map(Span::as_nanos);
            let past = due + i128::from(jitter) - i128::from(deadline);
            let due = if past < 0 { 0 } else { past / i128::from(period) + 1 };
            let arrived = window.checked_add(jitter)?.div_ceil(period);
            let jobs = arrived.min(u64::try_from(due).ok()?);
            sum.checked_add(jobs.checked_mul(task.work.as_nanos())?)
        })?;
        let needed = supply.window_ns(work).filter(|needed| *needed <= HORIZON.as_nanos())?;
        if needed <= window {
            return Some(needed);
        }
        window = needed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{at_full_rate, small_supply, small_tasks, task};
    use proptest::prelude::*;

    /// By definition: no window, up to one by which everything has repeated, demands too much.
    fn every_window_holds(tasks: &[Task], supply: &Supply) -> bool {
        let (start, cycle) = load::repetition(tasks, supply).unwrap();
        load::against_rate(tasks, supply) != Ordering::Greater
            && (0..=start + cycle + 2_000).all(|window| {
                let least = supply.least(Span::from_nanos(window)).as_nanos();
                demand(tasks, window).unwrap() <= least
            })
    }

    proptest! {
        #[test]
        fn limit_jumps_decide_as_all_windows_do(
            tasks in small_tasks(1..=3), supply in small_supply(),
        ) {
            let slow = every_window_holds(&tasks, &supply);
            prop_assert_eq!(schedulable(&tasks, &supply), Ok(slow));
        }

        #[test]
        fn limit_at_the_full_rate_too(tasks in small_tasks(1..=3)) {
            for supply in at_full_rate(&tasks) {
                let slow = every_window_holds(&tasks, &supply);
                prop_assert_eq!(schedulable(&tasks, &supply), Ok(slow));
            }
        }

        #[test]
        fn law_schedulable_is_every_response_within_its_deadline(
            tasks in small_tasks(1..=3), supply in small_supply(),
        ) {
            let responses = response_times(&tasks, &supply);
            if busy_period(&tasks, &supply).is_ok() {
                let within =
                    |(t, r): (&Task, &Result<Span, _>)| r.is_ok_and(|r| r <= t.deadline);
                let met = tasks.iter().zip(&responses).all(within);
                prop_assert_eq!(schedulable(&tasks, &supply), Ok(met));
            }
        }

        #[test]
        fn limit_responses_are_those_of_all_arrivals(
            tasks in small_tasks(1..=3), supply in small_supply(),
        ) {
            if let Ok(busy) = busy_period(&tasks, &supply) {
                let responses = response_times(&tasks, &supply);
                for (own, fast) in tasks.iter().zip(responses) {
                    let [deadline, jitter] = [own.deadline, own.jitter].map(|s| i128::from(s.as_nanos()));
                    let of = |arrival| {
                        let finish = finish(&tasks, &supply, arrival + deadline).unwrap();
                        i128::from(finish) - arrival
                    };
                    let slow = (-jitter..i128::from(busy)).map(of).max().unwrap();
                    prop_assert_eq!(i128::from(fast.unwrap().as_nanos()), slow);
                }
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
            let _ = schedulable(&tasks, &supply);
        }
    }

    #[test]
    fn refuses_a_full_rate_with_a_gap_and_accepts_one_without() {
        let tasks = [task(1, 4, 4, 0), task(2, 8, 8, 0)];
        let [x, y] = [1, 2].map(Span::from_nanos);
        assert_eq!(schedulable(&tasks, &Supply::basic(x, y).unwrap()), Ok(false));
        assert_eq!(schedulable(&tasks, &Supply::continuous(x, y).unwrap()), Ok(true));
    }

    #[test]
    fn accepts_late_deadlines_at_the_full_rate_though_it_is_always_busy() {
        let supply = Supply::basic(Span::from_nanos(1), Span::from_nanos(2)).unwrap();
        assert_eq!(schedulable(&[task(2, 4, 5, 0)], &supply), Ok(true));
        assert_eq!(schedulable(&[task(2, 4, 4, 0)], &supply), Ok(false));
    }
    #[test]
    fn refuses_what_cannot_be_analysed_and_what_it_cannot_decide() {
        let all = Supply::all();
        for tasks in [[task(0, 4, 4, 0)], [task(1, 0, 4, 0)], [task(1, u64::MAX, 4, 0)]] {
            assert_eq!(schedulable(&tasks, &all), Err(UnboundedError::OutOfRange));
        }
        assert_eq!(schedulable(&[task(2, 1, 1, 0)], &all), Ok(false), "an overload is late");
        // All that there is, and arrivals that repeat after more than 2^64 ns only.
        let long = (1 << 40) - 87;
        let full = [
            task(1, 2, 2, 0),
            task(long, 4 * long, 4 * long, 1),
            task(long + 1, 4 * (long + 1), 4 * (long + 1), 1),
        ];
        assert_eq!(schedulable(&full, &all), Err(UnboundedError::NotFound));
    }
}
