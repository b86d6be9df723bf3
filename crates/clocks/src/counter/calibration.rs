//! A moment on two clocks, and two of them a while apart.
//!
//! The counter is read before and after the kernel's clock, and the closest of several looks is taken. A look between whose readings the thread migrated, or the counter went back, is none.
//! Two moments make a rate, so both are of one processor where that can be had: two processors may not count alike. Where it cannot, the doubt says so.

use super::{CounterError, Instructions};
use crate::{Reading, Scale, SystemClock};
use windfall_time::{Instant, Span};

/// Looks, of which the closest counts: interrupts and cold caches spoil some.
const LOOKS: u32 = 64;

/// Moments, of which two have to be of one processor; on two processors, three have.
const MOMENTS: usize = 4;

/// By so much two processors' counters are taken to differ at most: a thread needs longer from one to the other.
const SKEW: Span = Span::from_nanos(1_000);

/// A moment on the counter and on CLOCK_MONOTONIC_RAW.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Both {
    /// The middle between the counter before and after.
    pub(super) ticks: u64,
    /// The reading of the kernel's clock.
    pub(super) at: Instant,
    /// On which processor; `None` where the counter does not say.
    pub(super) processor: Option<u32>,
    /// Ticks between both readings of the counter.
    pub(super) width: u64,
}

impl Both {
    /// # Errors
    /// [`CounterError::Disturbed`] where no look was whole.
    pub(super) fn look(instructions: Instructions) -> Result<Both, CounterError> {
        Both::closest(|| instructions.ordered(), || SystemClock::MonotonicRaw.now())
    }

    fn closest(
        counter: impl Fn() -> Reading,
        kernel: impl Fn() -> Instant,
    ) -> Result<Both, CounterError> {
        let look = |_| {
            let before = counter();
            let at = kernel();
            let width = counter().since(before).ok()?;
            let ticks = before.ticks.saturating_add(width / 2);
            Some(Both { ticks, at, processor: before.processor, width })
        };
        let looks = (0..LOOKS).filter_map(look);
        looks.min_by_key(|one| one.width).ok_or(CounterError::Disturbed { looks: LOOKS })
    }
}

/// By how many ticks the distance of two moments may be wrong: half the width of each, and what two processors may differ by.
pub(super) fn doubt(scale: Scale, one: Both, other: Both) -> u64 {
    let apart = one.processor != other.processor;
    let skew = if apart { scale.saturating_ticks(SKEW) } else { 0 };
    let halves = one.width.div_ceil(2).saturating_add(other.width.div_ceil(2));
    halves.saturating_add(skew)
}

/// Looks until two moments are of one processor, with a rest between each and the next: the first of them and the last. Else the first and the last of all.
pub(super) fn ends(
    mut look: impl FnMut() -> Result<Both, CounterError>,
    mut rest: impl FnMut(),
) -> Result<(Both, Both), CounterError> {
    let first = look()?;
    let mut seen = vec![first];
    loop {
        rest();
        let last = look()?;
        if let Some(same) = seen.iter().find(|one| one.processor == last.processor) {
            return Ok((*same, last));
        }
        seen.push(last);
        if seen.len() == MOMENTS {
            return Ok((first, last));
        }
    }
}

/// Calibrates, and once more where the machine was suspended meanwhile; with what watched it.
pub(super) fn unsuspended<W, T>(
    begin: impl Fn() -> W,
    suspended: impl Fn(&W) -> Span,
    mut calibrate: impl FnMut() -> Result<T, CounterError>,
) -> Result<(T, W), CounterError> {
    let mut once = || {
        let watch = begin();
        let made = calibrate();
        let span = suspended(&watch);
        if span.is_zero() {
            made.map(|made| (made, watch))
        } else {
            Err(CounterError::Suspended { span })
        }
    };
    match once() {
        Err(CounterError::Suspended { .. }) => once(),
        other => other,
    }
}

/// `part` of `whole` in parts of 10^9, rounded up; all of it where that is more or nothing is the whole.
pub(super) fn parts_per_billion(part: u64, whole: u64) -> u64 {
    let parts = (u128::from(part) * 1_000_000_000).div_ceil(u128::from(whole.max(1)));
    u64::try_from(parts.min(1_000_000_000)).expect("at most a thousand million")
}

/// By how many parts in 10^9 `said` is more than `really`, rounded towards zero; `None` where that was no time, or the parts have no number.
pub(super) fn parts_too_many(said: Span, really: Span) -> Option<i64> {
    let (said, really) = (i128::from(said.as_nanos()), i128::from(really.as_nanos()));
    ((said - really) * 1_000_000_000)
        .checked_div(really)
        .and_then(|parts| i64::try_from(parts).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    use core::cell::Cell;

    fn both(ticks: u64, processor: u32) -> Both {
        Both { ticks, at: Instant::from_nanos(ticks), processor: Some(processor), width: 50 }
    }

    /// The closest look at a counter that goes on by 50 at each reading, where the readings at odd places are changed.
    fn closest(change: impl Fn(u64, Reading) -> Reading) -> Result<Both, CounterError> {
        let reads = Cell::new(0);
        let counter = || {
            let read = reads.replace(reads.get() + 1);
            let plain = Reading { ticks: 10_000 + 50 * read, processor: Some(1) };
            if read % 2 == 1 { change(read, plain) } else { plain }
        };
        Both::closest(counter, || Instant::from_nanos(reads.get()))
    }

    #[test]
    fn law_a_look_in_which_the_counter_goes_back_or_the_thread_migrates_is_none() {
        let one_of_ten = |read: u64| read % 20 == 3;
        let back = |read, plain: Reading| {
            let ticks = if one_of_ten(read) { plain.ticks - 3_000 } else { plain.ticks };
            Reading { ticks, ..plain }
        };
        let migrated = |read, plain: Reading| {
            if one_of_ten(read) {
                Reading { ticks: plain.ticks - 40, processor: Some(0) }
            } else {
                plain
            }
        };
        for found in [closest(back).unwrap(), closest(migrated).unwrap()] {
            assert_eq!((found.ticks, found.width), (10_025, 50));
        }
    }

    #[test]
    fn refuses_to_look_where_no_look_is_whole() {
        let always = |_, plain: Reading| Reading { processor: Some(0), ..plain };
        assert_eq!(closest(always), Err(CounterError::Disturbed { looks: LOOKS }));
    }

    /// The ends for a thread that is on these processors at successive looks, and how often it rested.
    fn on(processors: &[u32]) -> ((u64, u64), usize) {
        let mut left = (100..).zip(processors);
        let mut rests = 0;
        let look = || left.next().map(|(at, processor)| both(at, *processor)).ok_or(NEVER);
        let (begin, end) = ends(look, || rests += 1).unwrap();
        ((begin.ticks, end.ticks), rests)
    }

    const NEVER: CounterError = CounterError::NotInvariant;

    #[test]
    fn law_both_ends_are_of_one_processor_where_there_are_such() {
        assert_eq!(on(&[0, 0]), ((100, 101), 1));
        assert_eq!(on(&[0, 1, 0]), ((100, 102), 2));
        assert_eq!(on(&[0, 1, 1]), ((101, 102), 2));
        assert_eq!(on(&[0, 1, 2, 1]), ((101, 103), 3));
        assert_eq!(on(&[0, 1, 2, 3]), ((100, 103), 3));
    }

    #[test]
    fn law_a_calibration_over_a_suspension_is_made_once_more() {
        let found = |suspended: [u32; 2]| {
            let begun = Cell::new(0);
            let begin = || begun.replace(begun.get() + 1);
            let span = |watch: &usize| Span::from_secs(suspended[*watch]);
            unsuspended(begin, span, || Ok(begun.get()))
        };
        assert_eq!(found([0, 0]), Ok((1, 0)));
        assert_eq!(found([7, 0]), Ok((2, 1)));
        let span = Span::from_secs(9);
        assert_eq!(found([7, 9]), Err(CounterError::Suspended { span }));
    }

    #[test]
    fn law_a_counter_that_says_more_than_passed_is_too_fast() {
        let [a_second, a_microsecond] = [1_000_000_000, 1_000].map(Span::from_nanos);
        assert_eq!(parts_too_many(a_second + a_microsecond, a_second), Some(1_000));
        assert_eq!(parts_too_many(a_second - a_microsecond, a_second), Some(-1_000));
        assert_eq!(parts_too_many(a_second, Span::ZERO), None);
        assert_eq!(parts_too_many(Span::MAX, Span::from_nanos(1)), None);
    }

    #[test]
    fn law_doubt_is_rounded_up_and_is_all_at_most() {
        let cases = [
            ((1, 1_000_000_000), 1),
            ((1, 1_000_000_001), 1),
            ((0, 5), 0),
            ((6, 5), 1_000_000_000),
            ((3, 0), 1_000_000_000),
        ];
        for ((part, whole), parts) in cases {
            assert_eq!(parts_per_billion(part, whole), parts);
        }
    }
}
