//! Whether the machine was suspended: CLOCK_BOOTTIME goes on then, and CLOCK_MONOTONIC does not.

use crate::SystemClock;
use windfall_time::{Instant, Span};

/// The two clocks cannot be read at once; a suspension takes longer than this, and a look that was interrupted this long is tried again.
const LEAST: Span = Span::from_millis(1);
/// Looks, of which the closest counts.
const LOOKS: u32 = 8;

/// Watches from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watch {
    ahead: Span,
}

impl Watch {
    /// Begins to watch.
    #[must_use]
    pub fn begin() -> Watch {
        Watch { ahead: ahead() }
    }

    /// For how long the machine was suspended since; zero for less than a millisecond.
    #[must_use]
    pub fn suspended(&self) -> Span {
        self.between(ahead())
    }

    fn between(&self, ahead: Span) -> Span {
        let more = ahead.saturating_sub(self.ahead);
        if more < LEAST { Span::ZERO } else { more }
    }
}

/// By how much CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC.
fn ahead() -> Span {
    let look = |_| {
        let before = SystemClock::Monotonic.now();
        let boot = SystemClock::Boottime.now();
        [before, boot, SystemClock::Monotonic.now()]
    };
    let said = closest((0..LOOKS).map(look));
    #[cfg(test)]
    let said = said + planted();
    said
}

/// By the closest of several looks at both: CLOCK_MONOTONIC, CLOCK_BOOTTIME, and CLOCK_MONOTONIC again.
fn closest(looks: impl Iterator<Item = [Instant; 3]>) -> Span {
    let ahead = |[before, boot, after]: [Instant; 3]| {
        (after.saturating_since(before), boot.saturating_since(before))
    };
    looks.map(ahead).min().map_or(Span::ZERO, |(_, ahead)| ahead)
}

#[cfg(test)]
thread_local! {
    /// For how long this thread's machine was suspended, and for how long it is before each look.
    static PLANTED: std::cell::Cell<[Span; 2]> = const { std::cell::Cell::new([Span::ZERO; 2]) };
}

#[cfg(test)]
fn planted() -> Span {
    let [sum, each] = PLANTED.get();
    PLANTED.set([sum + each, each]);
    sum + each
}

/// A test has been suspended for so long.
#[cfg(test)]
pub(crate) fn plant(span: Span) {
    let [sum, each] = PLANTED.get();
    PLANTED.set([sum + span, each]);
}

/// The same but for what looks at clocks take.
#[cfg(test)]
pub(crate) fn is_about(span: Span, planted: Span) -> bool {
    span.as_nanos().abs_diff(planted.as_nanos()) < 500_000
}

/// A test is suspended for so long before each look.
#[cfg(test)]
pub(crate) fn plant_at_each_look(span: Span) {
    let [sum, _] = PLANTED.get();
    PLANTED.set([sum, span]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_boottime_gains_is_suspended_time() {
        let watch = Watch { ahead: Span::from_secs(5) };
        let cases = [(5_000, 0), (4_000, 0), (6_000, 1_000), (5_001, 1)];
        for (ahead, suspended) in cases {
            assert_eq!(watch.between(Span::from_millis(ahead)), Span::from_millis(suspended));
        }
        assert_eq!(watch.between(Span::from_nanos(5_000_999_999)), Span::ZERO);
    }

    #[test]
    fn law_the_closest_look_counts() {
        let at = |ns: [u64; 3]| ns.map(Instant::from_nanos);
        let looks = [at([100, 5_900, 900]), at([1_000, 6_010, 1_050]), at([2_000, 7_060, 2_070])];
        assert_eq!(closest(looks.into_iter()), Span::from_nanos(5_010));
        assert_eq!(closest([at([100, 90, 110])].into_iter()), Span::ZERO);
        assert_eq!(closest([].into_iter()), Span::ZERO);
    }

    #[test]
    fn accepts_a_machine_that_runs() {
        assert_eq!(Watch::begin().suspended(), Span::ZERO);
    }
}
