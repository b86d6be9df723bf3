//! The response time under first in, first out: one bound for all tasks.
//!
//! Exact (Bedarkar et al. 2022), under these assumptions.
//! A1 One processor of speed 1, always there; what scheduling costs is inside `work`.
//! A2 Tasks are independent; the job that is released first runs first, to the end or not.
//! A3 Of jobs released at once, any may be the last.
//! A4 A job is released at most `jitter` after its arrival. The bound counts from the release: from
//!    the arrival, a job takes up to its own task's jitter longer.

use crate::window::ROUNDS;
use crate::{Supply, Task, UnboundedError, load, window};
use windfall_time::Span;

/// The longest time from a job's release to its end, over the jobs of all tasks.
///
/// # Errors
/// Why the busy period has no bound, or the longest backlog in it was not found. Without tasks none is found.
pub fn response_time(tasks: &[Task]) -> Result<Span, UnboundedError> {
    longest(tasks).ok_or_else(|| UnboundedError::of(tasks, &Supply::all()))
}

fn longest(tasks: &[Task]) -> Option<Span> {
    let busy = window::busy_period(tasks)?;
    let (mut release, mut worst) = (0, None);
    for _ in 0..ROUNDS {
        let backlog = load::arrived(tasks, 0, release + 1)?.saturating_sub(release);
        worst = worst.max(Some(backlog));
        release = tasks.iter().map(|task| next_release(task, release)).min()?;
        if release >= busy {
            return worst.map(Span::from_nanos);
        }
    }
    None
}

/// The first release of the task after this one, if releases come as early as they may.
fn next_release(task: &Task, after: u64) -> u64 {
    let (period, jitter) = (task.period.as_nanos(), task.jitter.as_nanos());
    let since_first = after + jitter;
    since_first - since_first % period + period - jitter
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{small_tasks, task};
    use proptest::prelude::*;

    /// By definition: the queue from the critical instant on, a job by its release and its work.
    fn simulated(tasks: &[Task], limit: u64) -> u64 {
        let mut jobs: Vec<(u64, u64)> = Vec::new();
        for task in tasks {
            let arrivals = (0..).map(|n| n * task.period.as_nanos());
            let releases = arrivals.map(|at: u64| at.saturating_sub(task.jitter.as_nanos()));
            let until = releases.take_while(|at| *at < limit);
            jobs.extend(until.map(|at| (at, task.work.as_nanos())));
        }
        jobs.sort_unstable();
        let (mut now, mut worst) = (0, 0);
        for (release, work) in jobs {
            now = now.max(release) + work;
            worst = worst.max(now - release);
        }
        worst
    }

    proptest! {
        #[test]
        fn limit_the_bound_is_the_simulated_queue(tasks in small_tasks(1..=4)) {
            if let Ok(bound) = response_time(&tasks) {
                prop_assert_eq!(bound.as_nanos(), simulated(&tasks, 3_000));
            }
        }

        #[test]
        fn law_any_numbers_have_an_answer(
            numbers in prop::collection::vec(any::<(u64, u64, u64, u64)>(), 0..3)
        ) {
            let tasks: Vec<Task> = numbers.iter().map(|(c, t, d, j)| task(*c, *t, *d, *j)).collect();
            let _ = response_time(&tasks);
        }
    }

    #[test]
    fn limit_the_worst_release_may_be_far_from_the_critical_instant() {
        let tasks = [task(1, 7, 7, 2), task(4, 11, 11, 3), task(3, 7, 7, 2)];
        assert_eq!(load::arrived(&tasks, 0, 1), Some(8));
        assert_eq!(response_time(&tasks), Ok(Span::from_nanos(simulated(&tasks, 20))));
        assert_eq!(response_time(&tasks), Ok(Span::from_nanos(9)));
    }

    #[test]
    fn refuses_more_than_the_processor_and_accepts_all_of_it() {
        assert_eq!(response_time(&[task(1, 2, 2, 0), task(2, 4, 4, 0)]), Ok(Span::from_nanos(3)));
        let overload = Err(UnboundedError::Overload);
        assert_eq!(response_time(&[task(1, 2, 2, 0), task(3, 5, 5, 0)]), overload);
        assert_eq!(response_time(&[]), Err(UnboundedError::NotFound));
    }
}
