//! Virtual time: service divided by weight, exact, without drift.
//!
//! It has whole virtual nanoseconds and a fraction in units of 2^-32. `Account` carries the remainder of a division
//! into the next one, so a child's virtual time depends only on its weight and the sum of its service, not on how
//! that was divided. 63 bits of whole nanoseconds last 292 years at weight 1; at weight 2^32 - 1 it still advances
//! by more than one unit per nanosecond.

use windfall_time::Span;

/// A point in virtual time; may be negative (warp).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Virtual {
    whole: i64,
    fraction: u32,
}

impl Virtual {
    /// Earlier by a span of virtual time; the result is limited to the least value that the type holds.
    pub(crate) fn earlier(self, by: Span) -> Virtual {
        Virtual {
            whole: self.whole.saturating_sub_unsigned(by.as_nanos()),
            fraction: self.fraction,
        }
    }

    /// Earlier by what so much service makes at a weight above zero, rounded down; limited as [`earlier`](Self::earlier).
    #[expect(clippy::cast_possible_truncation, reason = "the quotient is below 2^32")]
    pub(crate) fn before_service(self, service: Span, weight: u32) -> Virtual {
        let (ns, weight) = (service.as_nanos(), u64::from(weight));
        let part = ((ns % weight) << 32) / weight;
        let (fraction, borrow) = self.fraction.overflowing_sub(part as u32);
        let whole = self.whole.saturating_sub_unsigned(ns / weight);
        Virtual { whole: whole.saturating_sub(i64::from(borrow)), fraction }
    }

    /// A number of the same order, with 32 bits below for a tie-breaker.
    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "flipping the sign bit maps i64 onto u64 in order")]
    pub(crate) const fn tag(self, tie: u32) -> u128 {
        let whole = (self.whole ^ i64::MIN) as u64;
        (whole as u128) << 64 | (self.fraction as u128) << 32 | tie as u128
    }
}

/// The virtual time of one child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    pub(crate) time: Virtual,
    /// At least 1.
    pub(crate) weight: u32,
    /// Remainder of the last division, in units of 2^-32 / weight; below the weight.
    rest: u32,
}

impl Account {
    /// An account at virtual time zero.
    pub(crate) const fn new(weight: u32) -> Account {
        Account { time: Virtual { whole: 0, fraction: 0 }, weight, rest: 0 }
    }

    /// Changes the weight for later service. Drops the remainder, less than 2^-32 virtual nanoseconds.
    pub(crate) fn set_weight(&mut self, weight: u32) {
        (self.weight, self.rest) = (weight.max(1), 0);
    }

    /// Advances by `service`.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the quotient is below 2^32 and the remainder below the weight"
    )]
    pub(crate) fn charge(&mut self, service: Span) {
        let (ns, weight) = (service.as_nanos(), u64::from(self.weight));
        let (whole, over) = (ns / weight, ns % weight);
        // `over` and `rest` are below the weight, so this is below weight * 2^32.
        let scaled = (over << 32) + u64::from(self.rest);
        let (fraction, carry) = self.time.fraction.overflowing_add((scaled / weight) as u32);
        self.rest = (scaled % weight) as u32;
        let sum = self.time.whole.saturating_add_unsigned(whole);
        self.time = Virtual { whole: sum.saturating_add(i64::from(carry)), fraction };
    }

    /// Sets the time, to a later or an earlier one.
    pub(crate) fn set_time(&mut self, time: Virtual) {
        (self.time, self.rest) = (time, 0);
    }

    /// Advances to `time` if that is later.
    pub(crate) fn catch_up(&mut self, time: Virtual) {
        if time > self.time {
            (self.time, self.rest) = (time, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with the slow definition: the sum of all service in 128 bits, divided once.
        #[test]
        fn law_virtual_time_is_all_service_over_weight(
            weight in prop_oneof![1_u32..20, 1..=u32::MAX, Just(u32::MAX)],
            pieces in prop::collection::vec(prop_oneof![0_u64..100, 0_u64..1 << 40], 0..50),
        ) {
            let mut account = Account::new(weight);
            let mut sum = 0_u128;
            for piece in pieces {
                account.charge(Span::from_nanos(piece));
                sum += u128::from(piece);
            }
            let exact = (sum << 32) / u128::from(weight);
            let whole = u128::try_from(account.time.whole).unwrap();
            prop_assert_eq!((whole << 32) + u128::from(account.time.fraction), exact);
        }
    }

    proptest! {
        #[test]
        fn law_before_service_takes_back_what_service_gives(
            weight in prop_oneof![1_u32..20, 1..=u32::MAX, Just(u32::MAX)],
            first in 0_u64..1 << 40,
            service in 0_u64..1 << 40,
        ) {
            let mut account = Account::new(weight);
            account.charge(Span::from_nanos(first));
            let before = account.time;
            account.charge(Span::from_nanos(service));
            let back = account.time.before_service(Span::from_nanos(service), weight);
            let fractions = |time: Virtual| (i128::from(time.whole) << 32) + i128::from(time.fraction);
            // Remainders of divisions are kept only in the account.
            prop_assert!((0..=1).contains(&(fractions(back) - fractions(before))));
        }
    }

    #[test]
    fn law_tags_have_the_order_of_the_times() {
        let times = [i64::MIN, -1, 0, 1, i64::MAX].map(|whole| Virtual { whole, fraction: 7 });
        let later = times.map(|time| Virtual { fraction: 8, ..time });
        for ((time, later), next) in times.iter().zip(later).zip(&times[1..]) {
            assert!(time.tag(9) < later.tag(0) && later.tag(9) < next.tag(0));
        }
    }

    #[test]
    fn limit_a_long_warp_leads_below_zero() {
        let mut account = Account::new(1);
        account.charge(Span::from_nanos(5));
        let earlier = account.time.earlier(Span::MAX);
        assert!(earlier < Virtual::default());
        assert!(earlier < account.time.earlier(Span::from_nanos(6)));
    }
}
