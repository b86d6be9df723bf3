//! The least amount of a reservation under which fixed priorities meet every deadline.
//!
//! Exact: the least multiple of the granule with `local_fixed_priority::schedulable`. Each task needs
//! some window, no longer than its deadline, that holds its demand; the amount which that takes is a
//! closed form, so no amount is tried twice. The window that ends at the deadline alone bounds each task's need
//! from above. Tasks are taken in falling order of that bound, and one whose bound lies within what
//! others need is done; for the rest, windows are gone through once, from the shortest, each time
//! with just less than the best amount so far.
//!
//! A1 to A4 as in `local_fixed_priority.rs`. A task with its deadline beyond its period has several
//! jobs in a busy period; there amounts are halved instead.
//!
//! Source: Shin and Lee 2003, theorem 4.2 for the test; the search is ours.

use crate::resource::round_up;
use crate::window::{ROUNDS, in_range};
use crate::{AmountError, Resource, Supply, Task, load, local_fixed_priority};
use windfall_time::Span;

/// The least amount, a multiple of `granule`, for tasks in decreasing order of priority.
///
/// An amount equal to the period is a whole processor.
///
/// # Errors
/// Why there is none: not even the most that the resource can supply is enough; a work, a period or the
/// granule is zero; or the analysis would go beyond [`crate::HORIZON`] and [`crate::ROUNDS`].
pub fn least_amount(
    tasks: &[Task],
    resource: &Resource,
    granule: Span,
) -> Result<Span, AmountError> {
    least(tasks, resource, granule).ok_or_else(|| {
        AmountError::of(tasks, resource, granule, |most| {
            local_fixed_priority::response_times(tasks, most)
        })
    })
}

/// The same without the reason, which takes longer to find.
pub(crate) fn least(tasks: &[Task], resource: &Resource, granule: Span) -> Option<Span> {
    let granule = granule.as_nanos();
    if !in_range(tasks) || granule == 0 {
        return None;
    }
    // An amount that is enough for each task, as far as it is known without a search.
    let mut bounds = Vec::with_capacity(tasks.len());
    for last in 0..tasks.len() {
        bounds.push((Need { tasks: &tasks[..=last], resource, granule }.bound(), last));
    }
    bounds.sort_unstable_by_key(|(bound, _)| core::cmp::Reverse(bound.unwrap_or(u64::MAX)));
    let mut least = 0;
    for (bound, last) in bounds {
        if bound.is_none_or(|bound| bound > least) {
            least = Need { tasks: &tasks[..=last], resource, granule }.exact(bound, least)?;
        }
    }
    Some(Span::from_nanos(least))
}

/// The need of the last of these tasks.
struct Need<'a> {
    tasks: &'a [Task],
    resource: &'a Resource,
    granule: u64,
}

impl Need<'_> {
    /// The least amount for this task, by going through its windows; `known` if that is enough.
    /// `bound` is enough.
    fn exact(&self, bound: Option<u64>, known: u64) -> Option<u64> {
        let (task, higher) = self.tasks.split_last()?;
        if task.deadline > task.period {
            let meets =
                |supply: &Supply| local_fixed_priority::meets(self.tasks, supply) == Ok(true);
            return Some(self.resource.least_amount(self.granule, meets)?.max(known));
        }
        let latest = task.deadline.checked_sub(task.jitter)?.as_nanos();
        let own = task.work.as_nanos();
        let mut best = bound;
        // Amounts from `best` on are enough; those below it are tried by the largest of them.
        let mut window = 0;
        let mut work = load::arrived(higher, own, 1)?;
        for _ in 0..ROUNDS {
            let most = self.resource.most().as_nanos() / self.granule * self.granule;
            let less = best.map_or(Some(most), |best| best.checked_sub(self.granule));
            let Some(less) = less.filter(|less| *less >= known) else {
                return Some(known);
            };
            let supply = self.resource.supply(Span::from_nanos(less)).ok()?;
            let needed = supply.window_ns(work).filter(|needed| *needed <= latest);
            let Some(needed) = needed.map(|needed| needed.max(window)) else {
                return best;
            };
            let (arrived, until) = demand(higher, own, needed)?;
            if arrived == work && needed > 0 {
                // This window is long enough; as long as nothing arrives, a longer one takes less.
                let end = until.min(latest);
                best = Some(round_up(self.resource.amount_ns(end, work)?, self.granule)?);
                window = end;
            } else {
                window = needed;
            }
            work = arrived;
        }
        None
    }

    /// The amount needed with the deadline as the window: enough, but perhaps not the least.
    fn bound(&self) -> Option<u64> {
        let (task, higher) = self.tasks.split_last()?;
        let within = task.deadline <= task.period;
        let window = task.deadline.checked_sub(task.jitter).filter(|_| within)?.as_nanos();
        let work = load::arrived(higher, task.work.as_nanos(), window)?;
        let amount = round_up(self.resource.amount_ns(window, work)?, self.granule)?;
        (amount <= self.resource.most().as_nanos()).then_some(amount)
    }
}

/// The work that arrives in a window, and until which length no more does.
fn demand(tasks: &[Task], own: u64, window: u64) -> Option<(u64, u64)> {
    tasks.iter().try_fold((own, u64::MAX), |(sum, until), task| {
        let [period, jitter] = [task.period, task.jitter].map(Span::as_nanos);
        let jobs = window.checked_add(jitter)?.div_ceil(period);
        let sum = sum.checked_add(jobs.checked_mul(task.work.as_nanos())?)?;
        let next = jobs.saturating_mul(period).saturating_sub(jitter);
        Some((sum, until.min(next)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{any_resource, small_tasks};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn limit_the_search_is_the_first_amount_that_is_schedulable(
            tasks in small_tasks(0..=4), resource in any_resource(12), granule in 1..4_u64,
        ) {
            let slow = (0..=resource.most().as_nanos())
                .filter(|x| x % granule == 0)
                .map(Span::from_nanos)
                .find(|x| local_fixed_priority::schedulable(&tasks, &resource.supply(*x).unwrap()) == Ok(true));
            let found = least_amount(&tasks, &resource, Span::from_nanos(granule));
            prop_assert_eq!(found.ok(), slow);
        }

        #[test]
        fn limit_the_same_with_light_tasks_and_deadlines_within_periods(
            numbers in prop::collection::vec((1..6_u64, 20..90_u64, 0..40_u64), 1..6),
            resource in any_resource(40), granule in 1..4_u64,
        ) {
            let task = |(c, t, d): &(u64, u64, u64)| crate::tests::task(*c, *t, t - d.min(&(t - c)), 0);
            let tasks: Vec<Task> = numbers.iter().map(task).collect();
            let slow = (0..=resource.most().as_nanos())
                .filter(|x| x % granule == 0)
                .map(Span::from_nanos)
                .find(|x| local_fixed_priority::schedulable(&tasks, &resource.supply(*x).unwrap()) == Ok(true));
            let found = least_amount(&tasks, &resource, Span::from_nanos(granule));
            prop_assert_eq!(found.ok(), slow);
        }
    }

    #[test]
    fn refuses_no_granule() {
        let resource = Resource::periodic(Span::from_nanos(10)).unwrap();
        let ns = Span::from_nanos;
        assert_eq!(least_amount(&[], &resource, Span::ZERO), Err(AmountError::ZeroGranule));
        assert_eq!(least_amount(&[], &resource, ns(1)), Ok(Span::ZERO));
    }

    #[test]
    fn refuses_what_no_amount_serves_and_says_why() {
        let resource = Resource::periodic(Span::from_nanos(10)).unwrap();
        let task = |work, deadline, jitter| crate::tests::task(work, 20, deadline, jitter);
        for (task, granule, why) in [
            (task(0, 20, 0), 1, AmountError::OutOfRange),
            (task(21, 20, 0), 1, AmountError::NotEnough),
            (task(5, 4, 0), 1, AmountError::NotEnough),
            (task(5, 6, 7), 1, AmountError::NotEnough),
            (task(20, 20, 0), 3, AmountError::NotEnough),
            (task(1, 20, 0), 11, AmountError::NotEnough),
        ] {
            let granule = Span::from_nanos(granule);
            assert_eq!(least_amount(&[task], &resource, granule), Err(why), "{task:?}");
            let by_deadline = crate::resource_edf::least_amount(&[task], &resource, granule);
            assert_eq!(by_deadline, Err(why), "{task:?}");
        }
    }
}
