//! How a multi-threaded application's own scheduler distributes its processor time.
//!
//! The only place that knows the local policies, so that a search need not know them. Each policy ranks by an order
//! (fixed priorities) or by deadlines; the analyses are in `local_fixed_priority.rs` and
//! `local_edf.rs`, the least amounts in `resource_fixed_priority.rs` and `resource_edf.rs`.

use crate::error::all_met;
use crate::{
    AmountError, Resource, Supply, Task, UnboundedError, local_edf, local_fixed_priority,
    locked_edf, resource_edf, resource_fixed_priority,
};
use windfall_time::Span;

/// How an application schedules its own threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Policy {
    /// Fixed priorities, the first task the highest.
    AsListed,
    /// Fixed priorities by period, the shortest first; ties as listed.
    RateMonotonic,
    /// Fixed priorities by relative deadline, the shortest first; ties as listed.
    DeadlineMonotonic,
    /// Earliest deadline first.
    EarliestDeadline,
}

impl Policy {
    /// The numbers of the tasks by decreasing priority; as listed, where priorities change.
    #[must_use]
    pub fn order(self, tasks: &[Task]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        match self {
            Policy::RateMonotonic => order.sort_by_key(|index| tasks[*index].period),
            Policy::DeadlineMonotonic => order.sort_by_key(|index| tasks[*index].deadline),
            Policy::AsListed | Policy::EarliestDeadline => {}
        }
        order
    }

    pub(crate) fn sorted(self, tasks: &[Task]) -> Vec<Task> {
        self.order(tasks).into_iter().map(|index| tasks[index]).collect()
    }

    /// Whether every deadline is met under this supply.
    ///
    /// # Errors
    /// [`UnboundedError::OutOfRange`], and [`UnboundedError::NotFound`] where it is not decided.
    pub fn schedulable(self, tasks: &[Task], supply: &Supply) -> Result<bool, UnboundedError> {
        match self {
            Policy::EarliestDeadline => local_edf::schedulable(tasks, supply),
            fixed => local_fixed_priority::schedulable(&fixed.sorted(tasks), supply),
        }
    }

    /// Whether every deadline is met where locks delay each task by up to its `blocking` (`locks.rs`, by the ranks of
    /// this policy; relative deadlines for [`Policy::EarliestDeadline`]). A task beyond the end of that list has no blocking.
    ///
    /// # Errors
    /// As for [`schedulable`](Self::schedulable); [`UnboundedError::Jitter`] where releases jitter under
    /// [`Policy::EarliestDeadline`].
    pub fn schedulable_blocked(
        self,
        tasks: &[Task],
        blocking: &[Span],
        supply: &Supply,
    ) -> Result<bool, UnboundedError> {
        if blocking.iter().all(|blocking| blocking.is_zero()) {
            return self.schedulable(tasks, supply);
        }
        match self {
            Policy::EarliestDeadline => locked_edf::schedulable(tasks, blocking, supply),
            _ => all_met(tasks, self.response_times_blocked(tasks, blocking, supply)),
        }
    }

    /// The longest response time of each task, in the order of the list, where locks delay each by up to its
    /// `blocking`, as for [`schedulable_blocked`](Self::schedulable_blocked).
    #[must_use]
    pub fn response_times_blocked(
        self,
        tasks: &[Task],
        blocking: &[Span],
        supply: &Supply,
    ) -> Vec<Result<Span, UnboundedError>> {
        if blocking.iter().all(|blocking| blocking.is_zero()) {
            return self.response_times(tasks, supply);
        }
        if self == Policy::EarliestDeadline {
            return locked_edf::response_times(tasks, blocking, supply);
        }
        let order = self.order(tasks);
        let sorted: Vec<Task> = order.iter().map(|index| tasks[*index]).collect();
        let mut responses: Vec<_> = (0..tasks.len())
            .map(|at| {
                let blocking = blocking.get(order[at]).copied().unwrap_or(Span::ZERO);
                let level = &sorted[..=at];
                (order[at], local_fixed_priority::blocked_response_time(level, blocking, supply))
            })
            .collect();
        responses.sort_by_key(|(index, _)| *index);
        responses.into_iter().map(|(_, response)| response).collect()
    }

    /// The least amount as by [`least_amount`](Self::least_amount), with blocking as for
    /// [`schedulable_blocked`](Self::schedulable_blocked); by halving.
    ///
    /// # Errors
    /// As for [`least_amount`](Self::least_amount), and where releases jitter under [`Policy::EarliestDeadline`].
    pub fn least_amount_blocked(
        self,
        tasks: &[Task],
        blocking: &[Span],
        resource: &Resource,
        granule: Span,
    ) -> Result<Span, AmountError> {
        self.least(tasks, blocking, resource, granule).ok_or_else(|| {
            let responses = |most: &_| self.response_times_blocked(tasks, blocking, most);
            AmountError::of(tasks, resource, granule, responses)
        })
    }

    /// The same without the reason, which takes longer to find.
    pub(crate) fn least(
        self,
        tasks: &[Task],
        blocking: &[Span],
        resource: &Resource,
        granule: Span,
    ) -> Option<Span> {
        if blocking.iter().all(|blocking| blocking.is_zero()) {
            return match self {
                Policy::EarliestDeadline => resource_edf::least(tasks, resource, granule),
                fixed => resource_fixed_priority::least(&fixed.sorted(tasks), resource, granule),
            };
        }
        let met = |supply: &Supply| self.schedulable_blocked(tasks, blocking, supply) == Ok(true);
        resource.least_amount(granule.as_nanos(), met).map(Span::from_nanos)
    }

    /// The longest response time of each task, in the order of the list, or why it has no bound.
    #[must_use]
    pub fn response_times(
        self,
        tasks: &[Task],
        supply: &Supply,
    ) -> Vec<Result<Span, UnboundedError>> {
        if self == Policy::EarliestDeadline {
            return local_edf::response_times(tasks, supply);
        }
        let sorted = local_fixed_priority::response_times(&self.sorted(tasks), supply);
        let mut responses: Vec<_> = self.order(tasks).into_iter().zip(sorted).collect();
        responses.sort_by_key(|(index, _)| *index);
        responses.into_iter().map(|(_, response)| response).collect()
    }

    /// The least amount of a reservation, a multiple of `granule`, with which every deadline is met.
    ///
    /// # Errors
    /// As for [`resource_fixed_priority::least_amount`] and [`resource_edf::least_amount`].
    pub fn least_amount(
        self,
        tasks: &[Task],
        resource: &Resource,
        granule: Span,
    ) -> Result<Span, AmountError> {
        self.least_amount_blocked(tasks, &[], resource, granule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{any_resource, small_tasks};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn limit_with_blocking_the_least_amount_is_the_first_that_is_enough(
            tasks in small_tasks(1..=3), resource in any_resource(12), granule in 1..4_u64,
            blocking in prop::collection::vec(0..4_u64, 3),
        ) {
            let ns = Span::from_nanos;
            let tasks: Vec<Task> =
                tasks.into_iter().map(|task| Task { jitter: Span::ZERO, ..task }).collect();
            let blocking: Vec<Span> = blocking.into_iter().map(ns).collect();
            for policy in [Policy::RateMonotonic, Policy::EarliestDeadline] {
                let mut amounts = (0..=resource.most().as_nanos()).filter(|x| x % granule == 0).map(ns);
                let slow = amounts.find(|x| {
                    let supply = resource.supply(*x).unwrap();
                    policy.schedulable_blocked(&tasks, &blocking, &supply) == Ok(true)
                });
                let fast = policy.least_amount_blocked(&tasks, &blocking, &resource, ns(granule)).ok();
                prop_assert_eq!(fast, slow);
                // What blocks takes no less.
                let free = policy.least_amount(&tasks, &resource, ns(granule)).ok();
                prop_assert!(fast.is_none() || free.is_some_and(|free| Some(free) <= fast));
            }
        }
    }
}
