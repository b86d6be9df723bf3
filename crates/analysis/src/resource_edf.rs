//! The least amount of a reservation under which earliest deadline first meets every deadline.
//!
//! Exact: the least multiple of the granule with `local_edf::schedulable`. From below: as long as
//! some window is in want, the amount rises to the least that satisfies this window, which any
//! sufficient amount has to reach; so the first that leaves none in want is the least. Windows are
//! gone through once, from the longest down: more supply leaves none of the longer in want.
//!
//! A1 to A3 as in `local_edf.rs`. Source: Shin and Lee 2003, theorem 4.1 for the test; the search
//! is ours.

use crate::local_edf::{Verdict, demand, descend, last_deadline, longest_window};
use crate::resource::round_up;
use crate::window::in_range;
use crate::{AmountError, Resource, Task, load, local_edf};
use core::cmp::Ordering;
use windfall_time::Span;

/// The least amount, a multiple of `granule`.
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
        AmountError::of(tasks, resource, granule, |most| local_edf::response_times(tasks, most))
    })
}

/// The same without the reason, which takes longer to find.
pub(crate) fn least(tasks: &[Task], resource: &Resource, granule: Span) -> Option<Span> {
    let granule = granule.as_nanos();
    if !in_range(tasks) || granule == 0 {
        return None;
    }
    // What the first deadline of each task alone takes, and the rate.
    let mut least = at_rate(tasks, resource, granule)?;
    for task in tasks {
        let window = task.deadline.checked_sub(task.jitter)?.as_nanos();
        let amount = resource.amount_ns(window, demand(tasks, window)?)?;
        least = least.max(round_up(amount, granule)?);
    }
    let supply = |amount| resource.supply(Span::from_nanos(amount)).ok();
    // Exactly the rate, perhaps: with more, the busy period is shorter.
    let mut most = longest_window(tasks, &supply(least)?);
    if most.is_none() {
        least = least.checked_add(granule)?;
        most = longest_window(tasks, &supply(least)?);
    }
    let mut most = most?;
    loop {
        let last = |most| last_deadline(tasks, most);
        match descend(|window| demand(tasks, window), last, &supply(least)?, most) {
            Verdict::Met => return Some(Span::from_nanos(least)),
            Verdict::Want { window, work } => {
                least = round_up(resource.amount_ns(window, work)?, granule)?;
                most = window;
            }
            Verdict::TooMuch => return None,
        }
    }
}

/// The least amount whose rate is no less than the tasks' utilisation.
fn at_rate(tasks: &[Task], resource: &Resource, granule: u64) -> Option<u64> {
    let enough = |supply: &_| load::against_rate(tasks, supply) != Ordering::Greater;
    resource.least_amount(granule, enough)
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
                .find(|x| local_edf::schedulable(&tasks, &resource.supply(*x).unwrap()) == Ok(true));
            let found = least_amount(&tasks, &resource, Span::from_nanos(granule));
            prop_assert_eq!(found.ok(), slow);
        }
    }
}
