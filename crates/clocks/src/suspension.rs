//! Whether the machine was suspended: CLOCK_BOOTTIME goes on then, and CLOCK_MONOTONIC does not.

use crate::SystemClock;
use windfall_time::Span;

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
        let width = SystemClock::Monotonic.now().saturating_since(before);
        (width, boot.saturating_since(before))
    };
    (0..LOOKS).map(look).min().map_or(Span::ZERO, |(_, ahead)| ahead)
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
    fn accepts_a_machine_that_runs() {
        assert_eq!(Watch::begin().suspended(), Span::ZERO);
    }
}
