//! Response times under preemptive fixed priorities (HLS equation 6.1; Tindell, Burns and Wellings 1994).
//!
//! Exact: some pattern of arrivals attains each, and none exceeds it, under these assumptions.
//! A1 One processor of speed 1, always there; what scheduling costs is inside `work`.
//! A2 Tasks are independent: no job waits for another's lock or message, none suspends itself.
//! A3 No two tasks share a priority; jobs of one task run in order of arrival.
//! A4 Deadlines play no part: they may exceed the period, and then several jobs of a task overlap.
//! A5 A job is released at most `jitter` after its arrival; its response counts from the arrival.
//!
//! The sweep goes through the busy period of the lowest level once: that of a level ends no earlier than
//! the last one's, so each task's iteration starts from where the previous stopped.

use crate::error::all_met;
use crate::window::Window;
use crate::{Supply, Task, UnboundedError};
use windfall_time::Span;

/// The longest response time of each task, in decreasing order of priority.
///
/// Without a bound: why the tasks down to this one have none.
#[must_use]
pub fn response_times(tasks: &[Task]) -> Vec<Result<Span, UnboundedError>> {
    let Some(mut window) = Window::new(tasks) else {
        return vec![Err(UnboundedError::OutOfRange); tasks.len()];
    };
    let bounds = tasks.iter().map_while(|_| window.admit());
    let mut responses = Vec::with_capacity(tasks.len());
    responses.extend(bounds.map(|worst| Ok(Span::from_nanos(worst))));
    for last in responses.len()..tasks.len() {
        responses.push(Err(UnboundedError::of(&tasks[..=last], &Supply::all())));
    }
    responses
}

/// Whether every job meets its deadline, which counts from its arrival.
///
/// # Errors
/// No task is found to be late, and one has no bound: why.
pub fn schedulable(tasks: &[Task]) -> Result<bool, UnboundedError> {
    all_met(tasks, response_times(tasks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact;
    use crate::tests::{small_tasks, task};
    use proptest::prelude::*;

    /// The longest response time of the last task, by definition: from the critical instant on,
    /// each nanosecond goes to the first task that has work; until all are idle, or for `limit`.
    fn simulated(tasks: &[Task], limit: u64) -> u64 {
        let (mut released, mut left) = (vec![0; tasks.len()], vec![0; tasks.len()]);
        let (mut finished, mut worst) = (0, 0);
        for now in 0..limit {
            // A window ends where the work that arrived before is done, whatever arrives now.
            if now > 0 && left.iter().all(|left| *left == 0) {
                break;
            }
            for (index, task) in tasks.iter().enumerate() {
                while released[index] * task.period.as_nanos() <= now + task.jitter.as_nanos() {
                    released[index] += 1;
                    left[index] += task.work.as_nanos();
                }
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
        worst
    }

    proptest! {
        #[test]
        fn limit_the_sweep_is_the_simulated_critical_instant(tasks in small_tasks(1..=4)) {
            let responses = response_times(&tasks);
            for (last, response) in responses.into_iter().enumerate() {
                let tasks = &tasks[..=last];
                let bounded = exact::utilisation(tasks).compare_whole(1).is_le();
                let slow = bounded.then(|| Span::from_nanos(simulated(tasks, 60_000)));
                prop_assert_eq!(response, slow.ok_or(UnboundedError::Overload));
            }
        }

        #[test]
        fn law_any_numbers_have_an_answer(
            numbers in prop::collection::vec(any::<(u64, u64, u64, u64)>(), 0..4)
        ) {
            let tasks: Vec<Task> = numbers.iter().map(|(c, t, d, j)| task(*c, *t, *d, *j)).collect();
            prop_assert_eq!(response_times(&tasks).len(), tasks.len());
        }
    }

    #[test]
    fn refuses_utilisation_above_one_at_once() {
        let tasks = [task(1, 3, 3, 0), task(2, 3, 3, 0), task(1, 1_000_000_007, 1, 0)];
        let one = |ns| Ok(Span::from_nanos(ns));
        let overload = Err(UnboundedError::Overload);
        assert_eq!(response_times(&tasks), [one(1), one(3), overload]);
        assert_eq!(schedulable(&tasks), Ok(false));
    }

    #[test]
    fn accepts_all_of_the_processor_with_jitter_that_is_never_worked_off() {
        let bound = |ns| Ok(Span::from_nanos(ns));
        assert_eq!(response_times(&[task(3, 3, 3, 1)]), [bound(4)]);
        let tasks = [task(1, 2, 2, 1), task(2, 4, 4, 0), task(1, 1_000, 1, 0)];
        assert_eq!(response_times(&tasks), [bound(2), bound(5), Err(UnboundedError::Overload)]);
        // The job that takes longest comes late in the cycle.
        assert_eq!(response_times(&[task(2, 8, 8, 1), task(3, 4, 4, 3)])[1], bound(9));
    }

    #[test]
    fn refuses_a_bound_with_the_reason() {
        let why = |tasks: &[Task]| response_times(tasks).pop().unwrap().unwrap_err();
        assert_eq!(why(&[task(0, 3, 3, 0)]), UnboundedError::OutOfRange);
        assert_eq!(why(&[task(1, (1 << 60) + 1, 3, 0)]), UnboundedError::OutOfRange);
        assert_eq!(why(&[task(4, 3, 3, 0)]), UnboundedError::Overload);
        // Where periods repeat together only after more than 2^64 ns.
        let (a, b) = ((1 << 40) - 87, (1 << 40) - 167);
        let half = |period: u64, jitter| task(period / 2, period, period, jitter);
        let rest = [task(1, 2 * a, a, 0), task(1, 2 * b, b, 0)];
        let all = [half(a, 1), half(b, 0), rest[0], rest[1]];
        assert_eq!(why(&all), UnboundedError::Saturated);
        // A backlog that is worked off by one nanosecond in each period of 2^60.
        let most = 1 << 59;
        let late = [task(most, 2 * most, 1, 2 * most), task(most - 1, 2 * most, 1, 0)];
        assert_eq!(why(&late), UnboundedError::NotFound);
    }

    #[test]
    fn accepts_deadlines_beyond_the_period() {
        // Lehoczky 1990: the first job of the second task is not the one that takes longest.
        let tasks = [task(26, 70, 70, 0), task(62, 100, 118, 0)];
        assert_eq!(response_times(&tasks)[1], Ok(Span::from_nanos(118)));
        assert_eq!(schedulable(&tasks), Ok(true));
    }
}
