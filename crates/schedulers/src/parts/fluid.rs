//! Virtual time with weights that change: service over weight, in units of 2^-60 virtual ns.
//!
//! The remainder of a division is kept as service, not as virtual time, so that it has the same meaning under
//! another weight. However often weights change, no service is lost, and less than the weight in units (a millionth
//! of a nanosecond) is outstanding. Service is below 2^64 ns and weights are at least 1, so a clock stays below
//! 2^124.

use windfall_time::Span;

/// One nanosecond of service, or of virtual time.
pub(crate) const UNIT: i128 = 1 << 60;

/// A service in units.
pub(crate) fn scaled(service: Span) -> i128 {
    i128::from(service.as_nanos()) * UNIT
}

/// A point in virtual time that advances.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Clock {
    pub(crate) at: i128,
    /// Service that has not yet advanced it.
    pub(crate) rest: i128,
}

impl Clock {
    /// Advances by `service`, in units, over the weight, which is at least 1.
    pub(crate) fn pass(&mut self, service: i128, weight: i128) {
        let sum = self.rest.saturating_add(service);
        self.at = self.at.saturating_add(sum / weight);
        self.rest = sum % weight;
    }

    /// Advances to `at` if that is later.
    pub(crate) fn catch_up(&mut self, at: i128) {
        if at > self.at {
            *self = Clock { at, rest: 0 };
        }
    }
}

/// A distance in virtual time at weight `from`, converted so that it is the same service at weight `to`.
pub(crate) fn reweighed(distance: i128, from: i128, to: i128) -> i128 {
    let whole = (distance / to).saturating_mul(from);
    let rest = (distance % to).saturating_mul(from) / to;
    whole.saturating_add(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn law_no_service_is_lost_or_counted_twice(
            pieces in prop::collection::vec((0_u64..1 << 40, 1_i128..1 << 34), 0..50),
        ) {
            let mut clock = Clock::default();
            let (mut put, mut got) = (0, 0);
            for (service, weight) in pieces {
                let before = clock.at;
                clock.pass(scaled(Span::from_nanos(service)), weight);
                put += i128::from(service) * UNIT;
                got += (clock.at - before) * weight;
                prop_assert_eq!(put, got + clock.rest);
                prop_assert!(clock.rest < weight);
            }
        }

        #[test]
        fn law_a_distance_means_the_same_service_at_another_weight(
            distance in 0_i128..1 << 100, from in 1_i128..1 << 32, to in 1_i128..1 << 32,
        ) {
            let there = reweighed(distance, from, to);
            if let Some(service) = distance.checked_mul(from) {
                prop_assert!((there * to - service).abs() <= to);
            }
        }
    }
}
