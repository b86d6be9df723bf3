//! Threads that find out when they run by polling the clock (HLS 10.3.1, 11.6.2).

use super::on_one_processor;
use crate::experiment::LabError;
use std::sync::Mutex;
use std::time::Duration;
use windfall_clocks::SystemClock;
use windfall_time::{Instant, Span};

/// Two readings of the clock so far apart or further are a gap: longer than a reading takes, and shorter than
/// an interrupt (11.6.2).
const GAP: Span = Span::from_nanos(2_200);

/// A stretch of time in which a thread was seen running, in nanoseconds since the beginning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Stretch {
    /// The first reading of the clock.
    pub(crate) from: u64,
    /// The last reading.
    pub(crate) to: u64,
    /// The thread, by number.
    pub(crate) thread: usize,
}

/// Lets `count` threads poll the clock for `length`, and returns their stretches in order of time.
pub(crate) fn poll(count: usize, length: Duration) -> Result<Vec<Stretch>, LabError> {
    let found = Mutex::new(Vec::new());
    let now = || SystemClock::Monotonic.now();
    let begun = now();
    let since = |at: Instant| at.saturating_since(begun).as_nanos();
    let end = begun.saturating_add(Span::saturating_from_nanos(length.as_nanos()));
    on_one_processor(count, &|thread| {
        let mut stretches = Vec::with_capacity(1 << 16);
        let first = now();
        let mut from = first;
        let last = windfall_clocks::poll(now, first, end, GAP, |to, next| {
            stretches.push(Stretch { from: since(from), to: since(to), thread });
            from = next;
        });
        stretches.push(Stretch { from: since(from), to: since(last), thread });
        if let Ok(mut found) = found.lock() {
            found.append(&mut stretches);
        }
    })?;
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_unstable();
    Ok(found)
}

/// The times between one thread's stop and another's start, in microseconds: a switch, and all other code that ran
/// meanwhile.
pub(crate) fn gaps(stretches: &[Stretch]) -> Vec<f64> {
    between(stretches, |one, next| one != next)
}

/// The time for which a thread did not run, and no other of these did, in microseconds.
pub(crate) fn interruptions(stretches: &[Stretch]) -> Vec<f64> {
    between(stretches, |one, next| one == next)
}

#[expect(clippy::cast_precision_loss, reason = "shown, not compared")]
fn between(stretches: &[Stretch], wanted: fn(usize, usize) -> bool) -> Vec<f64> {
    let pairs = stretches.windows(2).filter(|pair| wanted(pair[0].thread, pair[1].thread));
    let gaps = pairs.filter_map(|pair| pair[1].from.checked_sub(pair[0].to));
    gaps.map(|ns| ns as f64 / 1e3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_gaps_lie_between_stretches_of_different_threads() {
        let at = |from, to, thread| Stretch { from, to, thread };
        let seen =
            [at(0, 10_000, 0), at(15_000, 20_000, 0), at(27_100, 30_000, 1), at(32_000, 40_000, 0)];
        assert_eq!((gaps(&seen), interruptions(&seen)), (vec![7.1, 2.0], vec![5.0]));
    }

    #[test]
    fn law_threads_on_one_processor_never_run_at_once() {
        let seen = poll(3, Duration::from_millis(60)).unwrap();
        assert!(seen.iter().map(|stretch| stretch.thread).max() == Some(2));
        let apart = seen.windows(2).all(|pair| pair[0].to <= pair[1].from);
        assert!(apart, "{seen:?}");
    }
}
