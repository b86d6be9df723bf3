//! The demand of tasks on a supply in the long run and in a window: the parts that all analyses share.
//!
//! Invariant: tasks are in range (`window.rs`); `None` is a sum beyond 2^64 ns, never a rounded one.

use crate::{Supply, Task, exact};
use core::cmp::Ordering;

/// `own` and all the work of these tasks that arrives in a window of this length, from the
/// critical instant on.
pub(crate) fn arrived(tasks: &[Task], own: u64, window: u64) -> Option<u64> {
    tasks.iter().try_fold(own, |sum, task| {
        let jobs = window.checked_add(task.jitter.as_nanos())?.div_ceil(task.period.as_nanos());
        sum.checked_add(jobs.checked_mul(task.work.as_nanos())?)
    })
}

/// The utilisation of these tasks against the rate of the supply, exactly.
pub(crate) fn against_rate(tasks: &[Task], supply: &Supply) -> Ordering {
    let (above, below) = supply.rate_terms();
    let mut rate = exact::Sum::new();
    rate.add(u128::from(above), u128::from(below));
    exact::utilisation(tasks).compare(&rate)
}

/// The start and the period of the common repetition of demand and supply; `None` past 2^64 ns.
///
/// Where the tasks take exactly the supply's rate, what is left over at one moment after the start
/// is left over one cycle later.
pub(crate) fn repetition(tasks: &[Task], supply: &Supply) -> Option<(u64, u64)> {
    let (mut start, mut cycle) = supply.repeats()?;
    for task in tasks {
        let period = task.period.as_nanos();
        cycle = (cycle / common_divisor(cycle, period)).checked_mul(period)?;
        start = start.max(task.deadline.as_nanos()).max(task.jitter.as_nanos());
    }
    let jitter = tasks.iter().map(|task| task.jitter.as_nanos()).max().unwrap_or(0);
    Some((start.checked_add(jitter)?, cycle))
}

/// The greatest common divisor of two numbers, of which the second is above zero.
const fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while a != 0 {
        (a, b) = (b % a, a);
    }
    b
}
