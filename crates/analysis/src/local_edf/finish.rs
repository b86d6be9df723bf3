//! When the work that is due by a moment is done, for all such moments in one sweep.
//!
//! With releases as dense as they can be, the least window that holds all work that arrives in it and is
//! due by D depends on D alone, and grows with it. So deadlines are taken in order, and each job is
//! met twice: when it counts as due, and when it arrives in the window. A sweep over m jobs of n tasks
//! takes O(m log n).

use crate::window::{HORIZON, ROUNDS};
use crate::{Supply, Task};
use core::cmp::Reverse;
use std::collections::BinaryHeap;
use windfall_time::Span;

/// The jobs of one task: how many are due by the present moment, how many have arrived.
struct Stream {
    work: u64,
    period: i128,
    due: u64,
    arrived: u64,
}

/// By task: from when on its next job counts.
type Next = BinaryHeap<Reverse<(i128, usize)>>;

/// Deadlines in order, each with the end of the work that is due by then; from the window's start, which a
/// deadline may precede by a jitter. All in `[from, to)`; `None` beyond [`HORIZON`] and [`ROUNDS`].
pub(super) fn finishes(
    tasks: &[Task],
    supply: &Supply,
    (from, to): (i128, i128),
) -> Option<Vec<(i128, u64)>> {
    let mut streams: Vec<Stream> = Vec::with_capacity(tasks.len());
    let (mut dues, mut arrivals): (Next, Next) = Default::default();
    for (number, task) in tasks.iter().enumerate() {
        let [deadline, jitter] = [task.deadline, task.jitter].map(|s| i128::from(s.as_nanos()));
        dues.push(Reverse((deadline - jitter, number)));
        arrivals.push(Reverse((-jitter, number)));
        let period = i128::from(task.period.as_nanos());
        streams.push(Stream { work: task.work.as_nanos(), period, due: 0, arrived: 0 });
    }
    let mut finishes = Vec::new();
    let (mut window, mut work) = (1_u64, 0_u64);
    while let Some(due) = next_at(&dues).filter(|due| *due < to) {
        take(&mut dues, due, &mut streams, |stream| {
            stream.due += 1;
            // It arrived before: it was not due yet.
            work = work.checked_add(if stream.due <= stream.arrived { stream.work } else { 0 })?;
            Some(())
        })?;
        loop {
            // Whatever comes before the window's end has arrived.
            take(&mut arrivals, i128::from(window) - 1, &mut streams, |stream| {
                stream.arrived += 1;
                work =
                    work.checked_add(if stream.arrived <= stream.due { stream.work } else { 0 })?;
                Some(())
            })?;
            let needed = supply.window_ns(work).filter(|needed| *needed <= HORIZON.as_nanos())?;
            if needed <= window {
                if due >= from {
                    finishes.push((due, needed));
                }
                break;
            }
            window = needed;
        }
        if finishes.len() as u64 >= u64::from(ROUNDS) {
            return None;
        }
    }
    Some(finishes)
}

fn next_at(next: &Next) -> Option<i128> {
    next.peek().map(|Reverse((at, _))| *at)
}

/// Counts all jobs that come at `until` or before.
fn take(
    next: &mut Next,
    until: i128,
    streams: &mut [Stream],
    mut count: impl FnMut(&mut Stream) -> Option<()>,
) -> Option<()> {
    while let Some(Reverse((at, number))) =
        next.peek().copied().filter(|Reverse((at, _))| *at <= until)
    {
        let stream = &mut streams[number];
        count(stream)?;
        next.pop();
        next.push(Reverse((at + stream.period, number)));
    }
    Some(())
}

/// The longest response time of each task, from its nominal arrival, where the busy period is that long.
pub(super) fn responses(tasks: &[Task], supply: &Supply, busy: u64) -> Option<Vec<Span>> {
    let of = |span: Span| i128::from(span.as_nanos());
    let earliest = |task: &Task| of(task.deadline) - of(task.jitter);
    let from = tasks.iter().map(earliest).min()?;
    let last = tasks.iter().map(|task| of(task.deadline)).max()?;
    let mut finishes = finishes(tasks, supply, (from, i128::from(busy) + last))?;
    // What a deadline, or a later one, is late by; a job that arrives after the busy period is not late.
    let mut most = i128::MIN;
    let mut late = Vec::with_capacity(finishes.len());
    while let Some((due, finish)) = finishes.pop() {
        most = most.max(i128::from(finish) - due);
        late.push((due, most));
    }
    late.reverse();
    let response = |task: &Task| {
        let first = late.partition_point(|(due, _)| *due < earliest(task));
        let most = late.get(first).map_or(0, |(_, late)| late + of(task.deadline));
        Some(Span::from_nanos(u64::try_from(most.max(0)).ok()?))
    };
    tasks.iter().map(response).collect()
}
