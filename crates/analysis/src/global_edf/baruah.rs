//! Baruah's test for global EDF (Baruah 2007, "Techniques for multiprocessor global schedulability
//! analysis", condition 8 and equation 9).
//!
//! Before a job that misses its deadline there is a last moment at which a processor was idle; at most
//! one task fewer than there are processors has work left from before it. Each length of the
//! interval in between at which the demand steps is checked, up to a bound.
//!
//! The bound is rounded up: longer intervals pass anyway. A set that takes less than a 2^-40 share
//! of a processor less than all is refused.

use crate::Task;
use crate::window::ROUNDS;

/// Bits of the fraction in the bound.
const FRACTION: u32 = 40;

/// The tasks are in range, with deadlines from their work to their period.
pub(super) fn accepts(tasks: &[Task], processors: u32) -> bool {
    let mut rounds = 0;
    (0..tasks.len()).all(|k| {
        let Some(longest) = longest_interval(tasks, k, processors) else {
            return false;
        };
        // The task's own deadline ends the first interval, which has no length.
        let mut interval = Some(0);
        while let Some(length) = interval.filter(|length| u128::from(*length) <= longest) {
            rounds += 1;
            if rounds == ROUNDS || !holds(tasks, k, length, processors) {
                return false;
            }
            interval = next_step(tasks, k, length);
        }
        true
    })
}

/// The longest interval before the arrival of task `k` that needs a check.
fn longest_interval(tasks: &[Task], k: usize, processors: u32) -> Option<u128> {
    let processors = u128::from(processors);
    let (mut load, mut early) = (0_u128, 0_u128);
    for task in tasks {
        let [work, period, deadline] =
            [task.work, task.period, task.deadline].map(|span| u128::from(span.as_nanos()));
        let share = (work << FRACTION).div_ceil(period);
        load += share;
        early = early.checked_add((period - deadline) * share)?;
    }
    let idle = (processors << FRACTION).checked_sub(load).filter(|idle| *idle > 0)?;
    let mut works: Vec<u64> = tasks.iter().map(|task| task.work.as_nanos()).collect();
    works.sort_unstable_by(|a, b| b.cmp(a));
    let carried = works.iter().zip(1..processors).map(|(work, _)| u128::from(*work)).sum::<u128>();
    let work = carried + processors * u128::from(tasks[k].work.as_nanos());
    let deadline = u128::from(tasks[k].deadline.as_nanos());
    let above = (work << FRACTION).checked_add(early)?;
    Some(above.div_ceil(idle).saturating_sub(deadline))
}

/// The next longer interval at which some task's demand up to the deadline of task `k` steps.
fn next_step(tasks: &[Task], k: usize, length: u64) -> Option<u64> {
    let end = length.checked_add(tasks[k].deadline.as_nanos())?;
    let next = |task: &Task| {
        let (period, first) = (task.period.as_nanos(), task.deadline.as_nanos());
        end.checked_sub(first).map_or(Some(first), |since| {
            first.checked_add((since / period).checked_add(1)?.checked_mul(period)?)
        })
    };
    let next = tasks.iter().filter_map(next).min()?;
    next.checked_sub(tasks[k].deadline.as_nanos())
}

/// Condition 8: the work of all tasks in the interval and up to the deadline leaves room for the job.
fn holds(tasks: &[Task], k: usize, length: u64, processors: u32) -> bool {
    let [own, deadline] =
        [tasks[k].work, tasks[k].deadline].map(|span| u128::from(span.as_nanos()));
    let length = u128::from(length);
    let end = length + deadline;
    let (mut sum, mut carried) = (0_u128, Vec::with_capacity(tasks.len()));
    for (index, task) in tasks.iter().enumerate() {
        let [work, period, due] =
            [task.work, task.period, task.deadline].map(|span| u128::from(span.as_nanos()));
        let fresh = end.checked_sub(due).map_or(0, |since| (since / period + 1) * work);
        let all = end / period * work + work.min(end % period);
        // The job that misses runs for less than its work, by a nanosecond at least.
        let most = |demand: u128| {
            if index == k { (demand - own).min(length) } else { demand.min(end - (own - 1)) }
        };
        sum += most(fresh);
        carried.push(most(all) - most(fresh));
    }
    carried.sort_unstable_by(|a, b| b.cmp(a));
    let others = u128::from(processors) - 1;
    sum += carried.iter().zip(0..others).map(|(work, _)| work).sum::<u128>();
    sum <= u128::from(processors) * (end - own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::small_tasks;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn limit_steps_up_to_the_bound_stand_for_all_lengths(
            mut tasks in small_tasks(1..=5), processors in 2_u32..=3,
        ) {
            for task in &mut tasks {
                task.work = task.work.min(task.period);
                task.deadline = task.deadline.clamp(task.work, task.period);
            }
            let idle = longest_interval(&tasks, 0, processors).is_some();
            let all = (0..tasks.len())
                .all(|k| (0..600).all(|length| holds(&tasks, k, length, processors)));
            prop_assert_eq!(accepts(&tasks, processors), idle && all);
        }
    }
}
