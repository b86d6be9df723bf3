//! Random inputs that the tests of several files share.

use crate::{Resource, Supply, Task};
use core::ops::RangeInclusive;
use proptest::prelude::*;
use windfall_time::Span;

/// A task in nanoseconds: work, period, deadline, jitter.
pub(crate) fn task(work: u64, period: u64, deadline: u64, jitter: u64) -> Task {
    let [work, period, deadline, jitter] = [work, period, deadline, jitter].map(Span::from_nanos);
    Task { work, period, deadline, jitter }
}

/// Tasks so small that a simulation by the nanosecond soon comes to the end of every busy period.
pub(crate) fn small_tasks(count: RangeInclusive<usize>) -> impl Strategy<Value = Vec<Task>> {
    let one = (1_u64..=4, 2_u64..=8, 1_u64..=16, 0_u64..=9).prop_map(
        |(work, period, deadline, jitter)| task(work, period, deadline, jitter.saturating_sub(4)),
    );
    prop::collection::vec(one, count)
}

/// Basic and continuous reservations with short periods.
pub(crate) fn small_supply() -> impl Strategy<Value = Supply> {
    let pair = (1..=12_u64).prop_flat_map(|y| (Just(y), 1..=y, any::<bool>()));
    pair.prop_map(|(y, x, basic)| {
        let make = if basic { Supply::basic } else { Supply::continuous };
        make(Span::from_nanos(x), Span::from_nanos(y)).unwrap()
    })
}

/// Reservations of any kind with periods below `end`.
pub(crate) fn any_resource(end: u64) -> impl Strategy<Value = Resource> {
    let pair = (1..end).prop_flat_map(|y| (Just(y), 1..=y));
    pair.prop_flat_map(|(y, d)| {
        let [y, d] = [y, d].map(Span::from_nanos);
        prop_oneof![
            Just(Resource::explicit_deadline(d, y).unwrap()),
            Just(Resource::periodic(y).unwrap()),
            Just(Resource::continuous(y).unwrap()),
        ]
    })
}

/// Both reservations whose rate is exactly what these tasks take; none where that is too much.
pub(crate) fn at_full_rate(tasks: &[Task]) -> Vec<Supply> {
    let cycle: u64 = tasks.iter().map(|task| task.period.as_nanos()).product();
    let work: u64 =
        tasks.iter().map(|task| task.work.as_nanos() * (cycle / task.period.as_nanos())).sum();
    let divides = |d: &u64| cycle.is_multiple_of(*d) && work.is_multiple_of(*d);
    let divisor = (1..=cycle).rev().find(divides).unwrap();
    let [x, y] = [work / divisor, cycle / divisor].map(Span::from_nanos);
    [Supply::basic(x, y), Supply::continuous(x, y)].into_iter().flatten().collect()
}
