//! The supply of an instance, whose times are those of slots (decision 0029), and the steps of a reservation (decision
//! 0037).

use windfall_admission::Supply;
use windfall_time::{Instant, Span};

/// At least what a supply says of each window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rate {
    /// As a rate and a latency.
    pub(super) line: Supply,
    /// Whether it comes in blocks, as [`Message::Supply`](windfall_hierarchy::Message::Supply) says.
    pub(super) blocks: bool,
}

impl Rate {
    /// `None` for one that gives nothing.
    pub(super) fn new(amount: Span, period: Span, latency: Span, blocks: bool) -> Option<Rate> {
        let line = Supply::new(amount, period.max(amount), latency).ok()?;
        Some(Rate { line, blocks })
    }

    /// The least that is received in any window of this length while the instance is runnable.
    pub(super) fn least_in(self, window: Span) -> Span {
        let Rate { line, blocks } = self;
        if !blocks {
            return line
                .place(Instant::ZERO.saturating_add(window))
                .saturating_since(Instant::ZERO);
        }
        let [amount, period] = [line.amount(), line.period()].map(Span::as_nanos);
        let after = window.saturating_sub(line.latency()).as_nanos();
        Span::from_nanos(after / period * amount + (after % period).min(amount))
    }

    /// The earliest deadline with this place or a later one; the end of all clocks, if none shows it.
    pub(super) fn deadline(self, place: Instant) -> Instant {
        match self.line.deadline(place) {
            Some(deadline) => deadline,
            None => Instant::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn law_steps_are_a_supply_bound_and_at_most_x_times_1_less_x_of_y_above_the_line(
            (x, y) in (1_u64..30).prop_flat_map(|y| (1..=y, Just(y))), basic in any::<bool>(), begins in 0_u64..60, window in 0_u64..200,
        ) {
            let gap = (y - x) * if basic { 2 } else { 1 };
            let [amount, period, latency] = [x, y, gap].map(Span::from_nanos);
            let steps = Rate::new(amount, period, latency, true).unwrap();
            let line = Rate { blocks: false, ..steps };
            let [above, below] = [steps, line].map(|rate| rate.least_in(Span::from_nanos(window)).as_nanos());
            prop_assert!(above >= below && (above - below) * y <= x * (y - x) + y);
            // What a supplier gives that is as late as it may be: at the beginning of one period and, where periods begin anywhere, at the ends of all others.
            let given = |at: u64| match (at / y, basic) {
                (0, true) => at % y < x,
                (_, true) => at % y >= y - x,
                (_, false) => at % y < x,
            };
            let received = (begins..begins + window).filter(|at| given(*at)).count() as u64;
            prop_assert!(received >= above, "{received} in {window} from {begins}");
            let worst = (0..y).map(|from| (from..from + window).filter(|at| given(*at)).count() as u64).min();
            prop_assert_eq!(worst, Some(above), "no window brings less");
        }
    }

    #[test]
    fn limit_a_whole_processor_brings_each_window() {
        let one = Span::from_nanos(1);
        let all = Rate::new(one, one, Span::ZERO, true).unwrap();
        assert_eq!(all.least_in(Span::MAX), Span::MAX);
        assert_eq!(Rate { blocks: false, ..all }.least_in(Span::MAX), Span::MAX);
        assert_eq!(all.deadline(Instant::MAX), Instant::MAX);
        assert_eq!(Rate::new(Span::ZERO, one, Span::ZERO, true), None);
    }
}
