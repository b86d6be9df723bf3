//! A loop that does nothing but look at a clock: while two looks lie far apart, something else had the processor.

use windfall_time::{Instant, Span};

/// Looks at a clock from `begun`, which was the first look, until a look is at `end` or later, which is returned.
///
/// `gap` is called for each two successive looks that are `least` or more apart, with both of them.
pub fn poll(
    mut now: impl FnMut() -> Instant,
    begun: Instant,
    end: Instant,
    least: Span,
    mut gap: impl FnMut(Instant, Instant),
) -> Instant {
    let mut last = begun;
    while last < end {
        let look = now();
        if look.saturating_since(last) >= least {
            gap(last, look);
        }
        last = look;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_gaps_are_what_lies_far_apart() {
        let mut looks = [10, 15, 25, 26, 40, 51, 70].map(Instant::from_nanos).into_iter();
        let [begun, end] = [5, 50].map(Instant::from_nanos);
        let mut gaps = Vec::new();
        let least = Span::from_nanos(10);
        let gap = |from: Instant, to: Instant| gaps.push((from.as_nanos(), to.as_nanos()));
        let last = poll(|| looks.next().unwrap(), begun, end, least, gap);
        assert_eq!(gaps, [(15, 25), (26, 40), (40, 51)]);
        assert_eq!(last, Instant::from_nanos(51));
        let none = poll(|| unreachable!(), end, begun, least, |_, _| unreachable!());
        assert_eq!(none, end, "it was over before");
    }
}
