//! Response times under fixed priorities where a job that has started runs to its end.
//!
//! Exact (George, Rivierre and Spuri 1996; Davis, Burns, Bril and Lukkien 2007), by assumption:
//! A1 One processor of speed 1, always there; what scheduling costs is inside `work`.
//! A2 Tasks are independent, and none suspends itself.
//! A3 No two tasks share a priority; jobs of one task run in order of arrival; deadlines play no part.
//! A4 A job is released at most `jitter` after its arrival; its response counts from the arrival.
//! A5 Time passes in nanoseconds: what blocks has started one before, or it would not have started.
//!
//! The job that takes longest need not be the first of its busy period, so each job in it is analysed.

use crate::window::in_range;
use crate::{Supply, Task, UnboundedError, exact, fixed_point, load};
use windfall_time::Span;

/// The longest response time of each task, in decreasing order of priority.
///
/// Without a bound: why the tasks down to this one have none.
#[must_use]
pub fn response_times(tasks: &[Task]) -> Vec<Result<Span, UnboundedError>> {
    if !in_range(tasks) {
        return vec![Err(UnboundedError::OutOfRange); tasks.len()];
    }
    let worst = |index: usize| {
        let (down_to, lower) = tasks.split_at(index + 1);
        let blocking = lower.iter().map(|task| task.work.as_nanos() - 1).max();
        let bound = worst(down_to, blocking.unwrap_or(0)).map(Span::from_nanos);
        bound.ok_or_else(|| UnboundedError::of(down_to, &Supply::all()))
    };
    (0..tasks.len()).map(worst).collect()
}

/// The longest response time of the last of these tasks.
fn worst(tasks: &[Task], blocking: u64) -> Option<u64> {
    let (own, higher) = tasks.split_last()?;
    let backlog = blocking > 0 || tasks.iter().any(|task| !task.jitter.is_zero());
    let load = exact::utilisation(tasks).compare_whole(1);
    if load.is_gt() || (load.is_eq() && backlog) {
        return None;
    }
    let Task { work, period, jitter, .. } = *own;
    let (work, period, jitter) = (work.as_nanos(), period.as_nanos(), jitter.as_nanos());
    let mut rounds = 0;
    let busy = fixed_point::least(1, &mut rounds, |window| load::arrived(tasks, blocking, window))?;
    let (mut arrival, mut before, mut start, mut worst) = (0, blocking, 0, 0);
    // Arrivals count from the first one, a jitter before the window starts.
    while arrival < busy + jitter {
        // Whatever has arrived by the moment at which the job starts goes first.
        start = fixed_point::least(start, &mut rounds, |start| {
            load::arrived(higher, before, start + 1)
        })?;
        worst = worst.max(start + work + jitter - arrival);
        arrival += period;
        before += work;
    }
    Some(worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{small_tasks, task};
    use proptest::prelude::*;

    /// The longest response time of the task, by definition: the longest job of lower priority has
    /// started a nanosecond before the critical instant; from then on the first job runs to its end.
    fn simulated(tasks: &[Task], own: usize, limit: u64) -> u64 {
        let (down_to, lower) = tasks.split_at(own + 1);
        let mut now = lower.iter().map(|task| task.work.as_nanos() - 1).max().unwrap_or(0);
        let mut done = vec![0; down_to.len()];
        let mut worst = 0;
        while now < limit {
            let arrival = |index: usize| done[index] * down_to[index].period.as_nanos();
            let released = |index: &usize, by: u64| {
                arrival(*index).saturating_sub(down_to[*index].jitter.as_nanos()) <= by
            };
            let Some(first) = (0..=own).find(|index| released(index, now)) else {
                break;
            };
            let since = now + down_to[first].work.as_nanos() + down_to[first].jitter.as_nanos();
            if first == own {
                worst = worst.max(since - arrival(own));
            }
            now += down_to[first].work.as_nanos();
            done[first] += 1;
        }
        worst
    }

    proptest! {
        #[test]
        fn limit_the_bound_is_the_simulated_critical_instant(tasks in small_tasks(1..=4)) {
            let responses = response_times(&tasks);
            for (own, response) in responses.into_iter().enumerate() {
                let load = exact::utilisation(&tasks[..=own]).compare_whole(1);
                if let Ok(response) = response {
                    prop_assert_eq!(response.as_nanos(), simulated(&tasks, own, 60_000));
                } else {
                    prop_assert!(load.is_ge());
                }
            }
        }

        #[test]
        fn law_any_numbers_have_an_answer(
            numbers in prop::collection::vec(any::<(u64, u64, u64, u64)>(), 0..3),
        ) {
            let tasks: Vec<Task> = numbers.iter().map(|(c, t, d, j)| task(*c, *t, *d, *j)).collect();
            prop_assert_eq!(response_times(&tasks).len(), tasks.len());
        }
    }

    #[test]
    fn refuses_more_jobs_than_can_be_looked_at() {
        let tasks = [task(1 << 58, 1 << 59, 1, 0), task(1, 4, 4, 0)];
        assert_eq!(response_times(&tasks)[1], Err(UnboundedError::NotFound));
    }

    #[test]
    fn paper_davis2007_the_second_job_takes_longest() {
        let tasks = [
            task(1_000, 2_500, 2_500, 0),
            task(1_000, 3_500, 3_250, 0),
            task(1_000, 3_500, 3_250, 0),
        ];
        assert_eq!(response_times(&tasks)[2], Ok(Span::from_nanos(3_500)));
    }
}
