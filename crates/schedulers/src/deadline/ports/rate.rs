//! What an instance holds: a rate and a latency, the time of that supply (decision 0029), and the steps of a reservation (decision 0037).

use windfall_time::{Instant, Span};

/// In any window of length d, at least (d - `latency`) x `amount` / `period` of processor time while the instance is runnable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rate {
    pub(super) amount: u64,
    pub(super) period: u64,
    pub(super) latency: Span,
    /// Whether it comes in blocks, as [`Message::Supply`](windfall_hierarchy::Message::Supply) says.
    pub(super) blocks: bool,
}

impl Rate {
    /// `None` for one that gives nothing.
    pub(super) fn new(amount: Span, period: Span, latency: Span, blocks: bool) -> Option<Rate> {
        let (amount, period) = (amount.as_nanos(), period.as_nanos());
        (amount > 0).then_some(Rate { amount, period: period.max(amount), latency, blocks })
    }

    /// The least that is received in any window of this length while the instance is runnable.
    pub(super) fn least_in(self, window: Span) -> Span {
        let after = window.saturating_sub(self.latency).as_nanos();
        let (whole, rest) = (after / self.period, after % self.period);
        match self.blocks {
            true => Span::from_nanos(whole * self.amount + rest.min(self.amount)),
            false => Span::from_nanos(self.times(after).0),
        }
    }

    fn times(self, at: u64) -> (u64, bool) {
        let product = u128::from(at) * u128::from(self.amount);
        let period = u128::from(self.period);
        let quotient = Span::saturating_from_nanos(product / period);
        (quotient.as_nanos(), product % period > 0)
    }

    /// The place of a deadline, rounded down.
    pub(super) fn place(self, deadline: Instant) -> Instant {
        let after = deadline.as_nanos().saturating_sub(self.latency.as_nanos());
        Instant::from_nanos(self.times(after).0)
    }

    /// The time of the supply if the instance becomes runnable now, rounded up: the most that it can be.
    pub(super) fn at(self, now: Instant) -> Instant {
        let (whole, rest) = self.times(now.as_nanos());
        Instant::from_nanos(whole.saturating_add(u64::from(rest)))
    }

    /// The least that the time of the supply can be now while the supply holds.
    pub(super) fn least(self, now: Instant) -> Instant {
        self.at(Instant::from_nanos(now.as_nanos().saturating_sub(self.latency.as_nanos())))
    }

    /// The earliest deadline with this place or a later one.
    pub(super) fn deadline(self, place: Instant) -> Instant {
        let product = u128::from(place.as_nanos()) * u128::from(self.period);
        let quotient = product.div_ceil(u128::from(self.amount));
        let after = Span::saturating_from_nanos(quotient);
        Instant::ZERO.saturating_add(after).saturating_add(self.latency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn law_places_and_deadlines_are_inverse(
            (amount, period) in (1_u64..1_000).prop_flat_map(|y| (1..=y, Just(y))),
            latency in 0_u64..5_000, at in 0_u64..1 << 40,
        ) {
            let latency = Span::from_nanos(latency);
            let rate = Rate::new(Span::from_nanos(amount), Span::from_nanos(period), latency, true).unwrap();
            let place = rate.place(Instant::from_nanos(at));
            let deadline = rate.deadline(place);
            prop_assert!(rate.place(deadline) >= place);
            prop_assert!(deadline <= Instant::from_nanos(at).max(Instant::ZERO + latency));
            let before = deadline.as_nanos().checked_sub(1).map(Instant::from_nanos);
            prop_assert!(before.is_none_or(|before| rate.place(before) < place || place == Instant::ZERO));
            // Both are at most a nanosecond from a t, the one above and the other below.
            let exact = u128::from(at) * u128::from(amount);
            let up = u128::from(rate.at(Instant::from_nanos(at)).as_nanos()) * u128::from(period);
            prop_assert!(up >= exact && up < exact + u128::from(period));
            prop_assert!(rate.least(Instant::from_nanos(at)) <= rate.at(Instant::from_nanos(at)));
        }
    }

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
    fn limit_a_whole_processor_has_its_own_time() {
        let one = Span::from_nanos(1);
        let all = Rate::new(one, one, Span::ZERO, true).unwrap();
        let at = Instant::from_nanos(u64::MAX);
        assert_eq!((all.place(at), all.at(at), all.deadline(at)), (at, at, at));
        assert_eq!(all.least_in(Span::MAX), Span::MAX);
        assert_eq!(Rate::new(Span::ZERO, one, Span::ZERO, true), None);
    }
}
