//! One period as a thread sees it: when it woke, and what was taken from it until the period's end.

use super::super::LEAST_GAP;
use crate::validate::machine::Core;
use windfall_clocks::poll;
use windfall_time::{Instant, Span};

/// The times that were taken from a thread, in order: first the delay until it woke.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct Burst {
    /// When its period began.
    pub(in super::super) due: Instant,
    taken: Vec<(Instant, Instant)>,
}

impl Burst {
    /// Sleeps for `pause`, and from then on looks at the clock for a period.
    pub(in super::super) fn run(core: &mut dyn Core, pause: Span, period: Span) -> Burst {
        let due = core.now() + pause;
        core.sleep_until(due);
        let woken = core.now();
        let mut taken = vec![(due, woken)];
        poll(|| core.now(), woken, due + period, LEAST_GAP, |from, to| taken.push((from, to)));
        Burst { due, taken }
    }

    /// How late it woke.
    pub(in super::super) fn late(&self) -> Span {
        self.taken.first().map_or(Span::ZERO, |(due, woken)| woken.saturating_since(*due))
    }

    /// The longest time that was taken from it after it had woken.
    pub(in super::super) fn longest(&self) -> Span {
        let lengths = self.taken.iter().skip(1).map(|(from, to)| to.saturating_since(*from));
        lengths.max().unwrap_or(Span::ZERO)
    }

    /// How much of the first `period` it did not get.
    pub(in super::super) fn lost_of(&self, period: Span) -> Span {
        let end = self.due + period;
        let part =
            |(from, to): &(Instant, Instant)| (*to).min(end).saturating_since((*from).min(end));
        self.taken.iter().map(part).fold(Span::ZERO, Span::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_is_taken_counts_as_far_as_it_lies_in_the_period() {
        let at = Instant::from_nanos;
        let ns = Span::from_nanos;
        let burst = Burst {
            due: at(1_000),
            taken: vec![(at(1_000), at(1_050)), (at(1_400), at(1_600)), (at(1_900), at(2_300))],
        };
        assert_eq!((burst.late(), burst.longest()), (ns(50), ns(400)));
        let lost: Vec<_> =
            [40, 300, 500, 700, 1_000, 2_000].map(|p| burst.lost_of(ns(p)).as_nanos()).to_vec();
        assert_eq!(lost, [40, 50, 150, 250, 350, 650]);
    }
}
