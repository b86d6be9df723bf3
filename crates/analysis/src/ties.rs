//! Fixed priorities that several tasks share, first come first served among them.
//!
//! The analyses assume that no two tasks share a priority. A task of a shared one waits no longer
//! than if it came last among them, so its response time there is a bound. And one order speaks for
//! all: with the shortest deadline last. If that task meets its deadline d within its period, the
//! supply holds within d all demand of the whole priority and those above, so the busy
//! period of that priority ends within d, and every job in it is done.
//!
//! A1 to A3 of `local_fixed_priority.rs`; A4 tasks have no jitter. Not exact: first come first
//! served may do better than the last place.

use crate::{Supply, Task, TieError, UnboundedError, local_fixed_priority};
use core::cmp::Reverse;
use windfall_time::Span;

/// The numbers of the tasks in the order that speaks for their ranks, the smallest rank first.
///
/// # Errors
/// When a task that shares its rank, the one with the shortest deadline there, may be due after its next arrival: then no order
/// speaks for all.
pub fn order<R: Ord>(tasks: &[Task], ranks: &[R]) -> Result<Vec<usize>, TieError> {
    let mut order: Vec<usize> = (0..tasks.len().min(ranks.len())).collect();
    order.sort_by_key(|at| (&ranks[*at], Reverse(tasks[*at].deadline)));
    let ties = order.chunk_by(|a, b| ranks[*a] == ranks[*b]).filter(|tie| tie.len() > 1);
    let lasts = ties.filter_map(|tie| tie.last());
    match lasts.copied().find(|at| tasks[*at].deadline > tasks[*at].period) {
        Some(task) => Err(TieError { task }),
        None => Ok(order),
    }
}

/// A bound for the response time of each task, in the order of the list: each as the last of its
/// rank; or why there is none.
#[must_use]
pub fn response_times<R: Ord>(
    tasks: &[Task],
    ranks: &[R],
    supply: &Supply,
) -> Vec<Result<Span, UnboundedError>> {
    blocked_response_times(tasks, ranks, &[], supply)
}

/// The same where sections of lower ranks delay each task by up to its `blocking` (`locks.rs`); tasks beyond its end
/// have none. Tasks of one rank have equal blocking, so one order speaks for all as before.
#[must_use]
pub fn blocked_response_times<R: Ord>(
    tasks: &[Task],
    ranks: &[R],
    blocking: &[Span],
    supply: &Supply,
) -> Vec<Result<Span, UnboundedError>> {
    let blocking = blocking.iter().copied().chain(std::iter::repeat(Span::ZERO));
    let bound = |((task, rank), blocking): ((&Task, &R), Span)| {
        let others = tasks.iter().zip(ranks).filter(|(other, _)| !std::ptr::eq(*other, task));
        let before = others.filter(|(_, other)| *other <= rank).map(|(other, _)| *other);
        let listed: Vec<Task> = before.chain([*task]).collect();
        local_fixed_priority::blocked_response_time(&listed, blocking, supply)
    };
    tasks.iter().zip(ranks).zip(blocking).map(bound).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::Policy;
    use crate::tests::small_tasks;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn law_the_order_speaks_for_every_task(
            tasks in small_tasks(1..=4),
            ranks in prop::collection::vec(0..2_u8, 4),
            amount in 1..6_u64, more in 0..6_u64,
        ) {
            let ns = Span::from_nanos;
            let tasks: Vec<Task> =
                tasks.into_iter().map(|task| Task { jitter: Span::ZERO, ..task }).collect();
            let ranks = &ranks[..tasks.len()];
            let supply = Supply::basic(ns(amount), ns(amount + more)).unwrap();
            let Ok(order) = order(&tasks, ranks) else { return Ok(()) };
            let listed: Vec<Task> = order.into_iter().map(|at| tasks[at]).collect();
            let bounds = response_times(&tasks, ranks, &supply);
            let met = |(task, bound): (&Task, &Result<Span, _>)| {
                bound.is_ok_and(|bound| bound <= task.deadline)
            };
            let each = tasks.iter().zip(&bounds).all(met);
            prop_assert_eq!(Policy::AsListed.schedulable(&listed, &supply), Ok(each));
        }
    }

    #[test]
    fn limit_without_ties_it_is_the_analysis_itself() {
        let ms = Span::from_millis;
        let tasks = [(1, 10), (2, 45), (4, 100)].map(|(c, t)| Task::implicit(ms(c), ms(t)));
        let supply = Supply::basic(ms(2), ms(6)).unwrap();
        let bounds = response_times(&tasks, &[1, 2, 3], &supply);
        assert_eq!(bounds, local_fixed_priority::response_times(&tasks, &supply));
        assert_eq!(order(&tasks, &[3, 2, 1]), Ok(vec![2, 1, 0]));
    }

    #[test]
    fn refuses_a_shared_rank_where_jobs_may_overlap_and_accepts_one_where_not() {
        let ns = Span::from_nanos;
        let task = |deadline| Task { deadline: ns(deadline), ..Task::implicit(ns(1), ns(5)) };
        assert_eq!(order(&[task(6), task(7)], &[0, 0]), Err(TieError { task: 0 }));
        assert_eq!(order(&[task(5), task(7)], &[0, 0]), Ok(vec![1, 0]));
        assert_eq!(order(&[task(6), task(7)], &[0, 1]), Ok(vec![0, 1]));
    }
}
